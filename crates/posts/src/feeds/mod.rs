//! Reads feeds, each entry of which is a post: RSS of all versions, Atom, and JSON Feed 1.0 and 1.1: pure.

mod scan;

use atom_syndication::{Entry as AtomEntry, Feed};
use jiff::civil::DateTime;
use rss::{Channel, Item};
use serde_json::Value;
use url::{Position, Url};

use self::scan::{ENTRIES_MAX, EntryBase, Root, scan};
use crate::markup::{completeness, ends_in_dots, plain, read_date};
use crate::records::{PagePost, PageRecords, ParentRef, PostSource};

/// Maximum length of a feed, in bytes.
const BYTES_MAX: usize = 32 << 20;
/// Maximum length of an identifier, in bytes.
const ID_BYTES_MAX: usize = 300;

/// An entry as feeds of all kinds have it.
#[derive(Debug, Default)]
struct Entry {
    id: Option<String>,
    link: Option<String>,
    in_reply_to: Option<String>,
    author: Option<String>,
    author_link: Option<String>,
    published: Option<String>,
    updated: Option<String>,
    title: Option<String>,
    /// The whole text, which may be HTML.
    content: Option<String>,
    /// Its beginning, or what it is about.
    summary: Option<String>,
}

impl Entry {
    /// Leaves out addresses with an entity, which the readers of feeds keep as it is written.
    fn leave_out_entities(&mut self) {
        let has_entity = |text: &mut String| {
            text.split('&').skip(1).any(|part| part.split_once(';').is_some_and(|(name, _)| !name.is_empty()))
        };
        for address in [&mut self.id, &mut self.link, &mut self.in_reply_to, &mut self.author_link] {
            address.take_if(has_entity);
        }
    }
}

/// Reads a feed that was fetched from an address at this time. Returns `None` if it is no feed, or too large or too
/// deeply nested.
pub fn read_feed(url: &Url, text: &str, fetched: DateTime) -> Option<PageRecords> {
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if text.len() > BYTES_MAX {
        return None;
    }
    let mut bases = Vec::new();
    let entries = match text.as_bytes().first()? {
        b'{' => json_entries(text)?,
        b'<' => {
            let scanned = scan(text, url)?;
            let mut entries = match scanned.root {
                Root::Rss => rss_entries(scanned.text)?,
                Root::Atom => atom_entries(scanned.text)?,
            };
            if scanned.declares_entities {
                entries.iter_mut().for_each(Entry::leave_out_entities);
            }
            bases = scanned.bases;
            entries
        }
        _ => return None,
    };
    let mut bases = bases.iter();
    let posts = entries.into_iter().take(ENTRIES_MAX);
    let posts = posts.filter_map(|entry| post(entry, url, bases.next(), fetched)).collect();
    Some(PageRecords { posts, ..PageRecords::default() })
}

/// Returns the post of an entry; `None` if it has neither text nor title.
fn post(entry: Entry, feed: &Url, bases: Option<&EntryBase>, fetched: DateTime) -> Option<PagePost> {
    let base = bases.map_or(feed, |bases| &bases.own);
    let link_base = bases.and_then(|bases| bases.link.as_ref()).unwrap_or(base);
    let resolved =
        |base: &Url, link: String| base.join(link.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let address = |link| resolved(base, link);
    let shown = |text: Option<String>| text.map(|text| plain(&text)).filter(|(text, _)| !text.is_empty());
    let date = |text: Option<String>| read_date(&text?, fetched);
    let content = shown(entry.content);
    let is_summary = content.is_none();
    let (text, html) = content.or_else(|| shown(entry.summary)).unwrap_or_default();
    let url = entry.link.and_then(|link| resolved(link_base, link));
    let published = date(entry.published);
    let mut post = PagePost {
        id: entry.id.as_deref().and_then(identifier).or_else(|| url.as_ref().and_then(|url| identifier(url.as_str()))),
        url: url.map(Into::into),
        parent: entry.in_reply_to.and_then(address).map(|url| ParentRef::Url(url.into())),
        author: shown(entry.author).map(|(name, _)| name),
        author_url: entry.author_link.and_then(address).map(Into::into),
        edited: date(entry.updated).filter(|edited| published.as_ref() != Some(edited)),
        date: published,
        title: shown(entry.title).map(|(title, _)| title),
        is_excerpt: is_summary && ends_in_dots(&text),
        text,
        html,
        source: PostSource::Feed,
        ..PagePost::default()
    };
    post.confidence = completeness(&post);
    (!post.text.is_empty() || post.title.is_some()).then_some(post)
}

/// Returns what of an identifier tells an entry apart within its host: of an address its fragment, if that has a
/// number, or else what follows the host.
fn identifier(id: &str) -> Option<String> {
    let url = Url::parse(id.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let id = match url {
        Some(url) => {
            let fragment = url.fragment().filter(|fragment| fragment.contains(|c: char| c.is_ascii_digit()));
            fragment.map_or_else(|| url[Position::BeforePath..].to_owned(), str::to_owned)
        }
        None => id.trim().to_owned(),
    };
    (1..=ID_BYTES_MAX).contains(&id.len()).then_some(id)
}

fn atom_entries(text: &str) -> Option<Vec<Entry>> {
    let feed = Feed::read_from(text.as_bytes()).ok()?;
    Some(feed.entries.into_iter().map(atom_entry).collect())
}

fn atom_entry(atom: AtomEntry) -> Entry {
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

fn json_entries(text: &str) -> Option<Vec<Entry>> {
    // Other JSON may be long.
    text.contains("jsonfeed.org").then_some(())?;
    let feed: Value = serde_json::from_str(text).ok()?;
    feed["version"].as_str().filter(|version| version.contains("jsonfeed.org/version/"))?;
    Some(feed["items"].as_array()?.iter().map(|item| json_entry(item, &feed)).collect())
}

fn json_entry(item: &Value, feed: &Value) -> Entry {
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

fn rss_entries(text: &str) -> Option<Vec<Entry>> {
    let channel = Channel::read_from(text.as_bytes()).ok()?;
    Some(channel.items.into_iter().map(rss_entry).collect())
}

fn rss_entry(item: Item) -> Entry {
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

#[cfg(test)]
mod tests;
