//! Renders one page as a crawl does, and compares it with the plain page.
//!
//! The page is fetched by a crawl of one page whose browsers record what they render ([`WatchedBrowsers`]), so that
//! robots.txt, delay, address guard and budgets hold for it and for the requests of its scripts.

mod content;
mod difference;
mod watched;

pub use self::content::PageContent;
pub use self::difference::PageDifference;
pub(crate) use self::watched::WatchedBrowsers;

use self::content::ContentReader;
use self::watched::WatchedRender;
use crate::error::Error;
use crate::rendering::{Shown, gain_of_page};
use harvestman_core::config::Config;
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_render::{Gain, RenderFailure, RenderedPage};

/// The type of a document that scripts left.
const RENDERED_TYPE: &str = "text/html; charset=utf-8";

/// A page of a crawl, before and after its scripts ran.
#[derive(Debug)]
pub struct RenderTrial {
    /// Its URL, canonical.
    pub url: String,
    /// The status of the server's answer.
    pub status: u16,
    /// The media type as the server declared it.
    pub content_type: Option<String>,
    /// What the server sent.
    pub plain: PageContent,
    /// What a browser made of it.
    pub result: Result<RenderedTrial, RenderFailure>,
}

/// A page after its scripts ran, compared with the plain page.
#[derive(Debug)]
pub struct RenderedTrial {
    /// The page, with its requests and clicks.
    pub page: RenderedPage,
    /// What it shows.
    pub content: PageContent,
    /// What it shows more than the plain page.
    pub difference: PageDifference,
    /// How much of that counts for `render.mode = auto`.
    pub gain: Gain,
}

impl RenderTrial {
    /// Compares what a browser rendered with what it was rendered from.
    ///
    /// # Errors
    ///
    /// The settings of URLs or of the scope are invalid.
    pub(crate) fn new(config: &Config, WatchedRender { task, result }: WatchedRender) -> Result<Self, Error> {
        let mut reader = ContentReader::new(config, CanonicalUrl::from_canonical(task.url.as_str()))?;
        let is_content_type = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("content-type");
        let content_type = task.headers.iter().find(is_content_type).map(|(_, value)| value.clone());
        let plain = reader.read(&task.body, content_type.as_deref(), &[]);
        let result = result.map(|page| {
            let content = reader.read(page.html.as_bytes(), Some(RENDERED_TYPE), &page.navigations);
            let difference = PageDifference::between(&plain, &content);
            let gain = gain_of_page(&shown(&plain), &shown(&content));
            RenderedTrial { page, content, difference, gain }
        });
        Ok(Self { url: task.url, status: task.status, content_type, plain, result })
    }
}

fn shown(content: &PageContent) -> Shown {
    Shown::new(content.links.iter().map(|link| Fingerprint::of(link)), &content.lines.join("\n"))
}
