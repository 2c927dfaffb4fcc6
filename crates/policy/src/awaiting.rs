//! Policies that need an example page before they can begin, and are only told where it is.

use std::sync::Arc;

use super::learned::{Facts, ReadPage, SiteModel};
use super::{BreadthFirst, Needs, Observation, Outcome, Policy, PolicyFacts, PolicySnapshot};
use harvestman_core::model::LeafPath;
use harvestman_core::url::CanonicalUrl;

/// Fetches that are kept until the example has come; of more than that only the first are shown to the policy.
const KEPT_MAX: usize = 256;

/// Makes the policy from the example's bag of leaf paths.
pub type Begin = Box<dyn FnOnce(Vec<LeafPath>) -> Box<dyn Policy> + Send>;

/// A crawl in breadth-first order until the example, a seed, has been fetched; then the policy that it was awaited by, which
/// is shown what was fetched until then.
pub struct AwaitsExample {
    url: CanonicalUrl,
    stage: Stage,
}

enum Stage {
    Awaiting { begin: Option<Begin>, kept: Vec<Observation> },
    Begun(Box<dyn Policy>),
}

impl AwaitsExample {
    /// A policy that is begun with the page at `url`.
    pub fn new(url: CanonicalUrl, begin: Begin) -> Self {
        Self { url, stage: Stage::Awaiting { begin: Some(begin), kept: Vec::new() } }
    }

    fn begin(&mut self, bag: Vec<LeafPath>) {
        let Stage::Awaiting { begin, kept } = &mut self.stage else { return };
        let Some(begin) = begin.take() else { return };
        let mut policy = begin(bag);
        kept.drain(..).for_each(|seen| policy.observe(seen));
        self.stage = Stage::Begun(policy);
    }
}

impl Policy for AwaitsExample {
    fn observe(&mut self, seen: Observation) {
        let kept = match &mut self.stage {
            Stage::Begun(policy) => return policy.observe(seen),
            Stage::Awaiting { kept, .. } => kept,
        };
        let example = match &seen.outcome {
            Outcome::Page(page) if seen.url == self.url => Some(page.bag.clone()),
            _ => None,
        };
        if kept.len() < KEPT_MAX || example.is_some() {
            kept.push(seen);
        }
        if let Some(bag) = example {
            self.begin(bag);
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        match &mut self.stage {
            Stage::Awaiting { .. } => Arc::new(BreadthFirst),
            Stage::Begun(policy) => policy.snapshot(),
        }
    }

    fn needs(&self) -> Needs {
        match &self.stage {
            // What the policy will ask for is not known yet; these serve all that can be awaiting.
            Stage::Awaiting { .. } => Needs { links: true, ..Needs::default() },
            Stage::Begun(policy) => policy.needs(),
        }
    }

    fn note(&self) -> Option<String> {
        match &self.stage {
            Stage::Awaiting { .. } => Some(format!("the example {} was not fetched", self.url.as_str())),
            Stage::Begun(policy) => policy.note(),
        }
    }

    fn site_model(&mut self, read: &mut ReadPage) -> Option<SiteModel> {
        match &mut self.stage {
            Stage::Awaiting { .. } => None,
            Stage::Begun(policy) => policy.site_model(read),
        }
    }

    fn site_facts(&self, read: Option<&mut ReadPage>) -> Option<Facts> {
        match &self.stage {
            Stage::Awaiting { .. } => None,
            Stage::Begun(policy) => policy.site_facts(read),
        }
    }

    fn facts(&self) -> PolicyFacts {
        match &self.stage {
            Stage::Awaiting { .. } => PolicyFacts::default(),
            Stage::Begun(policy) => policy.facts(),
        }
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
    fn it_begins_with_the_example_and_is_shown_what_came_before_and_after() {
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
        let begin: Begin = Box::new(|_| unreachable!("the example did not come"));
        let mut policy = AwaitsExample::new(CanonicalUrl::from_canonical("http://h.test/b"), begin);
        (0..KEPT_MAX + 10).for_each(|n| policy.observe(page(&format!("http://h.test/p{n}"), 1)));
        let Stage::Awaiting { kept, .. } = &policy.stage else { panic!("it has begun") };
        assert_eq!(kept.len(), KEPT_MAX);
        assert_eq!(policy.snapshot().version(), 0);
    }
}
