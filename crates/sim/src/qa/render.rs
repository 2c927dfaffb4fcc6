//! The page templates of the Q&A site.

use super::super::listing::{on_page, sorted};
use super::super::render::Page;
use super::super::site::Site as _;
use super::{ANSWER_NUMBERS, ORDERS, Qa, QaRoute};

/// Writes the page of `route`.
pub(super) fn render(qa: &Qa, route: QaRoute, page: &mut Page<'_>) {
    match route {
        QaRoute::Home => home(qa, page),
        QaRoute::Help => text(qa, "Help", page),
        QaRoute::Ask => form(qa, "Ask a question", page),
        QaRoute::Login => form(qa, "Log in", page),
        QaRoute::List { order, page: number } => list(qa, order, number, page),
        QaRoute::Question(question) | QaRoute::Share(question) | QaRoute::Answer { question, .. } => {
            self::question(qa, question, 0, page);
        }
        QaRoute::Sorted(question) => self::question(qa, question, 1, page),
        QaRoute::Tags { page: number } => tags(qa, number, page),
        QaRoute::Tagged { tag, page: number } => tagged(qa, tag, number, page),
        QaRoute::Users { page: number } => users(qa, number, page),
        QaRoute::User(user) => self::user(qa, user, page),
        QaRoute::UserTab(user) => user_tab(qa, user, page),
    }
}

fn open(qa: &Qa, page: &mut Page<'_>, class: &str, title: impl Fn(&mut Page<'_>)) {
    page.head(&title, class);
    page.raw("<div class=\"topbar\"><ol class=\"-nav\">\n");
    page.item(qa, QaRoute::Home, "-link home", |page| page.raw("Home"));
    page.item(qa, QaRoute::List { order: 0, page: 1 }, "-link", |page| page.raw("Questions"));
    page.item(qa, QaRoute::Tags { page: 1 }, "-link", |page| page.raw("Tags"));
    page.item(qa, QaRoute::Users { page: 1 }, "-link", |page| page.raw("Users"));
    page.item(qa, QaRoute::Ask, "-link ask", |page| page.raw("Ask"));
    page.item(qa, QaRoute::Login, "-link login", |page| page.raw("Log in"));
    page.raw("</ol></div>\n<div class=\"container\"><div id=\"mainbar\">\n");
}

fn close(qa: &Qa, page: &mut Page<'_>) {
    page.raw("</div><div id=\"sidebar\"><div class=\"related\"><h4>Related</h4>\n");
    for _ in 0..qa.host.shape.aside() {
        let question = page.draw(qa.questions_at_start);
        page.raw("<div class=\"spacer\">");
        page.link_with(qa, QaRoute::Question(question), "question-hyperlink", |page| page.title("title", question));
        page.raw("</div>\n");
    }
    page.raw("</div></div></div>\n<footer id=\"footer\">");
    page.link(qa, QaRoute::Help, "js-help", "Help");
    page.network(2);
    page.raw("</footer></body></html>\n");
}

fn summaries(qa: &Qa, questions: impl Iterator<Item = u64>, page: &mut Page<'_>) {
    for question in questions {
        let asker = question % qa.users;
        let tag = question % qa.tags;
        page.raw("<div class=\"question-summary\"><div class=\"stats\"><span>");
        page.number(qa.answers(question));
        page.raw("</span></div><div class=\"summary\"><h3>");
        page.link_with(qa, QaRoute::Question(question), "s-link", |page| page.title("title", question));
        page.raw("</h3><div class=\"tags\">");
        page.link(qa, QaRoute::Tagged { tag, page: 1 }, "post-tag", qa.tag_word(tag));
        page.raw("</div><div class=\"started\">");
        page.link_with(qa, QaRoute::User(asker), "s-user", |page| page.name(asker));
        page.raw("</div></div></div>\n");
    }
}

fn home(qa: &Qa, page: &mut Page<'_>) {
    open(qa, page, "home-page", |page| page.raw("Top questions"));
    summaries(qa, (0..qa.questions().min(qa.host.shape.per_page())).map(|at| qa.at(0, at)), page);
    close(qa, page);
}

fn list(qa: &Qa, order: u64, number: u64, page: &mut Page<'_>) {
    open(qa, page, "questions-page", |page| page.raw("Questions"));
    page.raw("<div class=\"tabs\">");
    page.link(qa, QaRoute::List { order: 0, page: 1 }, "s-tab", "newest");
    for extra in 1..=qa.host.shape.sort_orders() {
        page.link(qa, QaRoute::List { order: extra, page: 1 }, "s-tab", ORDERS[extra as usize - 1]);
    }
    page.raw("</div>\n");
    let positions = on_page(number, qa.questions(), qa.host.shape.per_page());
    summaries(qa, positions.map(|at| qa.at(order, at)), page);
    let count = qa.list_pages(qa.questions());
    page.pager(qa, number, count, "s-pagination", |page| QaRoute::List { order, page });
    close(qa, page);
}

fn question(qa: &Qa, question: u64, order: u64, page: &mut Page<'_>) {
    let asker = question % qa.users;
    let tag = question % qa.tags;
    open(qa, page, "question-page", |page| page.title("title", question));
    page.raw("<div id=\"question-header\"><h1>");
    page.link_with(qa, QaRoute::Question(question), "question-hyperlink", |page| page.title("title", question));
    page.raw("</h1></div>\n<div class=\"question\"><div class=\"post-text\"><p>");
    page.prose_of("question", question, qa.edits(question), qa.host.shape.options.page_bytes / 3);
    page.raw("</p></div><div class=\"post-taglist\">");
    page.link(qa, QaRoute::Tagged { tag, page: 1 }, "post-tag", qa.tag_word(tag));
    page.raw("</div><div class=\"post-menu\">");
    if qa.exists(QaRoute::Share(question)) {
        page.link(qa, QaRoute::Share(question), "short-link", "share");
    }
    if qa.exists(QaRoute::Sorted(question)) {
        page.link(qa, QaRoute::Sorted(question), "sort-answers", "oldest first");
    }
    page.raw("</div><div class=\"owner\">");
    page.link_with(qa, QaRoute::User(asker), "user", |page| page.name(asker));
    page.raw("</div></div>\n<div id=\"answers\">\n");
    let count = qa.answers(question);
    for at in 0..count {
        answer(qa, question, sorted(order, at, count), page);
    }
    page.raw("</div>\n");
    close(qa, page);
}

fn answer(qa: &Qa, question: u64, answer: u64, page: &mut Page<'_>) {
    let id = question * ANSWER_NUMBERS + answer;
    let author = qa.host.below("author", id, qa.users);
    page.raw("<div class=\"answer\" id=\"answer-");
    page.number(id);
    page.raw("\"><div class=\"post-text\"><p>");
    page.prose("answer", id, qa.host.shape.options.page_bytes / 5);
    page.raw("</p></div><div class=\"post-menu\">");
    if qa.exists(QaRoute::Answer { question, answer }) {
        page.link(qa, QaRoute::Answer { question, answer }, "short-link", "share");
    }
    page.raw("</div><div class=\"user-info\">");
    page.link_with(qa, QaRoute::User(author), "user", |page| page.name(author));
    page.raw("</div></div>\n");
}

fn tags(qa: &Qa, number: u64, page: &mut Page<'_>) {
    open(qa, page, "tags-page", |page| page.raw("Tags"));
    page.raw("<div id=\"tags-browser\">\n");
    for tag in on_page(number, qa.tags, qa.host.shape.per_page()) {
        page.raw("<div class=\"grid-cell\">");
        page.link(qa, QaRoute::Tagged { tag, page: 1 }, "post-tag", qa.tag_word(tag));
        page.raw("</div>\n");
    }
    page.raw("</div>\n");
    page.pager(qa, number, qa.list_pages(qa.tags), "s-pagination", |page| QaRoute::Tags { page });
    close(qa, page);
}

fn tagged(qa: &Qa, tag: u64, number: u64, page: &mut Page<'_>) {
    open(qa, page, "tagged-questions-page", |page| page.raw(qa.tag_word(tag)));
    let count = qa.tag_questions(tag);
    let positions = on_page(number, count, qa.host.shape.per_page());
    // In a changing site, the latest is first.
    let place = |at| if qa.host.changes() { count - 1 - at } else { at };
    summaries(qa, positions.map(|at| tag + place(at) * qa.tags), page);
    page.pager(qa, number, qa.list_pages(count), "s-pagination", |page| QaRoute::Tagged { tag, page });
    close(qa, page);
}

fn users(qa: &Qa, number: u64, page: &mut Page<'_>) {
    open(qa, page, "users-page", |page| page.raw("Users"));
    page.raw("<table class=\"user-browser\">\n");
    for user in on_page(number, qa.users, qa.host.shape.per_page()) {
        // Rows without end tags and without a tbody, as in old templates.
        page.raw("<tr><td class=\"user-info\">");
        page.link_with(qa, QaRoute::User(user), "user-name", |page| page.name(user));
        page.raw("<td>");
        page.number(qa.host.below("reputation", user, 10_000));
        page.raw("\n");
    }
    page.raw("</table>\n");
    page.pager(qa, number, qa.list_pages(qa.users), "s-pagination", |page| QaRoute::Users { page });
    close(qa, page);
}

fn user(qa: &Qa, user: u64, page: &mut Page<'_>) {
    open(qa, page, "user-page", |page| page.name(user));
    page.raw("<div class=\"tabs\">");
    page.link(qa, QaRoute::UserTab(user), "s-tab", "questions");
    page.raw("</div><div class=\"about-me\"><h2>");
    page.name(user);
    page.raw("</h2><p>");
    page.prose_of(
        "profile",
        user,
        qa.host.edits("profile", user, super::PROFILE_EDITS),
        qa.host.shape.options.page_bytes / 4,
    );
    page.raw("</p></div>\n");
    close(qa, page);
}

fn user_tab(qa: &Qa, user: u64, page: &mut Page<'_>) {
    open(qa, page, "user-page", |page| page.name(user));
    page.raw("<h2>");
    page.link_with(qa, QaRoute::User(user), "back", |page| page.name(user));
    page.raw("</h2><ul class=\"user-questions\">\n");
    for question in (user..qa.questions()).step_by(qa.users as usize) {
        page.item(qa, QaRoute::Question(question), "question-hyperlink", |page| page.title("title", question));
    }
    page.raw("</ul>\n");
    close(qa, page);
}

fn form(qa: &Qa, title: &str, page: &mut Page<'_>) {
    open(qa, page, "form-page", |page| page.raw(title));
    page.raw("<form method=\"post\"><textarea name=\"text\"></textarea><button>Send</button></form>\n");
    close(qa, page);
}

fn text(qa: &Qa, title: &str, page: &mut Page<'_>) {
    open(qa, page, "help-page", |page| page.raw(title));
    page.raw("<div class=\"help\"><p>");
    page.prose("help", 0, qa.host.shape.options.page_bytes / 2);
    page.raw("</p></div>\n");
    close(qa, page);
}
