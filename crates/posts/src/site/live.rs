//! The posts of pages while they come in: each is given out once, and again when its page shows another text.

use std::collections::{HashMap, HashSet};

use super::address::{host, without_paging};
use super::assemble::time_text;
use super::moment::Moment;
use super::prints::{Prints, hash_of};
use super::records::Post;
use super::sighting::PageOrigin;
use crate::records::{PagePost, PageRecords, ParentRef};

/// What was given out of a post.
#[derive(Debug, Clone, Copy)]
struct Given {
    text: u64,
    page: u64,
}

/// Knows the posts that were given out: some 40 bytes each. Posts are told apart by identifier, or by author, time and
/// beginning of the text. Excerpts are left out, and what needs all pages of a site is not known: parents that are
/// quoted, joined threads.
#[derive(Debug, Clone, Default)]
pub struct LivePosts {
    given: HashMap<u64, Given, foldhash::fast::RandomState>,
    threads: HashSet<u64, foldhash::fast::RandomState>,
    authors: HashSet<u64, foldhash::fast::RandomState>,
    /// The earliest and the latest time.
    times: Option<(Moment, Moment)>,
}

impl LivePosts {
    /// Returns the number of posts that were given out.
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// Returns whether no post was given out.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Returns the number of threads of these posts.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Notes a post that an earlier run gave out.
    pub fn note(&mut self, post: &Post) {
        let given = Given { text: Prints::of(&post.text).whole, page: hash_of(&[&post.page_url]) };
        self.given.insert(hash_of(&[&post.id]), given);
        self.count(post);
    }

    /// Returns the number of authors of these posts.
    pub fn authors(&self) -> usize {
        self.authors.len()
    }

    /// Returns the earliest and the latest time of these posts, as ISO 8601.
    pub fn times(&self) -> Option<(String, String)> {
        self.times.map(|(first, last)| (first.text(), last.text()))
    }

    fn count(&mut self, post: &Post) {
        self.threads.insert(hash_of(&[&post.thread_id]));
        if let Some(author) = post.author_url.as_ref().or(post.author.as_ref()) {
            self.authors.insert(hash_of(&[author]));
        }
        if let Some(time) = post.time.as_deref().and_then(Moment::parse) {
            self.times = Some(self.times.map_or((time, time), |(first, last)| (first.min(time), last.max(time))));
        }
    }

    /// Returns the posts of a page that are new or have changed since the visit before. Their `position` is the place
    /// on the page.
    pub fn add(&mut self, origin: &PageOrigin, records: &PageRecords) -> Vec<Post> {
        let site = host(&origin.url);
        let prints: Vec<Prints> = records.posts.iter().map(|post| Prints::of(&post.text)).collect();
        let ids = ids(&site, &records.posts, &prints);
        let canonical = origin.head.canonical.as_deref().filter(|address| host(address) == site);
        let told = records.thread.as_ref().and_then(|thread| thread.url.as_deref());
        let thread = thread_id(&without_paging(told.or(canonical).unwrap_or(&origin.url)));
        let page = hash_of(&[&origin.url]);
        let mut new = Vec::new();
        for (at, shown) in records.posts.iter().enumerate() {
            if shown.is_excerpt {
                continue;
            }
            let given = Given { text: prints[at].whole, page };
            let key = hash_of(&[&ids[at]]);
            let is_known = self.given.get(&key).is_some_and(|known| known.page != page || known.text == given.text);
            if is_known {
                continue;
            }
            self.given.insert(key, given);
            let own = shown.thread.as_ref().and_then(|thread| thread.url.as_deref());
            let own = own.map(|address| thread_id(&without_paging(address)));
            let thread = own.as_deref().unwrap_or(&thread);
            let post = post(origin, shown, Place { ids: &ids, at, site: &site, thread });
            self.count(&post);
            new.push(post);
        }
        new
    }
}

/// Returns the identifier of the thread with this address.
fn thread_id(address: &str) -> String {
    format!("{}:t{:016x}", host(address), hash_of(&[address]))
}

/// Where a post is.
struct Place<'p> {
    ids: &'p [String],
    at: usize,
    site: &'p str,
    thread: &'p str,
}

/// Returns the identifiers of the posts of a page: those of [`super::Site::posts`], unless the site's are unique within
/// a thread only.
fn ids(site: &str, posts: &[PagePost], prints: &[Prints]) -> Vec<String> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let id = |(post, prints): (&PagePost, &Prints)| {
        let own = post.id.as_ref().map(|own| format!("{site}:{own}"));
        let id = own.unwrap_or_else(|| format!("{site}:~{:016x}", hash(site, post, prints)));
        let count = seen.entry(id.clone()).or_default();
        *count += 1;
        if *count == 1 { id } else { format!("{id}~{count}") }
    };
    posts.iter().zip(prints).map(id).collect()
}

fn hash(site: &str, post: &PagePost, prints: &Prints) -> u64 {
    let date = post.date.as_deref().and_then(Moment::parse).map_or_else(String::new, Moment::text);
    let author = post.author.as_deref().map_or("", str::trim);
    prints.hash_with([site, author, &date])
}

fn post(origin: &PageOrigin, shown: &PagePost, place: Place<'_>) -> Post {
    let crawl_time = time_text(origin.crawl_time.as_millisecond());
    let parent_id = match &shown.parent {
        Some(ParentRef::Id(id)) => Some(format!("{}:{id}", place.site)),
        Some(ParentRef::Index(index)) if *index != place.at => place.ids.get(*index).cloned(),
        _ => None,
    };
    Post {
        id: place.ids[place.at].clone(),
        thread_id: place.thread.to_owned(),
        parent_id,
        author: shown.author.clone(),
        author_url: shown.author_url.clone(),
        time: shown.date.clone(),
        edited: shown.edited.clone(),
        title: shown.title.clone(),
        text: shown.text.clone(),
        html: shown.html.clone(),
        url: shown.url.clone(),
        position: place.at as u64 + 1,
        page_url: origin.url.clone(),
        warc_file: origin.warc_file.clone(),
        warc_offset: origin.warc_offset,
        visit: origin.visit.unwrap_or(1),
        cluster: origin.cluster,
        source: shown.source,
        confidence: shown.confidence,
        first_seen: crawl_time.clone(),
        last_seen: crawl_time.clone(),
        crawl_time,
        ..Post::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str, texts: &[&str]) -> (PageOrigin, PageRecords) {
        let post = |text: &&str| PagePost {
            author: Some("ann".to_owned()),
            date: Some("2026-01-01T10:00".to_owned()),
            text: (*text).to_owned(),
            ..PagePost::default()
        };
        let records = PageRecords { posts: texts.iter().map(post).collect(), ..PageRecords::default() };
        (PageOrigin { url: url.to_owned(), ..PageOrigin::default() }, records)
    }

    fn texts(live: &mut LivePosts, (origin, records): (PageOrigin, PageRecords)) -> Vec<String> {
        live.add(&origin, &records).into_iter().map(|post| post.text).collect()
    }

    #[test]
    fn each_post_is_given_out_once_and_again_when_its_page_shows_another_text() {
        let long = "a text that has at least twenty-four letters";
        let edited = format!("{long}, edited");
        let mut live = LivePosts::default();
        let (origin, mut records) = page("http://h/1", &[long, "+1", "+1", "I wonder ...", "cut"]);
        records.posts[4].is_excerpt = true;
        assert_eq!(texts(&mut live, (origin, records)), [long, "+1", "+1", "I wonder ..."]);
        assert!(texts(&mut live, page("http://h/1", &[long, "+1", "+1"])).is_empty());
        assert!(texts(&mut live, page("http://h/2", &[&edited])).is_empty(), "another page may show it differently");
        assert_eq!(texts(&mut live, page("http://h/1", &[&edited])), [edited]);
        assert_eq!((live.len(), live.threads(), live.authors()), (4, 1, 1));
        let time = "2026-01-01T10:00:00".to_owned();
        assert_eq!(live.times(), Some((time.clone(), time)));
    }

    #[test]
    fn what_was_given_out_is_known_from_the_records() {
        let (origin, records) = page("http://h/1", &["one", "two"]);
        let given = LivePosts::default().add(&origin, &records);
        let mut later = LivePosts::default();
        given.iter().for_each(|post| later.note(post));
        assert!(later.add(&origin, &records).is_empty());
    }

    #[test]
    fn identifiers_are_those_of_the_whole_site() {
        let pages = [page("http://h/1", &["one", "one", "a text that has at least twenty-four letters"])];
        let found = super::super::tests::records(&pages);
        let mut expected: Vec<String> = found.posts.into_iter().map(|post| post.id).collect();
        let live = LivePosts::default().add(&pages[0].0, &pages[0].1);
        let mut ids: Vec<String> = live.iter().map(|post| post.id.clone()).collect();
        expected.sort();
        ids.sort();
        assert_eq!(ids, expected);
        assert_eq!(live[0].thread_id, found.threads[0].id);
    }
}
