//! The environment of a live crawl, with browsers that record what they render.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::error::Error;
use crate::rendering::Browsers;
use crate::run::environment::{Environment, LiveEnvironment, Network, NetworkOptions};
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_render::{Browser, Later, PageRequests, PageTask, RenderFailure, RenderedPage};
use harvestman_stages::fetch::{self, Trust};

/// What a browser made of a page.
pub(crate) struct WatchedRender {
    pub(super) task: PageTask,
    pub(super) result: Result<RenderedPage, RenderFailure>,
}

/// The latest render. A page whose browser crashes is rendered twice.
type Latest = Arc<Mutex<Option<WatchedRender>>>;

/// The environment of a live crawl, with browsers that record what they render.
#[derive(Default)]
pub(crate) struct WatchedBrowsers(Latest);

impl WatchedBrowsers {
    /// Takes the latest render; `None` if no page was rendered.
    pub(crate) fn take(&self) -> Option<WatchedRender> {
        self.0.lock().take()
    }
}

impl Environment for WatchedBrowsers {
    fn network(
        &self,
        options: NetworkOptions<'_>,
        clock: Clock,
        trust: Trust,
    ) -> Result<Arc<dyn Network>, fetch::Error> {
        LiveEnvironment.network(options, clock, trust)
    }

    fn browsers(&self, config: &Config, clock: &Clock) -> Result<Browsers, Error> {
        let watched = |browser| Arc::new(WatchedBrowser { browser, latest: Arc::clone(&self.0) }) as Arc<dyn Browser>;
        Ok(LiveEnvironment.browsers(config, clock)?.into_iter().map(watched).collect())
    }
}

struct WatchedBrowser {
    browser: Arc<dyn Browser>,
    latest: Latest,
}

impl Browser for WatchedBrowser {
    fn render(
        &self,
        page: PageTask,
        requests: Arc<dyn PageRequests>,
    ) -> Later<'_, Result<RenderedPage, RenderFailure>> {
        Box::pin(async move {
            let result = self.browser.render(page.clone(), requests).await;
            *self.latest.lock() = Some(WatchedRender { task: page, result: result.clone() });
            result
        })
    }

    fn rest(&self) -> Later<'_, ()> {
        self.browser.rest()
    }
}
