#!/usr/bin/env python3
"""Crawls live forum software for what users wrote and compares the harvest with that of a replay of its recording.

Usage: learned_crawl.py --bed NAME --beds DIR --work DIR --corpora DIR --harvestman BIN [--seed S]

The forum is the one that `bed.py setup` made in WORK. The crawl goes to WORK/NAME-learned. It starts from nothing, with the
replay's number of requests. A replay knows no robots.txt and no depth, so this crawl, on loopback, obeys none either. It is
checked that
  * its valid ratios, with duplicate views and without, are those of the replay (mean of the seeds 1 to 3) within ± 0.02,
  * the crawl says why it came to a page, and why it did not come to others (`harvestman explain`).

The Python that runs it needs warcio. Exit code 0: all of it holds.
"""

import argparse
import csv
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from statistics import mean

from bed import PORTS, serve, stop
from truth import key

REPLAY_SEEDS = (1, 2, 3)
REPLAY_SECONDS_MAX = 300
CRAWL_SECONDS_MAX = 900
EXPLAIN_SECONDS_MAX = 60
DIFFERENCE_MAX = 0.02
RATIOS = ("valid_ratio", "valid_ratio_unique")


def replay(args, seed):
    """The row of a replay."""
    command = [args.harvestman, "replay", f"{args.corpora}/{args.bed}.warc.gz", "--policy", "ucc", "--seed", str(seed), "--json", "-"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=REPLAY_SECONDS_MAX, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr[-3000:]
    (row,) = json.loads(result.stdout)["rows"]
    return row


def crawl(args, base, out, requests):
    """Few requests are under way at a time, as in a replay: a policy cannot take back what is."""
    shutil.rmtree(out, ignore_errors=True)
    settings = ("robots.obey=false", f"budget.requests={requests}", "budget.depth=65535", "frontier.in_flight_max=4")
    command = [args.harvestman, "crawl", base, "--out", out, "--policy", "ucc", "--seed", str(args.seed), "--delay", "0s",
               "--per-host", "4", "--contact", "gate@example.org", "--quiet"]
    command += [part for setting in settings for part in ("--set", setting)]
    start = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, timeout=CRAWL_SECONDS_MAX, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, f"exit code {result.returncode}: {result.stdout[-3000:]}{result.stderr[-3000:]}"
    print(f"crawled in {time.monotonic() - start:.0f} s")
    with open(f"{out}/pages.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def worth(args):
    """Which recorded pages users made: by key, whether each is no duplicate view. And the keys of all that was recorded."""
    with gzip.open(f"{args.corpora}/{args.bed}.labels.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    pages = [row for row in rows if row["status"] == "200" and row["content_type"].startswith("text/html")]
    made = {key(row["url"]): row["is_duplicate_view"] == "0" for row in pages if row["is_ucc"] == "1"}
    return made, {key(row["url"]) for row in rows}


def harvest(args, pages):
    """The measures of a replay, from the page log and the labels of the recording. Every request counts."""
    made, recorded = worth(args)
    requests = sum(page["attempts"] for page in pages)
    brought = {key(page["url"]) for page in pages if page.get("status") == 200}
    strange = [page["url"] for page in pages if page["attempts"] and key(page["url"]) not in recorded]
    valid = brought & set(made)
    print(f"{requests} requests, {len(strange)} of them for URLs that were not recorded: {strange[:3]}")
    unique = sum(made[url] for url in valid)
    return {"requests": requests, "valid_ratio": len(valid) / requests, "valid_ratio_unique": unique / requests}


def compare(live, rows):
    replayed = {name: mean(row[name] for row in rows) for name in RATIOS}
    for name in RATIOS:
        each = ", ".join(f"{row[name]:.4f}" for row in rows)
        print(f"{name}: live {live[name]:.4f}, replayed {replayed[name]:.4f} (by seed: {each})")
    budget = rows[0]["budget"]
    assert live["requests"] == budget, f"{live['requests']} requests of {budget}"
    apart = {name: live[name] - replayed[name] for name in RATIOS if abs(live[name] - replayed[name]) > DIFFERENCE_MAX}
    assert not apart, f"the live crawl differs from the replay by {apart}, more than {DIFFERENCE_MAX}"


def explain(args, out, url):
    """The story as JSON; for people it must be told too."""
    stories = []
    for form in ([], ["--json"]):
        command = [args.harvestman, "explain", out, url, *form]
        result = subprocess.run(command, capture_output=True, text=True, timeout=EXPLAIN_SECONDS_MAX)
        assert result.returncode == 0, f"explain {url}: {result.stderr}"
        stories.append(result.stdout)
    assert url in stories[0], stories[0]
    return json.loads(stories[1])


def check_explanations(args, base, out, pages):
    """A page that was fetched because of what was learnt, a URL out of scope, and one that nothing is known of."""
    learnt = [page for page in pages if page["fate"] == "fetched" and "snapshot" in page and page.get("score") is not None]
    assert learnt, "no page was fetched because of what the policy had learnt"
    page = learnt[-1]
    story = explain(args, out, page["url"])
    assert story["page"]["url"] == page["url"] and story["policy"], story
    assert story["chain"] and story["chain"][-1]["url"] == base, f"not from the seed: {story['chain']}"
    verdicts = [explain(args, out, url) for url in ("http://elsewhere.example.org/", f"{base}there-is-no-such-page")]
    assert all(story["page"] is None for story in verdicts), verdicts
    assert "outside the scope" in verdicts[0]["verdict"] and "no page that was fetched" in verdicts[1]["verdict"], verdicts
    print(f"explained: {page['url']} (class {page['class']}, score {page['score']:.3f}); "
          + "; ".join(f"{story['url']}: {story['verdict']}" for story in verdicts))


def run(args):
    base, home = f"http://127.0.0.1:{PORTS[args.bed]}/", os.path.join(args.work, args.bed)
    out = os.path.join(args.work, f"{args.bed}-learned")
    start = time.monotonic()
    rows = [replay(args, seed) for seed in REPLAY_SEEDS]
    print(f"replayed {len(rows)} times in {time.monotonic() - start:.0f} s, {rows[0]['budget']} requests each")
    server = serve(args, home, base)
    try:
        pages = crawl(args, base, out, rows[0]["budget"])
    finally:
        stop(server)
    compare(harvest(args, pages), rows)
    check_explanations(args, base, out, pages)
    print(f"{args.bed}: the live crawl brought what the replay promised")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bed", required=True, choices=sorted(PORTS))
    parser.add_argument("--beds", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--harvestman", required=True)
    parser.add_argument("--seed", type=int, default=REPLAY_SEEDS[0])
    args = parser.parse_args()
    # So that the server is ended where a time limit ends this.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args.work = os.path.abspath(args.work)
    run(args)


if __name__ == "__main__":
    main()
