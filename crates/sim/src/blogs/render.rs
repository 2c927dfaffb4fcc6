//! The page templates of a blog.

use super::super::listing::on_page;
use super::super::render::Page;
use super::super::site::Site as _;
use super::{Blog, BlogRoute, COMMENTS_PER_PAGE};

/// Number of blogs in the blogroll; the first two are neighbours.
const BLOGROLL: u64 = 6;

/// Writes the page (or feed) of `route`.
pub(super) fn render(blog: &Blog, route: BlogRoute, page: &mut Page<'_>) {
    match route {
        BlogRoute::Home { page: number } => home(blog, number, page),
        BlogRoute::About => about(blog, page),
        BlogRoute::Feed => feed(blog, page),
        BlogRoute::Post(post) | BlogRoute::ReplyTo { post, .. } | BlogRoute::Short(post) => {
            self::post(blog, post, 1, page)
        }
        BlogRoute::Comments { post, page: number } => self::post(blog, post, number, page),
        BlogRoute::Print(post) => print(blog, post, page),
        BlogRoute::Year(year) => self::year(blog, year, page),
        BlogRoute::Month { month, page: number } => self::month(blog, month, number, page),
        BlogRoute::Tag { tag, page: number } => self::tag(blog, tag, number, page),
    }
}

fn open(blog: &Blog, page: &mut Page<'_>, class: &str, title: impl Fn(&mut Page<'_>)) {
    page.head(&title, class);
    page.base();
    page.raw("<header class=\"site-header\"><p class=\"site-title\">");
    page.link_with(blog, BlogRoute::Home { page: 1 }, "", |page| page.name(0));
    page.raw("</p><nav class=\"menu\">");
    page.link(blog, BlogRoute::Home { page: 1 }, "menu-home", "Home");
    page.link(blog, BlogRoute::About, "menu-about", "About");
    if blog.exists(BlogRoute::Feed) {
        page.link(blog, BlogRoute::Feed, "menu-feed", "RSS");
    }
    page.raw("</nav></header>\n<main class=\"site-main\">\n");
}

fn close(blog: &Blog, page: &mut Page<'_>) {
    page.raw("</main>\n<aside class=\"widget-area\"><section class=\"archives\"><ul>\n");
    for year in 0..blog.years() {
        page.item(blog, BlogRoute::Year(year), "", |page| page.number(super::FIRST_YEAR + year));
    }
    page.raw("</ul></section><section class=\"tagcloud\">\n");
    for tag in 0..blog.tags {
        page.link(blog, BlogRoute::Tag { tag, page: 1 }, "tag-link", blog.tag_word(tag));
        page.raw(" ");
    }
    page.raw("</section>\n<section class=\"blogroll\"><ul>\n");
    blogroll(blog, page);
    page.raw("</ul></section></aside>\n<footer class=\"site-footer\">");
    page.network(0);
    page.raw("</footer></body></html>\n");
}

fn blogroll(blog: &Blog, page: &mut Page<'_>) {
    let around = blog.neighbours;
    for at in 1..=BLOGROLL.min(around.count - 1) {
        let step = if at <= 2 { at } else { 1 + page.draw(around.count - 1) };
        page.raw("<li>");
        friend(blog, (around.own + step) % around.count, page);
        page.raw("</li>\n");
    }
}

/// Writes a link to another blog of the network.
fn friend(blog: &Blog, number: u64, page: &mut Page<'_>) {
    let shape = std::sync::Arc::clone(&blog.host.shape);
    let name = &shape.hosts[(blog.neighbours.first + number) as usize];
    page.link_home(name, "friend", |page| page.raw(name));
}

fn excerpts(blog: &Blog, posts: impl Iterator<Item = u64>, page: &mut Page<'_>) {
    for post in posts {
        page.raw("<article class=\"entry\"><h2 class=\"entry-title\">");
        page.link_with(blog, BlogRoute::Post(post), "bookmark", |page| page.title("title", post));
        page.raw("</h2><div class=\"entry-summary\"><p>");
        page.prose("post", post, 120);
        page.raw("</p>");
        let tag = post % blog.tags;
        page.link(blog, BlogRoute::Tag { tag, page: 1 }, "tag", blog.tag_word(tag));
        page.raw("</div></article>\n");
    }
}

fn home(blog: &Blog, number: u64, page: &mut Page<'_>) {
    open(blog, page, "home blog", |page| page.raw("Blog"));
    let posts = blog.posts();
    let listed = on_page(number, posts, blog.host.shape.per_page()).map(|at| blog.place(at, posts));
    excerpts(blog, listed, page);
    let count = blog.list_pages(posts);
    page.pager(blog, number, count, "nav-links", |page| BlogRoute::Home { page });
    close(blog, page);
}

fn year(blog: &Blog, year: u64, page: &mut Page<'_>) {
    open(blog, page, "archive date year", |page| page.number(super::FIRST_YEAR + year));
    page.raw("<ul class=\"months\">\n");
    for month in year * 12..(year * 12 + 12).min(blog.months()) {
        page.item(blog, BlogRoute::Month { month, page: 1 }, "month", |page| page.number(month % 12 + 1));
    }
    page.raw("</ul>\n");
    close(blog, page);
}

fn month(blog: &Blog, month: u64, number: u64, page: &mut Page<'_>) {
    open(blog, page, "archive date month", |page| page.raw("Archive"));
    page.raw("<p class=\"up\">");
    page.link(blog, BlogRoute::Year(month / 12), "year", "The whole year");
    page.raw("</p>\n");
    let count = blog.posts_of_month(month);
    let start = month * blog.posts_per_month;
    excerpts(blog, on_page(number, count, blog.host.shape.per_page()).map(|at| start + blog.place(at, count)), page);
    page.pager(blog, number, blog.list_pages(count), "nav-links", |page| BlogRoute::Month { month, page });
    close(blog, page);
}

fn tag(blog: &Blog, tag: u64, number: u64, page: &mut Page<'_>) {
    open(blog, page, "archive tag", |page| page.raw(blog.tag_word(tag)));
    let count = blog.tag_posts(tag);
    excerpts(
        blog,
        on_page(number, count, blog.host.shape.per_page()).map(|at| tag + blog.place(at, count) * blog.tags),
        page,
    );
    page.pager(blog, number, blog.list_pages(count), "nav-links", |page| BlogRoute::Tag { tag, page });
    close(blog, page);
}

fn post(blog: &Blog, post: u64, number: u64, page: &mut Page<'_>) {
    open(blog, page, "single", |page| page.title("title", post));
    page.raw("<article class=\"post\"><h1 class=\"entry-title\">");
    page.title("title", post);
    page.raw("</h1><p class=\"posted-on\">");
    page.link(blog, BlogRoute::Month { month: post / blog.posts_per_month, page: 1 }, "date", "This month");
    page.raw("</p><div class=\"entry-content\"><p>");
    page.prose("post", post, blog.host.shape.options.page_bytes / 2);
    page.raw("</p></div><p class=\"entry-meta\">");
    let tag = post % blog.tags;
    page.link(blog, BlogRoute::Tag { tag, page: 1 }, "tag", blog.tag_word(tag));
    for (route, label) in [(BlogRoute::Print(post), "Print"), (BlogRoute::Short(post), "Short link")] {
        if blog.exists(route) {
            page.raw(" ");
            page.link(blog, route, "meta-link", label);
        }
    }
    page.raw("</p></article>\n");
    comments(blog, post, number, page);
    page.raw("<nav class=\"post-navigation\">");
    for next in [post.checked_sub(1), Some(post + 1).filter(|next| *next < blog.posts())].into_iter().flatten() {
        page.link_with(blog, BlogRoute::Post(next), "nav-post", |page| page.title("title", next));
    }
    page.raw("</nav>\n");
    close(blog, page);
}

fn comments(blog: &Blog, post: u64, number: u64, page: &mut Page<'_>) {
    let count = blog.comments(post);
    page.raw("<section id=\"comments\"><ol class=\"comment-list\">\n");
    for at in on_page(number, count, COMMENTS_PER_PAGE) {
        let id = post << 10 | (at + 1);
        page.raw("<li class=\"comment\"><cite>");
        friend(blog, blog.host.below("commenter", id, blog.neighbours.count), page);
        page.raw("</cite><p>");
        page.prose("comment", id, blog.host.shape.options.page_bytes / 40);
        page.raw("</p>");
        let reply = BlogRoute::ReplyTo { post, comment: at + 1 };
        if blog.exists(reply) {
            page.link(blog, reply, "comment-reply-link", "Reply");
        }
        page.raw("</li>\n");
    }
    page.raw("</ol>\n");
    page.pager(blog, number, super::pages(count, COMMENTS_PER_PAGE), "comment-nav", |page| match page {
        1 => BlogRoute::Post(post),
        _ => BlogRoute::Comments { post, page },
    });
    page.raw("</section>\n");
}

fn print(blog: &Blog, post: u64, page: &mut Page<'_>) {
    page.head(|page| page.title("title", post), "print");
    page.raw("<h1>");
    page.title("title", post);
    page.raw("</h1><p>");
    page.prose("post", post, blog.host.shape.options.page_bytes / 2);
    page.raw("</p><p>");
    page.link(blog, BlogRoute::Post(post), "back", "Back");
    page.raw("</p></body></html>\n");
}

fn about(blog: &Blog, page: &mut Page<'_>) {
    open(blog, page, "page about", |page| page.raw("About"));
    page.raw("<article class=\"page\"><h1>About</h1><p>");
    page.prose_of("about", 0, blog.host.edits("about", 0, super::ABOUT_EDITS), blog.host.shape.options.page_bytes / 2);
    page.raw("</p></article>\n");
    close(blog, page);
}

fn feed(blog: &Blog, page: &mut Page<'_>) {
    page.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>Blog</title>\n");
    let posts = blog.posts();
    for post in (0..posts.min(10)).map(|at| blog.place(at, posts)) {
        page.raw("<item><title>");
        page.title("title", post);
        page.raw("</title><link>");
        page.address(blog, BlogRoute::Post(post));
        page.raw("</link></item>\n");
    }
    page.raw("</channel></rss>\n");
}
