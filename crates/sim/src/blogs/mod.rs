//! One user's blog in the style of WordPress: `/2019/04/some-words-12/`, on a host of its own.
//!
//! Its waste: a reply address for every comment, print views, short links that redirect, and the same posts again by
//! month and by tag. Every blog's blogroll links to its neighbours, so that all blogs can be reached from any.

mod render;

use super::changes::{Activity, Arrivals};
use super::listing::{dealt, has_page, pages};
use super::path::{parameter, push, push_page_folder, segments, split, trailing_number};
use super::render::Page;
use super::site::{Facts, Host, Routes, Site};

/// Comments on one page.
const COMMENTS_PER_PAGE: u64 = 20;
/// The most comments a post has.
const COMMENTS_MOST: u64 = 70;
/// The year of the first posts.
const FIRST_YEAR: u64 = 2008;
/// A blog is written for at most so many months; longer ones have more posts a month.
const MONTHS_MOST: u64 = 180;

/// Comments on a post, and edits of the page about the author a day.
const COMMENTS: Activity = Activity { peak: 1.0, half: 1.5, floor: 0.001, spread: 1.0 };
const ABOUT_EDITS: f64 = 0.005;

/// Where a blog stands among the blogs of its network.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbours {
    /// Index of the first blog among the world's hosts.
    pub first: u64,
    /// Number of blogs.
    pub count: u64,
    /// Which of them this is.
    pub own: u64,
}

/// The software of one blog.
#[derive(Debug)]
pub(super) struct Blog {
    host: Host,
    neighbours: Neighbours,
    /// Posts at the start.
    posts_at_start: u64,
    tags: u64,
    posts_per_month: u64,
}

/// A URL of a blog. Pages and comments are numbered from 1, all else from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    Home { page: u64 },
    About,
    Feed,
    Post(u64),
    Comments { post: u64, page: u64 },
    ReplyTo { post: u64, comment: u64 },
    Print(u64),
    Short(u64),
    Year(u64),
    Month { month: u64, page: u64 },
    Tag { tag: u64, page: u64 },
}

impl Blog {
    /// A blog of `posts` posts.
    pub fn new(host: Host, neighbours: Neighbours, posts: u64) -> Self {
        let posts_per_month = (posts / MONTHS_MOST).max(6);
        Self { host, neighbours, posts_at_start: posts, tags: (posts / 10).clamp(3, 30).min(posts), posts_per_month }
    }

    fn months(&self) -> u64 {
        pages(self.posts(), self.posts_per_month)
    }

    fn years(&self) -> u64 {
        pages(self.months(), 12)
    }

    fn posts_of_month(&self, month: u64) -> u64 {
        self.posts_per_month.min(self.posts() - month * self.posts_per_month)
    }

    /// Some write daily, some not once a year.
    fn arrivals(&self) -> Arrivals {
        let draw = self.host.below("pace", 0, 1_000) as f64 / 1_000.0;
        Arrivals { at_start: self.posts_at_start, rate: (3.0 * (draw - 0.75) * 4.0).exp().min(1.5) * 0.5 }
    }

    fn posts(&self) -> u64 {
        self.host.arrived("post", self.arrivals())
    }

    fn comments(&self, post: u64) -> u64 {
        let at_start = if post < self.posts_at_start { self.host.heavy("comments", post, COMMENTS_MOST) } else { 0 };
        if !self.host.changes() {
            return at_start;
        }
        let born = self.host.arrival("post", post, self.arrivals());
        at_start + self.host.happened("comment", post, born, COMMENTS).events
    }

    /// The place of an entry in a list of `count`: where the site changes, the latest comes first.
    fn place(&self, at: u64, count: u64) -> u64 {
        if self.host.changes() { count - 1 - at } else { at }
    }

    fn is_alive(&self, post: u64) -> bool {
        post < self.posts() && !self.host.is_dead("gone", post)
    }

    fn list_pages(&self, items: u64) -> u64 {
        pages(items, self.host.shape.per_page())
    }

    fn tag_posts(&self, tag: u64) -> u64 {
        dealt(self.posts(), self.tags, tag)
    }

    fn tag_word(&self, tag: u64) -> &str {
        self.host.shape.text.nth(self.host.seed.0 % 1_000 + tag)
    }

    /// The routes that a post brings: all of them are linked from the post's own page or from its pages of comments.
    fn post_routes(&self, post: u64) -> impl Iterator<Item = Route> + '_ {
        let comments = if self.is_alive(post) { self.comments(post) } else { 0 };
        let more = (2..=pages(comments, COMMENTS_PER_PAGE)).map(move |page| Route::Comments { post, page });
        let replies = (1..=comments).map(move |comment| Route::ReplyTo { post, comment });
        let optional = [Route::Print(post), Route::Short(post)].into_iter().chain(replies);
        std::iter::once(Route::Post(post)).chain(more).chain(optional.filter(|route| self.exists(*route)))
    }

    fn month_folder(&self, month: u64, out: &mut String) {
        out.push('/');
        push(out, FIRST_YEAR + month / 12);
        out.push_str(if month % 12 < 9 { "/0" } else { "/" });
        push(out, month % 12 + 1);
        out.push('/');
    }

    fn post_folder(&self, post: u64, out: &mut String) {
        self.month_folder(post / self.posts_per_month, out);
        self.host.title("title", post, '-', out);
        out.push('-');
        push(out, post);
        out.push('/');
    }

    fn guess_post(&self, post: u64, tail: &str, query: &str) -> Option<Route> {
        if let Some(comment) = parameter(query, "replyto") {
            return Some(Route::ReplyTo { post, comment: comment.parse().ok()? });
        }
        match tail {
            "" if query.is_empty() => Some(Route::Post(post)),
            "" => Some(Route::Print(post)),
            _ => trailing_number(tail, '-').map(|page| Route::Comments { post, page }),
        }
    }

    fn guess_archive(&self, parts: &[&str], query: &str) -> Option<Route> {
        let year: u64 = parts.first()?.parse().ok()?;
        let year = year.checked_sub(FIRST_YEAR)?;
        let Some(month) = parts.get(1) else { return Some(Route::Year(year)) };
        let month = year.checked_mul(12)? + month.parse::<u64>().ok()?.checked_sub(1)?;
        match parts[2..] {
            [] => Some(Route::Month { month, page: 1 }),
            ["page", page] => page.parse().ok().map(|page| Route::Month { month, page }),
            [slug] => self.guess_post(trailing_number(slug, '-')?, "", query),
            [slug, tail] => self.guess_post(trailing_number(slug, '-')?, tail, query),
            _ => None,
        }
    }
}

impl Site for Blog {
    type Route = Route;

    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, Route> {
        let home = (1..=self.list_pages(self.posts())).map(|page| Route::Home { page });
        let fixed = [Route::About, Route::Feed].into_iter().filter(|route| self.exists(*route));
        let posts = (0..self.posts()).flat_map(|post| self.post_routes(post));
        let years = (0..self.years()).map(Route::Year);
        let months = (0..self.months()).flat_map(|month| {
            (1..=self.list_pages(self.posts_of_month(month))).map(move |page| Route::Month { month, page })
        });
        let tags = (0..self.tags)
            .flat_map(|tag| (1..=self.list_pages(self.tag_posts(tag))).map(move |page| Route::Tag { tag, page }));
        Box::new(home.chain(fixed).chain(posts).chain(years).chain(months).chain(tags))
    }

    fn guess(&self, path_and_query: &str) -> Option<Route> {
        let (path, query) = split(path_and_query);
        let (parts, count) = segments(path);
        match &parts[..count] {
            [] => Some(match parameter(query, "p") {
                Some(post) => Route::Short(post.parse().ok()?),
                None => Route::Home { page: 1 },
            }),
            ["page", page] => page.parse().ok().map(|page| Route::Home { page }),
            ["about"] => Some(Route::About),
            ["feed"] => Some(Route::Feed),
            ["tag", word, rest @ ..] => {
                let tag = (0..self.tags).find(|tag| self.tag_word(*tag) == *word)?;
                let page = rest.get(1).map_or(Some(1), |page| page.parse().ok())?;
                Some(Route::Tag { tag, page })
            }
            archive => self.guess_archive(archive, query),
        }
    }

    fn exists(&self, route: Route) -> bool {
        let share = self.host.shape.options.duplicates;
        match route {
            Route::Home { page } => has_page(page, self.list_pages(self.posts())),
            Route::About => true,
            Route::Feed => self.host.shape.options.non_html,
            Route::Post(post) => post < self.posts(),
            Route::Comments { post, page } => {
                self.is_alive(post) && page > 1 && has_page(page, pages(self.comments(post), COMMENTS_PER_PAGE))
            }
            Route::ReplyTo { post, comment } => {
                self.is_alive(post)
                    && has_page(comment, self.comments(post))
                    && self.host.coin("replyto", post << 10 | comment, share)
            }
            Route::Print(post) => self.is_alive(post) && self.host.coin("print", post, share),
            Route::Short(post) => {
                self.is_alive(post) && self.host.coin("short", post, self.host.shape.options.redirects)
            }
            Route::Year(year) => year < self.years(),
            Route::Month { month, page } => {
                month < self.months() && has_page(page, self.list_pages(self.posts_of_month(month)))
            }
            Route::Tag { tag, page } => tag < self.tags && has_page(page, self.list_pages(self.tag_posts(tag))),
        }
    }

    fn write_path(&self, route: Route, out: &mut String) {
        match route {
            Route::Home { page } => {
                out.push('/');
                push_page_folder(out, page);
            }
            Route::About => out.push_str("/about/"),
            Route::Feed => out.push_str("/feed/"),
            Route::Short(post) => {
                out.push_str("/?p=");
                push(out, post);
            }
            Route::Year(year) => {
                out.push('/');
                push(out, FIRST_YEAR + year);
                out.push('/');
            }
            Route::Month { month, page } => {
                self.month_folder(month, out);
                push_page_folder(out, page);
            }
            Route::Tag { tag, page } => {
                out.push_str("/tag/");
                out.push_str(self.tag_word(tag));
                out.push('/');
                push_page_folder(out, page);
            }
            Route::Post(post) => self.post_folder(post, out),
            Route::Comments { post, page } => {
                self.post_folder(post, out);
                out.push_str("comment-page-");
                push(out, page);
                out.push('/');
            }
            Route::ReplyTo { post, comment } => {
                self.post_folder(post, out);
                out.push_str("?replyto=");
                push(out, comment);
            }
            Route::Print(post) => {
                self.post_folder(post, out);
                out.push_str("?print=1");
            }
        }
    }

    fn facts(&self, route: Route) -> Facts<Route> {
        match route {
            Route::Home { .. } => Facts::page("blog:home"),
            Route::About => Facts::content("blog:about"),
            Route::Feed => Facts::file("blog:feed", "application/rss+xml"),
            Route::Post(post) => Facts::content("blog:post").dead_if(!self.is_alive(post)),
            Route::Comments { .. } => Facts::content("blog:comments"),
            Route::ReplyTo { post, .. } => Facts::content("blog:replyto").view_of(Route::Post(post)).disallowed(),
            Route::Print(post) => Facts::content("blog:print").view_of(Route::Post(post)),
            Route::Short(post) => Facts::redirect("blog:short_link", 301, Route::Post(post)),
            Route::Year(_) => Facts::page("blog:year"),
            Route::Month { .. } => Facts::page("blog:month"),
            Route::Tag { .. } => Facts::page("blog:tag"),
        }
    }

    fn render(&self, route: Route, page: &mut Page<'_>) {
        render::render(self, route, page);
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/*?replyto="]
    }

    fn main_pages(&self) -> u64 {
        self.posts()
    }

    fn main_page(&self, index: u64) -> Route {
        Route::Post(index)
    }
}
