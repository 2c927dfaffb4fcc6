//! Makes records of the posts of a site and the texts that were stored.

use std::collections::HashSet;

use jiff::Timestamp;

use super::address::host;
use super::collector::Collector;
use super::excerpts::{Quote, contains};
use super::parents::{NONE, answers};
use super::prints::hash_of;
use super::records::{Post, PostVersion, Thread, User};
use super::site_posts::{Grouped, SitePost, group_posts};
use crate::records::{PagePost, ParentRef};

/// Maximum length of an identifier of a site that is used as it is.
const ID_BYTES_MAX: usize = 200;
/// Maximum number of sightings of a post that are read for fields that its best version lacks.
const OTHERS_MAX: usize = 8;
/// Maximum number of posts that are read to find the one that a quote is from.
const QUOTED_MAX: usize = 200;

/// All that pages show of the posts, threads and users of a site, or several.
#[derive(Debug, Default)]
pub struct Site {
    collected: Collector,
    grouped: Grouped,
    users: Vec<User>,
}

/// Where the posts of pages are stored: returns the post at a place that was given to [`Collector::add`].
pub trait PostStore {
    /// Why a post cannot be read.
    type Error;

    /// Reads a post.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    fn post(&mut self, place: u64) -> Result<PagePost, Self::Error>;
}

impl Collector {
    /// Finds out which posts are the same. The result does not depend on the order in which pages were added.
    pub fn finish(mut self) -> Site {
        let grouped = group_posts(&mut self);
        let mut users = std::mem::take(&mut self.users);
        for post in &grouped.posts {
            let sightings = grouped.members_of(post).iter().map(|at| &self.sightings[*at as usize]);
            let page = &self.pages[self.sightings[grouped.members_of(post)[0] as usize].page as usize];
            let (mut url, mut name) = (0, 0);
            for sighting in sightings {
                url = if url == 0 { sighting.author_url } else { url };
                name = if name == 0 { sighting.author } else { name };
            }
            users.count_post(page.host, url, name);
        }
        let users = users.finish(&self.names, &host);
        Site { collected: self, grouped, users }
    }
}

impl Site {
    /// Returns the number of posts.
    pub fn len(&self) -> usize {
        self.grouped.posts.len()
    }

    /// Returns whether there are no posts.
    pub fn is_empty(&self) -> bool {
        self.grouped.posts.is_empty()
    }

    /// Returns for each post, in the order of [`Site::posts`], the places that were given to [`Collector::add`] for it.
    pub fn places(&self) -> impl Iterator<Item = impl Iterator<Item = u64> + '_> + '_ {
        self.grouped.posts.iter().map(|post| {
            let members = self.grouped.members_of(post).iter();
            members.map(|at| self.collected.sightings[*at as usize].place)
        })
    }

    /// Returns the users, sorted by host and name.
    pub fn users(&self) -> &[User] {
        &self.users
    }

    /// Returns the threads, sorted by address.
    pub fn threads(&self) -> impl Iterator<Item = Thread> + '_ {
        self.grouped.posts.chunk_by(|one, other| one.thread == other.thread).map(|posts| self.thread(posts))
    }

    fn thread(&self, posts: &[SitePost]) -> Thread {
        let told = self.collected.threads.get(&posts[0].thread);
        let times = posts.iter().filter_map(|post| {
            self.grouped.members_of(post).iter().find_map(|at| self.collected.sightings[*at as usize].moment)
        });
        let (mut first, mut last) = (None, None);
        for time in times {
            first = Some(first.map_or(time, |first: super::moment::Moment| first.min(time)));
            last = last.max(Some(time));
        }
        Thread {
            id: self.thread_id(&posts[0]),
            url: self.collected.names.text(posts[0].thread).to_owned(),
            title: told.and_then(|told| told.title.clone()),
            forums: told.map(|told| told.forums.clone()).unwrap_or_default(),
            tags: told.map(|told| told.tags.clone()).unwrap_or_default(),
            posts: posts.len() as u64,
            first_time: first.map(super::moment::Moment::text),
            last_time: last.map(super::moment::Moment::text),
        }
    }

    fn thread_id(&self, post: &SitePost) -> String {
        let address = self.collected.names.text(post.thread);
        format!("{}:t{:016x}", host(address), hash_of(&[address]))
    }

    /// Calls `each` with all posts, sorted by the address of their thread and their place in it.
    ///
    /// # Errors
    ///
    /// Those of `store` and of `each`.
    pub fn posts<S: PostStore, E: From<S::Error>>(
        &mut self,
        store: &mut S,
        each: &mut dyn FnMut(Post) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut start = 0;
        while start < self.grouped.posts.len() {
            let thread = self.grouped.posts[start].thread;
            let count = self.grouped.posts[start..].iter().take_while(|post| post.thread == thread).count();
            for number in start..start + count {
                let post = self.post(store, start, number)?;
                each(post)?;
            }
            start += count;
        }
        Ok(())
    }

    /// Returns the post with a number. `start` is the number of the first post of its thread.
    fn post<S: PostStore>(&mut self, store: &mut S, start: usize, number: usize) -> Result<Post, S::Error> {
        let merged = self.merged(store, number)?;
        if self.grouped.parents[number] == NONE
            && let Some(ParentRef::Quote { author, text }) = &merged.parent
        {
            let quote = Quote::of(author.as_deref(), text);
            self.grouped.parents[number] = self.quoted(store, start, number, &quote)?;
        }
        let parent = self.grouped.parents[number];
        let parent_id = if parent == NONE { None } else { Some(self.id(store, parent as usize)?) };
        let post = &self.grouped.posts[number];
        let answered = self.grouped.posts.get(parent as usize).filter(|answered| answered.thread != post.thread);
        let best = self.grouped.members_of(post)[0];
        let sighting = &self.collected.sightings[best as usize];
        let page = &self.collected.pages[sighting.page as usize];
        let names = &self.collected.names;
        let (first_seen, last_seen) = self.seen(post);
        Ok(Post {
            id: self.id(store, number)?,
            thread_id: self.thread_id(post),
            parent_id,
            parent_thread_id: answered.map(|answered| self.thread_id(answered)),
            author: merged.author,
            author_url: merged.author_url,
            time: merged.date,
            edited: merged.edited,
            title: merged.title,
            text: merged.text,
            html: merged.html,
            url: merged.url,
            position: u64::from(post.position),
            is_excerpt: merged.is_excerpt,
            page_url: names.text(page.url).to_owned(),
            warc_file: names.get(page.warc_file).map(str::to_owned),
            warc_offset: page.warc_offset,
            crawl_time: time_text(page.crawl_time),
            visit: page.visit,
            cluster: page.cluster,
            source: merged.source,
            confidence: merged.confidence,
            first_seen: time_text(first_seen),
            last_seen: time_text(last_seen),
            is_gone: self.is_gone(post, last_seen),
            versions: self.versions(store, post)?,
        })
    }

    /// Returns the best version of a post, with the fields that it lacks from other versions.
    fn merged<S: PostStore>(&self, store: &mut S, number: usize) -> Result<PagePost, S::Error> {
        let members = self.grouped.members_of(&self.grouped.posts[number]);
        let mut merged = store.post(self.collected.sightings[members[0] as usize].place)?;
        for at in members.iter().skip(1).take(OTHERS_MAX) {
            let is_whole = merged.author.is_some() && merged.author_url.is_some() && merged.date.is_some();
            if is_whole && merged.url.is_some() && merged.parent.is_some() && merged.title.is_some() {
                break;
            }
            let other = store.post(self.collected.sightings[*at as usize].place)?;
            merged.author = merged.author.or(other.author);
            merged.author_url = merged.author_url.or(other.author_url);
            merged.date = merged.date.or(other.date);
            merged.edited = merged.edited.or(other.edited);
            merged.title = merged.title.or(other.title);
            merged.url = merged.url.or(other.url);
            merged.parent = merged.parent.or(other.parent);
        }
        Ok(merged)
    }

    fn id<S: PostStore>(&self, store: &mut S, number: usize) -> Result<String, S::Error> {
        let post = &self.grouped.posts[number];
        let best = &self.collected.sightings[self.grouped.members_of(post)[0] as usize];
        let site = self.collected.names.text(self.collected.pages[best.page as usize].host);
        let mut id = format!("{site}:~{:016x}", post.hash);
        if let Some(sighting) = self.collected.sightings.get(post.identified_by as usize)
            && let Some(own) = store.post(sighting.place)?.id.filter(|own| own.len() <= ID_BYTES_MAX)
        {
            // One that is unique within its thread only was replaced.
            let is_unique = hash_of(&[site, &own]) == sighting.id;
            id = if is_unique { format!("{site}:{own}") } else { format!("{site}:{own}~{:016x}", sighting.id) };
        }
        if post.repetition > 0 {
            id.push_str(&format!("~{}", post.repetition + 1));
        }
        Ok(id)
    }

    /// Returns the latest earlier post of the thread by the author that is quoted, with the text that is quoted.
    fn quoted<S: PostStore>(&self, store: &mut S, start: usize, number: usize, quote: &Quote) -> Result<u32, S::Error> {
        if !quote.is_usable() {
            return Ok(NONE);
        }
        let author = quote.author.as_deref().map(|author| self.collected.names.find(author));
        let mut read = 0;
        for earlier in (start..number).rev() {
            let post = &self.grouped.posts[earlier];
            let best = &self.collected.sightings[self.grouped.members_of(post)[0] as usize];
            if author.is_some_and(|author| author != Some(best.author)) || best.prints.length < quote.length() {
                continue;
            }
            read += 1;
            if read > QUOTED_MAX {
                break;
            }
            let is_it = contains(&store.post(best.place)?.text, quote);
            if is_it && !answers(&self.grouped.parents, earlier as u32, number as u32) {
                return Ok(earlier as u32);
            }
        }
        Ok(NONE)
    }

    fn seen(&self, post: &SitePost) -> (i64, i64) {
        let times = self.grouped.members_of(post).iter().map(|at| {
            let page = self.collected.sightings[*at as usize].page;
            let page = &self.collected.pages[page as usize];
            (page.crawl_time, page.confirmed)
        });
        times.fold((i64::MAX, i64::MIN), |(first, last), (time, confirmed)| (first.min(time), last.max(confirmed)))
    }

    /// Returns whether a page that showed the post last was fetched again, with other posts.
    fn is_gone(&self, post: &SitePost, last_seen: i64) -> bool {
        let pages = &self.collected.pages;
        let members = self.grouped.members_of(post).iter();
        let on_pages = members.filter(|at| !self.collected.sightings[**at as usize].is_feed);
        on_pages.into_iter().any(|at| {
            let shown = self.collected.sightings[*at as usize].page as usize;
            let later = pages[shown + 1..].iter().take_while(|page| page.url == pages[shown].url);
            later.filter(|page| page.posts > 0).any(|page| page.crawl_time > last_seen)
        })
    }

    /// Returns the versions of a post, by the visits to the page that its best version is from.
    fn versions<S: PostStore>(&self, store: &mut S, post: &SitePost) -> Result<Vec<PostVersion>, S::Error> {
        let sightings = &self.collected.sightings;
        let members = self.grouped.members_of(post);
        let page = |at: u32| &self.collected.pages[sightings[at as usize].page as usize];
        let url = page(members[0]).url;
        let on_page = |at: &u32| page(*at).url == url && !sightings[*at as usize].is_excerpt;
        let mut visits: Vec<u32> = members.iter().copied().filter(on_page).collect();
        let texts: HashSet<u64> = visits.iter().map(|at| sightings[*at as usize].prints.whole).collect();
        if texts.len() < 2 {
            return Ok(Vec::new());
        }
        visits.sort_by_key(|at| (page(*at).crawl_time, *at));
        let mut versions = Vec::new();
        for run in visits
            .chunk_by(|one, other| sightings[*one as usize].prints.whole == sightings[*other as usize].prints.whole)
        {
            let last = run[run.len() - 1];
            versions.push(PostVersion {
                first_seen: time_text(page(run[0]).crawl_time),
                last_seen: time_text(page(last).confirmed),
                text: store.post(sightings[last as usize].place)?.text,
            });
        }
        Ok(versions)
    }
}

/// Returns a time as RFC 3339.
pub(super) fn time_text(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds).map(|time| time.to_string()).unwrap_or_default()
}
