//! A browser for tests, and a site in memory that answers its requests.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use harvestman_core::clock::Clock;
use harvestman_render::{
    Browser, Chromium, ChromiumSettings, Confinement, Executable, KnownActions, Later, PageReply, PageRequest,
    PageRequests, PageTask, Refusal, RenderFailure, RenderLimits, RenderedPage,
};
use parking_lot::Mutex;

pub(crate) const PAGE: &str = "http://forum.example.org/t/1";

/// A site in memory that records what it is asked for.
#[derive(Default)]
pub(crate) struct Site {
    pub(crate) answers: HashMap<String, (&'static str, String)>,
    pub(crate) asked: Mutex<Vec<String>>,
    pub(crate) delay: Duration,
}

impl Site {
    pub(crate) fn with(mut self, path: &str, content_type: &'static str, body: impl Into<String>) -> Self {
        self.answers.insert(format!("http://forum.example.org{path}"), (content_type, body.into()));
        self
    }
}

impl PageRequests for Site {
    fn answer(&self, request: PageRequest) -> Later<'_, PageReply> {
        Box::pin(async move {
            tokio::time::sleep(self.delay).await;
            self.asked.lock().push(request.url.clone());
            match self.answers.get(&request.url) {
                Some((content_type, body)) => PageReply::Answered {
                    status: 200,
                    headers: vec![("Content-Type".to_owned(), (*content_type).to_owned())],
                    body: body.clone().into(),
                },
                None => PageReply::Refused(Refusal::Robots),
            }
        })
    }
}

/// Returns a browser; `None`, with a message, if there is none on this machine.
pub(crate) fn browser(limits: RenderLimits) -> Option<Chromium> {
    browser_in(std::env::temp_dir(), limits)
}

/// Returns a browser whose files are in this folder.
pub(crate) fn browser_in(temporary: PathBuf, limits: RenderLimits) -> Option<Chromium> {
    let executable = Executable::find(None, &std::env::var_os("PATH").unwrap_or_default());
    let executable = match executable {
        Ok(executable) => executable,
        Err(why) if std::env::var_os("HARVESTMAN_REQUIRE_BROWSER").is_some() => panic!("{why}"),
        Err(why) => {
            eprintln!("SKIPPED, nothing is tested here: {why}");
            return None;
        }
    };
    let confinement = Confinement { sandbox: true };
    let agent = "harvestman-test/1 (+http://example.org)".to_owned();
    Some(Chromium::new(ChromiumSettings { executable, confinement, agent, temporary, limits, clock: Clock::system() }))
}

pub(crate) fn page(body: &str) -> PageTask {
    PageTask {
        url: PAGE.to_owned(),
        status: 200,
        headers: vec![("Content-Type".to_owned(), "text/html; charset=utf-8".to_owned())],
        body: format!("<!doctype html><title>t</title><body>{body}</body>").into(),
        actions: KnownActions::new(),
    }
}

pub(crate) async fn render(
    browser: &Chromium,
    body: &str,
    site: Site,
) -> (Result<RenderedPage, RenderFailure>, Arc<Site>) {
    let site = Arc::new(site);
    (browser.render(page(body), Arc::clone(&site) as _).await, site)
}
