//! Makes the requests of a page without a browser.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use harvestman_core::model::Initiator;
use url::Url;

use super::limits::RenderLimits;
use super::page::{PageReply, PageRequest, PageRequests, PageTask, Refusal, RenderedPage, RequestKind, RequestNote};
use super::replay::{Replay, ReplayLimits, ReplayTemplate, compose};
use super::wanted::{Decision, Origin, RequestRules};

/// Makes the requests of a page by a template, one after the other, and puts what they bring into its document.
///
/// The rules of a browser's requests hold for them. A page whose URL is none of HTTP stays as it is.
pub async fn replay_page(
    page: &PageTask,
    template: &Arc<ReplayTemplate>,
    requests: &dyn PageRequests,
    limits: &RenderLimits,
) -> RenderedPage {
    let html = String::from_utf8_lossy(&page.body);
    let mut rendered = RenderedPage { is_settled: true, ..RenderedPage::default() };
    let (Ok(url), Some(mut rules)) = (Url::parse(&page.url), RequestRules::new(&page.url, limits.clone())) else {
        return RenderedPage { html: html.into_owned(), ..rendered };
    };
    let bounds = ReplayLimits { requests: limits.requests as usize, ..ReplayLimits::default() };
    let (mut replay, first) = Replay::first(Arc::clone(template), &url, &html, bounds);
    let (mut queue, mut answers) = (VecDeque::from(first), Vec::new());
    // The replay returns no more URLs than its bound.
    while let Some(next) = queue.pop_front() {
        let mut request = request(&next, page, template);
        request.initiator = rules.initiator(&request, Origin::MainFrame);
        let reply = match rules.decide(&request, Origin::MainFrame) {
            Decision::Ask => requests.answer(request.clone()).await,
            Decision::Refuse(why) => PageReply::Refused(why),
            Decision::Page | Decision::Local => PageReply::Refused(Refusal::Scheme),
        };
        let outcome = match reply {
            PageReply::Answered { status, body, .. } => {
                rules.answered(body.len());
                if (200..=299).contains(&status) {
                    queue.extend(replay.next(&next, &body));
                    answers.push(body);
                }
                Ok(status)
            }
            PageReply::Refused(why) => Err(why),
        };
        rendered.requests.push(RequestNote { request, outcome, content_type: None, body: Bytes::new() });
    }
    rendered.html = compose(&html, &answers, replay.links(), &template.link_fields);
    rendered
}

/// Returns a request as the scripts of the page sent it.
fn request(url: &Url, page: &PageTask, template: &ReplayTemplate) -> PageRequest {
    let referer = ("referer".to_owned(), page.url.clone());
    let headers = template.headers.iter().cloned().chain([referer]).collect();
    PageRequest {
        url: url.to_string(),
        kind: RequestKind::Xhr,
        method: "GET".to_owned(),
        headers,
        initiator: Initiator::Unknown,
    }
}
