//! What a user should be told before a crawl: operators of sites should be able to reach whoever runs it.

use std::net::IpAddr;

use crate::config::Config;

/// What to tell the user about seeds and identity.
pub fn warnings(config: &Config) -> Vec<String> {
    let bare = config.crawl.seeds.iter().filter(|seed| !seed.contains("://"));
    let guess =
        |seed: &String| format!("seed `{seed}` has no scheme: https is taken (http for addresses and localhost)");
    let mut warnings: Vec<String> = bare.map(guess).collect();
    let fetch = &config.fetch;
    let reachable = !fetch.contact.is_empty() || fetch.user_agent.contains('@') || fetch.user_agent.contains("://");
    let only_own = config.crawl.seeds_file.is_empty() && config.crawl.seeds.iter().all(|seed| is_loopback(seed));
    if !reachable && !only_own {
        warnings.push(
            "no contact is set: operators who wonder about this crawler can only block it. Give a page or an address with \
             --contact https://example.org/crawler or --contact you@example.org (setting fetch.contact)"
                .to_owned(),
        );
    }
    warnings
}

/// Whether a seed, as the user wrote it, names this machine.
fn is_loopback(seed: &str) -> bool {
    let rest = seed.split_once("://").map_or(seed, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(user_agent: &str, contact: &str, seed: &str) -> bool {
        let mut config = Config::default();
        config.fetch.user_agent = user_agent.to_owned();
        config.fetch.contact = contact.to_owned();
        config.crawl.seeds = vec!["http://127.0.0.1:1/".to_owned(), seed.to_owned()];
        warnings(&config).iter().any(|warning| warning.contains("--contact"))
    }

    #[test]
    fn a_contact_is_asked_for_unless_there_is_one() {
        let site = "https://example.org/";
        assert!(asked("", "", site) && asked("mybot/1.0", "", site));
        assert!(!asked("", "me@example.org", site));
        assert!(!asked("mybot/1.0 (+https://example.org/bot)", "", site));
        assert!(!asked("mybot/1.0 me@example.org", "", site));
    }

    #[test]
    fn on_this_machine_nobody_needs_a_contact() {
        for own in
            ["http://127.9.9.9:8000/x", "localhost", "localhost:80/x", "http://[::1]:80/", "https://a.localhost?q"]
        {
            assert!(!asked("", "", own), "{own}");
        }
        for foreign in ["10.0.0.1", "http://localhost.example/", "example.org", "http://[2001:db8::1]/", ""] {
            assert!(asked("", "", foreign), "{foreign}");
        }
    }

    #[test]
    fn seeds_of_a_file_are_taken_for_other_peoples_sites() {
        let mut config = Config::default();
        config.crawl.seeds_file = "seeds.txt".to_owned();
        assert_eq!(warnings(&config).len(), 1);
    }

    #[test]
    fn a_guessed_scheme_is_said() {
        let mut config = Config::default();
        config.fetch.contact = "me@example.org".to_owned();
        config.crawl.seeds = vec!["example.org".to_owned(), "http://a.example/".to_owned()];
        assert_eq!(
            warnings(&config),
            ["seed `example.org` has no scheme: https is taken (http for addresses and localhost)"]
        );
    }
}
