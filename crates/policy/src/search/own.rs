//! The searches of the seeds' own sites, which are found on the seeds' pages.

use std::collections::{BTreeMap, BTreeSet};

use harvestman_core::url::{Fingerprint, SearchTemplate, origin_of};

use super::{PageSearch, SearchReply};
use crate::{Observation, Outcome};

/// Number of other fetches after which a description is no longer waited for.
const PATIENCE: u32 = 200;

/// A search of a site that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnSearch {
    /// Where it answers.
    pub template: SearchTemplate,
    /// The links that are no results of it.
    pub links: BTreeSet<Fingerprint>,
}

/// What is to be recognised among the fetches from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundSearch {
    /// The OpenSearch description at this address.
    Description(Box<str>),
    /// The answers of a search.
    Search(OwnSearch),
}

/// How far the search of a site is known.
#[derive(Debug)]
enum Site {
    /// It has a description, which is awaited; otherwise, the form is used.
    Described { page: PageSearch, idle: u32 },
    /// It was found.
    Found,
    /// There is none.
    Missing,
}

/// The search for the sites' own searches.
#[derive(Debug)]
pub(super) struct OwnSearches {
    sites_max: usize,
    sites: BTreeMap<Box<str>, Site>,
}

/// What an observation has shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OwnStep {
    /// A description is to be fetched.
    Fetch(Box<str>),
    /// A search was found: its template, and the links that are no results.
    Use(Box<str>, BTreeSet<Fingerprint>),
}

impl OwnSearches {
    /// Creates the search for the searches of at most this many sites.
    pub(super) const fn new(sites_max: usize) -> Self {
        Self { sites_max, sites: BTreeMap::new() }
    }

    /// Returns whether they are looked for at all.
    pub(super) const fn is_on(&self) -> bool {
        self.sites_max > 0
    }

    /// Takes in a fetch that is no answer and no result of a search.
    pub(super) fn see(&mut self, seen: &Observation) -> Option<OwnStep> {
        let step = match &seen.outcome {
            Outcome::Page(page) => page.search.as_deref().and_then(|page| self.see_page(seen.url.as_str(), page)),
            _ => None,
        };
        step.or_else(|| self.see_other(seen))
    }

    fn see_page(&mut self, url: &str, page: &PageSearch) -> Option<OwnStep> {
        let origin = origin_of(url);
        match self.sites.get(origin) {
            Some(Site::Described { .. } | Site::Found) => return None,
            None if self.sites.len() >= self.sites_max => return None,
            None | Some(Site::Missing) => {}
        }
        let (site, step) = match &page.description {
            Some(address) => (Site::Described { page: page.clone(), idle: 0 }, Some(OwnStep::Fetch(address.clone()))),
            None => by_form(page),
        };
        self.sites.insert(origin.into(), site);
        step
    }

    /// Looks whether the fetch is that of a description, or one too many before it.
    fn see_other(&mut self, seen: &Observation) -> Option<OwnStep> {
        for site in self.sites.values_mut() {
            let Site::Described { page, idle } = site else { continue };
            *idle += 1;
            let is_described = page.description.as_deref() == Some(seen.url.as_str());
            if !is_described && *idle < PATIENCE {
                continue;
            }
            if let Outcome::Search(SearchReply::Moved(address)) = &seen.outcome
                && is_described
                && *idle < PATIENCE
            {
                page.description = Some(address.clone());
                return None;
            }
            let (next, step) = match &seen.outcome {
                Outcome::Search(SearchReply::Description(Some(template))) if is_described => {
                    (Site::Found, used(template, page))
                }
                _ => by_form(page),
            };
            *site = next;
            return step;
        }
        None
    }

    /// Returns the addresses of the descriptions that are awaited.
    pub(super) fn awaited(&self) -> impl Iterator<Item = &str> {
        self.sites.values().filter_map(|site| match site {
            Site::Described { page, .. } => page.description.as_deref(),
            Site::Found | Site::Missing => None,
        })
    }

    /// Returns the sites that have no search.
    pub(super) fn missing(&self) -> impl Iterator<Item = &str> {
        self.sites.iter().filter(|(_, site)| matches!(site, Site::Missing)).map(|(origin, _)| &**origin)
    }

    /// Returns whether no page was looked at.
    pub(super) fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }
}

fn by_form(page: &PageSearch) -> (Site, Option<OwnStep>) {
    page.form.as_deref().map_or((Site::Missing, None), |form| (Site::Found, used(form, page)))
}

fn used(template: &str, page: &PageSearch) -> Option<OwnStep> {
    Some(OwnStep::Use(template.into(), page.links.iter().copied().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PageFacts;
    use harvestman_core::model::{Apath, LinkClass};
    use harvestman_core::url::CanonicalUrl;

    fn fetch(url: &str, outcome: Outcome) -> Observation {
        let class = LinkClass::unclassified(Apath::SEED);
        Observation { url: CanonicalUrl::from_canonical(url), class, via: None, outcome, new: Vec::new() }
    }

    fn page(url: &str, description: Option<&str>, form: Option<&str>) -> Observation {
        let search = PageSearch {
            description: description.map(Into::into),
            form: form.map(Into::into),
            links: Box::new([Fingerprint(7)]),
        };
        fetch(url, Outcome::Page(Box::new(PageFacts { search: Some(Box::new(search)), ..PageFacts::default() })))
    }

    fn described(url: &str, template: Option<&str>) -> Observation {
        fetch(url, Outcome::Search(SearchReply::Description(template.map(Into::into))))
    }

    fn uses(template: &str) -> Option<OwnStep> {
        Some(OwnStep::Use(template.into(), BTreeSet::from([Fingerprint(7)])))
    }

    #[test]
    fn a_description_comes_first_and_the_form_if_it_is_of_no_use() {
        for (found, expected) in [(Some("T"), "T"), (None, "F")] {
            let mut own = OwnSearches::new(9);
            let step = own.see(&page("http://a.test/", Some("http://a.test/os"), Some("F")));
            assert_eq!(step, Some(OwnStep::Fetch("http://a.test/os".into())));
            assert_eq!(own.see(&page("http://a.test/2", None, Some("G"))), None, "a site has one search");
            assert_eq!(own.awaited().collect::<Vec<_>>(), ["http://a.test/os"]);
            assert_eq!(own.see(&described("http://a.test/os", found)), uses(expected));
            assert_eq!((own.awaited().count(), own.missing().count()), (0, 0));
        }
        let mut failing = OwnSearches::new(9);
        failing.see(&page("http://a.test/", Some("http://a.test/os"), None));
        assert_eq!(failing.see(&fetch("http://a.test/os", Outcome::Failed)), None);
        assert_eq!(failing.missing().collect::<Vec<_>>(), ["http://a.test"]);
    }

    #[test]
    fn a_description_that_never_comes_is_not_waited_for() {
        let mut own = OwnSearches::new(9);
        own.see(&page("http://a.test/", Some("http://a.test/os"), Some("F")));
        let other = || fetch("http://a.test/x", Outcome::Document);
        assert!((1..PATIENCE).all(|_| own.see(&other()).is_none()));
        assert_eq!(own.see(&other()), uses("F"));
        assert_eq!(own.see(&described("http://a.test/os", Some("T"))), None);
    }

    #[test]
    fn sites_are_bounded_and_another_page_may_have_what_the_first_lacks() {
        let mut own = OwnSearches::new(1);
        assert_eq!(own.see(&page("http://a.test/", None, None)), None);
        assert_eq!(own.see(&page("http://b.test/", None, Some("F"))), None);
        assert_eq!(own.missing().collect::<Vec<_>>(), ["http://a.test"]);
        assert_eq!(own.see(&page("http://a.test/2", None, Some("F"))), uses("F"));
        assert!(own.is_on() && !OwnSearches::new(0).is_on());
    }
}
