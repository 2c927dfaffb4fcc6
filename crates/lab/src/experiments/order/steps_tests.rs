use super::super::stores::StoreKind;
use super::*;
use crate::corpus::{Corpus, canonicaliser};
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{Admission, Apath, ClassOrder, PatternId, PolicyRefusal, UrlPattern};
use harvestman_core::seed::Seed;
use harvestman_sim::{Family, World, WorldOptions};
use harvestman_structure::parse::Parser;

/// Refuses every third position and every fifth URL.
struct Thirds;

impl ClassOrder for Thirds {
    fn score(&self, _: LinkClass) -> f64 {
        0.0
    }
}

impl PolicySnapshot for Thirds {
    fn version(&self) -> u64 {
        0
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        let of = PatternId(1 + Fingerprint::of(url).0 as u64 % 5);
        UrlPattern { coarse: of, fine: of }
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        let class = link.class();
        let refused = class.apath.0.is_multiple_of(3) || class.pattern.fine == PatternId(1);
        link.unless(refused.then_some(PolicyRefusal::NoEdge))
    }
}

fn corpus() -> Corpus {
    let families = vec![Family::Forum];
    let options =
        WorldOptions { pages: 150, hosts: 1, families, page_bytes: 200, links: 12, ..WorldOptions::default() };
    Corpus::from_world(&World::new(&options, Seed(5)).unwrap()).unwrap()
}

/// All pages of the corpus, in one order, over one store.
fn all_pages(corpus: &Corpus, order: FilterOrder, filtering: Filtering, store: StoreKind) -> Tally {
    let mut store = Store::filled(store, 1_000, 1 << 20).unwrap();
    let mut steps = Steps::new(order, filtering, canonicaliser(), "a crawl");
    let mut parser = Parser::new(&ParseOptions::default());
    let mut sum = Tally::default();
    for id in corpus.ids().filter(|id| corpus.page(*id).is_page()) {
        let parsed = parser.parse(&corpus.page(id).body, corpus.page(id).content_type());
        let waited = LinkClass::unclassified(Apath::SEED);
        let page = Page { url: corpus.url(id), waited, parsed: &parsed, policy: &Thirds };
        sum += steps.page(&page, &mut store).unwrap();
    }
    sum
}

#[test]
fn both_orders_admit_the_same_links_and_account_for_all() {
    let corpus = corpus();
    for store in StoreKind::ALL {
        let of = |order, filtering| all_pages(&corpus, order, filtering, store);
        let first = of(FilterOrder::GraphDup, Filtering::ByPlaceAndUrl);
        let second = of(FilterOrder::DupGraph, Filtering::ByPlaceAndUrl);
        let alone = of(FilterOrder::DupOnly, Filtering::ByPlaceAndUrl);
        let by_url = of(FilterOrder::GraphDup, Filtering::ByUrl);
        assert_eq!(first.admitted, second.admitted, "{store}");
        assert!(first.admitted <= by_url.admitted && by_url.admitted < alone.admitted, "{store}");
        assert!(first.refused_by_place > 0 && first.refused_by_url > 0 && second.refused_by_place == 0);
        assert_eq!((alone.refused_by_place, alone.refused_by_url), (0, 0));
        assert_eq!(first.links, alone.links);
        let no_urls = alone.links - alone.canonicalised;
        for tally in [&second, &alone, &by_url] {
            let settled = tally.refused_by_place + tally.refused_by_url + tally.duplicates + tally.admitted;
            assert_eq!(settled + no_urls, tally.links, "{store}: {tally:?}");
        }
        assert!(first.canonicalised < second.canonicalised && first.dedup_in < second.dedup_in);
        assert!(first.total() > Duration::ZERO);
    }
}
