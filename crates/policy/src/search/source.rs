//! A search, and how it has fared.

use std::collections::BTreeSet;

use harvestman_core::url::{Fingerprint, SearchTemplate};

use super::{OwnSearch, SearchAnswer};

/// Number of failures in succession after which a search is not asked any more.
const FAILURES_MAX: u32 = 3;

/// Why a search is not asked any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GivenUp {
    Failed,
    /// robots.txt forbids its answers.
    Forbidden,
    /// It has shown nothing new for too long.
    Fruitless,
}

/// The reply of a search to a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    Answer {
        answer: SearchAnswer,
        /// Number of results that were not known.
        new: usize,
    },
    Failed,
    Forbidden,
}

/// A search.
pub(super) struct Source {
    pub(super) template: SearchTemplate,
    /// Of a site's own search, the links that are no results; `None`: a user named the search.
    pub(super) own: Option<BTreeSet<Fingerprint>>,
    /// Number of answers in succession without anything new after which a site's own search is given up.
    fruitless_max: u32,
    failures: u32,
    fruitless: u32,
    /// Answers with at least one result.
    pub(super) fruitful: u64,
    pub(super) given_up: Option<GivenUp>,
}

impl Source {
    /// A search that a user named.
    pub(super) const fn named(template: SearchTemplate) -> Self {
        Self { template, own: None, fruitless_max: 0, failures: 0, fruitless: 0, fruitful: 0, given_up: None }
    }

    /// A site's own search.
    pub(super) fn own(OwnSearch { template, links }: OwnSearch, fruitless_max: u32) -> Self {
        Self { own: Some(links), fruitless_max, ..Self::named(template) }
    }

    /// Takes in a reply.
    pub(super) fn see(&mut self, reply: Reply) {
        match reply {
            Reply::Answer { answer, new } => {
                self.failures = 0;
                self.fruitful += u64::from(answer.results > 0);
                self.fruitless = if new > 0 { 0 } else { self.fruitless.saturating_add(1) };
            }
            Reply::Failed => self.failures = self.failures.saturating_add(1),
            Reply::Forbidden => self.given_up = Some(GivenUp::Forbidden),
        }
        if self.failures >= FAILURES_MAX {
            self.given_up = Some(GivenUp::Failed);
        } else if self.own.is_some() && self.fruitless >= self.fruitless_max.max(1) {
            self.given_up = Some(GivenUp::Fruitless);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::config::url::UrlOptions;
    use harvestman_core::url::Canonicaliser;

    fn source(is_own: bool) -> Source {
        let canonicaliser = Canonicaliser::new(&UrlOptions::default()).unwrap();
        let template = SearchTemplate::parse("http://s.test/?q={query}", &canonicaliser).unwrap();
        if is_own { Source::own(OwnSearch { template, links: BTreeSet::new() }, 4) } else { Source::named(template) }
    }

    /// The number of replies after which a search is given up, and why.
    fn given_up(is_own: bool, reply: impl Fn(u32) -> Reply) -> Option<(u32, GivenUp)> {
        let mut source = source(is_own);
        (1..100).find_map(|number| {
            source.see(reply(number));
            Some((number, source.given_up?))
        })
    }

    #[test]
    fn a_search_is_given_up_after_failures_and_a_sites_own_also_without_anything_new() {
        let answer = |results, new| Reply::Answer { answer: SearchAnswer { hits: None, results }, new };
        for is_own in [false, true] {
            assert_eq!(given_up(is_own, |_| Reply::Failed), Some((3, GivenUp::Failed)));
            assert_eq!(given_up(is_own, |number| if number % 3 > 0 { Reply::Failed } else { answer(1, 1) }), None);
            assert_eq!(given_up(is_own, |_| Reply::Forbidden), Some((1, GivenUp::Forbidden)));
            assert_eq!(given_up(is_own, |number| answer(9, usize::from(number % 4 == 0))), None);
            assert_eq!(given_up(is_own, |_| answer(9, 0)), is_own.then_some((4, GivenUp::Fruitless)));
        }
    }
}
