"""django-machina: a forum. Topics, permalinks, reply forms that repeat the latest posts, and members' pages with excerpts."""

import re
import sqlite3

import beds
from texts import is_quote, regions, text_of, words
from truth_file import Post, Shown

PORT = 8101
POSTS_AT_SCALE_1 = 6870
# A log-in form for each page, and searches.
LEFT_OUT = ["/accounts/login/", "/search/"]
QUOTE = re.compile(r"> \*\*(.+?)\*\* said:\n> (.*)")


def set_up(site):
    beds.set_up(site, "machina")


def server(site):
    return beds.server(site, "machina")


def posts(site):
    rows = sqlite3.connect(f"file:{site.home}/data/db.sqlite3?mode=ro", uri=True).execute(
        "select p.id, p.topic_id, coalesce(u.username, p.username), u.username, p.created, p.content, p._content_rendered "
        "from forum_conversation_post p left join auth_user u on u.id = p.poster_id where p.approved order by p.created, p.id")
    topics = {}
    for number, topic, author, member, created, source, html in rows:
        post = Post(str(number), text_of(html, is_quote), str(topic), author, beds.utc(created), variants=[text_of(html)])
        before = topics.setdefault(topic, [])
        quote = QUOTE.search(source)
        if quote:
            # The database keeps guests under other names than those in quotes.
            same = [other for line, other, by in before if line == quote[2].strip()[:300] and by in (quote[1], None)]
            post.parents = same
        before.append((source.split("\n")[0].replace("\n", " ").strip()[:300], post.id, member))
        yield post


def shown(site, known):
    by_topic = {}
    for post in known:
        by_topic.setdefault(post.thread, []).append(post)
    by_id = {post.id: post for post in known}

    def on_page(url, html):
        if "/profile/" in url:
            # Both kinds of pages of a member cut the posts.
            for match, part in regions(html, r'href="[^"]*\?post=(\d+)#\d+"'):
                yield Shown(match[1], part, excerpt=True)
        elif url.endswith("/post/create/"):
            topic = re.search(r"-(\d+)/post/create/$", url)[1]
            yield from reviewed(html, by_topic.get(topic, []))
        else:
            for match, part in regions(html, r'<div id="(\d+)" class="my-3 card post">'):
                link = re.search(rf'href="(/[^"]*\?post={match[1]}#{match[1]})"', part)
                if match[1] in by_id and link:
                    by_id[match[1]].url = site.base + link[1]
                yield Shown(match[1], part)

    return on_page


def reviewed(html, posts):
    """The posts above a form for a reply, which have no addresses there."""
    left = list(posts)
    for _, part in regions(html, r'<div class="row post-review">'):
        content = re.search(r'<div class="post-content">(.*?)</div>\s*(?:</div>|<div)', part, re.S)
        author = re.search(r"By: (?:<a[^>]*>)?([^<]*?)(?:</a>)? on ", part)
        text = words(text_of(content[1])) if content else []
        for post in left:
            if post.author == (author and author[1].strip()) and words(post.variants[0]) == text:
                left.remove(post)
                yield Shown(post.id, part, lacks=("url", "thread"))
                break
