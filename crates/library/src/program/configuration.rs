//! The configuration of a crawl: read, and completed so that it repeats the crawl and has a contact by which site
//! operators reach its user.

use std::collections::HashSet;
use std::path::Path;

use url::Url;

use super::seeds::is_loopback;
use super::{seeds, text_file};
use harvestman_core::config::{Config, Flag, FlagValue, Layers};
use harvestman_core::seed::Seed;
use harvestman_core::{config, crawl_file};

/// The file in a crawl directory with the configuration of the crawl.
pub const CONFIG_FILE: &str = "config.toml";

/// Loads the settings in `layers`, and reads the files that they name.
///
/// # Errors
/// All mistakes in the settings together, or a file that cannot be read.
pub fn full_settings(layers: &Layers<'_>) -> Result<Config, String> {
    let mut config = config::load(layers).map_err(|mistakes| mistakes.to_string())?;
    config.policy.topic = text_file::read_topics(config.policy.topic)?;
    Ok(config)
}

/// Whose crawl directories are crawled into again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Those of the user who runs the program.
    User,
    /// Those of any user.
    Anybody,
}

/// Returns the text of the configuration in a crawl directory, and the settings that a further run in it must have.
///
/// # Errors
/// It is no crawl directory, or that of another user.
pub fn directory_flags(directory: &Path, owner: Owner) -> Result<(String, Vec<Flag>), String> {
    let shown = directory.display();
    let unread = |error| format!("{shown} is not a crawl directory: cannot read its {CONFIG_FILE}: {error}");
    if let Some(other) = crawl_file::other_owner(directory).map_err(unread)?.filter(|_| owner == Owner::User) {
        return Err(format!(
            "{shown} belongs to another user (number {other}), who could have prepared its files and settings. If you trust that \
             user, repeat the command with --trust-owner; otherwise crawl anew into a directory of your own"
        ));
    }
    let text = crawl_file::read_to_string(&directory.join(CONFIG_FILE)).map_err(unread)?;
    let fixed = |name: &str, value: String| Flag {
        flag: "DIR".to_owned(),
        name: name.to_owned(),
        value: FlagValue::Text(value),
    };
    let out = fixed("crawl.out", directory.to_string_lossy().into_owned());
    Ok((text, vec![out, fixed("state.enabled", "true".to_owned())]))
}

/// Reads the seeds of a configuration. A crawl with searches that the user named needs none.
///
/// # Errors
/// All mistakes in the seeds together.
pub fn read_seeds(config: &Config) -> Result<Vec<seeds::Seed>, String> {
    let none = config.crawl.seeds.is_empty() && config.crawl.seeds_file.is_empty();
    if none && config.search.has_named() {
        return Ok(Vec::new());
    }
    seeds::gather(&config.crawl.seeds, &config.crawl.seeds_file)
}

/// Completes a configuration so that it repeats the run: seeds as URLs, files read, random seed drawn. Logs what the
/// user should know about the seeds.
pub fn complete(config: Config, seeds: &[seeds::Seed]) -> Config {
    let urls = distinct(seeds);
    if urls.len() < seeds.len() {
        let repeated = seeds.len() - urls.len();
        tracing::info!(repeated, "seeds repeat others: each URL is requested once");
    }
    for seed in seeds.iter().filter(|seed| seed.guessed) {
        tracing::warn!("a seed has no scheme; assuming {}", seed.url);
    }
    for seed in seeds.iter().filter(|seed| seed.had_log_in) {
        tracing::warn!(
            "the user name and password of the seed {} are not sent; for HTTP authentication, set a header such as \
             HARVESTMAN_FETCH_HEADERS='Authorization: Basic …'",
            seed.url
        );
    }
    let searches = config.search.named().filter_map(|text| Url::parse(&text).ok());
    let named: Vec<Url> = urls.iter().cloned().chain(searches).collect();
    if let Some(warning) = missing_contact(&config.fetch.user_agent, &config.fetch.contact, &named) {
        tracing::warn!("{warning}");
    }
    repeatable(with_full_example_urls(config), &urls)
}

/// Returns the URLs of the seeds in their order, each once.
fn distinct(seeds: &[seeds::Seed]) -> Vec<Url> {
    let mut known = HashSet::new();
    seeds.iter().map(|seed| &seed.url).filter(|url| known.insert(*url)).cloned().collect()
}

/// Adds the scheme to example URLs that lack one, as for a seed.
fn with_full_example_urls(mut config: Config) -> Config {
    for example in config.policy.example.0.iter_mut().filter(|example| !Path::new(example.as_str()).exists()) {
        if let Ok(seed) = seeds::parse(example) {
            *example = seed.url.to_string();
        }
    }
    config
}

fn repeatable(mut config: Config, seeds: &[Url]) -> Config {
    config.crawl.seeds = seeds.iter().map(Url::to_string).collect();
    config.crawl.seeds_file.clear();
    if config.crawl.seed == 0 {
        // 53 bits: TOML integers have at most 63, and many JSON readers round beyond 53.
        config.crawl.seed = (Seed::from_system().0 >> 11).max(1);
    }
    config
}

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

    #[test]
    fn a_seed_that_is_given_twice_is_one_seed() {
        let given = ["https://b.example/", "a.example", "https://a.example", "https://b.example/x", "b.example"];
        let seeds: Vec<seeds::Seed> = given.iter().map(|text| seeds::parse(text).unwrap()).collect();
        let urls = distinct(&seeds);
        let urls: Vec<&str> = urls.iter().map(Url::as_str).collect();
        assert_eq!(urls, ["https://b.example/", "https://a.example/", "https://b.example/x"]);
    }

    #[test]
    fn the_configuration_of_a_crawl_is_complete_and_repeats_its_draws() {
        let mut config = Config::default();
        config.crawl.seeds_file = "seeds.txt".to_owned();
        let config = repeatable(config, &[Url::parse("https://example.org").unwrap()]);
        assert_eq!(
            (config.crawl.seeds.as_slice(), config.crawl.seeds_file.as_str()),
            (&["https://example.org/".to_owned()][..], "")
        );
        assert!(config.crawl.seed > 0 && config.crawl.seed < 1 << 53);
        assert_eq!(repeatable(config.clone(), &[]).crawl.seed, config.crawl.seed);
    }

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
