//! Link classes: the unit in which links are refused, queued and scored.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::PolicyRefusal;

/// A page cluster: pages made from one template. Assigned by the site model; [`ClusterId::UNKNOWN`] before there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct ClusterId(pub u32);

impl ClusterId {
    /// The cluster of a page that was not classified.
    pub const UNKNOWN: Self = Self(0);

    /// The cluster without any mark.
    pub const fn plain(self) -> Self {
        Self(self.0 & (Self::PINNED - 1))
    }

    /// Bits that no cluster has; they mark link classes.
    const LAST: u32 = 1 << 31;
    const LET_GO: u32 = 1 << 30;
    // The one between marks pages, in the cluster graph.
    const BANNED: u32 = 1 << 28;
    const PINNED: u32 = 1 << 27;
    const MARKS: u32 = Self::LAST | Self::LET_GO | Self::BANNED | Self::PINNED;
}

/// The place of a link on its page, as a 64-bit hash of its Apath: the element names from the root to the `a`, with that
/// element's class attribute (SOUrCe 2018, section 3.1). The parser can spell it out on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Apath(pub u64);

impl Apath {
    /// Links that stand on no page: seeds.
    pub const SEED: Self = Self(0);
    /// Links named by a sitemap or feed.
    pub const SITEMAP: Self = Self(1);
    /// The target of an HTTP redirect.
    pub const REDIRECT: Self = Self(2);
    /// The target of a `<meta http-equiv=refresh>`.
    pub const REFRESH: Self = Self(3);
    /// An address that the policy derived from another one; no page links to it yet.
    pub const DERIVED: Self = Self(4);
    /// A page that was visited before and is visited again.
    pub const REVISIT: Self = Self(5);
}

impl fmt::Display for Apath {
    /// Its hash, as in the link export, or the name of what stands on no page.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SEED => f.write_str("seed"),
            Self::SITEMAP => f.write_str("sitemap"),
            Self::REDIRECT => f.write_str("redirect"),
            Self::REFRESH => f.write_str("refresh"),
            Self::REVISIT => f.write_str("revisit"),
            Self(hash) => write!(f, "{hash:016x}"),
        }
    }
}

/// The form of a URL, as a 64-bit hash: what is left when numbers, slugs and names are replaced by wildcards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct PatternId(pub u64);

impl PatternId {
    /// The pattern of a URL that was not looked at.
    pub const NONE: Self = Self(0);
    /// Bits that hold the number of parameters.
    const PARAMETERS: u64 = 0b11;

    /// The pattern with this hash and so many parameters in its query.
    pub const fn new(hash: u64, parameters: u64) -> Self {
        let parameters = if parameters > Self::PARAMETERS { Self::PARAMETERS } else { parameters };
        // Never 0, which is no pattern.
        Self((hash | 1 << 63) & !Self::PARAMETERS | parameters)
    }

    /// How many parameters its query has; 3 means 3 or more.
    pub const fn parameters(self) -> u64 {
        self.0 & Self::PARAMETERS
    }
}

/// A URL's pattern at two resolutions. The finer one determines the coarser one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct UrlPattern {
    /// Path with wildcards, and the names of the query's parameters.
    pub coarse: PatternId,
    /// The same with those values of parameters that many URLs share (`page=1`, `sort=name`).
    pub fine: PatternId,
}

impl UrlPattern {
    /// The pattern of a URL that was not looked at.
    pub const NONE: Self = Self { coarse: PatternId::NONE, fine: PatternId::NONE };
}

/// What all that is known of an unfetched link depends on: the cluster of its page, its Apath there, and its URL's pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LinkClass {
    /// Cluster of the page that the link stands on.
    pub cluster: ClusterId,
    /// Place of the link on that page.
    pub apath: Apath,
    /// The pattern of its URL. [`UrlPattern::NONE`] stands for all links at the place, before one of them is resolved.
    pub pattern: UrlPattern,
}

impl LinkClass {
    /// The class of all pages that are visited again: one queue a host, in the order in which their visits were planned.
    pub const REVISIT: Self = Self::unclassified(Apath::REVISIT);

    /// The class of all links at `apath` on pages of `cluster`.
    pub const fn at(cluster: ClusterId, apath: Apath) -> Self {
        Self { cluster, apath, pattern: UrlPattern::NONE }
    }

    /// The class of links with this Apath on pages that have no cluster.
    pub const fn unclassified(apath: Apath) -> Self {
        Self::at(ClusterId::UNKNOWN, apath)
    }

    /// The same class, for links that wait until no others do.
    pub const fn last(self) -> Self {
        self.marked(ClusterId::LAST)
    }

    /// The same class, for links that are not to be fetched any more.
    pub const fn let_go(self) -> Self {
        self.marked(ClusterId::LET_GO)
    }

    /// Whether it is that of links that wait until no others do.
    pub const fn is_last(self) -> bool {
        self.cluster.0 & ClusterId::LAST != 0
    }

    /// Whether it is that of links that are not to be fetched any more.
    pub const fn is_let_go(self) -> bool {
        self.cluster.0 & ClusterId::LET_GO != 0
    }

    /// The same class, for links that somebody has banned.
    pub const fn banned(self) -> Self {
        self.marked(ClusterId::BANNED)
    }

    /// The same class, for links that somebody has put first.
    pub const fn pinned(self) -> Self {
        self.marked(ClusterId::PINNED)
    }

    /// Whether it is that of links that somebody has banned.
    pub const fn is_banned(self) -> bool {
        self.cluster.0 & ClusterId::BANNED != 0
    }

    /// Whether it is that of links that somebody has put first.
    pub const fn is_pinned(self) -> bool {
        self.cluster.0 & ClusterId::PINNED != 0
    }

    /// The class as it is without what somebody has banned or pinned.
    pub const fn unsteered(self) -> Self {
        if self.is_banned() || self.is_pinned() { self.unmarked() } else { self }
    }

    /// Why what waits under this class is not to be fetched any more; none where it is.
    pub fn refusal(self, order: &dyn ClassOrder) -> Option<PolicyRefusal> {
        match self {
            _ if self.is_banned() => Some(PolicyRefusal::Banned),
            _ if self.is_let_go() => Some(PolicyRefusal::StructureTrap),
            _ if self.is_pinned() => None,
            _ => order.unwanted(self.unmarked()),
        }
    }

    /// The class under which what waits under this one waits on, where its class has become another: visits stay in their queue, as
    /// their order is that of the plan.
    pub fn waits_on_as(self, other: Self) -> Self {
        if self == Self::REVISIT { self } else { other }
    }

    /// The class without such a mark, as a policy knows it.
    pub const fn unmarked(self) -> Self {
        Self { cluster: ClusterId(self.cluster.0 & !ClusterId::MARKS), ..self }
    }

    const fn marked(self, mark: u32) -> Self {
        let plain = self.unmarked();
        Self { cluster: ClusterId(plain.cluster.0 | mark), ..plain }
    }

    /// The class of those links at this place whose URLs have this pattern.
    pub const fn with_pattern(self, pattern: UrlPattern) -> Self {
        Self { pattern, ..self }
    }
}

impl fmt::Display for LinkClass {
    /// `cluster/apath/pattern`, as logs name it; of the pattern the finer one, which determines the other. A class that waits until
    /// no others do begins with `last:`, one that was put first with `pinned:`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_last() {
            f.write_str("last:")?;
        } else if self.is_pinned() {
            f.write_str("pinned:")?;
        }
        let Self { cluster, apath, pattern } = self.unmarked();
        write!(f, "{}/{apath}/{:016x}", cluster.0, pattern.fine.0)
    }
}

/// How much the URLs of a link class are wanted now. A policy's snapshot implements it; the frontier orders by it.
pub trait ClassOrder: Send + Sync {
    /// Higher is better; NaN counts as least. Classes of equal score are taken breadth-first.
    fn score(&self, class: LinkClass) -> f64;

    /// How much is still to be learnt of a class; 0 or less, or NaN: nothing. The frontier spends its exploring pops
    /// (`frontier.explore_every`) on the class that has most.
    fn curiosity(&self, class: LinkClass) -> f64 {
        let _ = class;
        0.0
    }

    /// Why what waits under a class is not to be fetched any more; none where it is. Asked when classes have changed their
    /// meaning: what is not wanted then no longer waits.
    fn unwanted(&self, class: LinkClass) -> Option<PolicyRefusal> {
        let _ = class;
        None
    }

    /// The share of the latest requests that brought a page that is wanted and new; none where the policy does not judge that.
    fn recent_yield(&self) -> Option<f64> {
        None
    }

    /// What a request for a URL of this class is expected to bring; none where the policy does not estimate that.
    fn prospect(&self, class: LinkClass) -> Option<Prospect> {
        let _ = class;
        None
    }
}

/// What a request is expected to bring.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prospect {
    /// The chance, 0 to 1, that it brings a page that is wanted and new.
    pub wanted: f64,
    /// New links that it is expected to bring and that are worth following.
    pub links: f64,
    /// Their score, each.
    pub links_score: f64,
    /// Each link's chance, 0 to 1, to lead to a page that is wanted and new.
    pub links_wanted: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_named_by_cluster_place_and_pattern() {
        let pattern = UrlPattern { coarse: PatternId(7), fine: PatternId(0xab) };
        let class = LinkClass::at(ClusterId(3), Apath(0xc0de)).with_pattern(pattern);
        assert_eq!(class.to_string(), "3/000000000000c0de/00000000000000ab");
        assert_eq!(LinkClass::unclassified(Apath::SEED).to_string(), "0/seed/0000000000000000");
    }

    #[test]
    fn a_class_has_one_mark_at_most_and_is_itself_without_it() {
        let class = LinkClass::at(ClusterId(3), Apath(9));
        assert_eq!(class.last().unmarked(), class);
        assert_eq!(class.last().let_go(), class.let_go());
        assert!(class.last().is_last() && !class.last().is_let_go() && !class.is_last());
        assert!(class.let_go().is_let_go() && !class.let_go().is_last());
        assert_eq!(class.last().to_string(), "last:3/0000000000000009/0000000000000000");
        assert_eq!(class.pinned().to_string(), "pinned:3/0000000000000009/0000000000000000");
        assert_eq!((class.pinned().unsteered(), class.banned().unsteered()), (class, class));
        assert_eq!(class.last().unsteered(), class.last());
    }

    #[test]
    fn what_is_banned_is_refused_and_what_is_pinned_never() {
        struct RefusesAll;
        impl ClassOrder for RefusesAll {
            fn score(&self, _: LinkClass) -> f64 {
                0.0
            }

            fn unwanted(&self, _: LinkClass) -> Option<PolicyRefusal> {
                Some(PolicyRefusal::Uninformative)
            }
        }
        let class = LinkClass::at(ClusterId(3), Apath(9));
        assert_eq!(class.refusal(&RefusesAll), Some(PolicyRefusal::Uninformative));
        assert_eq!(class.banned().refusal(&RefusesAll), Some(PolicyRefusal::Banned));
        assert_eq!(class.pinned().refusal(&RefusesAll), None);
    }
}
