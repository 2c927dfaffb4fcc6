//! A bulletin board in the style of XenForo and phpBB: `/threads/some-words.12/page-3`.
//!
//! Its redundant URLs are those of real boards: post permalinks that show the whole thread page, member lists in
//! several orders, log-in and reply forms for every thread, redirects to the latest post.

mod render;

use super::changes::{Activity, Arrivals, Happened};
use super::host::Host;
use super::listing::{dealt, has_page, pages};
use super::path::{Routing, page_number, parameter, push, push_page, segments, split, trailing_number};
use super::render::Page;
use super::site::{Facts, Routes, Site};

/// Posts on one page of a thread.
const POSTS_PER_PAGE: u64 = 10;
/// Maximum number of posts of a thread.
const POSTS_MOST: u64 = 150;
/// Static pages in the footer.
const INFO: [&str; 4] = ["terms", "privacy", "rules", "about"];
/// Names of the additional sort orders of the member list, without the default.
const ORDERS: [&str; 2] = ["posts", "name"];

/// Replies to a thread, and edits of a profile, per day.
const REPLIES: Activity = Activity { peak: 1.5, half: 2.0, floor: 0.001, spread: 1.2 };
const PROFILE_EDITS: f64 = 0.002;

/// The software of one forum.
#[derive(Debug)]
pub(super) struct Forum {
    host: Host,
    /// Number of threads at the start.
    threads_at_start: u64,
    boards: u64,
    members: u64,
}

/// A URL of a forum. Pages and posts are numbered from 1, everything else from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ForumRoute {
    Index,
    Info(u64),
    Login,
    LoginFor(u64),
    Register,
    Board { board: u64, page: u64 },
    Thread { thread: u64, page: u64 },
    Post { thread: u64, post: u64 },
    Latest(u64),
    Reply(u64),
    Session(u64),
    Members { order: u64, page: u64 },
    Member(u64),
    MemberThreads { member: u64, page: u64 },
}

impl Forum {
    /// Creates a forum with `threads` threads.
    pub fn new(host: Host, threads: u64) -> Self {
        Self { host, threads_at_start: threads, boards: (threads / 40).clamp(1, 40), members: threads / 3 + 3 }
    }

    fn arrivals(&self) -> Arrivals {
        Arrivals { at_start: self.threads_at_start, rate: self.threads_at_start as f64 * 0.004 }
    }

    fn threads(&self) -> u64 {
        self.host.arrived("thread", self.arrivals())
    }

    fn replies(&self, thread: u64) -> Happened {
        let born = self.host.arrival("thread", thread, self.arrivals());
        self.host.happened("reply", thread, born, REPLIES)
    }

    fn posts(&self, thread: u64) -> u64 {
        let later = if self.host.changes() { self.replies(thread).events } else { 0 };
        if thread < self.threads_at_start { self.posts_at_start(thread) + later } else { 1 + later }
    }

    /// Returns the threads of a board in the order of its list: in a changing site, the last active one is first.
    fn listed(&self, board: u64) -> Vec<u64> {
        let mut threads: Vec<u64> = (board..self.threads()).step_by(self.boards as usize).collect();
        if self.host.changes() {
            let last = |thread: &u64| self.replies(*thread).last;
            threads.sort_by_cached_key(|thread| std::cmp::Reverse((last(thread) * 1e6) as i64));
        }
        threads
    }

    fn posts_at_start(&self, thread: u64) -> u64 {
        1 + self.host.heavy("posts", thread, POSTS_MOST / 3) * (1 + self.host.below("long", thread, 3))
    }

    fn thread_pages(&self, thread: u64) -> u64 {
        pages(self.posts(thread), POSTS_PER_PAGE)
    }

    fn is_dead(&self, thread: u64) -> bool {
        self.host.is_dead("gone", thread)
    }

    fn has_permalink(&self, thread: u64, post: u64) -> bool {
        self.host.coin("permalink", thread << 10 | post, self.host.shape.options.duplicates)
    }

    fn has_latest(&self, thread: u64) -> bool {
        !self.is_dead(thread) && self.host.coin("latest", thread, self.host.shape.options.redirects)
    }

    fn has_session(&self, thread: u64) -> bool {
        let options = &self.host.shape.options;
        options.session_ids && !self.is_dead(thread) && self.host.coin("session", thread, options.duplicates)
    }

    fn has_login_for(&self, thread: u64) -> bool {
        !self.is_dead(thread) && self.host.coin("login", thread, self.host.shape.options.duplicates)
    }

    fn board_threads(&self, board: u64) -> u64 {
        dealt(self.threads(), self.boards, board)
    }

    fn board_pages(&self, board: u64) -> u64 {
        pages(self.board_threads(board), self.host.shape.per_page())
    }

    fn members_pages(&self) -> u64 {
        pages(self.members, self.host.shape.per_page())
    }

    fn member_threads_pages(&self, member: u64) -> u64 {
        pages(dealt(self.threads(), self.members, member), self.host.shape.per_page())
    }

    /// Returns the routes of a thread: all of them are linked from its row in the board or from its own pages.
    fn thread_routes(&self, thread: u64) -> impl Iterator<Item = ForumRoute> + '_ {
        let alive = !self.is_dead(thread);
        let posts = if alive { self.posts(thread) } else { 0 };
        let shown = if alive { self.thread_pages(thread) } else { 1 };
        let single = [
            ForumRoute::Latest(thread),
            ForumRoute::Reply(thread),
            ForumRoute::LoginFor(thread),
            ForumRoute::Session(thread),
        ]
        .into_iter();
        let permalinks = (1..=posts).map(move |post| ForumRoute::Post { thread, post });
        let optional = single.chain(permalinks).filter(|route| self.exists(*route));
        (1..=shown).map(move |page| ForumRoute::Thread { thread, page }).chain(optional)
    }

    fn member_routes(&self, member: u64) -> impl Iterator<Item = ForumRoute> + '_ {
        let lists = (1..=self.member_threads_pages(member)).map(move |page| ForumRoute::MemberThreads { member, page });
        std::iter::once(ForumRoute::Member(member)).chain(lists)
    }

    fn thread_folder(&self, thread: u64, out: &mut String) {
        out.push_str("/threads/");
        self.host.title("thread", thread, '-', out);
        out.push('.');
        push(out, thread);
        out.push('/');
    }

    fn member_folder(&self, member: u64, out: &mut String) {
        out.push_str("/members/");
        self.host.shape.text.name(self.host.seed.child("name"), member, out);
        out.push('.');
        push(out, member);
        out.push('/');
    }

    fn session(&self) -> u64 {
        self.host.seed.child("session").0
    }

    fn guess_thread(&self, thread: u64, tail: &str, query: &str) -> Option<ForumRoute> {
        match tail {
            "" if query.starts_with("sid=") => Some(ForumRoute::Session(thread)),
            "" => Some(ForumRoute::Thread { thread, page: 1 }),
            "latest" => Some(ForumRoute::Latest(thread)),
            "reply" => Some(ForumRoute::Reply(thread)),
            _ => {
                let number = trailing_number(tail, '-')?;
                Some(if tail.starts_with("page") {
                    ForumRoute::Thread { thread, page: number }
                } else {
                    ForumRoute::Post { thread, post: number }
                })
            }
        }
    }

    fn guess_login(query: &str) -> Option<ForumRoute> {
        match parameter(query, "next") {
            None => Some(ForumRoute::Login),
            Some(next) => trailing_number(next.strip_suffix("%2F")?, '.').map(ForumRoute::LoginFor),
        }
    }
}

impl Routing for Forum {
    type Route = ForumRoute;

    fn write_path(&self, route: ForumRoute, out: &mut String) {
        match route {
            ForumRoute::Index => out.push('/'),
            ForumRoute::Login => out.push_str("/login"),
            ForumRoute::Register => out.push_str("/register"),
            ForumRoute::Info(at) => {
                out.push_str("/help/");
                out.push_str(INFO[at as usize]);
            }
            ForumRoute::LoginFor(thread) => {
                out.push_str("/login?next=%2Fthreads%2F");
                self.host.title("thread", thread, '-', out);
                out.push('.');
                push(out, thread);
                out.push_str("%2F");
            }
            ForumRoute::Board { board, page } => {
                out.push_str("/boards/");
                self.host.title("board", board, '-', out);
                out.push('.');
                push(out, board);
                out.push('/');
                push_page(out, '?', page);
            }
            ForumRoute::Members { order, page } => {
                out.push_str("/members/");
                if order > 0 {
                    out.push_str("?sort=");
                    out.push_str(ORDERS[order as usize - 1]);
                }
                push_page(out, if order > 0 { '&' } else { '?' }, page);
            }
            ForumRoute::Member(member) => self.member_folder(member, out),
            ForumRoute::MemberThreads { member, page } => {
                self.member_folder(member, out);
                out.push_str("threads");
                push_page(out, '?', page);
            }
            ForumRoute::Thread { thread, .. }
            | ForumRoute::Post { thread, .. }
            | ForumRoute::Latest(thread)
            | ForumRoute::Reply(thread)
            | ForumRoute::Session(thread) => {
                self.thread_folder(thread, out);
                self.write_thread_tail(route, out);
            }
        }
    }
}

impl Site for Forum {
    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, ForumRoute> {
        let fixed = [ForumRoute::Index, ForumRoute::Login, ForumRoute::Register].into_iter();
        let info = (0..INFO.len() as u64).map(ForumRoute::Info);
        let boards = (0..self.boards)
            .flat_map(|board| (1..=self.board_pages(board)).map(move |page| ForumRoute::Board { board, page }));
        let threads = (0..self.threads()).flat_map(|thread| self.thread_routes(thread));
        let lists = (0..=self.host.shape.sort_orders())
            .flat_map(|order| (1..=self.members_pages()).map(move |page| ForumRoute::Members { order, page }));
        let members = (0..self.members).flat_map(|member| self.member_routes(member));
        Box::new(fixed.chain(info).chain(boards).chain(threads).chain(lists).chain(members))
    }

    fn guess(&self, path_and_query: &str) -> Option<ForumRoute> {
        let (path, query) = split(path_and_query);
        let (parts, count) = segments(path);
        let page = page_number(query);
        match (&parts[..count], parts[1]) {
            ([], _) => Some(ForumRoute::Index),
            (["register"], _) => Some(ForumRoute::Register),
            (["login"], _) => Self::guess_login(query),
            (["help", _], name) => INFO.iter().position(|info| *info == name).map(|at| ForumRoute::Info(at as u64)),
            (["boards", _], name) => trailing_number(name, '.').map(|board| ForumRoute::Board { board, page }),
            (["threads", _, ..], name) => self.guess_thread(trailing_number(name, '.')?, parts[2], query),
            (["members"], _) => {
                let order = parameter(query, "sort").and_then(|sort| ORDERS.iter().position(|order| *order == sort));
                Some(ForumRoute::Members { order: order.map_or(0, |at| at as u64 + 1), page })
            }
            (["members", _], name) => trailing_number(name, '.').map(ForumRoute::Member),
            (["members", _, "threads"], name) => {
                trailing_number(name, '.').map(|member| ForumRoute::MemberThreads { member, page })
            }
            _ => None,
        }
    }

    fn exists(&self, route: ForumRoute) -> bool {
        let alive = |thread: u64| thread < self.threads() && !self.is_dead(thread);
        match route {
            ForumRoute::Index | ForumRoute::Login | ForumRoute::Register => true,
            ForumRoute::Info(at) => at < INFO.len() as u64,
            ForumRoute::Board { board, page } => board < self.boards && has_page(page, self.board_pages(board)),
            ForumRoute::Thread { thread, page: 1 } => thread < self.threads(),
            ForumRoute::Thread { thread, page } => alive(thread) && has_page(page, self.thread_pages(thread)),
            ForumRoute::Post { thread, post } => {
                alive(thread) && has_page(post, self.posts(thread)) && self.has_permalink(thread, post)
            }
            ForumRoute::Latest(thread) => thread < self.threads() && self.has_latest(thread),
            ForumRoute::Reply(thread) => alive(thread),
            ForumRoute::LoginFor(thread) => thread < self.threads() && self.has_login_for(thread),
            ForumRoute::Session(thread) => thread < self.threads() && self.has_session(thread),
            ForumRoute::Members { order, page } => {
                order <= self.host.shape.sort_orders() && has_page(page, self.members_pages())
            }
            ForumRoute::Member(member) => member < self.members,
            ForumRoute::MemberThreads { member, page } => {
                member < self.members && has_page(page, self.member_threads_pages(member))
            }
        }
    }

    fn facts(&self, route: ForumRoute) -> Facts<ForumRoute> {
        match route {
            ForumRoute::Index => Facts::page("forum:index"),
            ForumRoute::Info(_) => Facts::page("forum:info"),
            ForumRoute::Login => Facts::page("forum:login").disallowed(),
            ForumRoute::LoginFor(_) => Facts::page("forum:login").view_of(ForumRoute::Login).disallowed(),
            ForumRoute::Register => Facts::page("forum:register").disallowed(),
            ForumRoute::Board { .. } => Facts::page("forum:board"),
            ForumRoute::Thread { thread, .. } => Facts::content("forum:thread").dead_if(self.is_dead(thread)),
            ForumRoute::Post { thread, post } => {
                let page = (post - 1) / POSTS_PER_PAGE + 1;
                Facts::content("forum:post_permalink").view_of(ForumRoute::Thread { thread, page })
            }
            ForumRoute::Latest(thread) => {
                let last = ForumRoute::Thread { thread, page: self.thread_pages(thread) };
                Facts::redirect("forum:latest", 302, last)
            }
            ForumRoute::Reply(_) => Facts::page("forum:reply").disallowed(),
            ForumRoute::Session(thread) => {
                Facts::content("forum:thread_session").view_of(ForumRoute::Thread { thread, page: 1 })
            }
            ForumRoute::Members { order: 0, .. } => Facts::page("forum:members"),
            ForumRoute::Members { page, .. } => {
                Facts::page("forum:members_sorted").view_of(ForumRoute::Members { order: 0, page }).disallowed()
            }
            ForumRoute::Member(_) => Facts::content("forum:member"),
            ForumRoute::MemberThreads { .. } => Facts::page("forum:member_threads"),
        }
    }

    fn render(&self, route: ForumRoute, page: &mut Page<'_>) {
        render::render(self, route, page);
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/login", "/register", "/members/?sort=", "/threads/*/reply"]
    }

    fn main_pages(&self) -> u64 {
        self.threads()
    }

    fn main_page(&self, index: u64) -> ForumRoute {
        ForumRoute::Thread { thread: index, page: 1 }
    }
}

impl Forum {
    fn write_thread_tail(&self, route: ForumRoute, out: &mut String) {
        match route {
            ForumRoute::Thread { page, .. } if page > 1 => {
                out.push_str("page-");
                push(out, page);
            }
            ForumRoute::Post { post, .. } => {
                out.push_str("post-");
                push(out, post);
            }
            ForumRoute::Latest(_) => out.push_str("latest"),
            ForumRoute::Reply(_) => out.push_str("reply"),
            ForumRoute::Session(_) => {
                out.push_str("?sid=");
                push(out, self.session());
            }
            _ => {}
        }
    }
}
