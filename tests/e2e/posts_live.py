#!/usr/bin/env python3
"""Kills a crawl with `--posts` again and again, and compares its posts with those of the site.

Usage: posts_live.py HARVESTMAN WORK [KILLS]

A made-up forum is served on this machine and crawled into WORK, which is recreated. The crawl is killed KILLS times (10) and resumed to its end.
Then `posts.jsonl` must have each post of the forum once, and `harvestman export posts` the same posts with the same identifiers.
"""

import contextlib
import http.server
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import posts_outputs
from sim import end_on_sigterm

THREADS = 200
# Seconds that a page takes, so that there is time for kills.
PAGE_SECONDS = 0.02
FLAGS = ["--posts", "--delay", "0s", "--per-host", "1", "--contact", "gate@localhost", "--quiet",
         "--set", "fetch.private_addresses=true"]


@contextlib.contextmanager
def served(forum):
    """Serves a forum and yields its address."""
    pages = {address.removeprefix(posts_outputs.HOST): html for address, html in forum.pages(1)}
    links = "".join(f'<li><a href="{path}">{path}</a>' for path in pages)
    pages["/"] = f"<!doctype html><title>Forum</title><ul>{links}</ul>"

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            html = pages.get(self.path)
            time.sleep(PAGE_SECONDS)
            body = (html or "not found").encode()
            # A killed crawl closes its connections.
            with contextlib.suppress(ConnectionError):
                self.send_response(200 if html else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    # A killed crawl resets its connections, which is no error here.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()



def run(*command, code=0):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == code, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def wait_for_pages(process, out):
    """Waits until a crawl has written a page, or has ended: before that there may be nothing to resume."""
    log = os.path.join(out, "pages.jsonl")
    for _ in range(1_200):
        if process.poll() is not None or (os.path.exists(log) and os.path.getsize(log)):
            return
        time.sleep(0.05)


def crawl_with_kills(binary, seed, out, kills):
    rng = random.Random(3)
    command = [binary, "crawl", seed, "--out", out, *FLAGS]
    killed = 0
    while killed < kills:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_pages(process, out)
        time.sleep(rng.uniform(1.0, 3.0))
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += 1
        if os.path.exists(os.path.join(out, "state")):
            command = [binary, "resume", out, "--quiet"]
        else:
            shutil.rmtree(out, ignore_errors=True)
    if command[1] == "resume":
        run(binary, "resume", out, "--quiet")
    return killed


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    end_on_sigterm()
    binary, work = os.path.abspath(sys.argv[1]), sys.argv[2]
    kills = int(sys.argv[3]) if len(sys.argv) == 4 else 10
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    out = os.path.join(work, "crawl")
    posts_outputs.THREADS = THREADS
    forum = posts_outputs.Forum(2)
    with served(forum) as seed:
        killed = crawl_with_kills(binary, seed, out, kills)
    posts = lines(os.path.join(out, "posts.jsonl"))
    expected = sorted(text for _, posts in forum.threads for _, _, text, _ in posts)
    found = sorted(post["text"] for post in posts)
    assert found == expected, f"{len(found)} posts, {len(set(found))} different ones; the forum has {len(expected)}"
    run(binary, "export", "posts", out, "--quiet")
    exported = lines(os.path.join(out, "posts", "posts.jsonl"))
    fields = ("id", "author", "author_url", "time", "text", "page_url")
    key = lambda post: tuple(post[field] for field in fields)
    assert sorted(map(key, posts)) == sorted(map(key, exported)), "the export has other posts"
    threads = {post["thread_id"] for post in posts}
    assert threads == {post["thread_id"] for post in exported} and len(threads) == THREADS, len(threads)
    print(f"{killed} kills: each of {len(posts)} posts in {len(threads)} threads is written once, and the export has the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
