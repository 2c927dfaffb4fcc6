//! Entries of RSS of all versions.

use rss::{Channel, Item};

use super::Entry;

pub(super) fn entries(text: &str) -> Option<Vec<Entry>> {
    let channel = Channel::read_from(text.as_bytes()).ok()?;
    Some(channel.items.into_iter().map(entry).collect())
}

fn entry(item: Item) -> Entry {
    let core = item.dublin_core_ext.unwrap_or_default();
    let guid = item.guid;
    let link = item.link.or_else(|| guid.as_ref().filter(|guid| guid.permalink).map(|guid| guid.value.clone()));
    let author = core.creators.into_iter().next().or_else(|| item.author.map(|author| name(&author)));
    Entry {
        id: guid.map(|guid| guid.value),
        link,
        author,
        published: item.pub_date.or_else(|| core.dates.into_iter().next()),
        title: item.title,
        content: item.content,
        summary: item.description,
        ..Entry::default()
    }
}

/// Returns the name of an author, who is written as `address (name)`.
fn name(author: &str) -> String {
    let named = author.split_once('(').and_then(|(_, name)| name.split_once(')')).map(|(name, _)| name.trim());
    named.filter(|name| !name.is_empty()).unwrap_or(author).to_owned()
}
