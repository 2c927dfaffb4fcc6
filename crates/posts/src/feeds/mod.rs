//! Reads feeds, each entry of which is a post: RSS, Atom, JSON Feed: pure.

mod atom;
mod json;
mod rss;
mod scan;

use jiff::civil::DateTime;
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
        b'{' => json::entries(text)?,
        b'<' => {
            let scanned = scan(text, url)?;
            let mut entries = match scanned.root {
                Root::Rss => rss::entries(scanned.text)?,
                Root::Atom => atom::entries(scanned.text)?,
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

#[cfg(test)]
mod tests;
