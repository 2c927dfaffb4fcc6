//! Renders a document: [`html`] and [`markdown`] with the same sections, [`json`] with all fields.

pub(crate) mod block;
mod html;
mod markdown;

pub use html::html;
pub use markdown::markdown;

use super::document::Document;

/// Renders the document as JSON.
///
/// # Errors
/// The document cannot be written as JSON; this does not happen for plain values.
pub fn json(document: &Document) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(document)? + "\n")
}

/// Returns the title, which names what was crawled.
fn title(document: &Document) -> String {
    let seeds = &document.configuration.seeds;
    let host = |url: &String| super::document::line::origin(url).split("://").last().unwrap_or_default().to_owned();
    match (seeds.first().map(host), seeds.len() as u64 + document.configuration.more_seeds) {
        (Some(first), 1) => format!("Crawl of {first}"),
        (Some(first), count) => format!("Crawl of {first} and {} more seeds", count - 1),
        (None, _) => "Crawl report".to_owned(),
    }
}

#[cfg(test)]
mod tests;
