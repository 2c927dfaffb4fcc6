//! TPM, the target page map (Vidal, da Silva, de Moura, Cavalcanti: *Structure-Driven Crawler Generation by Example*,
//! SIGIR 2006), with the jump that SOUrCe's authors added (2018, section 5.4).
//!
//! A sample is crawled breadth-first. The paths on which its wanted pages were discovered make a map; pages of one
//! level with similar URLs make a group, and the groups from the entry to the one with most wanted pages become a list
//! of URL rules. From then on a link is followed if its URL matches a rule of the list. When no such link is left, the
//! crawl is over except for URLs that wait since the sample was taken.
//!
//! Simplified: it is not remembered which rule led to a page, so a URL at any place may match any rule of the list,
//! where the original requires the rule that follows its page's, and for the jump also the last rule. URLs nearer to
//! the target come first. Wanted pages are recognised by [`Wanted`], not by tree edit distance; rules are the common
//! parts of a group's URLs, token by token, not regular expressions made from weighted paths.

mod map;
mod rule;

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use self::map::{MapPage, navigation_pattern};
use self::rule::{Rule, tokens};
use super::versions::Versions;
use super::wanted::{Judge, Wanted};
use harvestman_core::model::{Admission, Apath, ClassOrder, LinkClass, PatternId, PolicyRefusal, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_policy::{Link, Needs, Observation, Outcome, Policy, PolicySnapshot};

/// The pattern of a URL that matches no rule.
const NO_RULE: PatternId = PatternId(u64::MAX);
/// Maximum number of times that the sample doubles while no wanted page was found.
const DOUBLINGS_MAX: u32 = 3;

/// The policy that follows URL rules.
#[derive(Debug)]
pub struct Tpm {
    judge: Judge,
    sample: Vec<MapPage>,
    index: HashMap<Fingerprint, usize, FixedState>,
    sample_size: usize,
    doublings: u32,
    rules: Option<Arc<[Rule]>>,
    versions: Versions,
}

impl Tpm {
    /// The policy that learns from the first `sample_pages` pages (SOUrCe's authors: 1,000), or more where none is
    /// wanted.
    pub fn new(wanted: Wanted, sample_pages: usize) -> Self {
        Self {
            judge: Judge::new(wanted),
            sample: Vec::new(),
            index: HashMap::default(),
            sample_size: sample_pages.max(1),
            doublings: 0,
            rules: None,
            versions: Versions::default(),
        }
    }

    /// Records a page or, as it may be on the path to one, a redirect.
    fn add_to_sample(&mut self, seen: &Observation) {
        let wanted = matches!(&seen.outcome, Outcome::Page(page) if self.judge.wants(page));
        let parent = seen.via.as_deref().and_then(|via| self.index.get(&Fingerprint::of(via)).copied());
        self.index.insert(seen.url.fingerprint(), self.sample.len());
        self.sample.push(MapPage { url: seen.url.as_str().into(), parent, wanted });
        if self.sample.len() >= self.sample_size {
            self.make_rules();
        }
    }

    fn make_rules(&mut self) {
        let rules = navigation_pattern(&self.sample);
        if rules.is_none() && self.doublings < DOUBLINGS_MAX {
            self.doublings += 1;
            self.sample_size *= 2;
            return;
        }
        self.rules = rules.map(Arc::from);
        self.sample = Vec::new();
        self.index = HashMap::default();
        self.sample_size = usize::MAX;
    }
}

impl Policy for Tpm {
    fn observe(&mut self, seen: Observation) {
        self.versions.outdate();
        let counts = matches!(seen.outcome, Outcome::Page(_) | Outcome::Redirected);
        if counts && self.sample_size < usize::MAX {
            self.add_to_sample(&seen);
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(Rules { version: self.versions.next(), rules: self.rules.clone() })
    }

    fn needs(&self) -> Needs {
        Needs { units: self.judge.needs_units() && self.sample_size < usize::MAX, ..Needs::default() }
    }
}

/// The rules, once there are any; breadth-first order before.
#[derive(Debug)]
struct Rules {
    version: u64,
    rules: Option<Arc<[Rule]>>,
}

/// Whether a link is on no page: such links are followed without a rule.
fn stands_on_no_page(class: LinkClass) -> bool {
    [Apath::SEED, Apath::SITEMAP, Apath::REDIRECT, Apath::REFRESH, Apath::FEED].contains(&class.apath)
}

impl ClassOrder for Rules {
    #[expect(clippy::cast_precision_loss, reason = "a level of a crawl")]
    fn score(&self, class: LinkClass) -> f64 {
        match (&self.rules, class.pattern.fine) {
            (None, _) => 0.0,
            (Some(rules), PatternId(level)) if (1..=rules.len() as u64).contains(&level) => level as f64,
            _ if stands_on_no_page(class) => 0.0,
            _ => -1.0,
        }
    }
}

impl PolicySnapshot for Rules {
    fn version(&self) -> u64 {
        self.version
    }

    fn admit(&self, link: &Link<'_>) -> Admission {
        let class = link.class();
        let is_waiting = matches!(link, Link::Waiting { .. });
        let unruled = self.rules.is_some() && class.pattern.fine == NO_RULE && !stands_on_no_page(class);
        link.unless((unruled && !is_waiting).then_some(PolicyRefusal::LinkClass))
    }

    /// The number of the last rule that the URL matches, counted from 1.
    fn pattern(&self, url: &str) -> UrlPattern {
        let Some(rules) = &self.rules else { return UrlPattern::NONE };
        let tokens = tokens(url);
        let level = rules.iter().rposition(|rule| rule.matches(&tokens));
        let id = level.map_or(NO_RULE, |level| PatternId(1 + level as u64));
        UrlPattern { coarse: id, fine: id }
    }

    fn generation(&self) -> u64 {
        u64::from(self.rules.is_some())
    }

    fn class_of(&self, class: LinkClass, url: &str, _: Option<&str>) -> LinkClass {
        class.with_pattern(self.pattern(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property_tests::{holds_for_any_policy, refused};
    use harvestman_core::model::LeafPath;
    use harvestman_core::url::CanonicalUrl;
    use harvestman_policy::PageFacts;

    const LISTED: LinkClass = LinkClass::unclassified(Apath(10));

    fn bag(template: u64) -> Vec<LeafPath> {
        vec![LeafPath { path: template, count: 5, text: None }]
    }

    fn page(path: &str, via: Option<&str>, template: u64) -> Observation {
        Observation {
            url: CanonicalUrl::from_canonical(format!("http://h.test{path}")),
            class: LISTED,
            via: via.map(|via| format!("http://h.test{via}").into()),
            outcome: Outcome::Page(Box::new(PageFacts { bag: bag(template), ..PageFacts::default() })),
            new: Vec::new(),
        }
    }

    fn learned() -> Arc<dyn PolicySnapshot> {
        let mut tpm = Tpm::new(Wanted::Like(vec![bag(3)]), 6);
        tpm.observe(page("/", None, 1));
        tpm.observe(page("/board/1", Some("/"), 2));
        tpm.observe(page("/board/2", Some("/"), 2));
        tpm.observe(page("/about", Some("/"), 4));
        tpm.observe(page("/topic/1", Some("/board/1"), 3));
        assert_eq!((tpm.snapshot().generation(), tpm.snapshot().score(LISTED)), (0, 0.0));
        tpm.observe(page("/topic/2", Some("/board/2"), 3));
        assert!(tpm.sample.is_empty() && tpm.index.is_empty());
        tpm.snapshot()
    }

    #[test]
    fn wanted_pages_come_first_then_what_leads_to_them_and_nothing_else_is_followed() {
        let snapshot = learned();
        let class = |path: &str| LISTED.with_pattern(snapshot.pattern(&format!("http://h.test{path}")));
        let [topic, board, other] = ["/topic/9", "/board/9", "/user/9"].map(class);
        assert_eq!([topic, board, other].map(|class| snapshot.score(class)), [2.0, 1.0, -1.0]);
        assert_eq!([topic, board].map(|class| refused(&*snapshot, class)), [None, None]);
        assert_eq!(refused(&*snapshot, other), Some(PolicyRefusal::LinkClass));
        assert_eq!(refused(&*snapshot, LISTED), None, "of a place nothing is known before its URLs are");
        let seed = LinkClass::unclassified(Apath::SEED).with_pattern(other.pattern);
        assert_eq!(refused(&*snapshot, seed), None);
    }

    #[test]
    fn waiting_urls_are_moved_to_the_rules_when_these_are_made() {
        let snapshot = learned();
        assert_eq!(snapshot.generation(), 1);
        assert_eq!(snapshot.score(snapshot.class_of(LISTED, "http://h.test/topic/77", None)), 2.0);
        assert_eq!(snapshot.score(snapshot.class_of(LISTED, "http://h.test/about", None)), -1.0);
    }

    #[test]
    fn where_nothing_is_wanted_it_stays_breadth_first() {
        let mut tpm = Tpm::new(Wanted::Like(vec![bag(9)]), 1);
        (0..20).for_each(|n| tpm.observe(page(&format!("/topic/{n}"), Some("/"), 3)));
        let snapshot = tpm.snapshot();
        assert_eq!(
            (snapshot.generation(), snapshot.pattern("http://h.test/"), tpm.sample.len()),
            (0, UrlPattern::NONE, 0)
        );
    }

    #[test]
    fn it_is_a_policy() {
        holds_for_any_policy(|_| Box::new(Tpm::new(Wanted::Content, 8)));
        holds_for_any_policy(|_| {
            let leaf = |path, count| LeafPath { path, count, text: None };
            Box::new(Tpm::new(Wanted::Like(vec![vec![leaf(1, 1), leaf(110, 3), leaf(111, 2), leaf(112, 6)]]), 4))
        });
    }
}
