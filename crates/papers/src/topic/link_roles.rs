//! The roles of pages by their addresses: what a link leads to before it is followed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::{LinkRoleRule, PageRole, RoleLink, UrlKey};
use harvestman_core::model::PatternId;
use harvestman_core::url::Fingerprint;
use harvestman_policy::PlacedLink;
use harvestman_structure::site::{UrlPatternLearner, UrlPatterns};

/// Number of fetched pages after which URL patterns are learned first, and the factor by which the number grows until
/// they are learned again.
const PATTERNS_FIRST: u32 = 16;
const PATTERNS_GROWTH: f64 = 1.5;
/// Number of fetched pages after which patterns stay as they are.
const PATTERNS_LAST: u32 = 20_000;
/// Maximum number of pages whose addresses are remembered to count their roles again under new patterns.
const SAMPLE_MAX: usize = 4_096;
/// Maximum number of patterns whose pages are counted.
const PATTERNS_MAX: usize = 8_192;

/// Pages of one pattern by role.
type RoleCounts = [u32; PageRole::COUNT];

/// Knows the roles of fetched pages, and those of URLs by the pattern that they share with fetched pages.
#[derive(Debug)]
pub struct LinkRoles {
    rule: LinkRoleRule,
    known: HashMap<UrlKey, PageRole, FixedState>,
    pages_max: usize,
    by_pattern: HashMap<PatternId, RoleCounts, FixedState>,
    sample: Vec<(Box<str>, PageRole)>,
    learner: UrlPatternLearner,
    patterns: Arc<UrlPatterns>,
    version: u64,
    fetches: u32,
    next_patterns: u32,
}

impl LinkRoles {
    /// Creates a store that knows no page and remembers `pages_max` at most.
    pub fn new(rule: LinkRoleRule, pages_max: usize) -> Self {
        Self {
            rule,
            known: HashMap::default(),
            pages_max,
            by_pattern: HashMap::default(),
            sample: Vec::new(),
            learner: UrlPatternLearner::default(),
            patterns: Arc::default(),
            version: 0,
            fetches: 0,
            next_patterns: PATTERNS_FIRST,
        }
    }

    /// Counts a URL that was not seen before, for the patterns.
    pub fn see(&mut self, url: &str) {
        if self.fetches < PATTERNS_LAST {
            self.learner.see(url);
        }
    }

    /// Records the role of a page. Returns whether the patterns have changed.
    pub fn add(&mut self, url: &str, role: PageRole) -> bool {
        if self.known.len() < self.pages_max {
            self.known.insert(Fingerprint::of(url).into(), role);
        }
        self.count(url, role);
        if self.sample.len() < SAMPLE_MAX {
            self.sample.push((url.into(), role));
        }
        self.fetches = self.fetches.saturating_add(1);
        self.learn_patterns()
    }

    fn count(&mut self, url: &str, role: PageRole) {
        let pattern = self.patterns.of(url);
        let both = [Some(pattern.fine), Some(pattern.coarse).filter(|coarse| *coarse != pattern.fine)];
        for id in both.into_iter().flatten() {
            if self.by_pattern.len() < PATTERNS_MAX || self.by_pattern.contains_key(&id) {
                let count = &mut self.by_pattern.entry(id).or_default()[role as usize];
                *count = count.saturating_add(1);
            }
        }
    }

    /// Learns the patterns again where that is due, and counts the remembered pages by them.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 1.5 times PATTERNS_LAST")]
    fn learn_patterns(&mut self) -> bool {
        if self.fetches < self.next_patterns || self.next_patterns > PATTERNS_LAST {
            return false;
        }
        self.next_patterns = (f64::from(self.next_patterns) * PATTERNS_GROWTH) as u32;
        let patterns = self.learner.patterns();
        if patterns == *self.patterns {
            return false;
        }
        self.patterns = Arc::new(patterns);
        self.version += 1;
        self.by_pattern.clear();
        let sample = std::mem::take(&mut self.sample);
        sample.iter().for_each(|(url, role)| self.count(url, *role));
        self.sample = sample;
        true
    }

    /// The patterns as they are now.
    pub const fn patterns(&self) -> &Arc<UrlPatterns> {
        &self.patterns
    }

    /// Grows when URLs change their patterns.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The role of more than half of the fetched pages with this pattern; `None` where there is none.
    pub fn of_pattern(&self, pattern: PatternId) -> Option<PageRole> {
        let counts = self.by_pattern.get(&pattern)?;
        let all: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        PageRole::ALL.into_iter().find(|role| 2 * u64::from(counts[*role as usize]) > all)
    }

    /// The patterns that have a role.
    pub fn pattern_roles(&self) -> impl Iterator<Item = (PatternId, PageRole)> + '_ {
        self.by_pattern.keys().filter_map(|pattern| Some((*pattern, self.of_pattern(*pattern)?)))
    }

    /// The role of the page at this URL: that of the fetched page, or of its pattern.
    pub fn of_url(&self, url: &str) -> Option<PageRole> {
        let pattern = self.patterns.of(url);
        let known = self.known.get(&UrlKey::from(Fingerprint::of(url))).copied();
        known.or_else(|| self.of_pattern(pattern.fine)).or_else(|| self.of_pattern(pattern.coarse))
    }

    /// The links of a page of role `page`, given in page order, with the roles of the pages that they lead to: of a
    /// fetched page its own, otherwise by the rule.
    pub fn of_links(&self, page: PageRole, links: &[PlacedLink]) -> Vec<RoleLink> {
        let pictures = Pictures::of(page, links);
        let role = |link: &PlacedLink| {
            let target = UrlKey::from(link.url);
            let by_pattern = || self.of_pattern(link.pattern);
            let by_children = || pictures.role(link);
            self.known.get(&target).copied().or_else(|| match self.rule {
                LinkRoleRule::Children => by_children().or_else(by_pattern),
                LinkRoleRule::Pattern => by_pattern().or_else(by_children),
            })
        };
        links.iter().map(|link| RoleLink { target: link.url.into(), role: role(link), place: link.place }).collect()
    }
}

/// The thumbnails of a list page (section 7.1).
#[derive(Debug, Default)]
struct Pictures {
    /// What links with an image lead to.
    targets: BTreeSet<Fingerprint>,
    /// The nodes around them.
    nodes: BTreeSet<u32>,
}

impl Pictures {
    fn of(page: PageRole, links: &[PlacedLink]) -> Self {
        let with_image = || links.iter().filter(|link| link.place.image && page.is_list());
        Self {
            targets: with_image().map(|link| link.url).collect(),
            nodes: with_image().flat_map(|link| [link.place.parent, link.place.grandparent]).collect(),
        }
    }

    /// A link with an image, or to where one leads, is a detail link; any other near one is a profile link.
    fn role(&self, link: &PlacedLink) -> Option<PageRole> {
        if self.targets.contains(&link.url) {
            return Some(PageRole::Detail);
        }
        let is_near = self.nodes.contains(&link.place.parent) || self.nodes.contains(&link.place.grandparent);
        is_near.then_some(PageRole::Profile)
    }
}

#[cfg(test)]
mod tests {
    use harvestman_core::model::{Apath, LinkPosition};

    use super::*;

    fn link(url: &str, parent: u32, image: bool) -> PlacedLink {
        let place = LinkPosition { parent, grandparent: parent / 10, image };
        PlacedLink { place, ..PlacedLink::new(Apath(9), Fingerprint::of(url)) }
    }

    fn roles(of: &LinkRoles, page: PageRole, links: &[PlacedLink]) -> Vec<Option<PageRole>> {
        of.of_links(page, links).iter().map(|link| link.role).collect()
    }

    #[test]
    fn on_a_list_images_lead_to_details_and_texts_beside_them_to_profiles() {
        let links = [link("a", 51, true), link("a", 52, false), link("u", 53, false), link("menu", 99, false)];
        let found = LinkRoles::new(LinkRoleRule::Children, 9);
        let wanted = [Some(PageRole::Detail), Some(PageRole::Detail), Some(PageRole::Profile), None];
        assert_eq!(roles(&found, PageRole::List, &links), wanted);
        assert_eq!(roles(&found, PageRole::Detail, &links), [None; 4]);
    }

    /// A store that has fetched 40 pages of two kinds.
    fn learned(rule: LinkRoleRule) -> LinkRoles {
        let mut learned = LinkRoles::new(rule, 1_000);
        let mut changes = 0;
        for n in 0..40 {
            for (url, role) in [
                (format!("http://h.test/q/{n}"), PageRole::Detail),
                (format!("http://h.test/user/{n}"), PageRole::Profile),
            ] {
                learned.see(&url);
                changes += u64::from(learned.add(&url, role));
            }
        }
        assert_eq!(learned.version(), changes);
        learned
    }

    #[test]
    fn links_are_judged_by_the_roles_of_pages_with_the_same_pattern() {
        let learned = learned(LinkRoleRule::Pattern);
        assert_eq!(learned.of_url("http://h.test/q/1234"), Some(PageRole::Detail));
        assert_eq!(learned.of_url("http://h.test/user/1234"), Some(PageRole::Profile));
        assert_eq!(learned.of_url("http://h.test/help/me"), None);
        let pattern = learned.patterns().of("http://h.test/q/1234").fine;
        let placed = PlacedLink { pattern, ..link("http://h.test/q/1234", 1, false) };
        assert_eq!(roles(&learned, PageRole::Other, &[placed]), [Some(PageRole::Detail)]);
    }

    #[test]
    fn a_fetched_page_has_its_own_role_and_the_rule_decides_which_evidence_comes_first() {
        let (users, mut link) = ("http://h.test/user/1234", link("http://h.test/user/1234", 5, true));
        link.pattern = learned(LinkRoleRule::Pattern).patterns().of(users).fine;
        let found = |rule| roles(&learned(rule), PageRole::List, &[link])[0];
        assert_eq!(found(LinkRoleRule::Pattern), Some(PageRole::Profile));
        assert_eq!(found(LinkRoleRule::Children), Some(PageRole::Detail));
        let mut fetched = learned(LinkRoleRule::Children);
        fetched.add(users, PageRole::Other);
        assert_eq!(roles(&fetched, PageRole::List, &[link]), [Some(PageRole::Other)]);
    }

    #[test]
    fn a_pattern_without_a_majority_has_no_role() {
        let mut mixed = LinkRoles::new(LinkRoleRule::Pattern, 10);
        mixed.add("http://h.test/1", PageRole::Detail);
        mixed.add("http://h.test/2", PageRole::List);
        assert_eq!(mixed.of_url("http://h.test/3"), None);
        mixed.add("http://h.test/4", PageRole::List);
        assert_eq!(mixed.of_url("http://h.test/3"), Some(PageRole::List));
    }

    #[test]
    fn memory_is_bounded() {
        let mut learned = LinkRoles::new(LinkRoleRule::Pattern, 10);
        for n in 0..SAMPLE_MAX + 10 {
            let url = format!("http://h.test/x{n}/y?z");
            learned.see(&url);
            learned.add(&url, PageRole::List);
        }
        assert_eq!((learned.known.len(), learned.sample.len()), (10, SAMPLE_MAX));
        assert!(learned.by_pattern.len() <= PATTERNS_MAX);
    }
}
