#!/usr/bin/env python3
"""Reads the posts that `harvestman posts` extracts with the tools that they are meant for.

Usage: posts_outputs.py HARVESTMAN WORK

Requires duckdb in the Python environment, and a HARVESTMAN with Parquet and SQLite. With convokit in it, ConvoKit loads the corpus; without, the
files are checked against the documented format, and the script says so. WORK is recreated. The script writes WARC files of a made-up forum:
threads of several pages, a list of the latest posts, a second visit after edits and a deletion. It checks that

* each post is one record, with its author, time, text, thread, and its versions; threads and users are those of the forum,
* JSON lines, Parquet (read by DuckDB), CSV (4CAT's columns), SQLite (read by Python's sqlite3) have the same records,
* the corpus has the conversations, speakers and utterances of the forum, and every utterance but the first of a conversation answers another,
* the order and the compression of the files do not matter, standard input is read, a torn file is reported,
* pseudonyms replace names in all formats.
"""

import csv
import gzip
import hashlib
import hmac
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from datetime import datetime, timedelta

import duckdb

HOST = "http://forum.test"
AUTHORS = ["ada", "bert", "carla", "dieter", "emmy"]
THREADS = 12
PAGE_SIZE = 5
# A page with a single post has nothing that repeats: extraction is not what is tested here.
POSTS = [2, 3, 4, 5, 7, 8, 9, 12, 14, 18]
START = datetime(2026, 3, 1, 8, 0)
WORDS = """apple bread candle door engine forest garden harbour island jacket kettle ladder market needle orange pencil quarry river
 saddle table umbrella valley window yellow zebra""".split()
FOUR_CAT = ["id", "thread_id", "timestamp", "author", "subject", "body", "parent_id"]


def check(what, found, expected):
    assert found == expected, f"{what}: {found}, expected {expected}"


class Forum:
    """Threads of posts: (author, time, text, text after the edit or None)."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.threads = []
        for number in range(THREADS):
            posts = []
            for at in range(rng.choice(POSTS) if number else 8):
                time = START + timedelta(hours=7 * number, minutes=11 * at)
                text = " ".join(rng.choices(WORDS, k=rng.randint(8, 40))) + "."
                edited = text + " And one more thing." if rng.random() < 0.2 else None
                posts.append((rng.choice(AUTHORS), time, text, edited))
            self.threads.append((" ".join(rng.choices(WORDS, k=4)).capitalize(), posts))
        # The last post of the first thread is deleted before the second visit.
        self.deleted = (0, len(self.threads[0][1]) - 1)

    def posts(self):
        return [(thread, at) for thread, (_, posts) in enumerate(self.threads) for at in range(len(posts))]

    def shown(self, visit, thread, at):
        author, time, text, edited = self.threads[thread][1][at]
        return author, time, edited if visit > 1 and edited else text

    def pages(self, visit):
        """Yields the addresses and the HTML of the pages at a visit."""
        for thread, (title, posts) in enumerate(self.threads):
            numbers = [at for at in range(len(posts)) if visit == 1 or (thread, at) != self.deleted]
            for page, start in enumerate(range(0, len(numbers), PAGE_SIZE)):
                some = numbers[start:start + PAGE_SIZE]
                address = f"{HOST}/thread/{thread}" + (f"?page={page + 1}" if page else "")
                yield address, self.page(title, "".join(self.post(visit, thread, at) for at in some))

    def post(self, visit, thread, at):
        author, time, text = self.shown(visit, thread, at)
        return (f'<div class="post"><div class="head"><a class="author" href="/user/{author}">{author}</a> '
                f'<span class="date">{time:%Y-%m-%d %H:%M}</span></div><div class="body">{text}</div></div>\n')

    @staticmethod
    def page(title, content):
        return (f"<!doctype html><html><head><title>{title} - Forum</title></head><body><div class=nav><a href='/'>Home</a></div>"
                f"<h1>{title}</h1>{content}<div class=foot>A forum that is made up</div></body></html>")


def record(kind, url, time, block):
    head = [f"WARC-Type: {kind}", f"WARC-Target-URI: {url}", f"WARC-Date: {time}", "Content-Type: application/http;msgtype=response",
            f"WARC-Record-ID: <urn:uuid:{hashlib.md5((url + time).encode()).hexdigest()}>", f"Content-Length: {len(block)}"]
    return ("WARC/1.1\r\n" + "\r\n".join(head) + "\r\n\r\n").encode() + block + b"\r\n\r\n"


def response(body, status="200 OK", kind="text/html; charset=utf-8"):
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n".encode() + body


def write_warcs(forum, work):
    """One compressed file for the first visit, a plain one for the second."""
    first, second = os.path.join(work, "first.warc.gz"), os.path.join(work, "second.warc")
    with gzip.open(first, "wb") as out:
        out.write(record("response", f"{HOST}/missing", "2026-04-01T00:00:00Z", response(b"<p>no", "404 Not Found")))
        for address, html in forum.pages(1):
            out.write(record("response", address, "2026-04-01T00:00:00Z", response(html.encode())))
    with open(second, "wb") as out:
        for address, html in forum.pages(2):
            out.write(record("response", address, "2026-05-01T00:00:00Z", response(html.encode())))
        out.write(record("response", f"{HOST}/logo", "2026-05-01T00:00:00Z", response(b"\x89PNG", kind="image/png")))
    return first, second


def run(*command, code=0, **more):
    done = subprocess.run(command, capture_output=True, timeout=600, **more)
    assert done.returncode == code, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr.decode()}"
    return done


def json_lines(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def records(forum, out):
    posts, threads, users = (json_lines(os.path.join(out, f"{name}.jsonl")) for name in ("posts", "threads", "users"))
    check("number of posts", len(posts), len(forum.posts()))
    check("identifiers", len({post["id"] for post in posts}), len(posts))
    by_text = {post["text"]: post for post in posts}
    for thread, at in forum.posts():
        author, time, text = forum.shown(1 if (thread, at) == forum.deleted else 2, thread, at)
        post = by_text[text]
        check("author", post["author"], author)
        check("address of the author", post["author_url"], f"{HOST}/user/{author}")
        check("time", post["time"][:16], f"{time:%Y-%m-%dT%H:%M}")
        check("gone", post["is_gone"], (thread, at) == forum.deleted)
        check("versions", len(post["versions"]), 2 if forum.threads[thread][1][at][3] and not post["is_gone"] else 0)
        check("place", post["position"], at + 1)
    check("threads", [(of["url"], of["posts"]) for of in threads],
          [(f"{HOST}/thread/{number}", len(posts)) for number, (_, posts) in enumerate(forum.threads)])
    counts = {author: sum(forum.threads[thread][1][at][0] == author for thread, at in forum.posts()) for author in AUTHORS}
    check("users", {user["name"]: user["posts_found"] for user in users}, counts)
    print(f"records: {len(posts)} posts, {len(threads)} threads, {len(users)} users are those of the forum")
    return posts, threads, users


def parquet(out, posts, threads):
    found = duckdb.sql(f"SELECT * FROM '{out}/posts.parquet'")
    types = dict(zip(found.columns, map(str, found.types)))
    check("type of timestamp", types["timestamp"], "TIMESTAMP WITH TIME ZONE")
    check("type of versions", types["versions"], "VARCHAR[]")
    rows = [dict(zip(found.columns, row)) for row in found.fetchall()]
    check("posts", [(row["id"], row["body"], row["author"], row["position"], row["is_gone"], len(row["versions"])) for row in rows],
          [(post["id"], post["text"], post["author"], post["position"], post["is_gone"], len(post["versions"])) for post in posts])
    check("threads", duckdb.sql(f"SELECT id, url, posts FROM '{out}/threads.parquet'").fetchall(),
          [(of["id"], of["url"], of["posts"]) for of in threads])
    seconds = duckdb.sql(f"SELECT epoch(timestamp) FROM '{out}/posts.parquet'").fetchall()
    check("timestamps", [row[0] for row in seconds],
          [(datetime.fromisoformat(post["time"]) - datetime(1970, 1, 1)).total_seconds() for post in posts])
    print(f"Parquet: DuckDB reads {len(rows)} posts")


def no_formula(cell):
    """A cell without the apostrophe that marks what a spreadsheet would take for a formula."""
    return cell[1:] if re.match(r"'+[-=+@\t\r\n]", cell) else cell


def comma_separated(out, posts):
    with open(os.path.join(out, "posts.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    check("first columns", list(rows[0])[:7], FOUR_CAT)
    check("posts", [(row["id"], no_formula(row["body"]), no_formula(row["author"])) for row in rows], [(post["id"], post["text"], post["author"]) for post in posts])
    for row, post in zip(rows, posts):
        check("timestamp", datetime.strptime(row["timestamp"], "%Y-%m-%d %H:%M:%S").isoformat()[:16], post["time"][:16])
    print(f"CSV: {len(rows)} rows with 4CAT's columns")


def database(path, posts, threads, users):
    with sqlite3.connect(path) as found:
        check("posts", found.execute("SELECT id, body, author FROM posts").fetchall(),
              [(post["id"], post["text"], post["author"]) for post in posts])
        counts = [found.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("threads", "users")]
        check("threads and users", counts, [len(threads), len(users)])
        check("version", found.execute("PRAGMA user_version").fetchone()[0], 1)
        check("integrity", found.execute("PRAGMA integrity_check").fetchone()[0], "ok")
    print("SQLite: Python's sqlite3 reads the tables")


def corpus(out, posts, threads, users):
    utterances = json_lines(os.path.join(out, "utterances.jsonl"))
    speakers, conversations, index = (json.load(open(os.path.join(out, f"{name}.json"), encoding="utf-8"))
                                      for name in ("speakers", "conversations", "index"))
    check("speakers", len(speakers), len(users))
    check("conversations", len(conversations), len(threads))
    by_id = {utterance["id"]: utterance for utterance in utterances}
    for utterance in utterances:
        assert utterance["speaker"] in speakers and utterance["conversation_id"] in conversations
        assert set(utterance["meta"]) <= set(index["utterances-index"])
        if utterance["id"] == utterance["conversation_id"]:
            check("answer of the first", utterance["reply-to"], None)
        else:
            check("conversation of the parent", by_id[utterance["reply-to"]]["conversation_id"], utterance["conversation_id"])
    try:
        import convokit
    except ImportError:
        print("ConvoKit: not installed; the files are as its format is documented, no more was tested")
        return
    loaded = convokit.Corpus(out)
    counts = [len(list(items)) for items in (loaded.iter_utterances(), loaded.iter_conversations(), loaded.iter_speakers())]
    check("ConvoKit's counts", counts, [len(posts), len(threads), len(users)])
    for conversation in loaded.iter_conversations():
        assert conversation.check_integrity(verbose=False), conversation.id
    print(f"ConvoKit: loads {counts[0]} utterances, {counts[1]} conversations, {counts[2]} speakers")


def pseudonyms(binary, work, warcs, posts):
    key = os.path.join(work, "key")
    with open(key, "w", encoding="utf-8") as file:
        file.write("0123456789abcdef0123456789abcdef\n")
    expected = {hmac.new(b"0123456789abcdef0123456789abcdef", name.encode(), "sha256").hexdigest()[:32] for name in AUTHORS}
    for name in ("jsonl", "csv", "convokit"):
        out = os.path.join(work, f"pseudonyms-{name}")
        run(binary, "posts", *warcs, "--format", name, "--pseudonymise", key, "--out", out, "--quiet")
        for file in os.listdir(out):
            with open(os.path.join(out, file), encoding="utf-8") as content:
                text = content.read()
            assert not any(f"user/{author}" in text or f'"{author}"' in text for author in AUTHORS), file
    found = json_lines(os.path.join(work, "pseudonyms-jsonl", "posts.jsonl"))
    check("pseudonyms", {post["author"] for post in found}, expected)
    check("texts", [post["text"] for post in found], [post["text"] for post in posts])
    short = os.path.join(work, "short")
    with open(short, "w", encoding="utf-8") as file:
        file.write("short")
    run(binary, "posts", *warcs, "--pseudonymise", short, code=2)
    print(f"pseudonyms: {len(expected)} names are replaced")


def other_ways(binary, work, warcs, posts):
    first, second = warcs
    ways = {"the order of files": (second, first)}
    for what, files in ways.items():
        done = run(binary, "posts", *files, "--quiet")
        check(what, [json.loads(line) for line in done.stdout.splitlines()], posts)
    with open(first, "rb") as file:
        done = run(binary, "posts", "-", second, "--quiet", stdin=file)
    check("standard input", [json.loads(line)["text"] for line in done.stdout.splitlines()], [post["text"] for post in posts])
    torn = os.path.join(work, "torn.warc")
    with open(second, "rb") as whole, open(torn, "wb") as file:
        file.write(whole.read()[:-300])
    done = run(binary, "posts", torn, code=1)
    assert b"torn.warc" in done.stderr and len(done.stdout.splitlines()) > 10, done.stderr
    run(binary, "posts", first, "--out", os.path.join(work, "jsonl"), code=2)
    run(binary, "posts", os.path.join(work, "none.warc"), code=2)
    print("other ways: order of files, standard input, a torn file, existing output")


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    binary, work = os.path.abspath(sys.argv[1]), sys.argv[2]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    forum = Forum(1)
    warcs = write_warcs(forum, work)
    out = {name: os.path.join(work, name) for name in ("jsonl", "parquet", "csv", "sqlite", "convokit")}
    for name, path in out.items():
        run(binary, "posts", *warcs, "--format", name, "--out", path)
    posts, threads, users = records(forum, out["jsonl"])
    parquet(out["parquet"], posts, threads)
    comma_separated(out["csv"], posts)
    database(out["sqlite"], posts, threads, users)
    corpus(out["convokit"], posts, threads, users)
    other_ways(binary, work, warcs, posts)
    pseudonyms(binary, work, warcs, posts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
