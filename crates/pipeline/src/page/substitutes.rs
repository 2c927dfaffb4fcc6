//! The substitute pages of all hosts: what the workers share of them.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use parking_lot::Mutex;

use harvestman_core::clock::Instant;
use harvestman_core::model::path_hash::fold_run;
use harvestman_core::model::{Answer, Failure, Fate, ScheduledUrl};
use harvestman_structure::substitutes::{
    Address, AnswerContent, AnswerKind, Judgement, PathSet, SeenAnswer, SubstituteDetector,
};

/// Hosts whose pages are compared; the one that was not met for longest makes room. A host of many forms with long
/// paths and texts takes up to 200 KiB: 32 forms of 256 paths of 8 bytes and 3 texts of 128 hashes of 4 bytes, and 8
/// texts of as many paths, 2,000 words and 256 links of 4 bytes.
const HOSTS_MAX: usize = 1_024;
/// Parts of the table, so that workers seldom wait for one another.
const PARTS: usize = 16;

/// A URL that was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) item: &'a ScheduledUrl,
    /// When.
    pub(crate) at: Instant,
    /// Whether its answer was suspect and has waited for others.
    pub(crate) has_waited: bool,
}

/// Compares the pages of each host.
pub(crate) struct Substitutes {
    parts: [Mutex<Hosts>; PARTS],
}

#[derive(Default)]
struct Hosts {
    detectors: HashMap<Box<str>, (SubstituteDetector, u64), FixedState>,
    judged: u64,
}

impl Hosts {
    fn detector(&mut self, origin: &str) -> &mut SubstituteDetector {
        self.judged += 1;
        if !self.detectors.contains_key(origin) && self.detectors.len() >= HOSTS_MAX / PARTS {
            let oldest = self.detectors.iter().min_by_key(|(_, (_, met_at))| *met_at).map(|(host, _)| host.clone());
            oldest.map(|oldest| self.detectors.remove(&oldest));
        }
        let (detector, met_at) = self.detectors.entry(origin.into()).or_default();
        *met_at = self.judged;
        detector
    }
}

impl Substitutes {
    pub(crate) fn new() -> Self {
        Self { parts: std::array::from_fn(|_| Mutex::default()) }
    }

    /// Judges a page by what it shows, which `shown` tells if it matters.
    pub(crate) fn page(
        &self,
        asked: Asked<'_>,
        paths: PathSet,
        shown: impl FnOnce() -> Option<AnswerContent>,
    ) -> Judgement {
        self.judge(asked, AnswerKind::Page, paths, shown)
    }

    /// Judges a redirect to `location`, as written. It keeps its fate where it does not block.
    pub(crate) fn redirect(&self, asked: Asked<'_>, location: &str) -> Judgement {
        // Most redirects lead to another address of the same page.
        if Address::of(without_origin(location)).is_related(&Address::of(asked.item.url.path_and_query())) {
            return Judgement::Own;
        }
        let content = || Some(AnswerContent::redirect_to(location));
        unless_absent(self.judge(asked, AnswerKind::Redirect, PathSet::default(), content))
    }

    /// Judges an error, which keeps its fate where it does not block, by its body, if its status is one that a server
    /// may send to whom it does not want. Bodies are compared by their words, without those that have a digit.
    pub(crate) fn error(&self, asked: Asked<'_>, answer: &Answer, body: impl FnOnce() -> Vec<u8>) -> Judgement {
        if !matches!(answer.status, 401 | 403 | 429 | 451 | 503) {
            return Judgement::Own;
        }
        let shown = || {
            let body = body();
            let words = body.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            let words = words.filter(|word| !word.iter().any(u8::is_ascii_digit));
            let words = words.map(|word| fold_run(word) as u32).collect();
            AnswerContent::from_words(answer.status, PathSet::default(), words)
        };
        unless_absent(self.judge(asked, AnswerKind::Error, PathSet::default(), shown))
    }

    fn judge(
        &self,
        Asked { item, at: asked_at, has_waited }: Asked<'_>,
        kind: AnswerKind,
        paths: PathSet,
        shown: impl FnOnce() -> Option<AnswerContent>,
    ) -> Judgement {
        let origin = item.url.origin();
        let address = Address::of(item.url.path_and_query());
        let answer = SeenAnswer { address, url: item.url.fingerprint(), asked_at, kind, paths };
        let part = &self.parts[fold_run(origin.as_bytes()) as usize % PARTS];
        let mut hosts = part.lock();
        let detector = hosts.detector(origin);
        if has_waited { detector.judge_again(&answer, shown) } else { detector.judge(&answer, shown) }
    }
}

/// Returns the path and query of an address as written, with or without its origin.
fn without_origin(address: &str) -> &str {
    let is_path = address.starts_with('/') && !address.starts_with("//") || address.starts_with('?');
    let Some((_, rest)) = address.split_once("//").filter(|_| !is_path) else { return address };
    rest.find('/').map_or("/", |at| &rest[at..])
}

/// An error or a redirect says itself what it is.
const fn unless_absent(judgement: Judgement) -> Judgement {
    if matches!(judgement, Judgement::Absent) { Judgement::Own } else { judgement }
}

/// Returns the name of a judgement in metrics and WARC metadata, if the answer is not taken for what was asked for.
pub(crate) const fn substitute_label(judgement: Judgement) -> Option<&'static str> {
    match judgement {
        Judgement::Own | Judgement::Lifted => None,
        Judgement::Suspect => Some("suspect"),
        Judgement::Absent => Some("soft_404"),
        Judgement::Blocked => Some("block_page"),
    }
}

/// Returns the fate of an answer that is judged, if that decides it: what is suspect or blocked is asked for again and
/// has none yet.
pub(crate) const fn fate_of(judgement: Judgement) -> Option<Fate> {
    match judgement {
        Judgement::Absent => Some(Fate::Failed(Failure::SoftNotFound)),
        Judgement::Own | Judgement::Lifted | Judgement::Suspect | Judgement::Blocked => None,
    }
}

/// Returns whether an answer is not taken for what was asked for, so that the URL waits.
pub(crate) const fn waits(judgement: Judgement) -> bool {
    matches!(judgement, Judgement::Suspect | Judgement::Blocked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_of_an_address_does_not_count() {
        for address in ["http://a.example/login?next=//b", "//a.example/login?next=//b", "/login?next=//b"] {
            assert_eq!(without_origin(address), "/login?next=//b", "{address}");
        }
        assert_eq!(without_origin("http://a.example"), "/");
        assert_eq!(without_origin("login"), "login");
    }

    #[test]
    fn hosts_are_bounded() {
        let substitutes = Substitutes::new();
        for number in 0..3 * HOSTS_MAX {
            let url = harvestman_core::url::CanonicalUrl::from_canonical(format!("http://h{number}.example/"));
            let item = ScheduledUrl::errand(url);
            let asked = Asked { item: &item, at: Instant::EPOCH, has_waited: false };
            let judged = substitutes.page(asked, PathSet::default(), || None);
            assert_eq!(judged, Judgement::Own);
        }
        assert!(substitutes.parts.iter().map(|part| part.lock().detectors.len()).sum::<usize>() <= HOSTS_MAX);
    }
}
