//! The note on what searches have brought.

use std::fmt::Write as _;

use harvestman_core::model::SearchRecord;

use super::own::OwnSearches;
use super::source::{GivenUp, Source};

/// Maximum number of sites that a note names for one reason.
const NAMED_MAX: usize = 5;

/// Returns the note: how many queries found how many sites and, by sites' own searches, wanted pages; which searches
/// were given up, which sites have none and which were left.
pub(super) fn note(record: &SearchRecord, sources: &[Source], own: &OwnSearches, left: &[&str]) -> String {
    let SearchRecord { queries, found: sites, own_wanted, .. } = record;
    let mut note = format!("{queries} queries found {sites} sites with wanted pages");
    if own.is_on() {
        let _ = write!(note, ", and {own_wanted} wanted pages by searches of the seeds' own sites");
    }
    let named = sources.iter().filter(|source| source.own.is_none()).count();
    if sources.iter().all(|source| source.fruitful == 0) {
        note.push_str("; no search showed a result");
    }
    let down = sources.iter().filter(|source| source.own.is_none() && source.given_up.is_some()).count();
    if down > 0 {
        // Writing to a string does not fail.
        let _ = write!(note, "; {down} of {named} searches failed and were given up");
    }
    for (why, says) in [
        (GivenUp::Failed, "own searches failed and were given up"),
        (GivenUp::Forbidden, "own searches are forbidden by robots.txt"),
        (GivenUp::Fruitless, "own searches showed nothing new any more and were given up"),
    ] {
        let ended = sources.iter().filter(|source| source.own.is_some() && source.given_up == Some(why));
        add(&mut note, says, ended.map(|source| source.template.text()));
    }
    add(&mut note, "sites without a search on the seed's page", own.missing().map(ToOwned::to_owned));
    if own.is_on() && own.is_empty() {
        note.push_str("; no page of a seed was fetched on which a search of its site could be");
    }
    if !left.is_empty() {
        let _ = write!(note, "; left for their low yield: {}", left.join(", "));
    }
    note
}

/// Adds a list of searches or sites, if there are any.
fn add(note: &mut String, says: &str, which: impl Iterator<Item = String>) {
    let all: Vec<String> = which.collect();
    if !all.is_empty() {
        let more = if all.len() > NAMED_MAX { ", …" } else { "" };
        let _ = write!(note, "; {says}: {}{more}", all[..all.len().min(NAMED_MAX)].join(", "));
    }
}
