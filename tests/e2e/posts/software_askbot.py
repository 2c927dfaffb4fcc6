"""Askbot: questions, answers, and comments on both. Nesting and order by votes; permalinks show the page of the question."""

import sqlite3

import sites
from texts import is_quote, regions, text_of
from truth_file import Post, Shown

PORT = 8312
POSTS_AT_SCALE_1 = 1655
# Other orders and selections of the same lists, and earlier versions of posts.
LEFT_OUT = ["[?&]sort=", "tags:", "scope:unanswered", "sort:(age|answers|votes|relevance|activity-asc)", "author:", "/revisions/", "/edit/", "/retag/", "/close/",
            "/account/", "/avatar", "/feeds?/", "/s/", "/search", "/badges"]


def set_up(site):
    sites.set_up(site, "askbot")


def server(site):
    return sites.server(site, "askbot")


def posts(site):
    rows = sqlite3.connect(f"file:{site.home}/forum.db?mode=ro", uri=True).execute(
        "select p.id, p.thread_id, p.post_type, p.parent_id, p.wiki, u.username, p.added_at, p.html, t.title from askbot_post p "
        "join auth_user u on u.id = p.author_id join askbot_thread t on t.id = p.thread_id "
        "where not p.deleted and p.post_type in ('question', 'answer', 'comment')")
    for number, thread, kind, parent, is_wiki, author, time, html, title in rows:
        whole, text = text_of(html), text_of(html, is_quote)
        titled = [f"{title}\n{whole}"] if kind == "question" else []
        yield Post(str(number), text, str(thread), None if is_wiki else author, time[:19].replace(" ", "T") + "+00:00",
                   variants=[whole, *titled], parents=[str(parent)] if parent else [])


def shown(site, known):
    with sqlite3.connect(f"file:{site.home}/forum.db?mode=ro", uri=True) as database:
        nested = {str(number) for number, in database.execute("select id from askbot_post where post_type = 'comment'")}

    def on_page(url, html):
        if "/question/" in url:
            for match, part in regions(html, r'<div id="js-post-(\d+)"\s'):
                # That an answer answers the question is not marked.
                yield Shown(match[1], part, lacks=() if match[1] in nested else ("parent",))

    return on_page
