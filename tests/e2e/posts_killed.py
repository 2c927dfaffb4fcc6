#!/usr/bin/env python3
"""Kills a learning crawl of a real forum that writes posts, and compares these with the forum's database.

Usage: posts_killed.py HARVESTMAN WORK BEDS [ENVIRONMENT]

The forum software Spirit (of BEDS, a directory of set-up scripts) is served on this machine and crawled with `--policy ucc --posts` into
WORK/killed. ENVIRONMENT is a Python environment with the software; without it one is made. The crawl is killed ten times and resumed to its
end. Then every post of the database that a page shows must be in the export of posts once, and nothing else, and likewise in the file that
the crawl wrote.
"""

import importlib
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "posts"))

import posts_live
import record
import recorded
import truth_file
from sim import end_on_sigterm
from render_bed import serving

POSTS = 800
KILLS = 10


def words(text):
    return " ".join(re.findall(r"\w+", text)).lower()


def main():
    if len(sys.argv) not in (4, 5):
        print(__doc__, file=sys.stderr)
        return 2
    end_on_sigterm()
    binary, work, beds = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
    environment = os.path.abspath(sys.argv[4]) if len(sys.argv) == 5 else None
    os.makedirs(work, exist_ok=True)
    out = os.path.join(work, "killed")
    shutil.rmtree(out, ignore_errors=True)
    software = importlib.import_module("software_spirit")
    site = record.Site(os.path.join(work, "site"), software.PORT, POSTS / software.POSTS_AT_SCALE_1, POSTS, beds, environment)
    software.set_up(site)
    command, variables = software.server(site)
    slow = {"0s": "80ms", "4": "1"}
    posts_live.FLAGS = ["--policy", "ucc", "--posts", *(slow.get(option, option) for option in record.options(software))]
    with serving(command, site.base + "/", variables, os.path.join(work, "server.log")):
        killed = posts_live.crawl_with_kills(binary, site.base + "/", out, KILLS)
    posts = list(software.posts(site))
    truth = os.path.join(work, "truth.jsonl")
    truth_file.write(truth, posts, recorded.pages(out).items(), software.shown(site, posts))
    shown = [post for post in posts_live.lines(truth) if post["pages"]]
    expected = {words(text): post["id"] for post in shown for text in [post["text"], *post.get("variants", [])]}
    shutil.rmtree(os.path.join(out, "posts"), ignore_errors=True)
    posts_live.run(binary, "export", "posts", out, "--quiet")
    for name, path in [("export", os.path.join(out, "posts", "posts.jsonl")), ("crawl", os.path.join(out, "posts.jsonl"))]:
        found = [post for post in posts_live.lines(path) if not post["is_excerpt"]]
        texts = {words(post["text"]) for post in found}
        unknown = [post["text"][:80] for post in found if words(post["text"]) not in expected]
        missing = [post["id"] for post in shown if not texts & {words(text) for text in [post["text"], *post.get("variants", [])]}]
        ids = {post["id"] for post in found}
        print(f"{name}: {len(found)} posts, {len(ids)} identifiers; the {len(shown)} posts of the database that pages show lack "
              f"{len(missing)}; {len(unknown)} are none of them")
        assert not unknown and not missing, (unknown[:3], missing[:8])
        assert len(found) == len(ids) == len(shown), "a post is there twice, or two are one"
    assert killed == KILLS, f"the crawl ended after {killed} kills"
    print(f"{killed} kills: each post is there once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
