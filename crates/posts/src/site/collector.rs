//! Takes the records of a site page by page, and keeps what is needed to find out which posts are the same.

use std::collections::HashMap;

use jiff::Timestamp;

use super::address::{host, without_paging};
use super::moment::Moment;
use super::prints::{Names, Prints, TextId, hash_of, is_cut};
use super::sighting::{PageOrigin, ParentKey, SeenPage, Sighting};
use super::users::SeenUsers;
use crate::addresses::title_key;
use crate::records::{PagePost, PageRecords, PageThread, ParentRef, PostSource};

/// Maximum number of sightings: some 8 GB.
const SIGHTINGS_MAX: usize = 50_000_000;

/// The collector has as many posts as it can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are more than {SIGHTINGS_MAX} posts on all pages together: export parts of the site")]
pub struct TooManyPosts;

/// Collects the records of pages in any order. Keeps some 150 bytes for each post on each page, and each address, name
/// and title once; no texts.
#[derive(Debug, Default)]
pub struct Collector {
    pub(super) names: Names,
    pub(super) pages: Vec<SeenPage>,
    pub(super) sightings: Vec<Sighting>,
    /// What pages tell of threads, by the thread's address without paging.
    pub(super) threads: HashMap<TextId, PageThread, foldhash::fast::RandomState>,
    pub(super) users: SeenUsers,
    /// Visits that found a page unchanged: its address, and milliseconds since 1970.
    pub(super) unchanged: Vec<(TextId, i64)>,
}

impl Collector {
    /// Adds a page. `places` tells for each of its posts where the caller has stored it.
    ///
    /// # Errors
    ///
    /// There are too many posts.
    pub fn add(&mut self, origin: &PageOrigin, records: &PageRecords, places: &[u64]) -> Result<(), TooManyPosts> {
        if self.sightings.len() + records.posts.len() > SIGHTINGS_MAX {
            return Err(TooManyPosts);
        }
        let mut page = self.page(origin, records);
        self.users.add(&mut self.names, page.host, &records.users);
        let number = self.pages.len() as u32;
        // Texts that end as cut ones do are cut where they are the longest: others end so by the will of their authors.
        let whole = records.posts.iter().filter(|post| !is_cut(&post.text)).map(|post| post.text.len()).max();
        for (index, (post, place)) in records.posts.iter().zip(places).enumerate() {
            let is_cut = is_cut(&post.text) && whole.is_none_or(|whole| post.text.len() >= whole);
            let sighting = self.sighting(post, &page, is_cut);
            self.sightings.push(Sighting { page: number, index: index as u32, place: *place, ..sighting });
        }
        page.content = content(&records.posts);
        self.pages.push(page);
        Ok(())
    }

    /// Adds a visit that found a page as it was at the visit before.
    pub fn add_unchanged(&mut self, url: &str, crawl_time: Timestamp) {
        let url = self.names.id(url);
        self.unchanged.push((url, crawl_time.as_millisecond()));
    }

    /// Returns the number of posts on all pages together.
    pub fn sightings(&self) -> usize {
        self.sightings.len()
    }

    fn page(&mut self, origin: &PageOrigin, records: &PageRecords) -> SeenPage {
        let host = self.names.id(&host(&origin.url));
        let canonical = origin.head.canonical.as_deref().filter(|address| is_own(address, &origin.url));
        let base = self.names.id(&without_paging(canonical.unwrap_or(&origin.url)));
        let thread = records.thread.as_ref().map_or(0, |thread| self.thread(thread, base));
        let neighbours = [&origin.head.next, &origin.head.prev]
            .map(|address| self.names.id_of(address.as_deref().map(without_paging).as_deref()));
        let title = records.thread.as_ref().and_then(|thread| thread.title.as_deref());
        SeenPage {
            url: self.names.id(&origin.url),
            base,
            host,
            title: title.or(origin.head.title.as_deref()).map_or(0, title_key),
            thread,
            neighbours,
            crawl_time: origin.crawl_time.as_millisecond(),
            confirmed: origin.crawl_time.as_millisecond(),
            visit: origin.visit.unwrap_or(0),
            cluster: origin.cluster,
            warc_file: self.names.id_of(origin.warc_file.as_deref()),
            warc_offset: origin.warc_offset,
            content: 0,
            first: self.sightings.len() as u32,
            posts: records.posts.len() as u32,
        }
    }

    /// Notes what a page tells of a thread. Returns its address; without one the thread is the page itself.
    fn thread(&mut self, thread: &PageThread, base: TextId) -> TextId {
        let address = thread.url.as_deref().map(without_paging);
        let id = address.map_or(base, |address| self.names.id(&address));
        let known = self.threads.entry(id).or_default();
        // The longest of each, so that the order of pages does not matter.
        keep_greater(&mut known.title, &thread.title, |title| (title.len(), title.clone()));
        for (known, new) in [(&mut known.forums, &thread.forums), (&mut known.tags, &thread.tags)] {
            if (new.len(), new) > (known.len(), known) {
                known.clone_from(new);
            }
        }
        id
    }

    fn sighting(&mut self, post: &PagePost, page: &SeenPage, is_cut: bool) -> Sighting {
        let own = post.thread.as_ref().filter(|thread| thread.url.is_some());
        let is_excerpt = post.is_excerpt || is_cut;
        let is_feed = post.source == PostSource::Feed;
        let url_base = self.names.id_of(post.url.as_deref().map(without_paging).as_deref());
        let (thread, is_thread_told) = match own {
            Some(thread) => (self.thread(thread, page.base), true),
            None if page.thread != 0 => (page.thread, true),
            // The address of an entry is in its thread, or names a thread of its own.
            None if is_feed => (url_base, false),
            None if is_excerpt => (0, false),
            None => (page.base, false),
        };
        let site = self.names.text(page.host).to_owned();
        Sighting {
            page: 0,
            index: 0,
            place: 0,
            id: post.id.as_deref().map_or(0, |id| hash_of(&[&site, id])),
            url: post.url.as_deref().map_or(0, |url| hash_of(&[url])),
            url_base,
            author: self.names.id_of(post.author.as_deref().map(str::trim)),
            author_url: self.names.id_of(post.author_url.as_deref()),
            moment: post.date.as_deref().and_then(Moment::parse),
            prints: Prints::of(&post.text),
            thread,
            is_thread_told,
            parent: parent_key(post.parent.as_ref(), &site),
            confidence: post.confidence as f32,
            is_excerpt,
            is_feed,
        }
    }
}

/// Returns a hash of all that the posts of a page show.
fn content(posts: &[PagePost]) -> u64 {
    let text = posts.iter().map(|post| format!("{post:?}")).collect::<Vec<_>>().join("\n");
    hash_of(&[&text])
}

/// Returns whether an address may be another one of the same page: some sites name their start page on all pages.
fn is_own(canonical: &str, url: &str) -> bool {
    let path = |address: &str| url::Url::parse(address).ok().map(|url| url.path().len());
    host(canonical) == host(url) && (path(canonical) > Some(1) || path(url) <= Some(1))
}

fn keep_greater<K: Ord>(known: &mut Option<String>, new: &Option<String>, key: impl Fn(&String) -> K) {
    if new.as_ref().map(&key) > known.as_ref().map(&key) {
        known.clone_from(new);
    }
}

fn parent_key(parent: Option<&ParentRef>, site: &str) -> ParentKey {
    match parent {
        None => ParentKey::None,
        Some(ParentRef::Id(id)) => ParentKey::Id(hash_of(&[site, id])),
        Some(ParentRef::Url(url)) => ParentKey::Url(hash_of(&[url])),
        Some(ParentRef::Index(index)) => ParentKey::Index(u32::try_from(*index).unwrap_or(u32::MAX)),
        Some(ParentRef::Quote { .. }) => ParentKey::Quote,
    }
}
