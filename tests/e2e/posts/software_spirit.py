"""Spirit: a forum whose dates show the day, with the minute in a tooltip."""

import re
import sqlite3

import beds
from texts import is_quote, regions, text_of
from truth_file import Post, Shown

PORT = 8102
POSTS_AT_SCALE_1 = 4617
LEFT_OUT = ["/user/", "/search/", "/publish/", "/history/", "/voters/"]
QUOTE = re.compile(r"> \*\*(.+?)\*\* said:\n> (.*)")


def set_up(site):
    beds.set_up(site, "spirit")


def server(site):
    return beds.server(site, "spirit")


def posts(site):
    rows = sqlite3.connect(f"file:{site.home}/data/db.sqlite3?mode=ro", uri=True).execute(
        "select c.id, c.topic_id, coalesce(nullif(p.nickname, ''), u.username), c.date, c.comment, c.comment_html from spirit_comment_comment c "
        "join auth_user u on u.id = c.user_id join spirit_user_userprofile p on p.user_id = u.id "
        "where c.action = 0 and not c.is_removed order by c.topic_id, c.id")
    topics = {}
    for number, topic, author, created, source, html in rows:
        post = Post(str(number), text_of(html, is_quote), str(topic), author, beds.utc(created), variants=[text_of(html)])
        before = topics.setdefault(topic, [])
        quote = QUOTE.search(source)
        if quote:
            post.parents = [other for line, by, other in before if line == quote[2].strip()[:300] and by == quote[1]]
        before.append((source.split("\n")[0].strip()[:300], author, post.id))
        yield post


def shown(site, known):
    by_id = {post.id: post for post in known}

    def on_page(_url, html):
        for match, part in regions(html, r'<div\s+class="comments_list__comment[^"]*"\s+id="c\d+"\s+data-number="\d+"\s+data-pk="(\d+)"'):
            post = by_id.get(match[1])
            poll = re.search(r'<div class="comment__text[^"]*">(.*?)<div class="comment__footer', part, re.S)
            if post and poll and "poll" in poll[1]:
                # A poll in a post is shown from tables of its own.
                post.variants.append(text_of(poll[1]))
            yield Shown(match[1], part)

    return on_page
