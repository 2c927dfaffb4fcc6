//! The page templates of the forum.

use super::super::listing::{on_page, sorted};
use super::super::render::Page;
use super::super::site::Site as _;
use super::{Forum, ForumRoute, INFO, ORDERS, POSTS_PER_PAGE};

/// Writes the page of `route`.
pub(super) fn render(forum: &Forum, route: ForumRoute, page: &mut Page<'_>) {
    match route {
        ForumRoute::Index => index(forum, page),
        ForumRoute::Info(at) => info(forum, at, page),
        ForumRoute::Login | ForumRoute::LoginFor(_) | ForumRoute::Register => form(forum, route, page),
        ForumRoute::Reply(thread) => reply(forum, thread, page),
        ForumRoute::Board { board, page: number } => self::board(forum, board, number, page),
        ForumRoute::Thread { thread, page: number } => self::thread(forum, thread, number, page),
        ForumRoute::Post { thread, post } => self::thread(forum, thread, (post - 1) / POSTS_PER_PAGE + 1, page),
        ForumRoute::Session(thread) | ForumRoute::Latest(thread) => self::thread(forum, thread, 1, page),
        ForumRoute::Members { order, page: number } => members(forum, order, number, page),
        ForumRoute::Member(member) => profile(forum, member, page),
        ForumRoute::MemberThreads { member, page: number } => member_threads(forum, member, number, page),
    }
}

/// Writes head, navigation bar and breadcrumbs.
fn open(forum: &Forum, page: &mut Page<'_>, class: &str, title: impl Fn(&mut Page<'_>)) {
    page.head(&title, class);
    page.raw("<div id=\"header\"><h1>");
    page.link(forum, ForumRoute::Index, "logo", "Forum");
    page.raw("</h1>\n<ul class=\"nav\">\n");
    page.item(forum, ForumRoute::Index, "navlink", |page| page.raw("Boards"));
    page.item(forum, ForumRoute::Members { order: 0, page: 1 }, "navlink", |page| page.raw("Members"));
    page.item(forum, ForumRoute::Login, "navlink login", |page| page.raw("Log in"));
    page.item(forum, ForumRoute::Register, "navlink register", |page| page.raw("Register"));
    page.raw("</ul></div>\n<div class=\"breadcrumb\">");
    page.link(forum, ForumRoute::Index, "crumb", "Home");
    page.raw(" &raquo; <span>");
    title(page);
    page.raw("</span></div>\n<div id=\"content\">\n");
}

/// Writes sidebar and footer.
fn close(forum: &Forum, page: &mut Page<'_>) {
    page.raw("</div>\n<div id=\"sidebar\"><h3>Latest threads</h3><ul class=\"latest\">\n");
    for _ in 0..forum.host.shape.aside() {
        let thread = page.draw(forum.threads_at_start);
        page.item(forum, ForumRoute::Thread { thread, page: 1 }, "", |page| page.title("thread", thread));
    }
    page.raw("</ul></div>\n<div id=\"footer\"><p>");
    for (at, name) in INFO.iter().enumerate() {
        page.link(forum, ForumRoute::Info(at as u64), "", name);
        page.raw(" &middot; ");
    }
    page.raw("Powered by a simulator &copy;</p>\n");
    page.network(1);
    page.raw("</div>\n</body></html>\n");
}

fn index(forum: &Forum, page: &mut Page<'_>) {
    open(forum, page, "index", |page| page.raw("Forum index"));
    page.raw("<table class=\"boards\"><tbody>\n");
    for board in 0..forum.boards {
        page.raw("<tr><td class=\"icon\"></td><td class=\"board\"><h2>");
        page.link_with(forum, ForumRoute::Board { board, page: 1 }, "boardtitle", |page| page.title("board", board));
        page.raw("</h2><p>");
        page.prose("about", board, 60);
        page.raw("</p></td><td class=\"count\">");
        page.number(forum.board_threads(board));
        page.raw("</td><td class=\"last\">");
        let last = if forum.host.changes() { forum.listed(board)[0] } else { board };
        page.link_with(forum, ForumRoute::Thread { thread: last, page: 1 }, "lastthread", |page| {
            page.title("thread", last)
        });
        page.raw("</td></tr>\n");
    }
    page.raw("</tbody></table>\n");
    close(forum, page);
}

fn board(forum: &Forum, board: u64, number: u64, page: &mut Page<'_>) {
    open(forum, page, "forumdisplay", |page| page.title("board", board));
    let pager = |page: &mut Page<'_>| {
        let route = |page| ForumRoute::Board { board, page };
        page.pager(forum, number, forum.board_pages(board), "pagenav", route);
    };
    pager(page);
    page.raw(
        "<table class=\"threads\"><thead><tr><th>Thread</th><th>Starter</th><th>Latest</th></tr></thead><tbody>\n",
    );
    let listed = forum.listed(board);
    for at in on_page(number, listed.len() as u64, forum.host.shape.per_page()) {
        thread_row(forum, listed[at as usize], page);
    }
    page.raw("</tbody></table>\n");
    pager(page);
    close(forum, page);
}

fn thread_row(forum: &Forum, thread: u64, page: &mut Page<'_>) {
    let starter = thread % forum.members;
    page.raw("<tr class=\"thread\"><td class=\"subject\">");
    page.link_with(forum, ForumRoute::Thread { thread, page: 1 }, "title", |page| page.title("thread", thread));
    if forum.exists(ForumRoute::Session(thread)) {
        page.raw(" ");
        page.link(forum, ForumRoute::Session(thread), "view", "unread");
    }
    page.raw("</td><td class=\"starter\">");
    page.link_with(forum, ForumRoute::Member(starter), "username", |page| page.name(starter));
    page.raw("</td><td class=\"latest\">");
    if forum.exists(ForumRoute::Latest(thread)) {
        page.link(forum, ForumRoute::Latest(thread), "lastpost", "latest post");
    }
    if forum.host.changes() {
        page.raw(" <span class=\"replies\">");
        page.number(forum.posts(thread) - 1);
        page.raw(" replies</span>");
    }
    page.raw("</td></tr>\n");
}

fn thread(forum: &Forum, thread: u64, number: u64, page: &mut Page<'_>) {
    let board = thread % forum.boards;
    open(forum, page, "showthread", |page| page.title("thread", thread));
    page.raw("<p class=\"up\">");
    page.link_with(forum, ForumRoute::Board { board, page: 1 }, "board", |page| page.title("board", board));
    page.raw("</p>\n<h1 class=\"subject\">");
    page.title("thread", thread);
    page.raw("</h1>\n<div class=\"actions\">");
    page.link(forum, ForumRoute::Reply(thread), "button reply", "Reply");
    if forum.exists(ForumRoute::LoginFor(thread)) {
        page.link(forum, ForumRoute::LoginFor(thread), "button login", "Log in to watch");
    }
    page.raw("</div>\n");
    for at in on_page(number, forum.posts(thread), POSTS_PER_PAGE) {
        post(forum, thread, at + 1, page);
    }
    let route = |page| ForumRoute::Thread { thread, page };
    page.pager(forum, number, forum.thread_pages(thread), "pages", route);
    close(forum, page);
}

fn post(forum: &Forum, thread: u64, post: u64, page: &mut Page<'_>) {
    let id = thread << 10 | post;
    // The first post is by the starter, whose list of threads contains this thread.
    let author = if post == 1 { thread % forum.members } else { forum.host.below("author", id, forum.members) };
    page.raw("<div class=\"post\"><div class=\"postbit\">");
    page.link_with(forum, ForumRoute::Member(author), "username", |page| page.name(author));
    page.raw("</div><div class=\"postbody\"><p>");
    page.prose("post", id, forum.host.shape.options.page_bytes / POSTS_PER_PAGE as usize);
    page.raw("</p></div>");
    if forum.exists(ForumRoute::Post { thread, post }) {
        page.link_with(forum, ForumRoute::Post { thread, post }, "permalink", |page| {
            page.raw("#");
            page.number(post);
        });
    }
    page.raw("</div>\n");
}

fn members(forum: &Forum, order: u64, number: u64, page: &mut Page<'_>) {
    open(forum, page, "memberlist", |page| page.raw("Members"));
    page.raw("<p class=\"sort\">Sort by ");
    page.link(forum, ForumRoute::Members { order: 0, page: 1 }, "order", "joined");
    for extra in 1..=forum.host.shape.sort_orders() {
        page.raw(", ");
        page.link(forum, ForumRoute::Members { order: extra, page: 1 }, "order", ORDERS[extra as usize - 1]);
    }
    if order == 0 && number > 1 {
        // Every page of a sorted list is also linked from here, so that the reachable URLs do not depend on robots.txt.
        sorted_pages(forum, number, page);
    }
    page.raw("</p>\n<ol class=\"members\">\n");
    for at in on_page(number, forum.members, forum.host.shape.per_page()) {
        let member = sorted(order, at, forum.members);
        page.item(forum, ForumRoute::Member(member), "member", |page| page.name(member));
    }
    page.raw("</ol>\n");
    page.pager(forum, number, forum.members_pages(), "pagenav", |page| ForumRoute::Members { order, page });
    close(forum, page);
}

fn sorted_pages(forum: &Forum, number: u64, page: &mut Page<'_>) {
    for order in 1..=forum.host.shape.sort_orders() {
        page.raw(" ");
        page.link(forum, ForumRoute::Members { order, page: number }, "resort", ORDERS[order as usize - 1]);
    }
}

fn profile(forum: &Forum, member: u64, page: &mut Page<'_>) {
    open(forum, page, "profile", |page| page.name(member));
    page.raw("<div class=\"card\"><img class=\"avatar\" src=\"/img/avatar.gif\" alt=\"\"><h1>");
    page.name(member);
    page.raw("</h1><dl><dt>About</dt><dd>");
    page.prose_of(
        "profile",
        member,
        forum.host.edits("profile", member, super::PROFILE_EDITS),
        forum.host.shape.options.page_bytes / 4,
    );
    page.raw("</dd></dl>");
    if forum.exists(ForumRoute::MemberThreads { member, page: 1 }) {
        page.link(forum, ForumRoute::MemberThreads { member, page: 1 }, "threads", "Threads started");
    }
    page.raw("</div>\n");
    close(forum, page);
}

fn member_threads(forum: &Forum, member: u64, number: u64, page: &mut Page<'_>) {
    open(forum, page, "search", |page| page.name(member));
    page.raw("<p class=\"who\">Threads by ");
    page.link_with(forum, ForumRoute::Member(member), "username", |page| page.name(member));
    page.raw("</p><ul class=\"results\">\n");
    let count = super::dealt(forum.threads(), forum.members, member);
    for at in on_page(number, count, forum.host.shape.per_page()) {
        let thread = member + at * forum.members;
        page.item(forum, ForumRoute::Thread { thread, page: 1 }, "result", |page| page.title("thread", thread));
    }
    page.raw("</ul>\n");
    let pages = forum.member_threads_pages(member);
    page.pager(forum, number, pages, "pagenav", |page| ForumRoute::MemberThreads { member, page });
    close(forum, page);
}

fn reply(forum: &Forum, thread: u64, page: &mut Page<'_>) {
    open(forum, page, "newreply", |page| page.title("thread", thread));
    page.raw(
        "<form method=\"post\" action=\"/post\"><textarea name=\"message\">&lt;a href=\"/not-a-link\"&gt;</textarea>",
    );
    page.raw("<input type=\"submit\"></form><p>");
    page.link_with(forum, ForumRoute::Thread { thread, page: 1 }, "back", |page| page.title("thread", thread));
    page.raw("</p>\n");
    close(forum, page);
}

fn form(forum: &Forum, route: ForumRoute, page: &mut Page<'_>) {
    let title = if route == ForumRoute::Register { "Register" } else { "Log in" };
    open(forum, page, "form", |page| page.raw(title));
    page.raw("<form method=\"post\" action=\"/login\"><table><tr><td>Name<td><input name=\"user\">");
    page.raw("<tr><td>Password<td><input type=\"password\" name=\"password\"></table></form>\n");
    close(forum, page);
}

fn info(forum: &Forum, at: u64, page: &mut Page<'_>) {
    open(forum, page, "info", |page| page.raw(INFO[at as usize]));
    page.raw("<div class=\"text\"><p>");
    page.prose("info", at, forum.host.shape.options.page_bytes / 2);
    page.raw("</p></div>\n");
    close(forum, page);
}
