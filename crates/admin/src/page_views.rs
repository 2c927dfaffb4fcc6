//! What a fetched page is taken as: its texts, each with the field of a post that it is.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::names::Refusal;

/// Maximum number of pages that wait or are read at a time.
const PAGES_MAX: usize = 4;

/// Shows what the page at an address is taken as, as JSON, or tells why it cannot. It may take seconds.
pub type PageViews = Arc<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// The page that a client asks for.
#[derive(Debug, Deserialize)]
pub(super) struct AskedPage {
    url: String,
}

/// The pages of a crawl.
#[derive(Clone)]
pub(super) struct Pages {
    views: Option<PageViews>,
    places: Arc<Semaphore>,
}

impl Pages {
    pub(super) fn new(views: Option<PageViews>) -> Self {
        Self { views, places: Arc::new(Semaphore::new(PAGES_MAX)) }
    }

    /// Answers with what a page is taken as.
    pub(super) async fn view(&self, asked: AskedPage) -> Result<Response, Refusal> {
        let Some(views) = self.views.clone() else {
            let why = "the crawl keeps no pages (archive.enabled = false)\n";
            return Err((StatusCode::NOT_FOUND, why.to_owned()));
        };
        let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() else {
            let why = format!("{PAGES_MAX} pages are being read already: try again\n");
            return Err((StatusCode::SERVICE_UNAVAILABLE, why));
        };
        let read = move || {
            let view = views(&asked.url);
            drop(permit);
            view
        };
        let view = tokio::task::spawn_blocking(read).await;
        let view = view.map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")))?;
        let json = view.map_err(|why| (StatusCode::UNPROCESSABLE_ENTITY, format!("{why}\n")))?;
        Ok(([(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")], json).into_response())
    }
}
