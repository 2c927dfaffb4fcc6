//! Link classes: the unit in which links are rejected, queued and scored.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::{Prediction, TopicMark};

/// A page cluster: pages rendered from one template. The site model assigns it; [`ClusterId::UNKNOWN`] until a model
/// exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct ClusterId(pub u32);

impl ClusterId {
    /// The cluster of a page that was not classified.
    pub const UNKNOWN: Self = Self(0);
    /// The largest cluster number. The bits above it hold flags where a class is stored.
    pub const MAX: Self = Self(stored::PINNED - 1);
}

/// The cluster of a fetched page, as its links are classified by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PageCluster {
    /// The cluster.
    pub cluster: ClusterId,
    /// Whether the page is a probe: its links are judged one by one and never rejected by place, so that changes of the
    /// site show.
    pub probe: bool,
}

impl PageCluster {
    /// The class of all links at `apath` on the page.
    pub const fn links_at(self, apath: Apath) -> LinkClass {
        LinkClass { probe: self.probe, ..LinkClass::at(self.cluster, apath) }
    }

    /// The cluster as logs and stored classes number it: a probe sets a flag above the cluster's bits.
    pub const fn stored(self) -> u32 {
        self.cluster.0 | if self.probe { stored::PROBE } else { 0 }
    }
}

impl From<ClusterId> for PageCluster {
    fn from(cluster: ClusterId) -> Self {
        Self { cluster, probe: false }
    }
}

impl From<u32> for PageCluster {
    /// Reads what [`PageCluster::stored`] wrote, and ignores all other flags.
    fn from(stored: u32) -> Self {
        Self { cluster: ClusterId(stored & ClusterId::MAX.0), probe: stored & stored::PROBE != 0 }
    }
}

/// How a class is written to a file or to another node: with flags above the bits of its cluster's number, and with its
/// prediction in the hash of its pattern. The flags of the pattern have a meaning only in a crawl for a topic.
pub(super) mod stored {
    use super::{PatternId, Prediction, TopicMark, UrlPattern};

    /// [`Priority::Last`](super::super::Priority::Last).
    pub const LAST: u32 = 1 << 31;
    /// Read as [`LAST`]; no longer written.
    pub const DROPPED: u32 = 1 << 30;
    /// [`PageCluster::probe`](super::PageCluster::probe).
    pub const PROBE: u32 = 1 << 29;
    /// [`Priority::Pinned`](super::super::Priority::Pinned). Bit 28 marked banned links; it is no longer written and is
    /// ignored.
    pub const PINNED: u32 = 1 << 27;

    /// [`TopicMark::named`], in the finer pattern.
    const NAMED: u64 = 1 << 62;
    /// [`TopicMark::on_named`], in the finer pattern.
    const ON_NAMED: u64 = 1 << 61;

    /// The pattern of those links of a pattern that have this prediction.
    pub fn predicted(pattern: UrlPattern, prediction: Prediction) -> UrlPattern {
        let UrlPattern { coarse, fine } = pattern;
        // The odd constant spreads the predictions over the hash's upper bits; the number of parameters is in the
        // lowest ones.
        let hash = fine.0 ^ u64::from(u8::from(prediction)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = match prediction.topic {
            None => hash,
            Some(TopicMark { named, on_named }) => {
                let flag = |holds, flag| if holds { flag } else { 0 };
                hash & !(NAMED | ON_NAMED) | flag(named, NAMED) | flag(on_named, ON_NAMED)
            }
        };
        UrlPattern { coarse, fine: PatternId::new(hash, fine.parameters()).under(coarse.model()) }
    }

    /// The mark of a class that was read.
    pub const fn topic_mark(fine: PatternId) -> TopicMark {
        TopicMark { named: fine.0 & NAMED != 0, on_named: fine.0 & ON_NAMED != 0 }
    }
}

/// The place of a link on its page, as a 64-bit hash of its Apath: the element names from the root to the `a`, with
/// that element's class attribute (SOUrCe 2018, section 3.1). The parser can spell it out on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Apath(pub u64);

impl Apath {
    /// Seeds, which no page links to.
    pub const SEED: Self = Self(0);
    /// Links listed by a sitemap or feed.
    pub const SITEMAP: Self = Self(1);
    /// The target of an HTTP redirect.
    pub const REDIRECT: Self = Self(2);
    /// The target of a `<meta http-equiv=refresh>`.
    pub const REFRESH: Self = Self(3);
    /// An address that the policy derived from another one; no page links to it yet.
    pub const DERIVED: Self = Self(4);
    /// A visited page that is visited again.
    pub const REVISIT: Self = Self(5);
    /// A feed that a page announces.
    pub const FEED: Self = Self(6);
}

impl fmt::Display for Apath {
    /// The hash, as in the link export, or the name of an origin that is no place on a page.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SEED => f.write_str("seed"),
            Self::SITEMAP => f.write_str("sitemap"),
            Self::REDIRECT => f.write_str("redirect"),
            Self::REFRESH => f.write_str("refresh"),
            Self::REVISIT => f.write_str("revisit"),
            Self::FEED => f.write_str("feed"),
            Self(hash) => write!(f, "{hash:016x}"),
        }
    }
}

/// The pattern of a URL, as a 64-bit hash: the URL with numbers, slugs and names replaced by wildcards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct PatternId(pub u64);

impl PatternId {
    /// The pattern of a URL that was not looked at.
    pub const NONE: Self = Self(0);
    /// Bits that hold the number of parameters.
    const PARAMETERS: u64 = 0b11;
    /// The position of the lowest of the bits that hold the number of the site model.
    const SITE_SHIFT: u32 = 40;
    const SITE: u64 = (u16::MAX as u64) << Self::SITE_SHIFT;

    /// The pattern with this hash and this number of parameters in its query.
    pub const fn new(hash: u64, parameters: u64) -> Self {
        let parameters = if parameters > Self::PARAMETERS { Self::PARAMETERS } else { parameters };
        // Never 0, which is no pattern.
        Self((hash | 1 << 63) & !(Self::PARAMETERS | Self::SITE) | parameters)
    }

    /// The same pattern under this site model. A new pattern is under model 0; [`PatternId::NONE`] is under none.
    #[must_use]
    pub const fn under(self, model: u16) -> Self {
        if self.0 == 0 { self } else { Self(self.0 & !Self::SITE | (model as u64) << Self::SITE_SHIFT) }
    }

    /// The site model that the pattern is under.
    pub const fn model(self) -> u16 {
        ((self.0 & Self::SITE) >> Self::SITE_SHIFT) as u16
    }

    /// The number of parameters in the query; 3 means 3 or more.
    pub const fn parameters(self) -> u64 {
        self.0 & Self::PARAMETERS
    }
}

/// A URL's pattern at two resolutions. The finer one determines the coarser one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct UrlPattern {
    /// The path with wildcards, and the names of the query's parameters.
    pub coarse: PatternId,
    /// The same with those parameter values that many URLs share (`page=1`, `sort=name`).
    pub fine: PatternId,
}

impl UrlPattern {
    /// The pattern of a URL that was not looked at.
    pub const NONE: Self = Self { coarse: PatternId::NONE, fine: PatternId::NONE };

    /// The same pattern under this site model.
    #[must_use]
    pub const fn under(self, model: u16) -> Self {
        Self { coarse: self.coarse.under(model), fine: self.fine.under(model) }
    }
}

/// The features of an unfetched link by which it is judged: the cluster of its page, its Apath there, its URL's
/// pattern, and what is predicted of it. Classes are told apart, ordered and named as they are stored: one that was
/// read has its prediction in the hash of its pattern, until the policy classifies the URL again.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(from = "StoredClass", into = "StoredClass")]
pub struct LinkClass {
    /// Whether the page with the link is a probe ([`PageCluster::probe`]).
    pub probe: bool,
    /// The cluster of that page.
    pub cluster: ClusterId,
    /// The place of the link on that page.
    pub apath: Apath,
    /// The pattern of its URL. [`UrlPattern::NONE`] means all links at the place, before one of them is resolved.
    pub pattern: UrlPattern,
    /// What is predicted of the link.
    pub prediction: Prediction,
}

impl LinkClass {
    /// The class of all pages that are visited again: one queue per host, in the order in which their visits were
    /// planned.
    pub const REVISIT: Self = Self::unclassified(Apath::REVISIT);

    /// The class of all links at `apath` on pages of `cluster`.
    pub const fn at(cluster: ClusterId, apath: Apath) -> Self {
        Self { cluster, probe: false, apath, pattern: UrlPattern::NONE, prediction: Prediction::NONE }
    }

    /// The class of links with this Apath on pages that have no cluster.
    pub const fn unclassified(apath: Apath) -> Self {
        Self::at(ClusterId::UNKNOWN, apath)
    }

    /// The cluster of the page with the link.
    pub const fn page(self) -> PageCluster {
        PageCluster { cluster: self.cluster, probe: self.probe }
    }

    /// The class of a link at the same place of a page of another cluster.
    #[must_use]
    pub fn on(self, page: impl Into<PageCluster>) -> Self {
        let PageCluster { cluster, probe } = page.into();
        Self { cluster, probe, ..self }
    }

    /// The class of those links at this place whose URLs have this pattern, without a prediction.
    #[must_use]
    pub const fn with_pattern(self, pattern: UrlPattern) -> Self {
        Self { pattern, prediction: Prediction::NONE, ..self }
    }

    /// The same class under this site model.
    #[must_use]
    pub const fn under(self, model: u16) -> Self {
        Self { pattern: self.pattern.under(model), ..self }
    }

    /// The part of the class whose links have this prediction.
    #[must_use]
    pub const fn with_prediction(self, prediction: Prediction) -> Self {
        Self { prediction, ..self }
    }

    /// The pattern with the prediction in the hash of the finer one, as classes are stored and told apart.
    #[inline]
    pub fn stored_pattern(self) -> UrlPattern {
        if self.prediction == Prediction::NONE {
            self.pattern
        } else {
            stored::predicted(self.pattern, self.prediction)
        }
    }

    /// What addresses say of the topic of the crawl, which has one. Of a class that was read, that is in the hash of
    /// its pattern.
    pub fn topic_mark(self) -> TopicMark {
        self.prediction.topic.unwrap_or_else(|| stored::topic_mark(self.pattern.fine))
    }

    /// What the class is told apart and ordered by.
    #[inline]
    fn key(self) -> (bool, ClusterId, Apath, UrlPattern) {
        (self.probe, self.cluster, self.apath, self.stored_pattern())
    }
}

impl PartialEq for LinkClass {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for LinkClass {}

impl PartialOrd for LinkClass {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LinkClass {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for LinkClass {
    /// Hashes cluster and probe as one number, and of the pattern what determines the rest: classes are looked up for
    /// every link.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.page().stored().hash(state);
        self.apath.hash(state);
        self.stored_pattern().fine.hash(state);
    }
}

impl fmt::Display for LinkClass {
    /// `cluster/apath/pattern`, as logs name it, with the finer pattern, which determines the coarser one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{:016x}", self.page().stored(), self.apath, self.stored_pattern().fine.0)
    }
}

/// A class as it is written to files and sent to other nodes.
#[derive(Serialize, Deserialize)]
#[serde(rename = "LinkClass")]
pub(super) struct StoredClass {
    /// With flags above the bits of the number.
    pub(super) cluster: u32,
    pub(super) apath: Apath,
    /// With the prediction.
    pub(super) pattern: UrlPattern,
}

impl From<LinkClass> for StoredClass {
    fn from(class: LinkClass) -> Self {
        Self { cluster: class.page().stored(), apath: class.apath, pattern: class.stored_pattern() }
    }
}

impl From<StoredClass> for LinkClass {
    fn from(StoredClass { cluster, apath, pattern }: StoredClass) -> Self {
        Self::at(ClusterId::UNKNOWN, apath).on(cluster).with_pattern(pattern)
    }
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
        let probe = LinkClass { probe: true, ..class };
        assert_eq!(probe.to_string(), "536870915/000000000000c0de/00000000000000ab");
    }

    #[test]
    fn a_class_is_stored_in_the_bits_of_its_cluster_and_read_without_flags_that_are_not_its_own() {
        let class = PageCluster { cluster: ClusterId(3), probe: true }.links_at(Apath(9));
        let json = serde_json::to_value(class).unwrap();
        assert_eq!(json["cluster"], 3 + (1 << 29));
        assert_eq!(serde_json::from_value::<LinkClass>(json.clone()).unwrap(), class);
        let mut banned = json;
        banned["cluster"] = (3_u32 + (1 << 28) + (1 << 31)).into();
        assert_eq!(serde_json::from_value::<LinkClass>(banned).unwrap(), LinkClass { probe: false, ..class });
    }

    /// Every prediction that a byte can tell.
    fn predictions() -> impl Iterator<Item = Prediction> {
        (0..0b100_0000).map(Prediction::from).filter(|prediction| prediction.topic.is_some() || prediction.step > 0)
    }

    #[test]
    fn a_class_that_was_stored_is_the_same_class_with_the_same_topic_mark() {
        for bits in [0, 1 << 61, 1 << 62, 3 << 61] {
            let fine = PatternId::new(bits | 0xab00, 2);
            let class = LinkClass::at(ClusterId(3), Apath(9)).with_pattern(UrlPattern { coarse: PatternId(7), fine });
            for prediction in predictions() {
                let predicted = class.with_prediction(prediction);
                assert!(predicted != class && predicted.stored_pattern().fine.parameters() == 2);
                let read: LinkClass = serde_json::from_value(serde_json::to_value(predicted).unwrap()).unwrap();
                assert_eq!((read, read.to_string()), (predicted, predicted.to_string()));
                assert!(prediction.topic.is_none_or(|mark| mark == read.topic_mark()));
                assert_eq!(Prediction::from(u8::from(prediction)), prediction);
            }
        }
    }

    #[test]
    fn a_prediction_takes_no_room() {
        assert_eq!(size_of::<LinkClass>(), size_of::<(ClusterId, Apath, UrlPattern)>());
    }

    /// As versions since those with several site models write them: what they left behind is still read.
    #[test]
    fn predictions_are_stored_as_ever() {
        let pattern = UrlPattern { coarse: PatternId(7), fine: PatternId::new(0xabcd_ef00, 2) };
        let class = LinkClass::at(ClusterId(3), Apath(9)).with_pattern(pattern);
        let fine = |stored: u8| class.with_prediction(Prediction::from(stored)).stored_pattern().fine.0;
        for (stored, expected) in [
            (0, 0x8000_0000_abcd_ef02),
            (1, 0x9e00_00b9_d487_9316),
            (6, 0xb500_0058_5073_077e),
            (0b1000, 0x9100_00cb_519e_0faa),
            (0b01_1000, 0xd500_0063_4536_4efa),
            (0b10_1011, 0xb300_0028_ca4f_3886),
            (0b11_1110, 0xf100_00ec_7fc7_e216),
        ] {
            assert_eq!(fine(stored), expected, "{stored:b}");
        }
    }
}
