//! Policies that start from an example page and know only its address at first.

use std::sync::Arc;

use super::learned::{Facts, ReadPage, SiteModel};
use super::{BreadthFirst, Needs, Observation, Outcome, Policy, PolicyFacts, PolicySnapshot, Proposal};
use harvestman_core::model::{LeafPath, TrapRecord};
use harvestman_core::url::CanonicalUrl;

/// Fetches that are buffered until the example has been fetched; of more than these only the first are shown to the policy.
const BUFFERED_MAX: usize = 256;

/// Makes the policy from the example's bag of leaf paths.
pub type Begin = Box<dyn FnOnce(Vec<LeafPath>) -> Box<dyn Policy> + Send>;

/// Breadth-first order until the example, a seed, has been fetched; from then on the policy that needs it, which is shown the
/// fetches until then.
pub struct AwaitsExample(State);

enum State {
    Awaiting(Awaiting),
    Begun(Box<dyn Policy>),
}

/// Breadth-first order that buffers what it is shown.
struct Awaiting {
    url: CanonicalUrl,
    begin: Option<Begin>,
    buffered: Vec<Observation>,
}

impl AwaitsExample {
    /// A policy that starts with the page at `url`.
    pub const fn new(url: CanonicalUrl, begin: Begin) -> Self {
        Self(State::Awaiting(Awaiting { url, begin: Some(begin), buffered: Vec::new() }))
    }

    fn now(&self) -> &dyn Policy {
        match &self.0 {
            State::Awaiting(awaiting) => awaiting,
            State::Begun(policy) => &**policy,
        }
    }

    fn now_mut(&mut self) -> &mut dyn Policy {
        match &mut self.0 {
            State::Awaiting(awaiting) => awaiting,
            State::Begun(policy) => &mut **policy,
        }
    }
}

impl Awaiting {
    /// The policy, once the example has been fetched; it has seen all that was buffered.
    fn begun(&mut self) -> Option<Box<dyn Policy>> {
        let last = self.buffered.last()?;
        let Outcome::Page(page) = &last.outcome else { return None };
        if last.url != self.url {
            return None;
        }
        let mut policy = self.begin.take()?(page.bag.clone());
        self.buffered.drain(..).for_each(|seen| policy.observe(seen));
        Some(policy)
    }
}

impl Policy for Awaiting {
    fn observe(&mut self, seen: Observation) {
        let is_example = matches!(seen.outcome, Outcome::Page(_)) && seen.url == self.url;
        if self.buffered.len() < BUFFERED_MAX || is_example {
            self.buffered.push(seen);
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(BreadthFirst)
    }

    fn needs(&self) -> Needs {
        // What the policy will need is not known yet; links serve every policy that awaits an example.
        Needs { links: true, ..Needs::default() }
    }

    fn note(&self) -> Option<String> {
        Some(format!("the example {} was not fetched", self.url.as_str()))
    }
}

impl Policy for AwaitsExample {
    fn observe(&mut self, seen: Observation) {
        self.now_mut().observe(seen);
        if let State::Awaiting(awaiting) = &mut self.0
            && let Some(policy) = awaiting.begun()
        {
            self.0 = State::Begun(policy);
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        self.now_mut().snapshot()
    }

    fn proposals(&mut self) -> Vec<Proposal> {
        self.now_mut().proposals()
    }

    fn needs(&self) -> Needs {
        self.now().needs()
    }

    fn learns(&self) -> bool {
        self.now().learns()
    }

    fn is_explained(&self) -> bool {
        self.now().is_explained()
    }

    fn learns_elsewhere(&self) -> bool {
        self.now().learns_elsewhere()
    }

    fn has_news(&self) -> bool {
        self.now().has_news()
    }

    fn traps(&self) -> Vec<TrapRecord> {
        self.now().traps()
    }

    fn facts(&self) -> PolicyFacts {
        self.now().facts()
    }

    fn is_sampling(&self) -> bool {
        self.now().is_sampling()
    }

    fn restarted(&mut self) -> Option<Box<dyn Policy>> {
        self.now_mut().restarted()
    }

    fn site_model(&mut self, read: &mut ReadPage) -> Option<SiteModel> {
        self.now_mut().site_model(read)
    }

    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        self.now().site_facts(read)
    }

    fn note(&self) -> Option<String> {
        self.now().note()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::PageFacts;
    use harvestman_core::model::{Apath, LinkClass};

    #[derive(Clone, Default)]
    struct Notes(Arc<Mutex<Vec<String>>>);

    impl Policy for Notes {
        fn observe(&mut self, seen: Observation) {
            self.0.lock().unwrap().push(seen.url.as_str().to_owned());
        }

        fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
            Arc::new(BreadthFirst)
        }
    }

    fn page(url: &str, path: u64) -> Observation {
        let bag = vec![LeafPath { path, count: 1, text: None }];
        Observation {
            url: CanonicalUrl::from_canonical(url),
            class: LinkClass::unclassified(Apath::SEED),
            via: None,
            outcome: Outcome::Page(Box::new(PageFacts { bag, ..PageFacts::default() })),
            new: Vec::new(),
        }
    }

    #[test]
    fn the_policy_starts_with_the_example_and_is_shown_earlier_and_later_fetches() {
        let notes = Notes::default();
        let (inner, bags) = (notes.clone(), Arc::new(Mutex::new(Vec::new())));
        let seen_bags = Arc::clone(&bags);
        let begin: Begin = Box::new(move |bag| {
            seen_bags.lock().unwrap().extend(bag.iter().map(|leaf| leaf.path));
            Box::new(inner)
        });
        let mut policy = AwaitsExample::new(CanonicalUrl::from_canonical("http://h.test/b"), begin);
        policy.observe(page("http://h.test/a", 1));
        assert!(notes.0.lock().unwrap().is_empty() && policy.needs().links);
        policy.observe(page("http://h.test/b", 2));
        policy.observe(page("http://h.test/c", 3));
        assert_eq!(*notes.0.lock().unwrap(), ["http://h.test/a", "http://h.test/b", "http://h.test/c"]);
        assert_eq!(*bags.lock().unwrap(), [2]);
    }

    #[test]
    fn an_example_that_never_comes_leaves_breadth_first_order_and_bounded_memory() {
        let begin: Begin = Box::new(|_| unreachable!("the example was not fetched"));
        let mut policy = AwaitsExample::new(CanonicalUrl::from_canonical("http://h.test/b"), begin);
        (0..BUFFERED_MAX + 10).for_each(|n| policy.observe(page(&format!("http://h.test/p{n}"), 1)));
        let State::Awaiting(awaiting) = &policy.0 else { panic!("it has begun") };
        assert_eq!(awaiting.buffered.len(), BUFFERED_MAX);
        assert_eq!(policy.snapshot().version(), 0);
    }
}
