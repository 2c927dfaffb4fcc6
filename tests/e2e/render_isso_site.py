"""Serves a blog whose comments are Isso's, on loopback: the site of render_isso.py. Needs isso and waitress.

Usage: render_isso_site.py HOME PORT

HOME/plan.json has the articles: their titles and texts, and their comments with the replies to each. Isso's database is filled from it.
"""

import html
import json
import os
import sqlite3
import sys

import waitress
from isso import config, db, make_app
from werkzeug.middleware.dispatcher import DispatcherMiddleware

PER_PAGE = 10
# Comments of the first level that are shown at first. For replies it is Isso's default, five.
TOP_MAX = 10
# When the first comment was written.
CREATED = 1_700_000_000
SCRIPT = f'<script data-isso="/isso/" data-isso-max-comments-top="{TOP_MAX}" src="/isso/js/embed.min.js" async></script>'


def settings(home, port):
    conf = config.load(config.default_file())
    conf.set("general", "dbpath", os.path.join(home, "comments.db"))
    conf.set("general", "host", f"http://127.0.0.1:{port}/")
    conf.set("server", "public-endpoint", f"http://127.0.0.1:{port}/isso")
    return conf


def fill(conf, articles):
    """Writes all comments to Isso's database, at once: Isso itself commits each."""
    if os.path.exists(conf.get("general", "dbpath")):
        return
    base = db.SQLite3(conf.get("general", "dbpath"), conf)
    number = 0

    def add(thread, text, parent):
        nonlocal number
        number += 1
        row = {"tid": thread, "id": number, "parent": parent, "created": CREATED + 60.0 * number, "mode": 1, "remote_addr": "127.0.0.0",
               "text": text, "author": f"reader {number % 17}", "voters": bytes(256)}
        connection.execute(f"INSERT INTO comments ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
        return number

    with sqlite3.connect(base.path) as connection:
        for thread, article in enumerate(articles, 1):
            connection.execute("INSERT INTO threads (id, uri, title) VALUES (?, ?, ?)", (thread, article["path"], article["title"]))
            for comment in article["comments"]:
                parent = add(thread, comment["text"], None)
                for reply in comment["replies"]:
                    add(thread, reply, parent)


def page(title, body):
    return f"<!doctype html><html lang=en><head><title>{html.escape(title)}</title></head><body><h1>{html.escape(title)}</h1>{body}" \
        "<footer><a href='/'>All articles</a> <a href='/about/'>About</a></footer></body></html>"


def pages(articles):
    """The documents of the blog by path."""
    def link(article):
        return f"<a href='{article['path']}'>{html.escape(article['title'])}</a>"

    known = {"/about/": page("About", "<p>A blog about the documentation of modules, with comments of its readers.</p>")}
    for index, article in enumerate(articles):
        near = " ".join(link(other) for other in articles[max(index - 1, 0):index + 2] if other is not article)
        known[article["path"]] = page(article["title"], "".join(f"<p>{html.escape(text)}</p>" for text in article["texts"])
                                      + f"<nav>{near}</nav><section id='isso-thread'></section>{SCRIPT}")
    for first in range(0, len(articles), PER_PAGE):
        listed = "".join(f"<li>{link(article)}" for article in articles[first:first + PER_PAGE])
        older = f"<a href='/page/{first // PER_PAGE + 2}/'>Older</a>" if first + PER_PAGE < len(articles) else ""
        known[f"/page/{first // PER_PAGE + 1}/" if first else "/"] = page("All articles", f"<ul>{listed}</ul>{older}")
    return {path: text.encode() for path, text in known.items()}


def blog(known):
    def answer(environ, start_response):
        body = known.get(environ["PATH_INFO"])
        start_response("200 OK" if body else "404 Not Found", [("Content-Type", "text/html; charset=utf-8")])
        return [body or b"<!doctype html><title>No such page</title>"]
    return answer


def main():
    home, port = sys.argv[1], int(sys.argv[2])
    with open(os.path.join(home, "plan.json"), encoding="utf-8") as file:
        articles = json.load(file)
    conf = settings(home, port)
    fill(conf, articles)
    waitress.serve(DispatcherMiddleware(blog(pages(articles)), {"/isso": make_app(conf)}), host="127.0.0.1", port=port, threads=4)


if __name__ == "__main__":
    main()
