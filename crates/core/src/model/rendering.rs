//! What a crawl learned of rendering its pages in a browser, for output.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The maximum number of classes that are shown.
pub const RENDER_CLASSES_SHOWN: usize = 50;

/// A class of pages that are rendered alike: their URLs have one form, and they have the same scripts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RenderClassSummary {
    /// Its name, as in the page log.
    pub class: String,
    /// The URL of its first page.
    pub example: String,
    /// Number of its pages that were fetched.
    pub pages: u64,
    /// Number of those that a browser rendered.
    pub rendered: u64,
    /// Number of those that plain requests completed.
    pub replayed: u64,
    /// Whether rendering adds something: `open`, `needed`, `unneeded`, `failing`.
    pub need: Cow<'static, str>,
    /// What rendering adds to a page on average, in links.
    pub gain: f64,
    /// How far plain requests replace the browser: `learning`, `ready`, `given up`; `None` if no page made requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Cow<'static, str>>,
    /// The plain requests of a page, one a line, if they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<String>,
}

/// What a crawl learned of rendering.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RenderingSummary {
    /// Number of pages that a browser rendered.
    pub rendered: u64,
    /// Number of pages that plain requests completed.
    pub replayed: u64,
    /// Number of classes of pages.
    pub known: u64,
    /// Those with the most pages, the largest first.
    pub classes: Vec<RenderClassSummary>,
}
