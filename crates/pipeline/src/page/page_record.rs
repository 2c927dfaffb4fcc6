//! Builds the page log's line for an outcome.

use crate::page::page_result::PageResult;
use crate::recrawl::RecrawlHandle;
use crate::rendering::RenderClass;
use harvestman_core::model::{Difference, Exchange, Fate, Lease, PageRecord, Truncation, Unread, Visit};

/// Builds the line for a lease. `exchange`: the last request, if one was sent; `result`: the result of processing its
/// response.
pub(crate) fn page_record(
    lease: &Lease,
    exchange: Option<&Exchange>,
    fate: Fate,
    result: Option<&PageResult>,
) -> PageRecord {
    let (item, decision) = (&lease.item, lease.decision);
    let answer = exchange.and_then(|exchange| exchange.result.as_ref().ok());
    let notes = result.map(|result| &result.notes);
    let reading = notes.map(|notes| &notes.reading);
    let timings = exchange.map(|exchange| exchange.timings);
    let millis = |until: harvestman_core::clock::Instant, since: harvestman_core::clock::Instant| {
        until.since(since).as_millis() as u64
    };
    PageRecord {
        url: item.url.to_string(),
        time: timings.map(|timings| timings.started.timestamp().to_string()),
        fate: fate.name().to_owned(),
        reason: fate.reason().map(str::to_owned),
        status: answer.map(|answer| answer.status),
        content_type: answer.and_then(|answer| answer.content_type()).map(str::to_owned),
        bytes: answer.map_or(0, |answer| answer.body.len() as u64),
        redirect_to: notes.and_then(|notes| notes.redirect_to.as_ref()).map(ToString::to_string),
        via: item.via.as_deref().map(str::to_owned),
        depth: item.depth,
        attempts: item.attempts,
        first_byte_ms: timings.and_then(|timings| Some(millis(timings.first_byte?, timings.started))),
        duration_ms: timings.map(|timings| millis(timings.ended, timings.started)),
        title: notes.and_then(|notes| notes.title.clone()),
        visit: None,
        changed: None,
        difference: None,
        links: notes.and_then(|notes| notes.links),
        links_new: result
            .filter(|result| result.notes.links.is_some())
            .map(|result| result.links.found.accepted.len() as u32),
        cluster: notes.map(|notes| notes.cluster.stored()).filter(|cluster| *cluster != 0),
        class: decision.map(|_| item.queue().to_string()),
        score: decision.map(|decision| decision.score).filter(|score| score.is_finite()),
        snapshot: decision.map(|decision| decision.snapshot),
        rendered: None,
        render_class: notes.and_then(|notes| notes.render_class).map(RenderClass::name),
        payload_digest: None,
        ip: answer.and_then(|answer| answer.remote).map(|ip| ip.to_string()),
        given_up: notes.filter(|notes| notes.is_given_up).map(|_| "posts".to_owned()),
        signals: Vec::new(),
        truncated: answer.and_then(|answer| answer.truncated).map(truncation).map(str::to_owned),
        unread: notes.and_then(|notes| notes.unread).map(Unread::label).map(str::to_owned),
        markup: reading.and_then(|reading| reading.rules.label()).map(str::to_owned),
        unended: reading.and_then(|reading| reading.unended).map(str::to_owned),
        recovered: reading.map_or_else(Vec::new, |reading| reading.recovered.iter().map(ToString::to_string).collect()),
        warc_file: None,
        warc_offset: None,
    }
}

/// Records the number of the visit, and whether the page has changed.
pub(crate) fn note_visit(record: &mut PageRecord, visit: Option<&Visit>, recrawl: Option<&RecrawlHandle>) {
    let Some((visit, difference)) = visit.and_then(|visit| Some((visit, visit.difference?))) else { return };
    record.visit = Some(visit.visits);
    let by_kind = |recrawl: &RecrawlHandle| recrawl.is_change(visit.page(), difference);
    record.changed = Some(recrawl.map_or(difference >= Difference::Numbers, by_kind));
    record.difference = Some(difference.label().to_owned());
}

const fn truncation(truncation: Truncation) -> &'static str {
    match truncation {
        Truncation::Length => "length",
        Truncation::Time => "time",
        Truncation::Disconnect => "disconnect",
        Truncation::UnwantedType => "unwanted_type",
    }
}
