#!/usr/bin/env python3
"""Crawls a live picture board for topics and compares the harvest with that of replays of its recording.

Usage: topic_crawl.py --site DIR --work DIR --harvestman BIN [--port N] [--recording WARC] [--topics A,B] [--seeds N] [--replays N]
                      [--kills N] [--tolerance D]

The board is the one that tests/recordings/boorunaut/setup.sh created in --site (SITE_HOME). It is served on loopback at the port (8117)
and recorded to WORK, unless its recording from that port is given. For each topic, crawls with a quarter as many requests as the board has
pages are replayed with the seeds from 1 to N (20), and run on the live board with the seeds from 1 to N (10): once to the end, once
killed N (5) times by SIGKILL and resumed, each time from scratch. The script checks that
  * the mean recall and the mean valid ratio of the live crawls are those of the replays within ± D (0.03), and so are those of the
    crawls that were killed. Means are used because crawls with different seeds differ: recall has a standard deviation of 0.06 to 0.08,
  * the killed crawls have lost nothing: their accounts add up, all pages of their logs are in their archives, and after each kill the
    policy was restored.

Requires warcio in the Python environment. Exits with 0 if all checks pass.
"""

import argparse
import contextlib
import csv
import gzip
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from bed import stop
from live_crawl import command, compare_all, crawl_twice, kill_points
from sim import end_on_sigterm
from truth import key

BOARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recordings", "boorunaut")
NAMES = ("recall_unique", "valid_ratio_unique")
START_SECONDS_MAX = 60
RECORD_SECONDS_MAX = 1800
REPLAY_SECONDS_MAX = 300


@contextlib.contextmanager
def served(args):
    """Serves the board and yields its URL."""
    with socket.socket() as probe:
        # Otherwise the crawl could reach a server that is not ours.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", args.port))
    environment = {**os.environ, "SITE_HOME": args.site, "PORT": str(args.port), "PYTHONWARNINGS": "ignore"}
    server = subprocess.Popen(["sh", f"{BOARD}/serve.sh"], env=environment, start_new_session=True)
    base, deadline = f"http://127.0.0.1:{args.port}/", time.monotonic() + START_SECONDS_MAX
    try:
        while True:
            try:
                urllib.request.urlopen(base, timeout=5).read()
                break
            except OSError:
                if time.monotonic() > deadline or server.poll() is not None:
                    sys.exit(f"the board did not start at {base}")
                time.sleep(0.3)
        yield base
    finally:
        stop(server)


def record(args, base):
    """Records the board and returns the recording."""
    out = os.path.join(args.work, "boorunaut-recording")
    shutil.rmtree(out, ignore_errors=True)
    start = time.monotonic()
    made = [f"{args.harvestman}-lab", "lab", "record", f"{BOARD}/labels.toml", "--site", base, "--out", out, "--quiet"]
    subprocess.run(made, check=True, timeout=RECORD_SECONDS_MAX, stdin=subprocess.DEVNULL)
    print(f"recorded in {time.monotonic() - start:.0f} s")
    return os.path.join(out, "boorunaut.warc.gz")


def labels(recording):
    """The labels of all HTML pages with status 200."""
    path = recording.removesuffix(".warc.gz") + ".labels.csv.gz"
    with gzip.open(path, "rt", newline="") as file:
        return [row for row in csv.DictReader(file) if row["status"] == "200" and row["content_type"].startswith("text/html")]


def items(rows, topic):
    """The items with a tag of the topic by key, each with whether it is not a duplicate view."""
    tagged = [row for row in rows if row["role"] == "detail" and set(topic) & set(row["tags"].split("|"))]
    assert tagged, f"no item has a tag of {topic}"
    return {key(row["url"]): row["is_duplicate_view"] == "0" for row in tagged}


def terms(topic):
    return [part for tag in topic for part in ("--topic", tag)]


def replay(args, recording, topic, seed, requests):
    """The result row of a replay."""
    made = [f"{args.harvestman}-lab", "replay", recording, "--policy", "topic", *terms(topic), "--trap-guard", "--seed", str(seed),
            "--pages", str(requests), "--json", "-"]
    result = subprocess.run(made, capture_output=True, text=True, timeout=REPLAY_SECONDS_MAX, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr[-3000:]
    (row,) = json.loads(result.stdout)["rows"]
    assert row["fetches"] == requests, row
    return row


def crawls(args, base, topic, seed, requests, wanted):
    """The harvests of a crawl and of one that is killed."""
    out = os.path.join(args.work, "topic-crawl")
    made = command(args.harvestman, out, seed, requests, base, "--policy", "topic", *terms(topic))
    whole, killed = crawl_twice(made, out, kill_points(random.Random(f"{topic} {seed}"), requests, args.kills), wanted, NAMES)
    assert whole["requests"] == requests, whole
    return whole, killed


def run(args):
    with served(args) as base:
        recording = args.recording or record(args, base)
        rows = labels(recording)
        requests = sum(row["is_duplicate_view"] == "0" for row in rows) // 4
        print(f"{len(rows)} pages are recorded; {requests} requests each")
        crawled, replayed = [], []
        for topic in (topic.split("+") for topic in args.topics.split(",")):
            wanted = items(rows, topic)
            print(f"topic {' '.join(topic)}, {len(wanted)} items")
            replayed += [replay(args, recording, topic, seed, requests) for seed in range(1, args.replays + 1)]
            crawled += [crawls(args, base, topic, seed, requests, wanted) for seed in range(1, args.seeds + 1)]
    compare_all(crawled, replayed, NAMES, args.tolerance)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--harvestman", required=True)
    parser.add_argument("--port", type=int, default=8117)
    parser.add_argument("--recording")
    parser.add_argument("--topics", default="bird+insect+fish+dog,building+city", help="topics, separated by commas, their tags by +")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--replays", type=int, default=20)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--tolerance", type=float, default=0.03)
    args = parser.parse_args()
    end_on_sigterm()
    args.work, args.site = os.path.abspath(args.work), os.path.abspath(args.site)
    os.makedirs(args.work, exist_ok=True)
    run(args)


if __name__ == "__main__":
    main()
