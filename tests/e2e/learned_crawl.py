#!/usr/bin/env python3
"""Crawls live forum software for user-written content and compares the harvest with that of a replay of its recording.

Usage: learned_crawl.py --bed NAME --beds DIR --work DIR --corpora DIR --harvestman BIN [--seeds N]
                        [--tolerance D]

The forum is the one that `bed.py setup` created in WORK. It is crawled once with each seed from 1 to N (3), to WORK/NAME-learned,
each time from scratch and with the number of requests of the replay. A replay has no robots.txt and no depth limit, so these crawls,
on loopback, use none either. The script checks that
  * the mean valid ratios, with and without duplicate views, equal those of replays with the same seeds within ± D (0.02). Means are
    used because a single crawl often deviates more: the ratios of replays differ from seed to seed by a standard deviation of 0.014,
  * the last crawl explains why it fetched a page, and why it did not fetch others (`harvestman explain`).

Requires warcio in the Python environment. Exits with 0 if all checks pass.
"""

import argparse
import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time

from bed import PORTS, serve, stop
from live_crawl import command, compare, crawl, harvest
from truth import key

REPLAY_SECONDS_MAX = 300
EXPLAIN_SECONDS_MAX = 60
RATIOS = ("valid_ratio", "valid_ratio_unique")

# Quicker, and within the tolerance where most pages are wanted.
IN_FLIGHT = 4


def replay(args, seed):
    """The result row of a replay."""
    made = [f"{args.harvestman}-lab", "replay", f"{args.corpora}/{args.bed}.warc.gz", "--policy", "ucc", "--seed", str(seed), "--json", "-"]
    result = subprocess.run(made, capture_output=True, text=True, timeout=REPLAY_SECONDS_MAX, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr[-3000:]
    (row,) = json.loads(result.stdout)["rows"]
    return row


def worth(args):
    """The user-written recorded pages by key, each with whether it is not a duplicate view; and the keys of all recorded URLs."""
    with gzip.open(f"{args.corpora}/{args.bed}.labels.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    pages = [row for row in rows if row["status"] == "200" and row["content_type"].startswith("text/html")]
    made = {key(row["url"]): row["is_duplicate_view"] == "0" for row in pages if row["is_ucc"] == "1"}
    return made, {key(row["url"]) for row in rows}


def report_strange(pages, recorded):
    """Prints how many requests were for URLs that a replay does not know."""
    strange = [page["url"] for page in pages if page["attempts"] and key(page["url"]) not in recorded]
    print(f"{len(strange)} requests for unrecorded URLs: {strange[:3]}")


def explain(args, out, url):
    """The explanation as JSON. Checks that the text output works too."""
    stories = []
    for form in ([], ["--json"]):
        made = [args.harvestman, "explain", out, url, *form]
        result = subprocess.run(made, capture_output=True, text=True, timeout=EXPLAIN_SECONDS_MAX)
        assert result.returncode == 0, f"explain {url}: {result.stderr}"
        stories.append(result.stdout)
    assert url in stories[0], stories[0]
    return json.loads(stories[1])


def check_explanations(args, base, out, pages):
    """Checks the explanations of a page fetched because of what was learned, of a URL out of scope, and of an unknown URL."""
    learned = [page for page in pages if page["fate"] == "fetched" and "snapshot" in page and page.get("score") is not None]
    assert learned, "no page was fetched because of what the policy had learned"
    page = learned[-1]
    story = explain(args, out, page["url"])
    assert story["page"]["url"] == page["url"] and story["policy"], story
    assert story["chain"] and story["chain"][-1]["url"] == base, f"the chain does not start at the seed: {story['chain']}"
    verdicts = [explain(args, out, url) for url in ("http://elsewhere.example.org/", f"{base}there-is-no-such-page")]
    assert all(story["page"] is None for story in verdicts), verdicts
    assert "outside the scope" in verdicts[0]["verdict"] and "no fetched page" in verdicts[1]["verdict"], verdicts
    print(f"explained: {page['url']} (class {page['class']}, score {page['score']:.3f}); "
          + "; ".join(f"{story['url']}: {story['verdict']}" for story in verdicts))


def run(args):
    base, home = f"http://127.0.0.1:{PORTS[args.bed]}/", os.path.join(args.work, args.bed)
    out = os.path.join(args.work, f"{args.bed}-learned")
    start = time.monotonic()
    seeds = range(1, args.seeds + 1)
    replayed = [replay(args, seed) for seed in seeds]
    print(f"replayed {len(replayed)} times in {time.monotonic() - start:.0f} s, {replayed[0]['budget']} requests each")
    live, (made, recorded) = [], worth(args)
    server = serve(args, home, base)
    try:
        for seed, row in zip(seeds, replayed):
            line = command(args.harvestman, out, seed, row["budget"], base, "--policy", "ucc", in_flight=IN_FLIGHT, delay="0s")
            pages = crawl(line, out)
            report_strange(pages, recorded)
            live.append(harvest(pages, made))
    finally:
        stop(server)
    spent = [(one["requests"], other["budget"]) for one, other in zip(live, replayed)]
    assert all(requests == budget for requests, budget in spent), f"requests and budgets: {spent}"
    compare(live, replayed, RATIOS, args.tolerance)
    check_explanations(args, base, out, pages)
    print(f"{args.bed}: the harvest of the live crawls matches the replays")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bed", required=True, choices=sorted(PORTS))
    parser.add_argument("--beds", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--harvestman", required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tolerance", type=float, default=0.02)
    args = parser.parse_args()
    # Ends the server if a time limit ends this script.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args.work = os.path.abspath(args.work)
    run(args)


if __name__ == "__main__":
    main()
