#!/usr/bin/env python3
"""Crawls two live forums from queries to a search, without a seed, and compares the harvest with that of replays of their recordings.

Usage: query_crawl.py --beds DIR --work DIR --corpora DIR --harvestman BIN [--requests N] [--seeds N] [--kills N] [--tolerance D]

The forums are those that `bed.py setup` created in WORK. The search is `harvestman-lab index serve` over both recordings. For each seed
from 1 to N (3), one thread of each forum is drawn and is all that the policy xcrawl gets, besides a test that tells threads of both
forums from other pages. Crawls with so many requests (1.125 times the number of recorded threads) are replayed, and run on the live
forums: once to the end, once killed N (5) times by SIGKILL and resumed, each time from scratch. The script checks that
  * the mean recall and the mean valid ratio of the live crawls are those of the replays within ± D (0.03), and so are those of the
    crawls that were killed,
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
import subprocess
import urllib.request

from bed import PORTS, serve, stop
from live_crawl import IN_FLIGHT, command, compare_all, crawl_twice, kill_points
from sim import end_on_sigterm
from truth import key

def repeated(flag, values):
    return [part for value in values for part in (flag, value)]


# The labelled type of the threads of each forum, and what all threads contain and no other page does.
TYPES = {"machina": "forum_conversation:topic", "spirit": "spirit:topic:detail"}
THREAD = "selector:div.post-controls, div.comments_list"
NAMES = ("recall", "valid_ratio")
REPLAY_SECONDS_MAX = 600
# As many results as a replay's search shows.
RESULTS = 30
# A host never has all its connections in use, so that the best URL of all hosts is next, as in a replay.
SPARE = repeated("--set", (f"host.connections_per_host={2 * IN_FLIGHT}", f"host.connections_per_ip={4 * IN_FLIGHT}"))


@contextlib.contextmanager
def served(args):
    """Serves both forums and the search, and yields the address of the search."""
    with contextlib.ExitStack() as servers:
        for bed, port in PORTS.items():
            forum = argparse.Namespace(bed=bed, beds=args.beds)
            servers.callback(stop, serve(forum, os.path.join(args.work, bed), f"http://127.0.0.1:{port}/"))
        made = [f"{args.harvestman}-lab", "index", "serve", *(f"{args.corpora}/{bed}.warc.gz" for bed in TYPES), "--quiet"]
        search = subprocess.Popen(made, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, start_new_session=True)
        servers.callback(stop, search)
        url = search.stdout.readline().strip()
        assert "{query}" in url, f"the search did not start: {url!r}"
        yield f"{url}&count={RESULTS}"


def threads(args):
    """The recorded threads of each forum by URL, each with whether it is not a duplicate view."""
    found = {}
    for bed, kind in TYPES.items():
        with gzip.open(f"{args.corpora}/{bed}.labels.csv.gz", "rt", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["page_type"] == kind and row["status"] == "200"]
        found[bed] = {row["url"]: row["is_duplicate_view"] == "0" for row in rows}
    return found


def draw(args, found, seed):
    """Draws a thread of each forum. Returns their URLs, and files that they are saved to."""
    rng, urls, files = random.Random(seed), [], []
    for bed, pages in found.items():
        url = rng.choice([url for url, unique in pages.items() if unique])
        path = os.path.join(args.work, f"example-{bed}-{seed}.html")
        with urllib.request.urlopen(url, timeout=30) as answer, open(path, "wb") as file:
            file.write(answer.read())
        urls.append(url)
        files.append(path)
    return urls, files


def replay(args, examples, requests):
    """The result row of a replay."""
    made = [f"{args.harvestman}-lab", "lab", "xcrawl", "--queries", "--sites", str(len(TYPES)), "--types", ",".join(TYPES.values()),
            "--policies", "xcrawl", "--variants", "default", "--trap-guard", "--seeds", "1", "--budget", str(requests), "--quiet",
            "--json", "-",
            *repeated("--example", examples), *(f"{args.corpora}/{bed}.warc.gz" for bed in TYPES)]
    result = subprocess.run(made, capture_output=True, text=True, timeout=REPLAY_SECONDS_MAX, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr[-3000:]
    (row,) = json.loads(result.stdout)["rows"]
    return row


def crawls(args, search, seed, files, requests, wanted):
    """The harvests of a crawl and of one that is killed."""
    out = os.path.join(args.work, "query-crawl")
    made = command(args.harvestman, out, 1, requests, "--policy", "xcrawl", "--want", THREAD, "--search", search, *SPARE,
                   *repeated("--example", files))
    return crawl_twice(made, out, kill_points(random.Random(seed), requests, args.kills), wanted, NAMES)


def run(args):
    found = threads(args)
    wanted = {key(url): unique for pages in found.values() for url, unique in pages.items()}
    requests = args.requests or len(wanted) * 9 // 8
    print(f"{len(wanted)} recorded threads; {requests} requests each")
    crawled, replayed = [], []
    with served(args) as search:
        for seed in range(1, args.seeds + 1):
            urls, files = draw(args, found, seed)
            print(f"seed {seed}, from {' and '.join(urls)}")
            replayed.append(replay(args, urls, requests))
            crawled.append(crawls(args, search, seed, files, requests, wanted))
    compare_all(crawled, replayed, NAMES, args.tolerance)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--beds", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--harvestman", required=True)
    parser.add_argument("--requests", type=int)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--tolerance", type=float, default=0.03)
    args = parser.parse_args()
    end_on_sigterm()
    args.work = os.path.abspath(args.work)
    run(args)


if __name__ == "__main__":
    main()
