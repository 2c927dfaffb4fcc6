//! What can be banned or pinned: a cluster of pages, a link class, URLs of a form.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::PatternClusters;
use harvestman_core::model::{Apath, ClusterId, LinkClass, UrlPattern};

/// Maximum length of a form of URLs, in bytes.
const FORM_MAX: usize = 2_048;

/// What is banned or pinned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// Pages of this cluster: links whose URLs have a pattern that mostly led to it.
    Cluster(ClusterId),
    /// Links of this class, as logs name it: on pages of this cluster, at this place, of this (finer) pattern.
    Class(ClusterId, Apath, u64),
    /// URLs of this form: the whole URL, or the URL from its path on where the form begins with `/`; `*` matches any
    /// characters.
    Urls(Box<str>),
}

/// A text that names nothing that can be banned or pinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is neither the number of a cluster (5), nor a link class as in policy.jsonl \
     (5/00c0ffee00c0ffee/8badf00d8badf00d), nor a form of URLs (/tag/* or https://example.org/*?sort=*)"
)]
pub struct InvalidTarget(String);

impl Target {
    /// Whether it matches a link of this class and URL.
    pub fn matches_link(
        &self,
        class: LinkClass,
        pattern: UrlPattern,
        url: &str,
        pattern_clusters: &PatternClusters,
    ) -> bool {
        match self {
            Self::Cluster(cluster) => pattern_clusters.cluster(pattern) == Some(*cluster),
            Self::Class(cluster, apath, fine) => {
                class.page() == (*cluster).into() && class.apath == *apath && pattern.fine.0 == *fine
            }
            Self::Urls(form) if form.starts_with('/') => matches(form, path_of(url)),
            Self::Urls(form) => matches(form, url),
        }
    }
}

/// Path and query of an absolute URL.
fn path_of(url: &str) -> &str {
    let after = url.find("://").map_or(0, |at| at + 3);
    url[after..].find('/').map_or("", |at| &url[after + at..])
}

/// Whether a text matches a form in which each `*` matches any number of characters, including none: O(text × form) in
/// the worst case.
fn matches(form: &str, text: &str) -> bool {
    let (form, text) = (form.as_bytes(), text.as_bytes());
    let (mut at, mut pos) = (0, 0);
    // The position of the last star, and the position in the text up to which it has matched.
    let mut star: Option<(usize, usize)> = None;
    while pos < text.len() {
        if form.get(at) == Some(&b'*') {
            star = Some((at, pos));
            at += 1;
        } else if form.get(at) == Some(&text[pos]) {
            (at, pos) = (at + 1, pos + 1);
        } else if let Some((starred, swallowed)) = star {
            (at, pos) = (starred + 1, swallowed + 1);
            star = Some((starred, swallowed + 1));
        } else {
            return false;
        }
    }
    form[at..].iter().all(|byte| *byte == b'*')
}

impl FromStr for Target {
    type Err = InvalidTarget;

    fn from_str(text: &str) -> Result<Self, InvalidTarget> {
        let wrong = || InvalidTarget(text.to_owned());
        let is_form = ["/", "*", "http://", "https://"].iter().any(|start| text.starts_with(start));
        if is_form {
            let fits = text.len() <= FORM_MAX && !text.contains(char::is_whitespace);
            return fits.then(|| Self::Urls(text.into())).ok_or_else(wrong);
        }
        let class = text.trim_start_matches("last:").trim_start_matches("pinned:");
        let parts: Vec<&str> = class.split('/').collect();
        let cluster = |text: &str| text.parse().ok().map(ClusterId).filter(|cluster| *cluster <= ClusterId::MAX);
        let target = match parts.as_slice() {
            [number] => cluster(number).filter(|number| *number != ClusterId::UNKNOWN).map(Self::Cluster),
            [number, place, pattern] => cluster(number)
                .zip(apath(place).zip(hexadecimal(pattern)))
                .map(|(cluster, (apath, pattern))| Self::Class(cluster, apath, pattern)),
            _ => None,
        };
        target.ok_or_else(wrong)
    }
}

fn hexadecimal(text: &str) -> Option<u64> {
    (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok())?
}

/// Parses a place as it is displayed.
fn apath(text: &str) -> Option<Apath> {
    let named = [Apath::SEED, Apath::SITEMAP, Apath::REDIRECT, Apath::REFRESH, Apath::FEED];
    named.into_iter().find(|apath| apath.to_string() == text).or_else(|| hexadecimal(text).map(Apath))
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster(cluster) => write!(f, "{}", cluster.0),
            Self::Class(cluster, apath, fine) => write!(f, "{}/{apath}/{fine:016x}", cluster.0),
            Self::Urls(form) => f.write_str(form),
        }
    }
}

impl Serialize for Target {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use harvestman_core::model::{Priority, QueueKey};

    #[test]
    fn a_target_is_a_cluster_a_class_or_a_form_of_urls_and_is_written_as_it_is_read() {
        for text in
            ["5", "3/00000000c0ffee00/00000000000000ab", "0/seed/0000000000000000", "/tag/*", "https://a.test/*"]
        {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
        }
        let class = LinkClass::at(ClusterId(3), Apath(7));
        let last = QueueKey { class, priority: Priority::Last };
        assert_eq!(last.to_string().parse(), class.to_string().parse::<Target>());
        for text in ["", "0", "x", "3/4", "3/zz/00000000000000ab", "-1", "4294967295", "tag/*", "/a b"] {
            let error = text.parse::<Target>().unwrap_err();
            assert!(error.to_string().contains("neither the number of a cluster"), "{text}");
        }
    }

    #[test]
    fn a_form_from_the_path_on_fits_every_host_and_a_whole_one_its_own() {
        let fits = |form: &str, url: &str| {
            let target = Target::Urls(form.into());
            target.matches_link(LinkClass::unclassified(Apath(9)), UrlPattern::NONE, url, &PatternClusters::default())
        };
        assert!(fits("/tag/*", "http://a.test/tag/x?page=2") && fits("/tag/*", "https://b.test/tag/"));
        assert!(!fits("/tag/*", "http://a.test/x/tag/") && !fits("/tag/", "http://a.test/tag/x"));
        assert!(fits("*sort=*", "http://a.test/x?sort=up") && fits("http://a.test/*", "http://a.test/"));
        assert!(!fits("http://a.test/*", "http://b.test/") && fits("/", "http://a.test/"));
    }

    /// The same by trying every split.
    fn naive(form: &[u8], text: &[u8]) -> bool {
        match form.split_first() {
            None => text.is_empty(),
            Some((b'*', rest)) => (0..=text.len()).any(|at| naive(rest, &text[at..])),
            Some((byte, rest)) => text.first() == Some(byte) && naive(rest, &text[1..]),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn stars_match_what_a_search_of_all_splits_finds(form in "[ab*]{0,8}", text in "[ab]{0,10}") {
            prop_assert_eq!(matches(&form, &text), naive(form.as_bytes(), text.as_bytes()));
        }

        #[test]
        fn any_text_is_a_target_or_refused(text in ".{0,40}") {
            if let Ok(target) = text.parse::<Target>() {
                prop_assert_eq!(target.to_string().parse::<Target>(), Ok(target));
            }
        }
    }
}
