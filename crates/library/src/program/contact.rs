//! The contact that the crawler sends: site operators must be able to reach its user.

use url::Url;

use super::seeds::is_loopback;

/// Returns a warning for users who crawl foreign sites without giving a contact; `None` if a contact is set or all
/// seeds are on this machine.
pub fn missing_contact(user_agent: &str, contact: &str, seeds: &[Url]) -> Option<&'static str> {
    let reachable = !contact.is_empty() || user_agent.contains('@') || user_agent.contains("://");
    let only_own = seeds.iter().all(is_loopback);
    (!reachable && !only_own).then_some(
        "no contact is set: operators who wonder about this crawler can only block it. Give a page or an address \
         with --contact https://example.org/crawler or --contact you@example.org (setting fetch.contact)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(user_agent: &str, contact: &str, seed: &str) -> bool {
        missing_contact(user_agent, contact, &[Url::parse(seed).unwrap()]).is_some()
    }

    #[test]
    fn a_missing_contact_is_reported_except_for_local_sites() {
        assert!(asked("", "", "https://example.org/"));
        assert!(asked("mybot/1.0", "", "https://example.org/"));
        assert!(!asked("", "me@example.org", "https://example.org/"));
        assert!(!asked("mybot/1.0 (+https://example.org/bot)", "", "https://example.org/"));
        assert!(!asked("mybot/1.0 me@example.org", "", "https://example.org/"));
        assert!(!asked("", "", "http://127.0.0.1:8000/"));
    }
}
