//! A blog of one user in the style of WordPress: `/2019/04/some-words-12/`, on a host of its own.
//!
//! Its redundant URLs: a reply address for every comment, print views, short links that redirect, and the same posts
//! again by month and by tag. Every blogroll links to the neighbouring blogs, so that all blogs can be reached from
//! any.

mod render;

use super::changes::{Activity, Arrivals};
use super::host::Host;
use super::listing::{dealt, has_page, pages};
use super::path::{Routing, parameter, push, push_page_folder, segments, split, trailing_number};
use super::render::Page;
use super::site::{Facts, Routes, Site};

/// Comments on one page.
const COMMENTS_PER_PAGE: u64 = 20;
/// Maximum number of comments on a post.
const COMMENTS_MOST: u64 = 70;
/// The year of the first posts.
const FIRST_YEAR: u64 = 2008;
/// Maximum number of months of a blog; longer ones have more posts per month.
const MONTHS_MOST: u64 = 180;

/// Comments on a post, and edits of the author page, per day.
const COMMENTS: Activity = Activity { peak: 1.0, half: 1.5, floor: 0.001, spread: 1.0 };
const ABOUT_EDITS: f64 = 0.005;

/// The position of a blog among the blogs of its network.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbours {
    /// Index of the first blog among the world's hosts.
    pub first: u64,
    /// Number of blogs.
    pub count: u64,
    /// The number of this blog.
    pub own: u64,
}

/// The software of one blog.
#[derive(Debug)]
pub(super) struct Blog {
    host: Host,
    neighbours: Neighbours,
    /// Number of posts at the start.
    posts_at_start: u64,
    tags: u64,
    posts_per_month: u64,
}

/// A URL of a blog. Pages and comments are numbered from 1, everything else from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlogRoute {
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
    /// Creates a blog with `posts` posts.
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

    /// Returns the rate of new posts, from daily to less than one per year.
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

    /// Returns the index of an entry in a list of `count`: in a changing site, the latest entry is first.
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

    /// Returns the routes of a post: all of them are linked from the post's own page or from its comment pages.
    fn post_routes(&self, post: u64) -> impl Iterator<Item = BlogRoute> + '_ {
        let comments = if self.is_alive(post) { self.comments(post) } else { 0 };
        let more = (2..=pages(comments, COMMENTS_PER_PAGE)).map(move |page| BlogRoute::Comments { post, page });
        let replies = (1..=comments).map(move |comment| BlogRoute::ReplyTo { post, comment });
        let optional = [BlogRoute::Print(post), BlogRoute::Short(post)].into_iter().chain(replies);
        std::iter::once(BlogRoute::Post(post)).chain(more).chain(optional.filter(|route| self.exists(*route)))
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

    fn guess_post(&self, post: u64, tail: &str, query: &str) -> Option<BlogRoute> {
        if let Some(comment) = parameter(query, "replyto") {
            return Some(BlogRoute::ReplyTo { post, comment: comment.parse().ok()? });
        }
        match tail {
            "" if query.is_empty() => Some(BlogRoute::Post(post)),
            "" => Some(BlogRoute::Print(post)),
            _ => trailing_number(tail, '-').map(|page| BlogRoute::Comments { post, page }),
        }
    }

    fn guess_archive(&self, parts: &[&str], query: &str) -> Option<BlogRoute> {
        let year: u64 = parts.first()?.parse().ok()?;
        let year = year.checked_sub(FIRST_YEAR)?;
        let Some(month) = parts.get(1) else { return Some(BlogRoute::Year(year)) };
        let month = year.checked_mul(12)? + month.parse::<u64>().ok()?.checked_sub(1)?;
        match parts[2..] {
            [] => Some(BlogRoute::Month { month, page: 1 }),
            ["page", page] => page.parse().ok().map(|page| BlogRoute::Month { month, page }),
            [slug] => self.guess_post(trailing_number(slug, '-')?, "", query),
            [slug, tail] => self.guess_post(trailing_number(slug, '-')?, tail, query),
            _ => None,
        }
    }
}

impl Routing for Blog {
    type Route = BlogRoute;

    fn write_path(&self, route: BlogRoute, out: &mut String) {
        match route {
            BlogRoute::Home { page } => {
                out.push('/');
                push_page_folder(out, page);
            }
            BlogRoute::About => out.push_str("/about/"),
            BlogRoute::Feed => out.push_str("/feed/"),
            BlogRoute::Short(post) => {
                out.push_str("/?p=");
                push(out, post);
            }
            BlogRoute::Year(year) => {
                out.push('/');
                push(out, FIRST_YEAR + year);
                out.push('/');
            }
            BlogRoute::Month { month, page } => {
                self.month_folder(month, out);
                push_page_folder(out, page);
            }
            BlogRoute::Tag { tag, page } => {
                out.push_str("/tag/");
                out.push_str(self.tag_word(tag));
                out.push('/');
                push_page_folder(out, page);
            }
            BlogRoute::Post(post) => self.post_folder(post, out),
            BlogRoute::Comments { post, page } => {
                self.post_folder(post, out);
                out.push_str("comment-page-");
                push(out, page);
                out.push('/');
            }
            BlogRoute::ReplyTo { post, comment } => {
                self.post_folder(post, out);
                out.push_str("?replyto=");
                push(out, comment);
            }
            BlogRoute::Print(post) => {
                self.post_folder(post, out);
                out.push_str("?print=1");
            }
        }
    }
}

impl Site for Blog {
    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, BlogRoute> {
        let home = (1..=self.list_pages(self.posts())).map(|page| BlogRoute::Home { page });
        let fixed = [BlogRoute::About, BlogRoute::Feed].into_iter().filter(|route| self.exists(*route));
        let posts = (0..self.posts()).flat_map(|post| self.post_routes(post));
        let years = (0..self.years()).map(BlogRoute::Year);
        let months = (0..self.months()).flat_map(|month| {
            (1..=self.list_pages(self.posts_of_month(month))).map(move |page| BlogRoute::Month { month, page })
        });
        let tags = (0..self.tags)
            .flat_map(|tag| (1..=self.list_pages(self.tag_posts(tag))).map(move |page| BlogRoute::Tag { tag, page }));
        Box::new(home.chain(fixed).chain(posts).chain(years).chain(months).chain(tags))
    }

    fn guess(&self, path_and_query: &str) -> Option<BlogRoute> {
        let (path, query) = split(path_and_query);
        let (parts, count) = segments(path);
        match &parts[..count] {
            [] => Some(match parameter(query, "p") {
                Some(post) => BlogRoute::Short(post.parse().ok()?),
                None => BlogRoute::Home { page: 1 },
            }),
            ["page", page] => page.parse().ok().map(|page| BlogRoute::Home { page }),
            ["about"] => Some(BlogRoute::About),
            ["feed"] => Some(BlogRoute::Feed),
            ["tag", word, rest @ ..] => {
                let tag = (0..self.tags).find(|tag| self.tag_word(*tag) == *word)?;
                let page = rest.get(1).map_or(Some(1), |page| page.parse().ok())?;
                Some(BlogRoute::Tag { tag, page })
            }
            archive => self.guess_archive(archive, query),
        }
    }

    fn exists(&self, route: BlogRoute) -> bool {
        let share = self.host.shape.options.duplicates;
        match route {
            BlogRoute::Home { page } => has_page(page, self.list_pages(self.posts())),
            BlogRoute::About => true,
            BlogRoute::Feed => self.host.shape.options.non_html,
            BlogRoute::Post(post) => post < self.posts(),
            BlogRoute::Comments { post, page } => {
                self.is_alive(post) && page > 1 && has_page(page, pages(self.comments(post), COMMENTS_PER_PAGE))
            }
            BlogRoute::ReplyTo { post, comment } => {
                self.is_alive(post)
                    && has_page(comment, self.comments(post))
                    && self.host.coin("replyto", post << 10 | comment, share)
            }
            BlogRoute::Print(post) => self.is_alive(post) && self.host.coin("print", post, share),
            BlogRoute::Short(post) => {
                self.is_alive(post) && self.host.coin("short", post, self.host.shape.options.redirects)
            }
            BlogRoute::Year(year) => year < self.years(),
            BlogRoute::Month { month, page } => {
                month < self.months() && has_page(page, self.list_pages(self.posts_of_month(month)))
            }
            BlogRoute::Tag { tag, page } => tag < self.tags && has_page(page, self.list_pages(self.tag_posts(tag))),
        }
    }

    fn facts(&self, route: BlogRoute) -> Facts<BlogRoute> {
        match route {
            BlogRoute::Home { .. } => Facts::page("blog:home"),
            BlogRoute::About => Facts::content("blog:about"),
            BlogRoute::Feed => Facts::file("blog:feed", "application/rss+xml"),
            BlogRoute::Post(post) => Facts::content("blog:post").dead_if(!self.is_alive(post)),
            BlogRoute::Comments { .. } => Facts::content("blog:comments"),
            BlogRoute::ReplyTo { post, .. } => {
                Facts::content("blog:replyto").view_of(BlogRoute::Post(post)).disallowed()
            }
            BlogRoute::Print(post) => Facts::content("blog:print").view_of(BlogRoute::Post(post)),
            BlogRoute::Short(post) => Facts::redirect("blog:short_link", 301, BlogRoute::Post(post)),
            BlogRoute::Year(_) => Facts::page("blog:year"),
            BlogRoute::Month { .. } => Facts::page("blog:month"),
            BlogRoute::Tag { .. } => Facts::page("blog:tag"),
        }
    }

    fn render(&self, route: BlogRoute, page: &mut Page<'_>) {
        render::render(self, route, page);
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/*?replyto="]
    }

    fn main_pages(&self) -> u64 {
        self.posts()
    }

    fn main_page(&self, index: u64) -> BlogRoute {
        BlogRoute::Post(index)
    }
}
