//! What follows from several settings for a crawl that sees what a member sees.

use super::sections::Config;
use crate::url::{CanonicalUrl, Canonicaliser};

impl Config {
    /// Returns the page by which the session of a log-in is checked; `None` without a log-in, or where it is not an
    /// http URL.
    pub fn check_page(&self) -> Option<CanonicalUrl> {
        let named = Some(&self.login.check).filter(|check| !check.is_empty()).or_else(|| self.crawl.seeds.first());
        let canonicaliser = Canonicaliser::new(&self.url).ok()?;
        canonicaliser.parse(named?).ok().filter(|_| self.login.is_on())
    }

    /// Returns the URLs of the origins that the user adds to those that get credentials.
    ///
    /// # Errors
    /// One of them is no origin of http.
    pub fn credential_origins(&self) -> Result<Vec<CanonicalUrl>, String> {
        // What is wrong with the section is reported for itself.
        let Ok(canonicaliser) = Canonicaliser::new(&self.url) else { return Ok(Vec::new()) };
        let parse = |text: &String| {
            canonicaliser.parse(text).map_err(|why| {
                format!("`{text}` is not an http or https URL ({}); write `https://login.example.org`", why.label())
            })
        };
        self.fetch.credential_origins.iter().map(parse).collect()
    }

    /// Returns whether the crawl sees what a member sees, so that links that end the session or change something are
    /// left out.
    pub const fn avoids_member_links(&self) -> bool {
        let has_session = self.login.is_on() || !self.fetch.cookie.is_empty() || !self.fetch.cookies_file.is_empty();
        self.login.avoid && has_session
    }
}
