//! Policies that start from example pages and know only the addresses of some at first.

use std::sync::Arc;

use super::{BreadthFirst, ExamplePage, Needs, Observation, Outcome, Policy, PolicySnapshot};
use harvestman_core::url::CanonicalUrl;

/// Fetches that are buffered until the examples have been fetched. With as many, the policy starts with the examples
/// that are known; while none is, only these fetches are kept.
const BUFFERED_MAX: usize = 256;
/// Maximum number of examples that a note names.
const NAMED_MAX: usize = 5;

/// Makes the policy from the examples, whose facts are all known.
pub type Begin = Box<dyn FnOnce(Vec<ExamplePage>) -> Box<dyn Policy> + Send>;

/// Breadth-first order until the examples, which are seeds, have been fetched; from then on the policy that needs them,
/// which is shown the fetches until then. Examples that are no pages are left out; while none is a page, the order
/// stays.
pub struct AwaitsExamples(State);

enum State {
    Awaiting(Awaiting),
    Begun {
        policy: Box<dyn Policy>,
        /// What is said of examples that were left out.
        note: Option<String>,
    },
}

/// Breadth-first order that buffers what it is shown.
struct Awaiting {
    /// The examples that are not known.
    missing: Vec<Missing>,
    /// The others.
    known: Vec<ExamplePage>,
    begin: Option<Begin>,
    /// Whether the policy starts from the bodies of the examples.
    reads_bodies: bool,
    buffered: Vec<Observation>,
}

/// An example that is not known.
struct Missing {
    url: CanonicalUrl,
    /// It was requested and is no page.
    no_page: bool,
}

impl AwaitsExamples {
    /// A policy that starts with these examples, of which some are not known yet.
    pub fn new(examples: Vec<ExamplePage>, begin: Begin) -> Self {
        let (known, missing): (Vec<_>, Vec<_>) = examples.into_iter().partition(|example| example.facts.is_some());
        let missing = missing.into_iter().map(|example| Missing { url: example.url, no_page: false }).collect();
        let begin = Some(begin);
        Self(State::Awaiting(Awaiting { missing, known, begin, reads_bodies: false, buffered: Vec::new() }))
    }

    /// Asks for the bodies of pages until the policy starts.
    #[must_use]
    pub fn with_bodies(mut self) -> Self {
        if let State::Awaiting(awaiting) = &mut self.0 {
            awaiting.reads_bodies = true;
        }
        self
    }

    fn now(&self) -> &dyn Policy {
        match &self.0 {
            State::Awaiting(awaiting) => awaiting,
            State::Begun { policy, .. } => &**policy,
        }
    }

    fn now_mut(&mut self) -> &mut dyn Policy {
        match &mut self.0 {
            State::Awaiting(awaiting) => awaiting,
            State::Begun { policy, .. } => &mut **policy,
        }
    }
}

impl Awaiting {
    /// The policy, once an example is known and no other is awaited any longer; it has seen all that was buffered.
    fn begun(&mut self) -> Option<Box<dyn Policy>> {
        let is_full = self.buffered.len() >= BUFFERED_MAX;
        if self.known.is_empty() || !is_full && self.missing.iter().any(|example| !example.no_page) {
            return None;
        }
        let mut policy = self.begin.take()?(std::mem::take(&mut self.known));
        self.buffered.drain(..).for_each(|seen| policy.observe(seen));
        Some(policy)
    }

    /// Takes an example in. Returns whether the observation is of one.
    fn meet(&mut self, seen: &Observation) -> bool {
        let Some(at) = self.missing.iter().position(|example| example.url == seen.url) else { return false };
        match &seen.outcome {
            Outcome::Page(page) => {
                self.known.push(ExamplePage { url: seen.url.clone(), facts: Some((**page).clone()) });
                self.missing.remove(at);
                true
            }
            Outcome::Redirected | Outcome::Document | Outcome::Failed | Outcome::Search(_) => {
                self.missing[at].no_page = true;
                false
            }
        }
    }
}

impl Policy for Awaiting {
    fn observe(&mut self, seen: Observation) {
        let is_example = self.meet(&seen);
        if self.buffered.len() < BUFFERED_MAX || is_example {
            self.buffered.push(seen);
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(BreadthFirst)
    }

    fn needs(&self) -> Needs {
        // What the policy will need is not known yet; links and their contexts serve every policy that awaits examples.
        Needs { links: true, contexts: true, body: self.reads_bodies, ..Needs::default() }
    }

    fn note(&self) -> Option<String> {
        let say = |Missing { url, no_page }: &Missing| {
            let what = if *no_page { "could not be fetched as a page" } else { "was not fetched" };
            format!("the example {} {what}", url.as_str())
        };
        let more = self.missing.len().saturating_sub(NAMED_MAX);
        let more = (more > 0).then(|| format!("{more} more examples are not known"));
        let notes: Vec<_> = self.missing.iter().take(NAMED_MAX).map(say).chain(more).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

impl Policy for AwaitsExamples {
    fn observe(&mut self, seen: Observation) {
        self.now_mut().observe(seen);
        if let State::Awaiting(awaiting) = &mut self.0
            && let Some(policy) = awaiting.begun()
        {
            self.0 = State::Begun { policy, note: awaiting.note() };
        }
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        self.now_mut().snapshot()
    }

    fn inner(&self) -> Option<&dyn Policy> {
        Some(self.now())
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Policy> {
        Some(self.now_mut())
    }

    fn restarted(&mut self) -> Option<Box<dyn Policy>> {
        self.now_mut().restarted()
    }

    fn note(&self) -> Option<String> {
        let of_examples = match &self.0 {
            State::Begun { note, .. } => note.clone(),
            State::Awaiting(_) => None,
        };
        let notes: Vec<_> = of_examples.into_iter().chain(self.now().note()).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::PageFacts;
    use harvestman_core::model::{Apath, LeafPath, LinkClass};

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

    fn urls(paths: &[&str]) -> Vec<CanonicalUrl> {
        paths.iter().map(|path| CanonicalUrl::from_canonical(format!("http://h.test/{path}"))).collect()
    }

    /// A policy that awaits the examples at these paths, what it shows the inner one, and the paths of the bags that
    /// that one begins with.
    fn awaiting(paths: &[&str]) -> (AwaitsExamples, Notes, Arc<Mutex<Vec<u64>>>) {
        let (notes, bags) = (Notes::default(), Arc::new(Mutex::new(Vec::new())));
        let (inner, seen) = (notes.clone(), Arc::clone(&bags));
        let begin: Begin = Box::new(move |examples| {
            let bags = examples.iter().flat_map(|example| &example.facts.as_ref().unwrap().bag);
            seen.lock().unwrap().extend(bags.map(|leaf| leaf.path));
            Box::new(inner)
        });
        let examples = urls(paths).into_iter().map(|url| ExamplePage { url, facts: None }).collect();
        (AwaitsExamples::new(examples, begin), notes, bags)
    }

    fn failed(url: &str) -> Observation {
        Observation { outcome: Outcome::Failed, ..page(url, 0) }
    }

    #[test]
    fn the_policy_starts_with_the_example_and_is_shown_earlier_and_later_fetches() {
        let (mut policy, notes, bags) = awaiting(&["b"]);
        policy.observe(page("http://h.test/a", 1));
        assert!(notes.0.lock().unwrap().is_empty() && policy.needs().links && !policy.needs().body);
        policy.observe(page("http://h.test/b", 2));
        policy.observe(page("http://h.test/c", 3));
        assert_eq!(*notes.0.lock().unwrap(), ["http://h.test/a", "http://h.test/b", "http://h.test/c"]);
        assert_eq!(*bags.lock().unwrap(), [2]);
        assert_eq!(policy.note(), None);
    }

    #[test]
    fn of_several_examples_those_that_are_pages_are_used_and_the_others_are_noted() {
        let (mut policy, notes, bags) = awaiting(&["b", "c", "d"]);
        policy.observe(page("http://h.test/d", 4));
        policy.observe(failed("http://h.test/b"));
        assert!(notes.0.lock().unwrap().is_empty());
        policy.observe(page("http://h.test/c", 3));
        assert_eq!(*bags.lock().unwrap(), [4, 3]);
        assert_eq!(policy.note().as_deref(), Some("the example http://h.test/b could not be fetched as a page"));
    }

    #[test]
    fn where_no_example_is_a_page_the_order_stays_and_the_note_says_why() {
        let (mut policy, notes, _) = awaiting(&["b", "c"]);
        policy.observe(failed("http://h.test/b"));
        policy.observe(failed("http://h.test/c"));
        policy.observe(page("http://h.test/e", 3));
        assert!(notes.0.lock().unwrap().is_empty());
        let note = policy.note().unwrap();
        assert_eq!(note.matches("could not be fetched").count(), 2, "{note}");
    }

    #[test]
    fn an_example_that_never_comes_does_not_hold_up_the_others() {
        let (mut policy, _, bags) = awaiting(&["b", "c"]);
        policy.observe(page("http://h.test/b", 7));
        (1..BUFFERED_MAX).for_each(|n| policy.observe(page(&format!("http://h.test/p{n}"), 1)));
        assert_eq!(*bags.lock().unwrap(), [7]);
        assert_eq!(policy.note().as_deref(), Some("the example http://h.test/c was not fetched"));
    }

    #[test]
    fn an_example_that_never_comes_leaves_breadth_first_order_and_bounded_memory() {
        let (mut policy, ..) = awaiting(&["b"]);
        (0..BUFFERED_MAX + 10).for_each(|n| policy.observe(page(&format!("http://h.test/p{n}"), 1)));
        let State::Awaiting(awaiting) = &policy.0 else { panic!("it has begun") };
        assert_eq!(awaiting.buffered.len(), BUFFERED_MAX);
        assert_eq!(policy.snapshot().version(), 0);
        assert_eq!(policy.note().as_deref(), Some("the example http://h.test/b was not fetched"));
    }
}
