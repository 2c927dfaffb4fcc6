//! The simulated browser: it runs the one script of the simulated web, takes its time, and crashes now and then.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use rand::Rng as _;

use super::web::{APP, data_url};
use harvestman_core::model::Initiator;
use harvestman_core::seed::Rng;
use harvestman_render::{
    Browser, Decision, Later, Origin, PageReply, PageRequest, PageRequests, PageTask, RenderFailure, RenderLimits,
    RenderedPage, RequestKind, RequestNote, RequestRules,
};

/// A browser of one run.
pub(super) struct SimulatedBrowser {
    pub(super) rng: Mutex<Rng>,
    /// The maximum time that a script takes.
    pub(super) busy_max: Duration,
    /// The chance that it crashes with a page, at most once with each.
    pub(super) crash_rate: f64,
    pub(super) crashed: Mutex<BTreeSet<String>>,
}

impl SimulatedBrowser {
    async fn show(&self, page: PageTask, requests: Arc<dyn PageRequests>) -> Result<RenderedPage, RenderFailure> {
        let (busy, crashes) = {
            let mut rng = self.rng.lock();
            (self.busy_max.mul_f64(rng.random::<f64>()), rng.random_bool(self.crash_rate))
        };
        tokio::time::sleep(busy).await;
        if crashes && self.crashed.lock().insert(page.url.clone()) {
            return Err(RenderFailure::Crashed);
        }
        let html = String::from_utf8_lossy(&page.body).into_owned();
        let mut shown = RenderedPage { html, is_settled: true, ..RenderedPage::default() };
        if !shown.html.contains(APP) {
            return Ok(shown);
        }
        let rules = RequestRules::new(&page.url, RenderLimits::default());
        let mut rules = rules.ok_or_else(|| RenderFailure::Rejected(format!("{} is no web page", page.url)))?;
        let script = format!("{}{APP}", harvestman_core::url::origin_of(&page.url));
        for (url, kind) in [(script, RequestKind::Script), (data_url(&page.url), RequestKind::Fetch)] {
            let initiator = Initiator::Unknown;
            let request = PageRequest { url, kind, method: "GET".to_owned(), headers: Vec::new(), initiator };
            let reply = match rules.decide(&request, Origin::MainFrame) {
                Decision::Refuse(why) => PageReply::Refused(why),
                _ => requests.answer(request.clone()).await,
            };
            note(&mut shown, request, reply);
        }
        Ok(shown)
    }
}

/// Records a request, and shows what it brought if this is data.
fn note(shown: &mut RenderedPage, request: PageRequest, reply: PageReply) {
    let is_data = request.kind == RequestKind::Fetch;
    let (outcome, body) = match reply {
        PageReply::Answered { status, body, .. } => (Ok(status), body),
        PageReply::Refused(why) => (Err(why), Bytes::new()),
    };
    if let (Ok(200), true) = (outcome, is_data) {
        shown.html.push_str(&show(&body));
    }
    let body = if is_data { body } else { Bytes::new() };
    let content_type = outcome.is_ok().then(|| "application/json".to_owned());
    shown.requests.push(RequestNote { request, outcome, content_type, body });
}

/// Returns what the script makes of its data.
fn show(data: &[u8]) -> String {
    let data: serde_json::Value = serde_json::from_slice(data).unwrap_or_default();
    let links = data["links"].as_array().into_iter().flatten().filter_map(|link| link["url"].as_str());
    let links: String = links.map(|url| format!("<li><a href=\"{url}\">{url}</a></li>")).collect();
    format!("<ul class=list>{links}</ul><div class=post><p>{}</p></div>", data["text"].as_str().unwrap_or_default())
}

impl Browser for SimulatedBrowser {
    fn render(
        &self,
        page: PageTask,
        requests: Arc<dyn PageRequests>,
    ) -> Later<'_, Result<RenderedPage, RenderFailure>> {
        Box::pin(self.show(page, requests))
    }

    fn rest(&self) -> Later<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}
