//! Entries of Atom.

use atom_syndication::{Entry as AtomEntry, Feed};

use super::Entry;

pub(super) fn entries(text: &str) -> Option<Vec<Entry>> {
    let feed = Feed::read_from(text.as_bytes()).ok()?;
    Some(feed.entries.into_iter().map(entry).collect())
}

fn entry(atom: AtomEntry) -> Entry {
    let (author, author_link) = atom.authors.into_iter().next().map(|person| (person.name, person.uri)).unzip();
    let link = atom.links.iter().find(|link| link.rel == "alternate").or_else(|| atom.links.first());
    let updated = atom.updated.to_rfc3339();
    let replied = atom.extensions.get("thr").and_then(|of| of.get("in-reply-to")).and_then(|all| all.first());
    Entry {
        link: link.map(|link| link.href.clone()),
        in_reply_to: replied.and_then(|of| of.attrs.get("href").or_else(|| of.attrs.get("ref"))).cloned(),
        id: Some(atom.id),
        author,
        author_link: author_link.flatten(),
        published: Some(atom.published.map_or_else(|| updated.clone(), |date| date.to_rfc3339())),
        updated: Some(updated),
        title: Some(atom.title.value),
        content: atom.content.and_then(|content| content.value),
        summary: atom.summary.map(|summary| summary.value),
    }
}
