//! Observations for tests.

use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::{NewLink, Observation, Outcome, PageFacts, PlacedLink};

/// The host that they are of.
const ORIGIN: &str = "http://h.test";

/// The observation of a page `name` of the generated host, with these new links and links to these known URLs.
pub fn page(name: &str, class: LinkClass, new: &[(LinkClass, &str)], known: &[&str]) -> Observation {
    let url = |name: &str| CanonicalUrl::from_canonical(format!("{ORIGIN}/{name}"));
    let known = known.iter().map(|name| (Apath(99), *name));
    let links = new.iter().map(|(class, name)| (class.apath, *name)).chain(known);
    let links = links.map(|(apath, name)| PlacedLink::new(apath, url(name).fingerprint())).collect();
    Observation {
        url: url(name),
        class,
        via: None,
        outcome: Outcome::Page(Box::new(PageFacts { links, ..PageFacts::default() })),
        new: new.iter().map(|(class, name)| NewLink::new(*class, url(name))).collect(),
    }
}

/// The observation of a fetch that failed.
pub fn failed(url: &str, class: LinkClass) -> Observation {
    let url = CanonicalUrl::from_canonical(url);
    Observation { url, class, via: None, outcome: Outcome::Failed, new: Vec::new() }
}
