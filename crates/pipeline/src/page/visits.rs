//! Visits to pages: what is known of a page when it is visited again, and what is known of it afterwards.

use std::sync::atomic::{AtomicU32, Ordering};

use http::header::{ETAG, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use http::{HeaderMap, HeaderValue};
use parking_lot::Mutex;
use xxhash_rust::xxh3::xxh3_64;

use crate::page::page_result::PageResult;
use harvestman_core::clock::Instant;
use harvestman_core::model::{
    Answer, ArchivedRecord, Difference, Exchange, Failure, Fate, History, PageDigests, ScheduledUrl, Visit,
};
use harvestman_core::url::CanonicalUrl;
use harvestman_stages::revisit::rows;
use harvestman_storage::archive::{Digest, EncodedPage, OriginalRecord, PreviousCapture, RecordId};
use harvestman_storage::store::VisitReader;

/// The visits of a crawl.
#[derive(Default)]
pub(crate) struct Visits {
    /// Whether visits are persisted at all.
    enabled: bool,
    /// What earlier runs left; `None` if there were none, and at the end of this one.
    before: Mutex<Option<VisitReader>>,
    /// The round of the current visits.
    round: AtomicU32,
}

impl Visits {
    /// Creates the visits of a run. `enabled`: whether they are persisted; `before`: what earlier runs left.
    pub(crate) fn new(enabled: bool, before: Option<VisitReader>, round: u32) -> Self {
        Self { enabled, before: Mutex::new(before), round: AtomicU32::new(round) }
    }

    /// Releases the state.
    pub(crate) fn close(&self) {
        self.before.lock().take();
    }

    /// Returns what is known of a page that was visited before.
    pub(crate) fn before(&self, url: &CanonicalUrl) -> Option<Visit> {
        let reader = self.before.lock().clone()?;
        reader.of(url.fingerprint()).unwrap_or_else(|error| {
            tracing::warn!(%error, "a page's earlier visits cannot be read; it is visited as if for the first time");
            None
        })
    }

    /// Returns what is known of a page after an exchange that ended with `result`; `None` if nothing is known or visits
    /// are not persisted.
    pub(crate) fn after(
        &self,
        item: &ScheduledUrl,
        exchange: &Exchange,
        result: &PageResult,
        before: Option<&Visit>,
        page: Option<&EncodedPage>,
    ) -> Option<Box<Visit>> {
        let answer = exchange.result.as_ref().ok().filter(|_| self.enabled)?;
        let at = exchange.timings.started;
        let round = self.round.load(Ordering::Relaxed);
        let visit = match (result.fate, before) {
            (Fate::Fetched | Fate::NotKept(_), _) => fetched(item, answer, result, before, page, at),
            (Fate::NotModified, Some(before)) => {
                let mut visit = visited(before, Difference::None, at);
                take_validators(&mut visit, answer);
                visit
            }
            (Fate::Failed(Failure::Http(404 | 410)), Some(before)) => {
                let gone = visited(before, Difference::Content, at);
                Visit { gone: true, ..gone }
            }
            _ => return None,
        };
        Some(Box::new(Visit { round, ..visit }))
    }
}

/// Returns the headers of a conditional request; empty if an unchanged page could not be recognised afterwards.
pub(crate) fn conditions(before: &Visit) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut put = |name: HeaderName, value: &Option<Box<str>>| {
        if let Some(value) = value.as_deref().and_then(|value| HeaderValue::from_str(value).ok()) {
            headers.insert(name, value);
        }
    };
    put(IF_NONE_MATCH, &before.etag);
    put(IF_MODIFIED_SINCE, &before.modified);
    headers
}

/// Returns whether a request asked for the page only if it has changed.
pub(crate) fn is_conditional(headers: &HeaderMap) -> bool {
    headers.contains_key(IF_NONE_MATCH) || headers.contains_key(IF_MODIFIED_SINCE)
}

/// Returns the capture of the page that the archive holds.
pub(crate) fn earlier(before: &Visit) -> Option<PreviousCapture> {
    let ArchivedRecord { url, date, id, payload } = before.archived.as_ref()?;
    let original =
        OriginalRecord { url: url.as_ref().unwrap_or(&before.url).clone(), date: *date, id: RecordId::from_bytes(*id) };
    Some(PreviousCapture { payload: Digest::parse(payload)?, original })
}

/// Returns the page after one more visit, which found this difference.
fn visited(before: &Visit, difference: Difference, at: Instant) -> Visit {
    let waited = at.since(before.last).as_secs();
    let changed = difference >= Difference::Numbers;
    let mut history = before.history;
    history.note(changed, waited);
    Visit {
        visits: before.visits.saturating_add(1),
        last: at,
        waited,
        changed: if changed { Some(at) } else { before.changed },
        difference: Some(difference),
        gone: false,
        history,
        numbers: before.numbers + u32::from(difference == Difference::Numbers),
        ..before.clone()
    }
}

fn fetched(
    item: &ScheduledUrl,
    answer: &Answer,
    result: &PageResult,
    before: Option<&Visit>,
    page: Option<&EncodedPage>,
    at: Instant,
) -> Visit {
    let body = PageDigests { body: xxh3_64(&answer.body), ..PageDigests::default() };
    let digests = PageDigests { body: body.body, ..result.revisit.digests.unwrap_or(body) };
    let mut visit = before.map_or_else(
        || first(item, at),
        |before| {
            // It was gone: its present content is new.
            let difference = if before.gone { Difference::Content } else { digests.differs_from(&before.digests) };
            visited(before, difference, at)
        },
    );
    visit.digests = digests;
    visit.rows = rows::encode(&result.revisit.rows);
    visit.archived = page.and_then(|page| held(&visit.url, page));
    take_validators(&mut visit, answer);
    visit
}

fn first(item: &ScheduledUrl, at: Instant) -> Visit {
    Visit {
        url: item.url.as_str().into(),
        via: item.via.as_deref().map(Into::into),
        depth: item.depth,
        round: 0,
        visits: 1,
        first: at,
        last: at,
        waited: 0,
        changed: None,
        difference: None,
        gone: false,
        history: History::default(),
        numbers: 0,
        digests: PageDigests::default(),
        rows: Box::default(),
        etag: None,
        modified: None,
        archived: None,
    }
}

fn held(url: &str, page: &EncodedPage) -> Option<ArchivedRecord> {
    let original = page.held_by.as_ref()?;
    let other = *original.url != *url;
    Some(ArchivedRecord {
        url: other.then(|| original.url.clone()),
        date: original.date,
        id: original.id.to_bytes(),
        payload: page.payload_digest.to_string().into(),
    })
}

/// The maximum length of a validator. Longer ones are ignored: they only serve to exhaust memory.
const VALIDATOR_MAX: usize = 256;

/// Stores the validators for conditional requests. A 304 updates those that it names; the others stay valid.
fn take_validators(visit: &mut Visit, answer: &Answer) {
    let value = |name: HeaderName| answer.header(name).filter(|value| value.len() <= VALIDATOR_MAX).map(Box::from);
    let (etag, modified) = (value(ETAG), value(LAST_MODIFIED));
    if answer.status != 304 {
        (visit.etag, visit.modified) = (etag, modified);
        return;
    }
    visit.etag = etag.or_else(|| visit.etag.take());
    visit.modified = modified.or_else(|| visit.modified.take());
}
