//! Properties that every policy must have, tested on generated sites through the frontier itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::{BreadthFirst, Link, NewLink, Observation, Outcome, PageFacts, PlacedLink, Policy, PolicySnapshot};
use harvestman_core::clock::Instant;
use harvestman_core::model::{
    Apath, ContentUnit, LeafPath, LinkClass, PageText, PolicyRefusal, ScheduledUrl, UrlPattern,
};
use harvestman_core::seed::Seed;
use harvestman_core::url::{CanonicalUrl, HostKey};
use harvestman_stages::frontier::{Frontier, FrontierLimits};

const ORIGIN: &str = "http://h.test";
/// More than any generated site has pages.
const NO_BUDGET: usize = 1000;

/// The kind of response of a generated page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Page,
    Document,
    Failed,
    Redirected,
}

/// A generated page: its template, and its links by place and number of the target.
#[derive(Debug, Clone)]
struct Made {
    kind: Kind,
    template: u8,
    links: Vec<(u8, usize)>,
}

/// A site whose first page is the seed.
type Site = Vec<Made>;

fn sites() -> impl Strategy<Value = Site> {
    let kind = prop_oneof![
        8 => Just(Kind::Page),
        1 => Just(Kind::Document),
        1 => Just(Kind::Failed),
        1 => Just(Kind::Redirected),
    ];
    let made = (kind, 0..3_u8, prop::collection::vec((0..4_u8, any::<prop::sample::Index>()), 0..6));
    prop::collection::vec(made, 1..40).prop_map(|pages| {
        let count = pages.len();
        let links = |links: Vec<(u8, prop::sample::Index)>| links.into_iter().map(|(at, to)| (at, to.index(count)));
        pages.into_iter().map(|(kind, template, to)| Made { kind, template, links: links(to).collect() }).collect()
    })
}

/// The address of a page, which shows its template, as on real sites.
fn address(site: &Site, page: usize) -> CanonicalUrl {
    let folder = ["list", "topic", "user"][usize::from(site[page].template)];
    CanonicalUrl::from_canonical(format!("{ORIGIN}/{folder}/{page}"))
}

fn bag(made: &Made) -> Vec<LeafPath> {
    let template = u64::from(made.template) * 100;
    let repeated = 1 + made.links.len() as u32;
    let leaf = |path, count| LeafPath { path, count, text: None };
    vec![leaf(1, 1), leaf(template + 10, repeated), leaf(template + 11, 2), leaf(template + 12, repeated * 2)]
}

fn units(made: &Made, page: usize) -> Vec<ContentUnit> {
    let unit = |hash, words| ContentUnit { hash, words, text_words: words, in_anchor: false, in_form: false };
    vec![unit(1, 5), unit(1000 + page as u64, if made.template == 1 { 60 } else { 2 })]
}

fn text(made: &Made, page: usize) -> PageText {
    let (mut text, length) = (PageText::default(), if made.template == 1 { 60 } else { 2 });
    text.push(&[1, 2, 3, 4, 5], false, false);
    text.push(&(0..length).map(|word| 1_000 * page as u32 + word).collect::<Vec<_>>(), false, false);
    text
}

/// A crawl of a generated site, which does what the pipeline does, one fetch after the other.
struct Crawl<'a> {
    site: &'a Site,
    policy: Box<dyn Policy>,
    snapshot: Arc<dyn PolicySnapshot>,
    frontier: Frontier,
    pages: BTreeMap<CanonicalUrl, usize>,
    accepted: BTreeSet<CanonicalUrl>,
    fetched: Vec<CanonicalUrl>,
}

impl<'a> Crawl<'a> {
    fn new(site: &'a Site, mut policy: Box<dyn Policy>) -> Self {
        let snapshot = policy.snapshot();
        let pages = (0..site.len()).map(|page| (address(site, page), page)).collect();
        let frontier = frontier(&snapshot);
        Self { site, policy, snapshot, frontier, pages, accepted: BTreeSet::new(), fetched: Vec::new() }
    }

    fn run(mut self, budget: usize) -> Self {
        let seed = LinkClass::unclassified(Apath::SEED);
        assert_eq!(refused(&*self.snapshot, seed), None, "seeds are wanted");
        self.offer(seed, &address(self.site, 0), 0, None);
        while self.fetched.len() < budget && self.fetch_next() {}
        self
    }

    /// Accepts a link that is wanted and new.
    fn offer(
        &mut self,
        place: LinkClass,
        url: &CanonicalUrl,
        depth: u16,
        via: Option<&CanonicalUrl>,
    ) -> Option<NewLink> {
        let class = place.with_pattern(self.snapshot.pattern(url.as_str()));
        assert!(self.snapshot.score(class).is_finite(), "a score is a number: {class:?}");
        if refused(&*self.snapshot, class).is_some() || !self.accepted.insert(url.clone()) {
            return None;
        }
        let via = via.map(|via| via.as_str().into());
        let context = self.context(url);
        let link = Link::New { class, url: url.as_str(), via: via.as_deref().unwrap_or_default(), context: &context };
        let class = self.snapshot.admit(&link).queued().ok()?.class;
        let item = ScheduledUrl { depth, via, ..ScheduledUrl::found(url.clone(), class) };
        self.frontier.push(&item).expect("there are no limits");
        Some(NewLink { class, url: url.clone(), context })
    }

    /// What stands around the links to a URL, if the policy needs it.
    fn context(&self, url: &CanonicalUrl) -> Box<[u32]> {
        let tokens = |hash: u64| (0..hash % 5).map(|n| ((hash >> (8 * n)) % 7) as u32).collect();
        if self.policy.needs().contexts { tokens(url.fingerprint().0 as u64) } else { Box::default() }
    }

    fn fetch_next(&mut self) -> bool {
        let Ok(lease) = self.frontier.pop(&HostKey::from_origin(ORIGIN), Instant::EPOCH) else { return false };
        assert!(self.frontier.end(lease.id).is_some());
        let item = lease.item;
        let page = self.pages[&item.url];
        self.fetched.push(item.url.clone());
        let new = self.links_of(page, &item);
        let outcome = self.outcome(page);
        self.policy.observe(Observation { url: item.url, class: item.class, via: item.via, outcome, new });
        self.adopt();
        true
    }

    fn links_of(&mut self, page: usize, item: &ScheduledUrl) -> Vec<NewLink> {
        let site = self.site;
        let made = &site[page];
        let (cluster, redirect) = (self.snapshot.cluster(&bag(made)), made.kind == Kind::Redirected);
        let links = match made.kind {
            Kind::Page => made.links.as_slice(),
            Kind::Redirected => &made.links[..made.links.len().min(1)],
            Kind::Document | Kind::Failed => &[],
        };
        let mut new = Vec::new();
        for (place, target) in links {
            let place = if redirect { item.class } else { LinkClass::at(cluster, Apath(u64::from(*place) + 100)) };
            if redirect || refused(&*self.snapshot, place).is_none() {
                new.extend(self.offer(place, &address(site, *target), item.depth + 1, Some(&item.url)));
            }
        }
        new
    }

    /// The outcome of a page's fetch, with only what the policy needs.
    fn outcome(&self, page: usize) -> Outcome {
        let (made, needs) = (&self.site[page], self.policy.needs());
        let placed = |(place, target): &(u8, usize)| {
            PlacedLink::new(Apath(u64::from(*place) + 100), address(self.site, *target).fingerprint())
        };
        match made.kind {
            Kind::Page => Outcome::Page(Box::new(PageFacts {
                bag: bag(made),
                units: if needs.units { units(made, page) } else { Vec::new() },
                text: needs.words.then(|| text(made, page)),
                accepted: Some(made.template == 1),
                links: if needs.links { made.links.iter().map(placed).collect() } else { Vec::new() },
                ..PageFacts::default()
            })),
            Kind::Document => Outcome::Document,
            Kind::Failed => Outcome::Failed,
            Kind::Redirected => Outcome::Redirected,
        }
    }

    /// Takes the policy's next snapshot, and moves waiting URLs to other classes where these have changed their
    /// meaning.
    fn adopt(&mut self) {
        let next = self.policy.snapshot();
        assert_eq!(next.version(), self.snapshot.version() + 1, "each snapshot has its version");
        assert!(next.generation() >= self.snapshot.generation());
        if next.generation() > self.snapshot.generation() {
            self.reclassify(&next);
        }
        self.snapshot = next;
        self.frontier.set_order(Arc::clone(&self.snapshot) as _);
    }

    fn reclassify(&mut self, next: &Arc<dyn PolicySnapshot>) {
        let host = HostKey::from_origin(ORIGIN);
        let mut waiting: Vec<ScheduledUrl> =
            std::iter::from_fn(|| self.frontier.pop(&host, Instant::EPOCH).ok()).map(|lease| lease.item).collect();
        waiting.sort_by(|a, b| a.depth.cmp(&b.depth).then_with(|| a.url.cmp(&b.url)));
        self.frontier = frontier(next);
        for mut item in waiting {
            item.class = next.class_of(item.class, item.url.as_str(), item.via.as_deref());
            assert!(next.score(item.class).is_finite(), "a score is a number: {:?}", item.class);
            self.frontier.push(&item).expect("there are no limits");
        }
    }
}

fn frontier(snapshot: &Arc<dyn PolicySnapshot>) -> Frontier {
    Frontier::new(
        FrontierLimits { queued_max: u64::MAX, host_pages_max: None, classes_max: 4_096 },
        Arc::clone(snapshot) as _,
    )
}

/// Checks what every policy must guarantee: each wanted page is fetched exactly once if the budget allows, no more than
/// the budget otherwise, always in the same order for the same seed, and by scores that are numbers.
pub fn holds_for_any_policy(make: impl Fn(Seed) -> Box<dyn Policy>) {
    let config = ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() };
    let cases = (sites(), any::<u64>(), 0..20_usize);
    let holds = |(site, seed, budget): (Site, u64, usize)| {
        let crawl = |budget| Crawl::new(&site, make(Seed(seed))).run(budget);
        let whole = crawl(NO_BUDGET);
        let distinct: BTreeSet<&CanonicalUrl> = whole.fetched.iter().collect();
        prop_assert_eq!(distinct.len(), whole.fetched.len(), "each page once");
        prop_assert_eq!(distinct, whole.accepted.iter().collect(), "every page that is wanted");
        let part = crawl(budget);
        prop_assert_eq!(
            &part.fetched[..],
            &whole.fetched[..budget.min(whole.fetched.len())],
            "no more, in the same order"
        );
        Ok(())
    };
    TestRunner::new(config).run(&cases, holds).unwrap();
}

/// Breadth-first order as a policy, to test the properties themselves.
struct Plain(u64);

impl Policy for Plain {
    fn observe(&mut self, _: Observation) {
        self.0 += 1;
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(Numbered(self.0))
    }
}

struct Numbered(u64);

impl harvestman_core::model::ClassOrder for Numbered {
    fn score(&self, class: LinkClass) -> f64 {
        BreadthFirst.score(class)
    }
}

impl PolicySnapshot for Numbered {
    fn version(&self) -> u64 {
        self.0
    }
}

#[test]
fn breadth_first_is_a_policy() {
    holds_for_any_policy(|_| Box::new(Plain(0)));
}

#[test]
fn breadth_first_reaches_every_page_in_the_order_of_depth() {
    let made = |links: &[usize]| Made {
        kind: Kind::Page,
        template: 0,
        links: links.iter().map(|target| (0, *target)).collect(),
    };
    let site = vec![made(&[3, 1]), made(&[2]), made(&[0]), made(&[1, 2]), made(&[])];
    let fetched = Crawl::new(&site, Box::new(Plain(0))).run(NO_BUDGET).fetched;
    assert_eq!(fetched, [0, 3, 1, 2].map(|page| address(&site, page)));
}

/// Why links of a class are rejected; a class without a pattern means all links at its place.
pub fn refused(snapshot: &dyn PolicySnapshot, class: LinkClass) -> Option<PolicyRefusal> {
    let is_place = class.pattern == UrlPattern::NONE;
    snapshot.admit(&if is_place { Link::at_place_of(class) } else { Link::Class(class) }).refusal()
}
