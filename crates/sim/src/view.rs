//! What a page that is built in the browser shows, as values of its site.

use serde::{Deserialize, Serialize};

/// A post in a page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShownPost {
    /// The id of its element.
    pub id: String,
    /// The text of its element of the class `text`.
    pub text: String,
}

/// What a page shows in one state, with links as routes.
#[derive(Debug)]
pub(super) struct View<R> {
    pub posts: Vec<ShownPost>,
    pub links: Vec<R>,
}

/// The same as [`RenderedPage`](super::RenderedPage) with routes and paths in place of URLs.
#[derive(Debug)]
pub(super) struct Rendering<R> {
    pub in_html: View<R>,
    pub on_load: View<R>,
    pub complete: View<R>,
    pub routed: Vec<String>,
    pub requests: Vec<String>,
}
