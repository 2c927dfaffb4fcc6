//! The items of the site: threads and their posts, users, collections, help topics. All are pure functions of numbers.

use super::super::listing::{dealt, on_page, pages};
use super::{Client, ClientRoute};

/// Maximum number of posts of a thread.
const POSTS_MOST: u64 = 60;
/// Posts of thread t are numbered from t times this.
const POST_NUMBERS: u64 = 100;
/// Number of posts on the page of a user.
const POSTS_OF_USER: usize = 8;
/// Number of the latest replies of each thread among which the posts of a user are sought.
const REPLIES_SOUGHT: u64 = 4;
/// Number of threads of a collection.
const COLLECTED: u64 = 6;
/// A post has this share of the text of a page.
const POSTS_PER_TEXT: usize = 8;

impl Client {
    /// Returns the number of list pages of a forum, at least one.
    pub fn forum_pages(&self, forum: u64) -> u64 {
        pages(self.forum_threads(forum), self.host.shape.per_page()).max(1)
    }

    fn forum_threads(&self, forum: u64) -> u64 {
        dealt(self.threads, self.forums, forum)
    }

    /// Returns the threads on a list page (from 1) of a forum.
    pub fn threads_on(&self, forum: u64, page: u64) -> Vec<u64> {
        let places = on_page(page, self.forum_threads(forum), self.host.shape.per_page());
        places.map(|place| forum + place * self.forums).collect()
    }

    /// Returns the forum of a thread.
    pub const fn forum_of(&self, thread: u64) -> u64 {
        thread % self.forums
    }

    /// Returns the number of posts that one answer holds.
    pub fn posts_per_answer(&self) -> u64 {
        (self.host.shape.per_page() / 2).clamp(2, 10)
    }

    fn post_count(&self, thread: u64) -> u64 {
        if self.is_alive(thread) { 1 + self.host.heavy("posts", thread, POSTS_MOST - 1) } else { 0 }
    }

    /// Returns the posts of a thread; none if it is gone.
    pub fn posts_of(&self, thread: u64) -> Vec<u64> {
        (0..self.post_count(thread)).map(|index| thread * POST_NUMBERS + index).collect()
    }

    /// Returns the thread of a post.
    pub const fn thread_of(post: u64) -> u64 {
        post / POST_NUMBERS
    }

    /// Returns whether a post exists.
    fn has_post(&self, post: u64) -> bool {
        post % POST_NUMBERS < self.post_count(Self::thread_of(post))
    }

    /// Returns the author of a post. Every user starts a thread.
    pub const fn author_of(&self, post: u64) -> u64 {
        (post / POST_NUMBERS + post % POST_NUMBERS) % self.users
    }

    /// Returns the author of the first post of a thread, also if this is gone.
    pub const fn starter_of(&self, thread: u64) -> u64 {
        self.author_of(thread * POST_NUMBERS)
    }

    /// Returns the text of a post.
    pub fn post_text(&self, post: u64) -> String {
        self.text("post", post, self.host.shape.options.page_bytes / POSTS_PER_TEXT)
    }

    /// Returns the text of a help topic.
    pub fn help_text(&self, topic: u64) -> String {
        self.text("help text", topic, self.host.shape.options.page_bytes / POSTS_PER_TEXT)
    }

    /// Returns text of about `bytes` bytes that belongs to an item.
    pub fn text(&self, kind: &str, id: u64, bytes: usize) -> String {
        let mut text = String::new();
        self.host.shape.text.prose(&mut self.host.seed.child(kind).nth(id).rng(), bytes, &mut text);
        text
    }

    /// Returns the title of an item.
    pub fn title(&self, kind: &str, id: u64) -> String {
        let mut title = String::new();
        self.host.title(kind, id, ' ', &mut title);
        title
    }

    /// Returns the title of a page with a title of its own, or the name of the site.
    pub fn title_of(&self, route: ClientRoute) -> String {
        match route {
            ClientRoute::Forum(forum) => self.title("forum", forum),
            ClientRoute::Thread(thread) => self.title("thread", thread),
            ClientRoute::Collection(collection) => self.title("collection", collection),
            ClientRoute::User(user) => self.user_name(user),
            ClientRoute::Home | ClientRoute::About | ClientRoute::Rules | ClientRoute::Help => self.title("site", 0),
        }
    }

    /// Returns the name of a user, which is unique on the site.
    pub fn user_name(&self, user: u64) -> String {
        let mut name = String::new();
        self.host.shape.text.name(self.host.seed.child("name"), user, &mut name);
        format!("{name}-{user}")
    }

    /// Returns the number of a user in requests, which cannot be told from the name.
    pub fn user_id(&self, user: u64) -> u64 {
        self.first_user_id() + user * 13
    }

    /// Returns the user with a number of requests.
    pub fn user_with_id(&self, id: u64) -> Option<u64> {
        let user = id.checked_sub(self.first_user_id())?;
        (user.is_multiple_of(13) && user / 13 < self.users).then_some(user / 13)
    }

    fn first_user_id(&self) -> u64 {
        10_000 + self.host.below("user id", 0, 50_000)
    }

    /// Returns the threads that a user started.
    pub fn topics_of(&self, user: u64) -> Vec<u64> {
        (user..self.threads).step_by(usize::try_from(self.users).unwrap_or(usize::MAX)).collect()
    }

    /// Returns some posts of a user.
    pub fn posts_by(&self, user: u64) -> Vec<u64> {
        let replies = (0..REPLIES_SOUGHT).flat_map(|index| {
            let first = (user + self.users - index % self.users) % self.users;
            self.topics_of(first).into_iter().map(move |thread| thread * POST_NUMBERS + index)
        });
        replies.filter(|post| self.has_post(*post)).take(POSTS_OF_USER).collect()
    }

    /// Returns the threads of a collection.
    pub fn collected(&self, collection: u64) -> Vec<u64> {
        let draws = (0..COLLECTED).map(|at| self.host.below("collected", collection * COLLECTED + at, self.threads));
        let mut threads: Vec<u64> = draws.collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }
}
