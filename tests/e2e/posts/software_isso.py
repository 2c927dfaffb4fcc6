"""Isso: comments that scripts put below the articles of a blog, so that pages are rendered. Times are relative, with the time itself in markup."""

import datetime
import json
import os
import re
import subprocess

from content import Content, plain
from render_bed import new_environment
from texts import regions
from truth_file import Post, Shown

PORT = 8316
POSTS_AT_SCALE_1 = 1000
OPTIONS = ["--render", "always", "--set", "archive.rendered_records=true"]
SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "render_isso_site.py")
# Isso makes the tables; the rows are written at once, since Isso itself commits each.
FILL = """
import json, sqlite3, sys
from isso import config, db
conf = config.load(config.default_file())
base = db.SQLite3(sys.argv[1], conf)
with sqlite3.connect(base.path) as connection:
    for table, rows in json.load(open(sys.argv[2], encoding="utf-8")).items():
        for row in rows:
            values = [bytes(256) if name == "voters" else value for name, value in row.items()]
            connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", values)
"""


def python(site):
    return os.path.join(site.environment, "bin", "python") if site.environment else new_environment(os.path.join(site.home, "venv"), "isso==0.14.0", "waitress==3.0.2")


def set_up(site):
    database = os.path.join(site.home, "comments.db")
    if os.path.exists(database):
        return
    os.makedirs(site.home, exist_ok=True)
    articles, rows = plan(list(Content(site.posts).threads()))
    for name, value in (("plan.json", articles), ("rows.json", rows)):
        with open(os.path.join(site.home, name), "w", encoding="utf-8") as file:
            json.dump(value, file)
    subprocess.run([python(site), "-c", FILL, database, os.path.join(site.home, "rows.json")], check=True, timeout=300)


def plan(threads):
    """The articles with their texts, and the rows of Isso's tables. The first message of a thread is the article."""
    articles, rows = [], {"threads": [], "comments": []}
    for thread in threads:
        first, *others = thread.messages
        path = f"/articles/{thread.number}/"
        byline = f"By {first.author}, {first.time.day} {first.time:%B %Y}"
        articles.append({"path": path, "title": thread.title, "texts": [byline, *plain(first).split("\n")], "author": first.author, "time": first.time.isoformat(),
                         "comments": []})
        rows["threads"].append({"id": thread.number, "uri": path, "title": thread.title})
        top = {}
        for message in others:
            # A reply to a reply is one to the comment above it.
            above = message.parent.number if message.parent and message.parent is not first else None
            top[message.number] = top[above] or above if above in top else None
            rows["comments"].append({"tid": thread.number, "id": message.number + 1, "parent": top[message.number] and top[message.number] + 1,
                                     "created": message.time.timestamp(), "modified": message.edited and message.edited.timestamp(), "mode": 1,
                                     "remote_addr": "127.0.0.0", "text": markdown(message), "author": message.author, "voters": ""})
    return articles, rows


def markdown(message):
    forms = {"p": str, "ul": lambda items: "\n".join(f"* {item}" for item in items), "code": lambda text: f"```\n{text}\n```",
             "link": lambda url: f"See {url}"}
    return "\n\n".join([f"> {message.quote}"] * bool(message.quote) + [forms[kind](text) for kind, text in message.blocks])


def server(site):
    return [python(site), SITE, site.home, str(site.port)], None


def posts(site):
    with open(os.path.join(site.home, "plan.json"), encoding="utf-8") as file:
        articles = json.load(file)
    with open(os.path.join(site.home, "rows.json"), encoding="utf-8") as file:
        rows = json.load(file)
    for number, article in enumerate(articles, 1):
        byline, *texts = article["texts"]
        text = "\n".join(texts)
        yield Post(f"a{number}", text, str(number), article["author"], article["time"][:19] + "+00:00", time_shown=False,
                   variants=[f"{article['title']}\n{text}", f"{byline}\n{text}", f"{article['title']}\n{byline}\n{text}"])
    for row in rows["comments"]:
        time = datetime.datetime.fromtimestamp(int(row["created"]), datetime.timezone.utc).isoformat()
        source = re.sub(r"^```$|^\* |^> ", "", row["text"], flags=re.M)
        own = re.sub(r"^```$|^\* |^>.*", "", row["text"], flags=re.M)
        yield Post(str(row["id"]), own.strip(), str(row["tid"]), row["author"], time, variants=[source], parents=[str(row["parent"])] if row["parent"] else [])


def shown(site, known):
    by_id = {post.id: post for post in known}

    def on_page(url, html):
        article = re.search(r"/articles/(\d+)/$", url)
        if article:
            yield Shown(f"a{article[1]}", html)
            for match, part in regions(html, r'<div class="isso-comment[^"]*" id="isso-(\d+)"'):
                # That a comment is about the article is not marked.
                yield Shown(match[1], part, lacks=() if match[1] in by_id and by_id[match[1]].parents else ("parent",))

    return on_page
