"""WordPress: a blog with threaded comments over several pages. Lists of articles show their beginnings."""

import json
import os
import subprocess

import sites
from texts import contained, is_quote, regions, text_of
from truth_file import Post, Shown

PORT = 8315
POSTS_AT_SCALE_1 = 2992
LEFT_OUT = [r"[?&]replytocom=", "/feed/", "/wp-login", "/wp-json", "/xmlrpc", r"[?&]s=", "/wp-includes/", "/embed/"]
ARTICLES = """select json_object('id', p.ID, 'author', u.display_name, 'time', p.post_date_gmt, 'html', p.post_content, 'title', p.post_title)
    from wp_posts p join wp_users u on u.ID = p.post_author where p.post_type = 'post' and p.post_status = 'publish' and p.post_password = ''"""
COMMENTS = """select json_object('id', comment_ID, 'thread', comment_post_ID, 'parent', comment_parent, 'author', comment_author, 'time', comment_date_gmt,
    'html', comment_content) from wp_comments where comment_approved = '1' and comment_type in ('', 'comment')"""
# The functions that start and stop the database find their folder by the name of the script.
QUERY = """. "$(dirname "$0")/env.sh"; start_db; $as_user mariadb --no-defaults --socket="$sock" -u root -N --raw wordpress -e "$QUERY"; stop_db"""


def set_up(site):
    sites.set_up(site, "wordpress")


def server(site):
    return sites.server(site, "wordpress")


def rows(site, query):
    command = ["sh", "-c", QUERY, os.path.join(site.recordings, "wordpress", "setup.sh")]
    environment = {**sites.environment(site), "QUERY": query}
    result = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=120)
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def posts(site):
    for row in rows(site, ARTICLES):
        whole = text_of(row["html"])
        yield Post(f"p{row['id']}", whole, f"p{row['id']}", row["author"], utc(row["time"]),
                   variants=[f"{row['title']}\n{whole}", text_of(row["html"], is_quote)])
    for row in rows(site, COMMENTS):
        whole = text_of(row["html"].replace("\n", "<br>"))
        yield Post(f"c{row['id']}", text_of(row["html"].replace("\n", "<br>"), is_quote), f"p{row['thread']}", row["author"], utc(row["time"]),
                   variants=[whole], parents=[f"c{row['parent']}"] if int(row["parent"]) else [])


def utc(stored):
    return stored[:19].replace(" ", "T") + "+00:00"


def shown(site, known):
    by_id = {post.id: post for post in known}

    def on_page(url, html):
        comments = html.partition('<div id="comments"')
        for match, part in regions(comments[0], r'<article id="post-(\d+)"'):
            post = by_id.get(f"p{match[1]}")
            is_whole = post and contained(post.text, text_of(part)) == 1.0
            # Lists of articles name no authors.
            yield Shown(f"p{match[1]}", part, excerpt=not is_whole, lacks=() if 'class="author-title"' in part or "byline" in part else ("author",))
        for match, part in regions(comments[2], r'<li id="comment-(\d+)"'):
            post = by_id.get(f"c{match[1]}")
            # That a comment is about the article is not marked.
            yield Shown(f"c{match[1]}", part, lacks=() if post and post.parents else ("parent",))

    return on_page
