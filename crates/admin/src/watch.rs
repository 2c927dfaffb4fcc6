//! The data of the live page: the latest view, and a stream of views.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::guard::Refusal;
use harvestman_report::live::{Live, LiveState};

/// Maximum number of clients that wait for views at a time. Together with what else takes long, they must leave places
/// among the connections of a server.
const STREAMS_MAX: usize = 16;
/// How long to wait for a view.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval of keep-alive comments on an idle stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A source of views.
#[derive(Clone)]
pub(super) struct Views {
    live: Live,
    streams: Arc<Semaphore>,
}

impl Views {
    pub(super) fn new(live: Live) -> Self {
        Self { live, streams: Arc::new(Semaphore::new(STREAMS_MAX)) }
    }

    /// Returns the next view, as JSON.
    pub(super) async fn newest(&self) -> Result<Response, Refusal> {
        let _permit = self.permit()?;
        let mut watching = self.live.watch();
        let seen = match tokio::time::timeout(PATIENCE, watching.changed()).await {
            Ok(Ok(())) => watching.borrow().clone(),
            _ => LiveState::Nothing,
        };
        Ok(match seen {
            LiveState::View(json) => ([(CONTENT_TYPE, "application/json")], json.to_string()).into_response(),
            LiveState::Ended(why) => {
                (StatusCode::SERVICE_UNAVAILABLE, format!("the crawl has ended: {why}\n")).into_response()
            }
            LiveState::Nothing => {
                (StatusCode::SERVICE_UNAVAILABLE, "the crawl is starting or ending\n").into_response()
            }
        })
    }

    /// Streams all views from now on as events `view`, and finally an event `ended`.
    pub(super) fn stream(&self) -> Result<Response, Refusal> {
        let permit = self.permit()?;
        let events = stream::unfold(Some((self.live.watch(), permit)), next);
        let events = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
        Ok(([(CACHE_CONTROL, "no-store")], events).into_response())
    }

    /// Returns the right to wait for views.
    fn permit(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        Arc::clone(&self.streams).try_acquire_owned().map_err(|_| {
            let why = format!("{STREAMS_MAX} live pages of this crawl are already open: close one of them\n");
            (StatusCode::SERVICE_UNAVAILABLE, why)
        })
    }
}

type Watching = (watch::Receiver<LiveState>, OwnedSemaphorePermit);

/// Returns the next event; `None` after the end.
async fn next(watching: Option<Watching>) -> Option<(Result<Event, Infallible>, Option<Watching>)> {
    let (mut receiver, permit) = watching?;
    loop {
        receiver.changed().await.ok()?;
        let seen = receiver.borrow_and_update().clone();
        match seen {
            LiveState::Nothing => {}
            LiveState::View(json) => {
                return Some((Ok(Event::default().event("view").data(&*json)), Some((receiver, permit))));
            }
            LiveState::Ended(why) => {
                let reason = serde_json::json!({ "reason": &*why }).to_string();
                return Some((Ok(Event::default().event("ended").data(reason)), None));
            }
        }
    }
}
