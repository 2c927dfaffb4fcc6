//! What a crawl found out besides pages, for output: what rendering showed, sites that searches found, and traps in a
//! site's structure.

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

/// The queries that were sent, and the sites that their results led to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchRecord {
    /// Number of queries.
    pub queries: u64,
    /// Number of sites with a wanted page among the results.
    pub found: u64,
    /// Number of wanted pages among the results of the searches of the seeds' own sites.
    pub own_wanted: u64,
    /// The sites, those with the most wanted pages first: [`SITES_SHOWN`] at most.
    pub sites: Vec<FoundSite>,
}

/// Maximum number of sites in a record.
pub const SITES_SHOWN: usize = 50;

/// A site that a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FoundSite {
    /// Scheme and authority.
    pub site: String,
    /// Number of requests to it since it was found.
    pub requests: u64,
    /// Number of its pages that were accepted since.
    pub wanted: u64,
    /// Whether it was left, because its yield is far below that of the best site: links to it are refused since.
    pub left: bool,
}

/// The measure against a URL form, from none to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrapMeasure {
    /// Nothing.
    #[default]
    None,
    /// Its pages bring nothing: under a policy without knowledge of what is wanted, its links wait until no others do.
    Last,
    /// It also feeds itself: links on its own pages, to it and to other forms that bring nothing, are refused.
    Cut,
    /// It continued for long: all links to it are refused.
    Closed,
}

impl TrapMeasure {
    /// Returns the measure in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::None => "followed",
            Self::Last => "put last",
            Self::Cut => "cut off",
            Self::Closed => "closed",
        }
    }
}

/// A URL form with a measure against it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrapRecord {
    /// The spelling of the form, with its host: `http://h.example/calendar/N/N/`.
    pub form: String,
    /// One of its addresses.
    pub example: String,
    /// The measure.
    pub measure: TrapMeasure,
    /// Number of its pages that were fetched.
    pub fetched: u64,
    /// Number of those that brought something.
    pub fruitful: u64,
    /// Number of links to it that were refused, and of waiting URLs that were dropped.
    pub refused: u64,
    /// Number of fetches of the crawl when the measure was taken.
    pub since: u64,
}
