//! Entries of JSON Feed 1.0 and 1.1.

use serde_json::Value;

use super::Entry;

pub(super) fn entries(text: &str) -> Option<Vec<Entry>> {
    // Other JSON may be long.
    text.contains("jsonfeed.org").then_some(())?;
    let feed: Value = serde_json::from_str(text).ok()?;
    feed["version"].as_str().filter(|version| version.contains("jsonfeed.org/version/"))?;
    Some(feed["items"].as_array()?.iter().map(|item| entry(item, &feed)).collect())
}

fn entry(item: &Value, feed: &Value) -> Entry {
    let text = |name: &str| item[name].as_str().map(str::to_owned);
    let author_of =
        |of: &Value| [&of["authors"][0], &of["author"]].into_iter().find(|author| author.is_object()).cloned();
    let author = author_of(item).or_else(|| author_of(feed)).unwrap_or_default();
    Entry {
        id: text("id").or_else(|| item["id"].as_u64().map(|id| id.to_string())),
        link: text("url").or_else(|| text("external_url")),
        author: author["name"].as_str().map(str::to_owned),
        author_link: author["url"].as_str().map(str::to_owned),
        published: text("date_published"),
        updated: text("date_modified"),
        title: text("title"),
        content: text("content_html").or_else(|| text("content_text")),
        summary: text("summary"),
        ..Entry::default()
    }
}
