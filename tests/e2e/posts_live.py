#!/usr/bin/env python3
"""Kills a crawl with `--posts` again and again, and compares its posts with those of an export.

Usage: posts_live.py HARVESTMAN WORK [KILLS]

A simulated forum is crawled into WORK, which is recreated. The crawl is killed KILLS times (10) and resumed to its end. Then `posts.jsonl` must have
no post twice (with the same text), every line must be whole, and `harvestman export posts` must know each of its posts with this text. Of the posts that
the export has in full, at most one in a hundred may be missing: those of pages that were extracted before all templates were learnt.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from sim import end_on_sigterm, served

MISSING_MAX = 0.01
FLAGS = ("--posts", "--delay", "0s", "--per-host", "4", "--quiet", "--set", "state.enabled=true")


def run(*command, code=0):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == code, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def crawl_with_kills(binary, seed, out, kills):
    rng = random.Random(3)
    command = [binary, "crawl", seed, "--out", out, *FLAGS]
    killed = 0
    while killed < kills:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
    with served(binary, "--pages", "3000", "--hosts", "1", seconds_max=900) as seed:
        killed = crawl_with_kills(binary, seed, out, kills)
    posts = lines(os.path.join(out, "posts.jsonl"))
    run(binary, "export", "posts", out, "--quiet")
    exported = {post["id"]: post for post in lines(os.path.join(out, "posts", "posts.jsonl"))}
    assert len(posts) > 100, f"only {len(posts)} posts"
    keys = [(post["id"], post["text"]) for post in posts]
    assert len(set(keys)) == len(keys), f"{len(keys) - len(set(keys))} posts are written twice"
    unknown = [post for post in posts if post["id"] not in exported]
    full = [post for post in exported.values() if not post["is_excerpt"]]
    written = {post["id"] for post in posts}
    missing = [post for post in full if post["id"] not in written]
    print(f"{killed} kills: {len(posts)} posts, each once; the export has {len(full)} in full, {len(missing)} of them were not written, "
          f"{len(unknown)} have another identifier there")
    assert len(missing) <= MISSING_MAX * len(full), missing[:3]
    assert len(unknown) <= MISSING_MAX * len(posts), unknown[:3]
    return 0


if __name__ == "__main__":
    sys.exit(main())
