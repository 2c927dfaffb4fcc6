//! The links that a crawl with a session does not follow.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::RwLock;

use crate::page::document::Document;
use harvestman_core::config::Config;
use harvestman_core::model::PolicyRefusal;
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Fingerprint};
use harvestman_login::{Page, avoided_address, neutral_address};

/// The links of one page that are not followed, with the reasons.
pub(crate) type AvoidedOnPage = HashMap<Fingerprint, PolicyRefusal>;

/// What is not followed: by its address, by its link on a page, and what ended sessions.
#[derive(Debug)]
pub(crate) struct AvoidedLinks {
    /// Whether addresses and links are judged before they are followed.
    judges_links: bool,
    /// Addresses without their tokens. Bounded by what a session remembers.
    ended_sessions: RwLock<HashSet<String>>,
}

impl AvoidedLinks {
    /// Creates what a crawl with these settings avoids; `None` if it sees what guests see.
    pub(crate) fn new(config: &Config) -> Option<Arc<Self>> {
        let judges_links = config.avoids_member_links();
        (judges_links || config.login.is_on())
            .then(|| Arc::new(Self { judges_links, ended_sessions: RwLock::default() }))
    }

    /// Replaces the addresses, without their tokens, that ended sessions.
    pub(crate) fn set_ended_sessions(&self, addresses: impl Iterator<Item = String>) {
        *self.ended_sessions.write() = addresses.collect();
    }

    /// Returns why a link to this path and query is not followed.
    pub(crate) fn refusal(&self, path_and_query: &str) -> Option<PolicyRefusal> {
        let by_address = if self.judges_links { avoided_address(path_and_query) } else { None };
        by_address.or_else(|| self.ended_session(path_and_query))
    }

    /// Returns the reason if following this path and query ended sessions.
    pub(crate) fn ended_session(&self, path_and_query: &str) -> Option<PolicyRefusal> {
        let ended = self.ended_sessions.read();
        (!ended.is_empty() && ended.contains(&neutral_address(path_and_query))).then_some(PolicyRefusal::LogOut)
    }

    /// Returns the links of a page that are not followed for their texts or tokens. None of a page that cannot be read
    /// within bounds.
    pub(crate) fn on_page(
        &self,
        url: &CanonicalUrl,
        Document { body, content_type }: Document<'_>,
        canonicaliser: &Canonicaliser,
    ) -> AvoidedOnPage {
        if !self.judges_links {
            return AvoidedOnPage::new();
        }
        let page = Page::read(url.as_str(), body, content_type);
        let links = page.map(|page| page.avoided_links()).unwrap_or_default();
        links
            .into_iter()
            .filter_map(|(link, why)| Some((canonicaliser.parse(&link).ok()?.fingerprint(), why)))
            .collect()
    }
}
