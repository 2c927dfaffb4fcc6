//! Who causes a request.

use crate::url::HostKey;

/// Who causes a request, which decides whether it may carry credentials: what one origin sends must not act as a member
/// of another, and must not read what that one shows to members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Initiator {
    /// The crawl itself: for a page, which a link leads to, or for a log-in.
    Crawl,
    /// What this origin sent: its robots.txt, or a page whose scripts, frames and data are requested.
    Origin(HostKey),
    /// An origin that is not known, or several.
    Unknown,
}

impl Initiator {
    /// Returns whether a request to `origin` may carry credentials.
    pub fn permits(&self, origin: &str) -> bool {
        match self {
            Self::Crawl => true,
            Self::Origin(own) => own.as_str() == origin,
            Self::Unknown => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_crawl_and_the_origin_itself_may_use_credentials_of_an_origin() {
        let own = Initiator::Origin(HostKey::from_origin("https://a.test"));
        assert!(own.permits("https://a.test") && Initiator::Crawl.permits("https://a.test"));
        for other in ["http://a.test", "https://a.test:8443", "https://b.test"] {
            assert!(!own.permits(other), "{other}");
        }
        assert!(!Initiator::Unknown.permits("https://a.test"));
    }
}
