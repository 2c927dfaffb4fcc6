//! The events of a browser that matter to a page.

use serde::Deserialize;
use serde_json::Value;

use super::connection::Event;
use crate::page::{PageRequest, RequestKind};
use harvestman_core::model::Initiator;

/// An event that matters to a page.
#[derive(Debug)]
pub(super) enum PageEvent {
    /// A request waits for an answer.
    Paused(Paused),
    /// A dialog is open.
    Dialog,
    /// The document and what it loads at once are complete.
    Loaded,
    /// A frame was added to the page.
    FrameAdded(String),
    /// A script gave a frame another URL.
    UrlChanged { frame: String, url: String },
    /// The page wants to open a window with this URL.
    Window(String),
    /// A target appeared.
    TargetCreated { id: String, opener: Option<String> },
    /// The process of a page ended.
    Crashed(String),
}

/// A request that waits for an answer.
#[derive(Debug)]
pub(super) struct Paused {
    pub(super) id: String,
    /// The frame that it is of, or a worker.
    pub(super) frame: String,
    pub(super) request: PageRequest,
    /// The request whose answer redirected to this one.
    pub(super) redirected_from: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestPaused {
    request_id: String,
    #[serde(default)]
    frame_id: String,
    #[serde(default)]
    resource_type: String,
    redirected_request_id: Option<String>,
    request: RawRequest,
}

#[derive(Debug, Deserialize)]
struct RawRequest {
    url: String,
    method: String,
    #[serde(default)]
    headers: serde_json::Map<String, Value>,
}

impl PageEvent {
    /// Returns what an event says; `None` if it does not matter.
    pub(super) fn of(event: Event) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let Event { method, params } = event;
        match method.as_str() {
            "Fetch.requestPaused" => serde_json::from_value::<RequestPaused>(params).ok().map(Self::paused),
            "Page.javascriptDialogOpening" => Some(Self::Dialog),
            "Page.loadEventFired" => Some(Self::Loaded),
            "Page.frameAttached" => text(&params["frameId"]).map(Self::FrameAdded),
            "Page.navigatedWithinDocument" => {
                text(&params["frameId"]).zip(text(&params["url"])).map(|(frame, url)| Self::UrlChanged { frame, url })
            }
            "Page.windowOpen" => text(&params["url"]).map(Self::Window),
            "Target.targetCreated" => {
                let target = &params["targetInfo"];
                let opener = text(&target["openerId"]);
                text(&target["targetId"]).map(|id| Self::TargetCreated { id, opener })
            }
            "Target.targetCrashed" => text(&params["targetId"]).map(Self::Crashed),
            _ => None,
        }
    }

    fn paused(paused: RequestPaused) -> Self {
        let RawRequest { mut url, method, headers } = paused.request;
        if let Some(fragment) = url.find('#') {
            url.truncate(fragment);
        }
        let headers =
            headers.into_iter().filter_map(|(name, value)| Some((name, value.as_str()?.to_owned()))).collect();
        let kind = RequestKind::of_name(&paused.resource_type);
        let request = PageRequest { url, kind, method, headers, initiator: Initiator::Unknown };
        let redirected_from = paused.redirected_request_id;
        Self::Paused(Paused { id: paused.request_id, frame: paused.frame_id, request, redirected_from })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(method: &str, params: Value) -> Option<PageEvent> {
        PageEvent::of(Event { method: method.to_owned(), params })
    }

    #[test]
    fn a_paused_request_is_read_without_its_fragment() {
        let params = json!({
            "requestId": "interception-1", "frameId": "F", "resourceType": "XHR",
            "request": {"url": "http://a.example/x?y#z", "method": "GET", "headers": {"Accept": "*/*", "n": 1}},
        });
        let Some(PageEvent::Paused(paused)) = of("Fetch.requestPaused", params) else { panic!() };
        assert_eq!((paused.id.as_str(), paused.frame.as_str()), ("interception-1", "F"));
        assert_eq!((paused.request.url.as_str(), paused.request.kind), ("http://a.example/x?y", RequestKind::Xhr));
        assert_eq!(paused.request.header("accept"), Some("*/*"));
        assert_eq!(paused.request.headers.len(), 1);
        assert_eq!((paused.request.initiator, paused.redirected_from), (Initiator::Unknown, None));
    }

    #[test]
    fn events_without_meaning_or_of_a_wrong_shape_are_passed_over() {
        assert!(of("Fetch.requestPaused", json!({"requestId": 3})).is_none());
        assert!(of("Network.dataReceived", json!({})).is_none());
        assert!(of("Page.windowOpen", json!({"url": null})).is_none());
        assert!(matches!(of("Page.loadEventFired", json!({})), Some(PageEvent::Loaded)));
    }
}
