//! Decisions about links: queued, under which class and with which priority, or rejected; and the order of classes by
//! what their URLs are worth.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::class::{StoredClass, stored};
use super::{Apath, ClusterId, LinkClass, PolicyRefusal, UrlPattern};

/// When a waiting URL is fetched, before any score is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Priority {
    /// In the order of the policy's scores.
    #[default]
    Normal,
    /// Before all others: an operator pinned it.
    Pinned,
    /// After all others: pages like it showed nothing new.
    Last,
}

impl Priority {
    /// A score that ranks a URL of this priority among all others: pinned ones above, last ones below all scores of
    /// policies. Within one priority the policy's order holds.
    #[inline]
    pub fn rank(self, score: f64) -> f64 {
        const ABOVE_ALL: f64 = 1e10;
        const BELOW_ALL: f64 = -1e3;
        let within = || if score.is_nan() { -1.0 } else { score / (1.0 + score.abs()) };
        match self {
            Self::Normal => score,
            Self::Pinned => ABOVE_ALL + within(),
            Self::Last => BELOW_ALL + within(),
        }
    }

    const fn flag(self) -> u32 {
        match self {
            Self::Normal => 0,
            Self::Pinned => stored::PINNED,
            Self::Last => stored::LAST,
        }
    }

    const fn of_flags(stored: u32) -> Self {
        if stored & stored::PINNED != 0 {
            Self::Pinned
        } else if stored & (stored::LAST | stored::DROPPED) != 0 {
            Self::Last
        } else {
            Self::Normal
        }
    }
}

/// The decision about a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The link waits under this class with this priority, if all else allows it.
    Queue(LinkClass, Priority),
    /// The link is rejected for this reason.
    Reject(PolicyRefusal),
}

impl Admission {
    /// The reason why the link is rejected; `None` where it is queued.
    pub const fn refusal(self) -> Option<PolicyRefusal> {
        match self {
            Self::Queue(..) => None,
            Self::Reject(why) => Some(why),
        }
    }

    /// The class and priority to queue the link under, or the reason why it is rejected.
    ///
    /// # Errors
    /// The reason, where it is rejected.
    pub const fn queued(self) -> Result<QueueKey, PolicyRefusal> {
        match self {
            Self::Queue(class, priority) => Ok(QueueKey { class, priority }),
            Self::Reject(why) => Err(why),
        }
    }
}

impl From<LinkClass> for Admission {
    fn from(class: LinkClass) -> Self {
        Self::Queue(class, Priority::Normal)
    }
}

/// The queue of a host that a URL waits in: its class and its priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "StoredClass", into = "StoredClass")]
pub struct QueueKey {
    /// The priority.
    pub priority: Priority,
    /// The class.
    pub class: LinkClass,
}

impl QueueKey {
    /// The score that ranks the queue among all others ([`Priority::rank`]). Inlined, because all queues are ranked
    /// again whenever scores change.
    #[inline]
    pub fn rank(self, order: &dyn ClassOrder) -> f64 {
        self.priority.rank(order.score(self.class))
    }

    /// The queue's curiosity: that of its class, and 0 unless its priority is normal.
    pub fn curiosity(self, order: &dyn ClassOrder) -> f64 {
        if self.priority == Priority::Normal { order.curiosity(self.class) } else { 0.0 }
    }

    /// The queue that what waits in this one moves to, where its class changes. Pages that are visited again stay in
    /// their queue, whose order is that of the plan.
    #[must_use]
    pub fn moved_to(self, other: Self) -> Self {
        if self == LinkClass::REVISIT.into() { self } else { other }
    }

    /// The number of the cluster with flags for priority and probe, as it is stored and sent.
    pub const fn stored_cluster(self) -> u32 {
        self.class.page().stored() | self.priority.flag()
    }

    /// Reads what [`QueueKey::stored_cluster`] wrote; the class has this place and pattern.
    pub fn from_stored(cluster: u32, apath: Apath, pattern: UrlPattern) -> Self {
        let class = LinkClass::at(ClusterId::UNKNOWN, apath).on(cluster).with_pattern(pattern);
        Self { class, priority: Priority::of_flags(cluster) }
    }
}

impl Hash for QueueKey {
    /// Leaves the priority out: hardly any class has URLs of several.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.class.hash(state);
    }
}

impl From<LinkClass> for QueueKey {
    fn from(class: LinkClass) -> Self {
        Self { class, priority: Priority::Normal }
    }
}

impl From<QueueKey> for StoredClass {
    fn from(key: QueueKey) -> Self {
        Self { cluster: key.stored_cluster(), apath: key.class.apath, pattern: key.class.stored_pattern() }
    }
}

impl From<StoredClass> for QueueKey {
    fn from(StoredClass { cluster, apath, pattern }: StoredClass) -> Self {
        Self::from_stored(cluster, apath, pattern)
    }
}

impl fmt::Display for QueueKey {
    /// The name of the class, after `pinned:` or `last:` where the priority is not normal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.priority {
            Priority::Normal => "",
            Priority::Pinned => "pinned:",
            Priority::Last => "last:",
        })?;
        self.class.fmt(f)
    }
}

/// How much the URLs of a link class are wanted now. A policy's snapshot implements it; the frontier orders by it.
pub trait ClassOrder: Send + Sync {
    /// Higher is better; NaN ranks lowest. Classes of equal score are taken breadth-first.
    fn score(&self, class: LinkClass) -> f64;

    /// How much remains to be learned about a class; 0 or less, or NaN: nothing. The frontier spends its exploring pops
    /// on the class with the highest value.
    fn curiosity(&self, class: LinkClass) -> f64 {
        let _ = class;
        0.0
    }

    /// The share of the latest requests that returned a wanted, new page; `None` where the policy does not judge that.
    fn recent_yield(&self) -> Option<f64> {
        None
    }

    /// The expected result of a request for a URL of this class; `None` where the policy does not estimate that.
    fn prospect(&self, class: LinkClass) -> Option<Prospect> {
        let _ = class;
        None
    }
}

/// The expected result of a request.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prospect {
    /// The chance, 0 to 1, that it returns a wanted, new page.
    pub wanted: f64,
    /// The expected number of new links worth following.
    pub links: f64,
    /// The score of each of these links.
    pub links_score: f64,
    /// The chance of each of these links, 0 to 1, to lead to a wanted, new page.
    pub links_wanted: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: LinkClass = LinkClass::at(ClusterId(3), Apath(9));

    fn key(priority: Priority) -> QueueKey {
        QueueKey { class: CLASS, priority }
    }

    #[test]
    fn the_priority_is_named_before_the_class_and_stored_in_the_bits_of_its_cluster() {
        for (priority, name, stored) in [
            (Priority::Normal, "3/0000000000000009/0000000000000000", 3_u32),
            (Priority::Last, "last:3/0000000000000009/0000000000000000", 3 + (1 << 31)),
            (Priority::Pinned, "pinned:3/0000000000000009/0000000000000000", 3 + (1 << 27)),
        ] {
            let json = serde_json::to_value(key(priority)).unwrap();
            assert_eq!((key(priority).to_string().as_str(), &json["cluster"]), (name, &stored.into()));
            assert_eq!(serde_json::from_value::<QueueKey>(json).unwrap(), key(priority));
        }
    }

    #[test]
    fn flags_of_earlier_versions_are_read() {
        let read = |flag: u32| QueueKey::from_stored(3 | flag, Apath(9), UrlPattern::NONE);
        assert_eq!((read(1 << 30), read(1 << 28)), (key(Priority::Last), key(Priority::Normal)));
    }

    #[test]
    fn priorities_come_before_scores_and_scores_keep_their_order_within_one() {
        let scores = [f64::NAN, -1.0, 0.0, 0.5, 2.0, 1e9];
        let ranked = |priority: Priority| scores.map(|score| priority.rank(score));
        let (last, pinned) = (ranked(Priority::Last), ranked(Priority::Pinned));
        assert!(last.is_sorted() && last.iter().all(|rank| *rank < -900.0), "{last:?}");
        assert!(pinned.is_sorted() && pinned.iter().all(|rank| *rank > 9e9), "{pinned:?}");
        assert_eq!(Priority::Normal.rank(0.5), 0.5);
    }

    #[test]
    fn visits_stay_in_their_queue() {
        let (visits, last) = (QueueKey::from(LinkClass::REVISIT), key(Priority::Last));
        assert_eq!((visits.moved_to(last), last.moved_to(visits)), (visits, visits));
    }
}
