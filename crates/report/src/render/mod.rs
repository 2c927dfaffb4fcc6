//! A report as people and programs read it: [`html`], [`markdown`], [`json`], of one document and the same sections.

mod block;
mod html;
mod markdown;
mod sections;

pub use html::html;
pub use markdown::markdown;

use super::document::Document;

/// The document as JSON.
///
/// # Errors
/// Where it cannot be written as JSON, which no document of plain values is.
pub fn json(document: &Document) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(document)? + "\n")
}

/// The title: what was crawled.
fn title(document: &Document) -> String {
    let seeds = &document.asked.seeds;
    let host = |url: &String| super::document::line::origin(url).split("://").last().unwrap_or_default().to_owned();
    match (seeds.first().map(host), seeds.len() as u64 + document.asked.more_seeds) {
        (Some(first), 1) => format!("A crawl of {first}"),
        (Some(first), count) => format!("A crawl of {first} and {} more seeds", count - 1),
        (None, _) => "A crawl".to_owned(),
    }
}

#[cfg(test)]
mod tests;
