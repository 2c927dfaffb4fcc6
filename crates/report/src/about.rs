//! The page about a crawler that its User-Agent names: who runs it, what for, what it obeys, and how a site refuses it.

use harvestman_core::config::{Config, Purpose, SignMode, SignalMode};
use maud::{DOCTYPE, Markup, html};

/// Forbids fetching and executing anything.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'";

/// What the page says beside the settings.
#[derive(Debug, Clone, Copy)]
pub struct AboutCrawler<'a> {
    /// The User-Agent header of its requests.
    pub user_agent: &'a str,
    /// The thumbprint of the key that signs its requests; `None` if they are not signed.
    pub keyid: Option<&'a str>,
}

/// Returns the page as HTML, which fetches nothing. `fetch.contact` may be the address of this page itself or that of a
/// person.
pub fn about_page(config: &Config, crawler: AboutCrawler<'_>) -> String {
    let AboutCrawler { user_agent, keyid } = crawler;
    let agent = config.robots.agent.as_str();
    let title = format!("About the crawler {agent}");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
            }
            body {
                h1 { (title) }
                p { "Requests of this crawler have the User-Agent " code { (user_agent) } "." }
                h2 { "What it is for" }
                p { "Purpose: " strong { (config.fetch.purpose.label()) } ". " (meaning(config.fetch.purpose)) }
                (obeyed(config))
                h2 { "How to refuse it" }
                @if config.robots.obey {
                    p { "These lines of robots.txt refuse the whole site; " code { "Disallow: /private/" } " refuses a part of it." }
                    pre { "User-agent: " (agent) "\nDisallow: /\n" }
                } @else {
                    p { "It does not read robots.txt. Answer its requests with the status 403, or write to its operator." }
                }
                (signatures(config, keyid))
                @if !config.fetch.contact.is_empty() {
                    h2 { "Contact" }
                    p { (contact(&config.fetch.contact)) }
                }
            }
        }
    };
    page.into_string()
}

/// Returns what a purpose means to the site.
const fn meaning(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Archive => "Copies of pages are kept as they are.",
        Purpose::Research => "Pages are evaluated as a body of text.",
        Purpose::Search => "Pages are indexed for a search that leads to them.",
        Purpose::AiInput => "Pages become input of an AI model that answers questions.",
        Purpose::TrainAi => "Pages become training data of an AI model.",
    }
}

fn obeyed(config: &Config) -> Markup {
    html! {
        h2 { "What it obeys" }
        ul {
            @if config.robots.obey {
                li { "robots.txt (RFC 9309), by the name " code { (config.robots.agent) } }
            }
            @if config.signals.mode == SignalMode::Obey {
                li {
                    "statements about the use of content that refuse this purpose: Content-Signal, Content-Usage and License in "
                    "robots.txt, TDMRep, and " code { "noarchive" } ", " code { "noai" } " and the like in robots elements and headers"
                }
            }
            li { "Retry-After; the statuses 429 and 503 slow it down" }
            @if config.host.delay.0.is_zero() {
                li { "at most " (config.host.connections_per_host) " requests to a host at a time" }
            } @else {
                li { "a delay of " (config.host.delay) " or more between requests to a host" }
            }
        }
    }
}

fn signatures(config: &Config, keyid: Option<&str>) -> Markup {
    html! {
        @if let Some(keyid) = keyid {
            h2 { "How to recognise it" }
            p {
                "Its requests are signed (RFC 9421, Ed25519) by the key " code { (keyid) }
                @if !config.identity.agent.is_empty() { ", which is published at " code { (config.identity.agent) } }
                @if config.identity.sign == SignMode::Asked {
                    ", where a site asks for it by " code { "Accept-Signature" } "."
                } @else { ". A request without such a signature is not of this crawler." }
            }
        }
    }
}

fn contact(address: &str) -> Markup {
    let target = match address.contains('@') && !address.contains(':') {
        true => format!("mailto:{address}"),
        false => address.to_owned(),
    };
    html! { a href=(target) { (address) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(contact: &str) -> Config {
        let mut config = Config::default();
        config.fetch.purpose = Purpose::Research;
        config.fetch.contact = contact.to_owned();
        config
    }

    #[test]
    fn the_page_says_the_purpose_and_how_to_refuse_it() {
        let page = about_page(&config("me@example.org"), AboutCrawler { user_agent: "bot/1 <x>", keyid: None });
        for text in [
            "<strong>research</strong>",
            "User-agent: harvestman\nDisallow: /\n",
            "robots.txt (RFC 9309)",
            "mailto:me@example.org",
            "bot/1 &lt;x&gt;",
            "a delay of 1s",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
        assert!(!page.contains("signed") && !page.contains("<script"));
    }

    #[test]
    fn what_is_switched_off_is_not_claimed() {
        let mut config = config("https://bot.example.org/about");
        (config.robots.obey, config.signals.mode) = (false, SignalMode::Record);
        config.host.delay.0 = std::time::Duration::ZERO;
        (config.identity.agent, config.identity.sign) = ("https://bot.example.org".to_owned(), SignMode::Always);
        let page = about_page(&config, AboutCrawler { user_agent: "bot/1", keyid: Some("k3y") });
        for claim in ["RFC 9309", "TDMRep", "a delay of", "Disallow"] {
            assert!(!page.contains(claim), "{claim}: {page}");
        }
        assert!(page.contains("<code>k3y</code>") && page.contains("requests to a host at a time"), "{page}");
    }

    #[test]
    fn a_page_about_requests_that_are_signed_on_demand_does_not_disown_the_others() {
        let mut config = config("");
        config.identity.sign = SignMode::Asked;
        let page = about_page(&config, AboutCrawler { user_agent: "bot/1", keyid: Some("k3y") });
        assert!(page.contains("where a site asks for it") && !page.contains("not of this crawler"), "{page}");
        assert!(!page.contains("Contact"));
    }
}
