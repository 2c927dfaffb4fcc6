//! A page on its way to a browser, and its class.

use harvestman_core::model::FetchedPage;
use harvestman_core::model::path_hash::{fold, step};
use harvestman_core::url::CanonicalUrl;
use harvestman_render::{RenderFailure, RenderedPage, Suspicion};
use serde::{Deserialize, Serialize};

/// A page that is to be rendered.
pub(crate) struct PageToRender {
    pub(crate) fetched: FetchedPage,
    pub(crate) class: RenderClass,
    /// How likely its scripts add something.
    pub(crate) suspicion: Suspicion,
    pub(crate) role: RenderRole,
    pub(crate) progress: RenderProgress,
}

/// What a page that is to be rendered is for its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenderRole {
    /// One of its pages.
    Member,
    /// It is to show if a class that needs no browser needs one now.
    Retest,
    /// The requests of its class brought nothing for it: it belongs to a class of such pages.
    Apart,
}

/// How far a page that is to be rendered has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenderProgress {
    /// It waits for its turn.
    Waiting,
    /// It was decided to complete it. The end of such a page is recorded.
    Begun,
    /// The same, and it is compared with what requests without a browser bring.
    Check,
}

/// A page whose class may need a browser.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToRender {
    pub(crate) class: RenderClass,
    pub(crate) suspicion: Suspicion,
}

/// What became of a page that was to be rendered.
pub(crate) enum RenderOutcome {
    /// A browser rendered it.
    Rendered(RenderedPage),
    /// Requests without a browser completed it.
    Replayed(RenderedPage),
    /// While it waited, its class turned out to need no browser.
    Unneeded,
    /// It failed.
    Failed(RenderFailure),
}

impl RenderOutcome {
    /// Returns the completed page.
    pub(crate) const fn page(&self) -> Option<&RenderedPage> {
        match self {
            Self::Rendered(page) | Self::Replayed(page) => Some(page),
            Self::Unneeded | Self::Failed(_) => None,
        }
    }

    /// Returns the document that a browser showed.
    pub(crate) fn document(&self) -> Option<&str> {
        match self {
            Self::Rendered(page) => Some(&page.html),
            Self::Replayed(_) | Self::Unneeded | Self::Failed(_) => None,
        }
    }

    /// Returns the name in the page log; `None` if there is nothing to say.
    pub(crate) const fn label(&self) -> Option<&'static str> {
        match self {
            Self::Rendered(_) => Some("rendered"),
            Self::Replayed(_) => Some("replayed"),
            Self::Unneeded => None,
            Self::Failed(why) => Some(why.label()),
        }
    }
}

/// The class of a page for the need to render it: the shape of its URL with its scripts. Unlike its cluster this is
/// known from the first page on, and stays the same when the clusters change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct RenderClass(u64);

impl RenderClass {
    /// Returns the class of the page at `url` with these scripts ([`script_form`](harvestman_render::script_form)).
    pub(crate) fn of(url: &CanonicalUrl, script_form: u64) -> Self {
        let path = url.path_and_query().split(['?', '#']).next().unwrap_or_default();
        let mut segments = path.split('/').filter(|segment| !segment.is_empty());
        let first = segments.next().unwrap_or_default();
        let host = step(fold(host_of(url).as_bytes()), fold(first.as_bytes()));
        Self(step(step(host, segments.count() as u64), script_form))
    }

    /// Returns its name in output: 16 hexadecimal digits.
    pub(crate) fn name(self) -> String {
        format!("{:016x}", self.0)
    }

    /// Returns the class of those of its pages for which its requests brought nothing.
    pub(crate) const fn apart(self) -> Self {
        Self(step(self.0, 1))
    }
}

impl From<RenderClass> for String {
    fn from(class: RenderClass) -> Self {
        class.name()
    }
}

impl TryFrom<String> for RenderClass {
    type Error = std::num::ParseIntError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        u64::from_str_radix(&name, 16).map(Self)
    }
}

fn host_of(url: &CanonicalUrl) -> &str {
    harvestman_core::url::origin_of(url.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_that_of_the_urls_shape_and_the_scripts() {
        let of = |url: &str, form| RenderClass::of(&CanonicalUrl::from_canonical(url), form);
        assert_eq!(of("http://a.example/t/1?page=2", 1), of("http://a.example/t/2", 1));
        for other in ["http://a.example/u/1", "http://a.example/t/1/2", "http://b.example/t/1", "http://a.example/"] {
            assert_ne!(of("http://a.example/t/1", 1), of(other, 1), "{other}");
        }
        assert_ne!(of("http://a.example/t/1", 1), of("http://a.example/t/1", 2));
        assert_ne!(of("http://a.example/t/1", 1), of("http://a.example/t/1", 1).apart());
    }
}
