//! The link classes of the policy log: those that were met, how often, and their last logged scores.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::FixedState;

use harvestman_core::model::{ClassRecord, LinkClass};
use harvestman_policy::{Observation, PolicySnapshot};

/// The maximum number of classes that are remembered; later ones are ignored.
const CLASSES_MAX: usize = 10_000;
/// The maximum number of classes per line.
const LINE_MAX: usize = 500;
/// A score has changed if it differs by more than this, or by more than this share of it if it is above 1.
const CHANGE: f64 = 0.01;

/// A class that was met.
#[derive(Debug)]
struct Known {
    /// The number of fetches and new links of the class.
    uses: u64,
    /// One of its URLs, and where that was discovered.
    url: Box<str>,
    via: Option<Arc<str>>,
    /// The score that was last logged.
    logged: Option<f64>,
}

/// The classes that were met in this generation.
#[derive(Debug, Default)]
pub(crate) struct KnownClasses {
    known: HashMap<LinkClass, Known, FixedState>,
}

/// The changed classes of one line.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Changes {
    /// By the class's name.
    pub(crate) classes: BTreeMap<String, ClassRecord>,
    /// The number of changed classes that did not fit.
    pub(crate) left_out: u64,
}

impl KnownClasses {
    /// Counts the classes of a fetch and of its new links.
    pub(crate) fn see(&mut self, seen: &Observation) {
        self.count(seen.class, 1, seen.url.as_str(), || seen.via.clone());
        let mut via: Option<Arc<str>> = None;
        for link in &seen.new {
            let via = || Some(Arc::clone(via.get_or_insert_with(|| Arc::from(seen.url.as_str()))));
            self.count(link.class, 1, link.url.as_str(), via);
        }
    }

    fn count(&mut self, class: LinkClass, uses: u64, url: &str, via: impl FnOnce() -> Option<Arc<str>>) {
        if let Some(known) = self.known.get_mut(&class) {
            known.uses += uses;
        } else if self.known.len() < CLASSES_MAX {
            self.known.insert(class, Known { uses, url: url.into(), via: via(), logged: None });
        }
    }

    /// Moves all classes to another generation, by the example URL of each. All count as new then.
    pub(crate) fn reclassify(&mut self, snapshot: &dyn PolicySnapshot) {
        for (class, known) in std::mem::take(self).by_use() {
            let class = snapshot.class_of(class, &known.url, known.via.as_deref());
            self.count(class, known.uses, &known.url, || known.via);
        }
    }

    /// Returns the classes, the most used first.
    fn by_use(self) -> Vec<(LinkClass, Known)> {
        let mut all: Vec<_> = self.known.into_iter().collect();
        all.sort_unstable_by_key(|(class, known)| (Reverse(known.uses), *class));
        all
    }

    /// Returns the classes whose score has changed since it was logged; the most used ones if there are too many.
    pub(crate) fn changes(&mut self, snapshot: &dyn PolicySnapshot) -> Changes {
        let changed = |(class, known): &(&LinkClass, &mut Known)| has_changed(known.logged, snapshot.score(**class));
        let mut changed: Vec<_> = self.known.iter_mut().filter(changed).collect();
        changed.sort_unstable_by_key(|(class, known)| (Reverse(known.uses), **class));
        let left_out = changed.len().saturating_sub(LINE_MAX) as u64;
        let logged = changed.into_iter().take(LINE_MAX).map(|(class, known)| {
            let score = snapshot.score(*class);
            known.logged = Some(score);
            let (pattern, like) = (snapshot.spell(&known.url), known.url.to_string());
            let record = ClassRecord { score, uses: known.uses, pattern, like, terms: snapshot.explain(*class) };
            (class.to_string(), record)
        });
        Changes { classes: logged.collect(), left_out }
    }

    /// Returns the patterns of the classes, spelt out, with how often they were met; the 500 most frequent.
    pub(crate) fn patterns(&self, snapshot: &dyn PolicySnapshot) -> BTreeMap<String, u64> {
        let mut uses: BTreeMap<String, u64> = BTreeMap::new();
        for known in self.known.values() {
            if let Some(pattern) = snapshot.spell(&known.url) {
                *uses.entry(pattern).or_default() += known.uses;
            }
        }
        let mut all: Vec<_> = uses.into_iter().collect();
        all.sort_by_key(|(_, uses)| Reverse(*uses));
        all.truncate(LINE_MAX);
        all.into_iter().collect()
    }
}

/// Returns whether a score is logged again. A score that is not a number is logged once.
fn has_changed(logged: Option<f64>, score: f64) -> bool {
    logged.is_none_or(|logged| (score - logged).abs() > CHANGE * score.abs().max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, ClassOrder, PatternId, UrlPattern};
    use harvestman_core::url::CanonicalUrl;
    use harvestman_policy::{NewLink, Outcome};

    /// Scores by the pattern; `class_of` adds one to it.
    struct Scores(f64);

    impl ClassOrder for Scores {
        fn score(&self, class: LinkClass) -> f64 {
            self.0 * class.pattern.fine.0 as f64
        }
    }

    impl PolicySnapshot for Scores {
        fn version(&self) -> u64 {
            1
        }

        fn class_of(&self, class: LinkClass, _: &str, _: Option<&str>) -> LinkClass {
            self::class(class.pattern.fine.0 + 1)
        }

        fn spell(&self, url: &str) -> Option<String> {
            Some(url.len().to_string())
        }
    }

    fn class(pattern: u64) -> LinkClass {
        let pattern = UrlPattern { coarse: PatternId(pattern), fine: PatternId(pattern) };
        LinkClass::unclassified(Apath(9)).with_pattern(pattern)
    }

    fn seen(of: u64, new: impl IntoIterator<Item = u64>) -> Observation {
        let link = |pattern: u64| NewLink::new(class(pattern), CanonicalUrl::from_canonical("http://h.test/n"));
        let (url, outcome) = (CanonicalUrl::from_canonical("http://h.test/"), Outcome::Failed);
        Observation { url, class: class(of), via: None, outcome, new: new.into_iter().map(link).collect() }
    }

    fn names(changes: &Changes) -> Vec<&str> {
        changes.classes.keys().map(String::as_str).collect()
    }

    #[test]
    fn a_class_is_logged_when_it_is_new_and_when_its_score_has_changed() {
        let mut known = KnownClasses::default();
        known.see(&seen(1, [2, 2]));
        let first = known.changes(&Scores(0.1));
        assert_eq!(names(&first), [class(1).to_string(), class(2).to_string()]);
        let (one, two) = (&first.classes[&class(1).to_string()], &first.classes[&class(2).to_string()]);
        assert_eq!((one.uses, one.score, one.like.as_str()), (1, 0.1, "http://h.test/"));
        assert_eq!((two.uses, two.pattern.as_deref()), (2, Some("15")));
        assert_eq!(known.changes(&Scores(0.1)), Changes::default());
        assert_eq!(names(&known.changes(&Scores(0.106))), [class(2).to_string()], "0.006 is no change, 0.012 is one");
    }

    #[test]
    fn the_most_used_have_precedence_and_the_others_follow_on_later_lines() {
        let mut known = KnownClasses::default();
        known.see(&seen(9_999, (1..=600).chain(1..=10)));
        let first = known.changes(&Scores(1.0));
        assert_eq!((first.classes.len(), first.left_out), (LINE_MAX, 101));
        assert!((1..=10).all(|pattern| first.classes.contains_key(&class(pattern).to_string())));
        let second = known.changes(&Scores(1.0));
        assert_eq!((second.classes.len(), second.left_out), (101, 0));
    }

    #[test]
    fn in_another_generation_all_classes_are_new_and_keep_their_counts() {
        let mut known = KnownClasses::default();
        known.see(&seen(1, [2, 2]));
        known.changes(&Scores(1.0));
        known.reclassify(&Scores(1.0));
        let changes = known.changes(&Scores(1.0));
        assert_eq!(names(&changes), [class(2).to_string(), class(3).to_string()]);
        assert_eq!(changes.classes[&class(3).to_string()].uses, 2);
        assert_eq!(known.patterns(&Scores(1.0)), BTreeMap::from([("14".to_owned(), 1), ("15".to_owned(), 2)]));
    }

    #[test]
    fn classes_are_bounded() {
        let mut known = KnownClasses::default();
        known.see(&seen(0, 0..2 * CLASSES_MAX as u64));
        assert_eq!(known.known.len(), CLASSES_MAX);
    }
}
