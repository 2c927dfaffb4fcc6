//! Fetches and renders one page by a crawl of one page.

use anyhow::Context as _;
use url::Url;

use crate::cli::exit::{Exit, Failure};
use crate::cli::lines::Lines;
use crate::cli::new_directory::TemporaryDirectory;
use crate::cli::{log, signals};
use harvestman_core::config::{Config, PolicyKind, PolicyOptions, RenderMode, SignalMode};
use harvestman_core::model::PageRecord;
use harvestman_library::program::missing_contact;
use harvestman_pipeline::{BrowserCheck, RenderTrial, check_browser, runtime, try_rendering};
use harvestman_report::{Hooks, StopReason, terminal};

/// What a crawl of one page brought.
#[derive(Debug)]
pub(super) struct Loaded {
    /// The URL that was asked for.
    pub(super) asked: Url,
    /// The lines of the page log: redirects, then the page. Empty if the settings keep the crawl from requesting it.
    pub(super) steps: Vec<PageRecord>,
    /// The page before and after rendering, if it was to be rendered.
    pub(super) trial: Option<RenderTrial>,
    /// Why the crawl ended.
    pub(super) stop_reason: StopReason,
}

impl Loaded {
    /// Returns the line of the page log for the page.
    pub(super) fn page(&self) -> Option<&PageRecord> {
        self.steps.last()
    }

    /// Returns whether the server sent a page.
    pub(super) fn is_fetched(&self) -> bool {
        self.page().is_some_and(|page| matches!(page.fate.as_str(), "fetched" | "unwanted_type"))
    }
}

/// Returns the settings of a crawl of the page at `url` alone that keeps nothing and waits for nothing but the host's
/// delay.
pub(super) fn configuration(mut config: Config, url: &Url) -> Config {
    config.crawl.seeds = vec![url.to_string()];
    config.crawl.seeds_file.clear();
    config.crawl.policy = PolicyKind::Bfs;
    config.render.mode = RenderMode::Always;
    // A single page that nothing is kept of.
    config.signals.mode = SignalMode::Off;
    // Links of the page are one link away; redirects are not.
    (config.budget.pages, config.budget.depth, config.budget.early_stop) = (1, 0, 0.0);
    (config.robots.sitemaps, config.robots.unavailable_tries, config.host.retries_max) = (false, 1, 0);
    (config.archive.enabled, config.archive.links, config.state.enabled) = Default::default();
    config.archive.upload.clear();
    let Config { search, fleet, policy, .. } = Config::default();
    Config { search, fleet, policy: PolicyOptions { log: false, ..policy }, ..config }
}

/// Fetches and renders the page of a [`configuration`].
///
/// # Errors
///
/// There is no browser that works on this machine, in which case nothing was requested; or the crawl failed.
pub(super) fn load(config: &Config, asked: Url) -> Result<Loaded, Failure> {
    log::start_brief(&config.log);
    let (fetch, seeds) = (&config.fetch, std::slice::from_ref(&asked));
    if let Some(warning) = missing_contact(&fetch.user_agent, &fetch.contact, seeds) {
        tracing::warn!("{warning}");
    }
    let directory = TemporaryDirectory::new("inspect");
    let mut config = config.clone();
    config.crawl.out = directory.path().display().to_string();
    let runtime = runtime(&config);
    let (report, trial) = runtime.block_on(async {
        let BrowserCheck { result, .. } = check_browser(&config).await;
        result.map_err(|why| Failure::new(Exit::Failed, why))?;
        let hooks = Hooks::none();
        signals::listen(hooks.stop.clone()).map_err(|error| Failure::new(Exit::Internal, error))?;
        announce(&config);
        Ok::<_, Failure>(try_rendering(&config, hooks).await?)
    })?;
    Ok(Loaded { asked, steps: page_log(&directory)?, trial, stop_reason: report.stop_reason })
}

/// Says on a terminal why the result takes its time.
fn announce(config: &Config) {
    if terminal::is_interactive() {
        let url = config.crawl.seeds.first().map_or("", String::as_str);
        tell!("loading {url}; requests to a host wait for its delay, at least {}", config.host.delay);
    }
}

fn page_log(directory: &TemporaryDirectory) -> anyhow::Result<Vec<PageRecord>> {
    let mut records = Vec::new();
    let Some(mut lines) = Lines::open(directory.path(), "pages.jsonl")? else { return Ok(records) };
    while let Some(line) = lines.next_line()? {
        records.push(serde_json::from_slice(line).context("the page log cannot be read")?);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_of_one_page_renders_it_and_keeps_nothing() {
        let mut config = Config::default();
        config.crawl.policy = PolicyKind::Target;
        config.policy.want = vec!["selector:article".to_owned()];
        config.search.url = vec!["site".to_owned()];
        config.fleet.servers = "nats://127.0.0.1:1".to_owned();
        config.render.clicks = 3;
        let config = configuration(config, &Url::parse("http://h.test/t/1").unwrap());
        assert_eq!((config.crawl.seeds, config.crawl.policy), (vec!["http://h.test/t/1".to_owned()], PolicyKind::Bfs));
        assert_eq!((config.budget.pages, config.budget.depth, config.render.clicks), (1, 0, 3));
        assert!(config.render.mode == RenderMode::Always && !config.archive.enabled && !config.state.enabled);
        assert!(config.policy.want.is_empty() && !config.policy.log);
        assert!(config.fleet.servers.is_empty() && config.search.url.is_empty());
    }
}
