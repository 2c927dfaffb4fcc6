use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;

use super::*;
use crate::run::offline;
use harvestman_core::config::url::ScopeMode;
use harvestman_core::config::{Config, ParseOptions};
use harvestman_core::model::{
    Admission, Budget, ClassOrder, ClusterId, LeafPath, LinkGroup, LinkKind, LinkPosition, PatternId, RawLink,
    UrlPattern,
};
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;
use harvestman_lab::corpus::{Corpus, canonicaliser};
use harvestman_lab::experiments::order::{Filtering, Page, Steps, Store, StoreKind, Tally};
use harvestman_policy::{AdjustedSnapshot, Adjustment};
use harvestman_sim::{Family, World, WorldOptions};
use harvestman_structure::parse::Parser;

/// Rejects a third of the places, by cluster and Apath, and every fifth URL.
#[derive(Clone, Copy)]
struct Choosy;

impl ClassOrder for Choosy {
    fn score(&self, _: LinkClass) -> f64 {
        0.0
    }
}

impl PolicySnapshot for Choosy {
    fn version(&self) -> u64 {
        0
    }

    fn cluster(&self, bag: &[LeafPath]) -> ClusterId {
        ClusterId(bag.len() as u32 % 4)
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        let of = PatternId(1 + Fingerprint::of(url).0 as u64 % 5);
        UrlPattern { coarse: of, fine: of }
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        let class = link.class();
        let place = class.apath.0.wrapping_add(u64::from(class.cluster.0)).is_multiple_of(3);
        let url = (class.pattern.fine == PatternId(1)).then_some(PolicyRefusal::NoEdge);
        link.unless(if place { Some(PolicyRefusal::LinkClass) } else { url })
    }
}

/// Rejects traps by their URL.
struct NoTraps;

impl Adjustment for NoTraps {
    fn adjust(&self, _: &dyn PolicySnapshot, link: &Link<'_>, admission: Admission) -> Admission {
        let is_trap = link.url().is_some_and(|url| url.contains("trap"));
        if is_trap { Admission::Reject(PolicyRefusal::StructureTrap) } else { admission }
    }
}

/// [`Choosy`] for a filter of this order, with or without traps rejected.
fn choosy(order: FilterOrder, traps: bool) -> Arc<dyn PolicySnapshot> {
    let policy = Arc::new(Choosy) as Arc<dyn PolicySnapshot>;
    let rejects = traps.then(|| Arc::new(AdjustedSnapshot::new(&policy, Arc::new(NoTraps))) as _);
    harvestman_policy::consulted(rejects.unwrap_or(policy), order)
}

/// The rules of a crawl in this order, to which every URL belongs.
fn rules(order: FilterOrder, depth: u16) -> Rules {
    let mut config = Config::default();
    config.filter.order = order;
    config.budget.depth = depth;
    config.scope.mode = ScopeMode::Any;
    config.scope.trap_guard = false;
    let policy = choosy(order, false);
    let (current, needs) = (Arc::new(ArcSwap::from_pointee(policy)), Arc::default());
    offline::rules(
        &config,
        &[CanonicalUrl::from_canonical("http://h.test/")],
        &current,
        &needs,
        offline::RecordedSite::new(|_| true).exists,
    )
    .unwrap()
}

/// What became of links: refused by place, by URL, known, admitted.
type Counts = [u64; 4];

/// The pages of a crawl, taken in by the pipeline; what became of the links of each, and what was let in.
fn taken_in(corpus: &Corpus, order: FilterOrder) -> (Vec<Counts>, BTreeSet<String>) {
    let (rules, mut memory) = (rules(order, u16::MAX), Memory::default());
    let (mut counts, mut admitted) = (Vec::new(), BTreeSet::new());
    for (url, parsed) in pages(corpus) {
        let item = ScheduledUrl::errand(url.clone());
        let snapshot = choosy(order, false);
        let cluster = rules.classified(&*snapshot, &item, &parsed);
        let mut intake = LinkFilter::new(&rules, snapshot, &mut memory, &item);
        intake.page(&parsed, cluster, RobotsDirectives::default());
        let (found, _) = intake.finish();
        let refused = |why| found.settled.of(Fate::Policy(why));
        let (place, by_url) = (refused(PolicyRefusal::LinkClass), refused(PolicyRefusal::NoEdge));
        counts.push([place, by_url, found.settled.of(Fate::Duplicate), found.accepted.len() as u64]);
        admitted.extend(found.accepted.iter().map(|item| item.url.as_str().to_owned()));
    }
    (counts, admitted)
}

fn pages(corpus: &Corpus) -> impl Iterator<Item = (&CanonicalUrl, ParsedPage)> {
    let mut parser = Parser::new(&ParseOptions::default());
    let ids = corpus.ids().filter(|id| corpus.page(*id).is_page());
    ids.map(move |id| (corpus.url(id), parser.parse(&corpus.page(id).body, corpus.page(id).content_type())))
}

/// The same by the laboratory, which times each step for itself. What was let in is told by the store: it knows that.
fn timed(corpus: &Corpus, order: FilterOrder) -> (Vec<Counts>, BTreeSet<String>) {
    let mut store = Store::filled(StoreKind::BloomExact, 1_000, 1 << 20).unwrap();
    let mut steps = Steps::new(order, Filtering::ByPlaceAndUrl, canonicaliser(), "a crawl");
    let mut take = |steps: &mut Steps, url: &CanonicalUrl, parsed: &ParsedPage| -> Tally {
        let waited = LinkClass::unclassified(Apath::SEED);
        steps.page(&Page { url, waited, parsed, policy: &Choosy }, &mut store).unwrap()
    };
    let mut counts = Vec::new();
    for (url, parsed) in pages(corpus) {
        let tally = take(&mut steps, url, &parsed);
        counts.push([tally.refused_by_place, tally.refused_by_url, tally.duplicates, tally.admitted]);
    }
    // All that any page leads to, each asked for once.
    let mut asking = Steps::new(FilterOrder::DupOnly, Filtering::ByPlaceAndUrl, canonicaliser(), "a crawl");
    let known = |url: &String| {
        take(&mut asking, &CanonicalUrl::from_canonical(url.clone()), &linking_to(&[url])).duplicates == 1
    };
    let admitted = all_links(corpus).into_iter().filter(known).collect();
    (counts, admitted)
}

fn all_links(corpus: &Corpus) -> BTreeSet<String> {
    let canonicaliser = canonicaliser();
    let links_of = |(url, parsed): (&CanonicalUrl, ParsedPage)| {
        let mut resolver = canonicaliser.document_resolver(url, parsed.base.as_deref(), parsed.charset);
        let links = parsed.groups.iter().flat_map(|group| &group.links);
        links.filter_map(|link| Some(resolver.resolve(parsed.href(link)).ok()?.as_str().to_owned())).collect::<Vec<_>>()
    };
    pages(corpus).flat_map(links_of).collect()
}

/// A page that links to `urls` from one place.
fn linking_to(urls: &[&str]) -> ParsedPage {
    let (mut hrefs, mut links) = (String::new(), Vec::new());
    for url in urls {
        let start = hrefs.len() as u32;
        hrefs.push_str(url);
        let (end, place) = (hrefs.len() as u32, LinkPosition::default());
        links.push(RawLink { start, end, kind: LinkKind::Anchor, text: 0, nofollow: false, place });
    }
    ParsedPage { hrefs, groups: vec![LinkGroup { apath: Apath(10), apath_text: None, links }], ..ParsedPage::default() }
}

#[test]
fn the_laboratory_times_what_the_pipeline_does_in_every_order() {
    let families = vec![Family::Forum, Family::Media];
    let options =
        WorldOptions { pages: 400, hosts: 3, families, page_bytes: 200, links: 12, ..WorldOptions::default() };
    let corpus = Corpus::from_world(&World::new(&options, Seed(5)).unwrap()).unwrap();
    assert!(corpus.len() >= 400);
    for order in FilterOrder::ALL {
        let ((mut taken, admitted), (timed, stored)) = (taken_in(&corpus, order), timed(&corpus, order));
        if order == FilterOrder::DupGraph {
            // There the laboratory asks of place and URL at once.
            taken.iter_mut().for_each(|[place, url, ..]| *url += std::mem::take(place));
        }
        for (page, (taken, timed)) in taken.iter().zip(&timed).enumerate() {
            assert_eq!(taken, timed, "{order}, page {page}");
        }
        assert!(admitted.len() > 200, "{order}: {}", admitted.len());
        assert_eq!(admitted, stored, "{order}");
    }
}

/// What became of a page's links, with a snapshot that refuses traps or not, at a depth of one.
fn fates(rules: &Rules, memory: &mut Memory, traps: bool, urls: &[&str]) -> (Fates, Vec<String>) {
    let item = ScheduledUrl::errand(CanonicalUrl::from_canonical("http://h.test/"));
    let parsed = linking_to(urls);
    let snapshot = choosy(rules.links.filter.order, traps);
    let cluster = rules.classified(&*snapshot, &item, &parsed);
    let mut intake = LinkFilter::new(rules, snapshot, memory, &item);
    intake.page(&parsed, cluster, RobotsDirectives::default());
    let (found, _) = intake.finish();
    assert_eq!(found.settled.total() + found.accepted.len() as u64, urls.len() as u64);
    (found.settled, found.accepted.iter().map(|item| item.url.as_str().to_owned()).collect())
}

/// URLs that the snapshot does not refuse by their pattern.
fn wanted(name: &str) -> Vec<String> {
    let urls = (0..).map(|n| format!("http://h.test/{name}/{n}"));
    urls.filter(|url| Choosy.pattern(url).fine != PatternId(1)).take(3).collect()
}

#[test]
fn what_is_refused_by_its_address_is_not_remembered_and_what_is_let_in_is() {
    let (traps, pages) = (wanted("trap"), wanted("page"));
    let urls: Vec<&str> = traps.iter().chain(&pages).chain(&pages).map(String::as_str).collect();
    for order in FilterOrder::ALL {
        let (rules, mut memory) = (rules(order, 9), Memory::default());
        let (settled, accepted) = fates(&rules, &mut memory, true, &urls);
        assert_eq!(accepted, pages, "{order}");
        assert_eq!(settled.of(Fate::Policy(PolicyRefusal::StructureTrap)), 3);
        assert_eq!((settled.of(Fate::Duplicate), rules.urls.seen.len()), (3, 3), "{order}");
        // What was a trap is none any more; another worker has not met any of it lately.
        let (settled, accepted) = fates(&rules, &mut Memory::default(), false, &urls);
        assert_eq!(accepted, traps, "{order}");
        assert_eq!((settled.of(Fate::Duplicate), rules.urls.seen.len()), (6, 6), "{order}");
    }
}

#[test]
fn what_is_too_deep_is_not_remembered_and_what_is_known_is_a_duplicate_there_too() {
    let (new, known) = (wanted("new"), wanted("known"));
    let urls: Vec<&str> = new.iter().chain(&known).map(String::as_str).collect();
    for order in FilterOrder::ALL {
        for traps in [false, true] {
            let rules = rules(order, 0);
            for url in &known {
                assert!(rules.urls.seen.insert(Fingerprint::of(url)));
            }
            let (settled, accepted) = fates(&rules, &mut Memory::default(), traps, &urls);
            assert!(accepted.is_empty(), "{order}");
            assert_eq!(settled.of(Fate::OverBudget(Budget::Depth)), 3, "{order}");
            assert_eq!((settled.of(Fate::Duplicate), rules.urls.seen.len()), (3, 3), "{order}");
        }
    }
}

/// Rejects nothing, and counts how often it looks up a pattern. Whether it claims to reject links by patterns is a
/// setting.
#[derive(Default)]
struct Lenient {
    by_pattern: bool,
    asked: AtomicU64,
}

impl ClassOrder for Lenient {
    fn score(&self, _: LinkClass) -> f64 {
        0.0
    }
}

impl PolicySnapshot for Lenient {
    fn version(&self) -> u64 {
        0
    }

    fn pattern(&self, url: &str) -> UrlPattern {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Choosy.pattern(url)
    }

    fn rejects_by_pattern(&self) -> bool {
        self.by_pattern
    }
}

#[test]
fn only_new_links_have_their_patterns_looked_up_where_none_is_rejected_by_them() {
    let (known, new) = (wanted("known"), wanted("new"));
    let urls: Vec<&str> = known.iter().chain(&new).chain(&new).map(String::as_str).collect();
    for order in [FilterOrder::GraphDup, FilterOrder::DupGraph] {
        let taken_in = |by_pattern: bool| {
            let (rules, policy) = (rules(order, 9), Arc::new(Lenient { by_pattern, ..Lenient::default() }));
            assert!(known.iter().all(|url| rules.urls.seen.insert(Fingerprint::of(url))));
            let item = ScheduledUrl::errand(CanonicalUrl::from_canonical("http://h.test/"));
            let mut memory = Memory::default();
            let mut intake = LinkFilter::new(&rules, Arc::clone(&policy) as _, &mut memory, &item);
            intake.page(&linking_to(&urls), PageCluster::default(), RobotsDirectives::default());
            let (found, _) = intake.finish();
            let accepted: Vec<_> = found.accepted.into_iter().map(|item| (item.url, item.class)).collect();
            (accepted, found.settled, policy.asked.load(Ordering::Relaxed))
        };
        let (rejecting, lenient) = (taken_in(true), taken_in(false));
        assert_eq!((&rejecting.0, rejecting.1), (&lenient.0, lenient.1), "{order}");
        assert!(lenient.0.iter().all(|(url, class)| class.pattern == Choosy.pattern(url.as_str())));
        assert_eq!((lenient.0.len(), lenient.2), (3, 3), "{order}");
    }
}
