//! Describes a crawl and starts it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::delivery::{Delivery, OwnSink, Receivers};
use super::extensions::OwnFilters;
use super::guarded::Guarded;
use super::pages::PageSender;
use super::policy::OwnPolicy;
use super::program::{CONFIG_FILE, Owner};
use super::ready::ReadyCrawl;
use super::{Crawl, Error, LinkFilter, OnError, Pages, Policy, Sink, program};
use harvestman_core::config::{Config, Flag, FlagValue, Layers, left_out, overridden};
use harvestman_pipeline as pipeline;
use harvestman_pipeline::{Beginning, ExtensionErrors, Extensions};
use harvestman_report::Hooks;

/// The number of pages that wait by default.
const QUEUE: usize = 64;

/// Describes a crawl. Nothing is checked before [`CrawlBuilder::start`].
#[must_use = "a crawl begins with `start`"]
pub struct CrawlBuilder {
    beginning: Beginning,
    config_file: Option<PathBuf>,
    directory: Option<PathBuf>,
    seeds: Vec<String>,
    settings: Vec<Flag>,
    policy: Option<Arc<dyn Policy>>,
    filters: Vec<Arc<dyn LinkFilter>>,
    sinks: Vec<(Box<dyn Sink>, OnError)>,
    streams: bool,
    queue: usize,
}

impl Crawl {
    /// Describes a new crawl.
    pub fn builder() -> CrawlBuilder {
        CrawlBuilder::new()
    }

    /// Describes the continuation of the crawl in this directory, however it ended: by its own configuration, which
    /// [`CrawlBuilder::set`] changes from now on. Policy, filters and sinks must be given again.
    pub fn resume(directory: impl Into<PathBuf>) -> CrawlBuilder {
        CrawlBuilder::in_directory(directory.into(), Beginning::WhereStopped)
    }

    /// Describes a new round over the crawl in this directory: it visits pages again that have probably changed, and
    /// fetches what is new.
    pub fn recrawl(directory: impl Into<PathBuf>) -> CrawlBuilder {
        CrawlBuilder::in_directory(directory.into(), Beginning::WithRevisits)
    }
}

impl CrawlBuilder {
    fn new() -> Self {
        Self {
            beginning: Beginning::AtSeeds,
            config_file: None,
            directory: None,
            seeds: Vec::new(),
            settings: Vec::new(),
            policy: None,
            filters: Vec::new(),
            sinks: Vec::new(),
            streams: false,
            queue: QUEUE,
        }
    }

    fn in_directory(directory: PathBuf, beginning: Beginning) -> Self {
        Self { directory: Some(directory), beginning, ..Self::new() }
    }

    /// Adds a URL to start from. As for the program, `https://` is assumed where the scheme is missing.
    pub fn seed(mut self, seed: impl Into<String>) -> Self {
        self.seeds.push(seed.into());
        self
    }

    /// Sets the crawl directory, which receives all files of the crawl. It must be empty or not exist yet.
    pub fn out(self, directory: impl AsRef<Path>) -> Self {
        self.set("crawl.out", directory.as_ref().display())
    }

    /// Reads settings from a file, as `harvestman crawl --config` does. [`CrawlBuilder::set`] overrides them.
    pub fn config_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.config_file = Some(file.into());
        self
    }

    /// Sets a setting by its name, as `harvestman crawl --set` does: `set("host.delay", "2s")`, `set("budget.pages",
    /// 100)`. Settings of the environment have no effect; nor has the section `log`, since an embedded crawl uses the
    /// `tracing` subscriber of its program.
    pub fn set(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        let name = name.into();
        self.settings.push(Flag { flag: format!("set {name}"), name, value: FlagValue::Text(value.to_string()) });
        self
    }

    /// Uses a policy of one's own instead of the setting `crawl.policy`.
    pub fn policy(mut self, policy: impl Policy) -> Self {
        self.policy = Some(Arc::new(policy));
        self
    }

    /// Adds a filter of links. With several, a link must be accepted by all of them.
    pub fn filter(mut self, filter: impl LinkFilter) -> Self {
        self.filters.push(Arc::new(filter));
        self
    }

    /// Adds a sink, whose failure ends the crawl. A crawl with sinks has no stream of pages, unless
    /// [`CrawlBuilder::stream`] asks for it.
    pub fn sink(self, sink: impl Sink) -> Self {
        self.sink_with(sink, OnError::Stop)
    }

    /// Adds a sink, with what happens when it fails.
    pub fn sink_with(mut self, sink: impl Sink, on_error: OnError) -> Self {
        self.sinks.push((Box::new(sink), on_error));
        self
    }

    /// Gives a crawl with sinks a stream of its pages too ([`Crawl::pages`]). A crawl without sinks has one anyway.
    pub fn stream(mut self) -> Self {
        self.streams = true;
        self
    }

    /// Sets the number of pages that may wait for the sinks, and the number that may wait in the stream; 64 by default,
    /// at least 1. When they wait, the crawl waits.
    pub fn queue(mut self, pages: usize) -> Self {
        self.queue = pages;
        self
    }

    /// Starts the crawl. Returns when it runs, which takes some milliseconds, or longer if it is resumed.
    ///
    /// # Errors
    /// The seeds, the settings or the directory cannot be used ([`Error::Usage`], with all mistakes in the settings
    /// together), or the output cannot be opened.
    pub fn start(self) -> Result<Crawl, Error> {
        let config = self.config().map_err(Error::Usage)?;
        let hooks = Hooks { metrics: pipeline::metrics(&config), ..Hooks::none() };
        let beginning = self.beginning;
        let (extensions, pages) = self.extensions(&hooks)?;
        Crawl::start(ReadyCrawl { config, beginning, extensions }, hooks, pages)
    }

    /// Reads and completes the configuration.
    fn config(&self) -> Result<Config, String> {
        let (mut flags, mut before) = (self.settings.clone(), None);
        if let Some(directory) = &self.directory {
            let (text, fixed) = program::directory_flags(directory, Owner::User)?;
            flags.extend(fixed);
            before = Some((directory.join(CONFIG_FILE), text));
        }
        let read = |path: &PathBuf| {
            let text =
                std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
            text.map(|text| (path.clone(), text))
        };
        let file = self.config_file.as_ref().map(read).transpose()?;
        if !self.seeds.is_empty() {
            let value = FlagValue::List(self.seeds.clone());
            flags.push(Flag { flag: "seed".to_owned(), name: "crawl.seeds".to_owned(), value });
        }
        let layers = Layers {
            directory: before.as_ref().map(|(path, text)| (path.as_path(), text.as_str())),
            file: file.as_ref().map(|(path, text)| (path.as_path(), text.as_str())),
            environment: Vec::new(),
            flags,
        };
        let config = program::full_settings(&layers)?;
        check_supported(&config)?;
        let seeds = program::read_seeds(&config)?;
        let config = program::complete(config, &seeds);
        if let Some((_, before)) = &before {
            let missing: Vec<&str> = left_out(before, &config).collect();
            if !missing.is_empty() {
                tracing::warn!(
                    "{} was set and is not in {CONFIG_FILE}; the crawl resumes without it",
                    missing.join(", ")
                );
            }
            for setting in overridden(before) {
                tracing::warn!("{CONFIG_FILE}: {setting}");
            }
        }
        Ok(config)
    }

    /// Connects the program's own parts to the crawl.
    fn extensions(self, hooks: &Hooks) -> Result<(Extensions, Pages), Error> {
        let errors = ExtensionErrors::new(hooks.stop.clone());
        let guarded = Guarded::new("policy", &errors);
        let observing = self.policy.clone().map(|policy| (policy, guarded.clone()));
        let policy = self.policy.map(|policy| OwnPolicy::new(policy, guarded).maker());
        let filters = (!self.filters.is_empty()).then_some(self.filters);
        let filter = filters.map(|filters| Arc::new(OwnFilters::new(filters, Guarded::new("filter", &errors))) as _);
        let has_sinks = !self.sinks.is_empty();
        let numbered = self.sinks.into_iter().enumerate();
        let sinks = numbered.map(|(at, (sink, on_error))| {
            let guarded = Guarded::new(format!("sink {}", at + 1), &errors);
            OwnSink { sink, on_error, guarded }
        });
        let (mut stream, pages) = PageSender::new(self.queue, hooks.stop.clone());
        if has_sinks && !self.streams {
            stream.turn_off();
        }
        let receivers = Receivers { policy: observing, sinks: sinks.collect(), stream };
        let delivery = Delivery::start(receivers, errors.clone(), self.queue);
        let delivery = delivery.map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))?;
        Ok((Extensions { policy, filter, receiver: Some(Arc::new(delivery)), errors }, pages))
    }
}

/// Refuses settings that only the program carries out, rather than ignoring them.
fn check_supported(config: &Config) -> Result<(), String> {
    let only = [
        (config.archive.posts, "archive.posts", "afterwards, `harvestman export posts` writes the posts"),
        (!config.archive.upload.is_empty(), "archive.upload", "afterwards, `harvestman upload` copies the WARC files"),
        (!config.metrics.listen.is_empty(), "metrics.listen", "an embedded crawl serves no HTTP endpoint"),
        (!config.fleet.servers.is_empty(), "fleet.servers", "an embedded crawl runs on one machine"),
    ];
    match only.iter().find(|(is_set, ..)| *is_set) {
        Some((_, name, instead)) => {
            Err(format!("`{name}` is set, which only the program `harvestman` carries out: leave it empty; {instead}"))
        }
        None => Ok(()),
    }
}
