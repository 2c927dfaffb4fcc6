//! What the live page reads: the newest view, and a stream of them.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use harvestman_report::live::{Live, Shown};

/// Streams at once.
const STREAMS_MAX: usize = 16;
/// How long a view may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often an idle stream shows that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Where views are watched.
#[derive(Clone)]
pub(super) struct Views {
    live: Live,
    streams: Arc<Semaphore>,
}

impl Views {
    pub(super) fn new(live: Live) -> Self {
        Self { live, streams: Arc::new(Semaphore::new(STREAMS_MAX)) }
    }

    /// A view that is made from now on, as JSON.
    pub(super) async fn newest(&self) -> Response {
        let mut watching = self.live.watch();
        let seen = match tokio::time::timeout(PATIENCE, watching.changed()).await {
            Ok(Ok(())) => watching.borrow().clone(),
            _ => Shown::Nothing,
        };
        match seen {
            Shown::View(json) => ([(CONTENT_TYPE, "application/json")], json.to_string()).into_response(),
            Shown::Ended(why) => {
                (StatusCode::SERVICE_UNAVAILABLE, format!("the crawl has ended: {why}\n")).into_response()
            }
            Shown::Nothing => (StatusCode::SERVICE_UNAVAILABLE, "the crawl is starting or ending\n").into_response(),
        }
    }

    /// All views from now on, as events `view`, and in the end an event `ended`.
    pub(super) fn stream(&self) -> Response {
        let Ok(permit) = Arc::clone(&self.streams).try_acquire_owned() else {
            let why = format!("{STREAMS_MAX} pages watch this crawl already: close one of them\n");
            return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
        };
        let events = stream::unfold(Some((self.live.watch(), permit)), next);
        let events = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
        ([(CACHE_CONTROL, "no-store")], events).into_response()
    }
}

type Watching = (watch::Receiver<Shown>, OwnedSemaphorePermit);

/// The next event. After the end there is none.
async fn next(watching: Option<Watching>) -> Option<(Result<Event, Infallible>, Option<Watching>)> {
    let (mut receiver, permit) = watching?;
    loop {
        receiver.changed().await.ok()?;
        let seen = receiver.borrow_and_update().clone();
        match seen {
            Shown::Nothing => {}
            Shown::View(json) => {
                return Some((Ok(Event::default().event("view").data(&*json)), Some((receiver, permit))));
            }
            Shown::Ended(why) => {
                let reason = serde_json::json!({ "reason": &*why }).to_string();
                return Some((Ok(Event::default().event("ended").data(reason)), None));
            }
        }
    }
}
