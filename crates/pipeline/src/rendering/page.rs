//! A page on its way to a browser, and its class.

use harvestman_core::model::path_hash::step;
use harvestman_core::model::{Exchange, Lease, PageCluster};
use harvestman_core::url::CanonicalUrl;
use harvestman_render::{RenderFailure, RenderedPage};

/// A page that is to be rendered.
pub(crate) struct PageToRender {
    pub(crate) lease: Lease,
    pub(crate) exchange: Exchange,
    pub(crate) class: RenderClass,
    /// Whether it is to show if a class that needs no browser needs one now.
    pub(crate) is_retest: bool,
    /// Whether it is compared with what requests without a browser bring.
    pub(crate) is_check: bool,
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

/// The class of a page for the need to render it: its cluster, or while it has none, the shape of its URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RenderClass(u64);

impl RenderClass {
    /// Returns the class of the page at `url`.
    pub(crate) fn of(cluster: PageCluster, url: &CanonicalUrl) -> Self {
        match cluster.stored() {
            0 => {
                let path = url.path_and_query().split(['?', '#']).next().unwrap_or_default();
                let mut segments = path.split('/').filter(|segment| !segment.is_empty());
                let first = segments.next().unwrap_or_default();
                let host = url.host_key();
                let shape = host.as_str().bytes().chain([b'/']).chain(first.bytes());
                let hash = shape.fold(1, |hash, byte| step(hash, u64::from(byte)));
                Self(step(hash, segments.count() as u64) | 1 << 63)
            }
            cluster => Self(u64::from(cluster)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_a_cluster_has_the_class_of_its_urls_shape() {
        let of = |url: &str| RenderClass::of(PageCluster::default(), &CanonicalUrl::from_canonical(url));
        assert_eq!(of("http://a.example/t/1?page=2"), of("http://a.example/t/2"));
        for other in ["http://a.example/u/1", "http://a.example/t/1/2", "http://b.example/t/1", "http://a.example/"] {
            assert_ne!(of("http://a.example/t/1"), of(other), "{other}");
        }
    }
}
