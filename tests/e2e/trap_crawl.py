#!/usr/bin/env python3
"""Crawls live forum software with endlessly nested log-in pages, ignoring robots.txt, which would exclude them.

Usage: trap_crawl.py --bed NAME --beds DIR --work DIR --corpora DIR --harvestman BIN

The forum is the one that `bed.py setup` created in WORK. It is crawled to WORK/NAME-trap with each of the policies that run until the
frontier is empty, without a limit of requests or depth. The script checks that each crawl
  * ends by itself, with at most 1.5 times as many requests as there are recorded URLs of the forum,
  * names the trap in its report, with the number of refused links, and accounts for every link,
  * reached 99 % of the recorded pages that are not duplicate views.

Exits with 0 if all checks pass.
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

from bed import PORTS, check_accounts, serve, stop
from truth import key

POLICIES = ("bfs", "ucc")
CRAWL_SECONDS_MAX = 240
REQUESTS_MOST = 1.5
RECALL_LEAST = 0.99
# The URL form that nests, by forum.
TRAPS = {"spirit": "user/login/?next="}


def crawl(args, base, out, policy):
    shutil.rmtree(out, ignore_errors=True)
    command = [args.harvestman, "crawl", base, "--out", out, "--policy", policy, "--seed", "1", "--delay", "0s", "--per-host", "4",
               "--contact", "gate@example.org", "--quiet", "--set", "robots.obey=false", "--set", "budget.depth=65535"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=CRAWL_SECONDS_MAX, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, f"exit code {result.returncode}: {result.stdout[-3000:]}{result.stderr[-3000:]}"
    with open(f"{out}/report.json", encoding="utf-8") as file:
        return json.load(file), result.stdout


def recorded(args):
    """All recorded URLs, and the keys of pages that are not duplicate views."""
    with gzip.open(f"{args.corpora}/{args.bed}.labels.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    pages = [row for row in rows if row["status"] == "200" and row["content_type"].startswith("text/html")]
    return rows, {key(row["url"]) for row in pages if row["is_duplicate_view"] == "0"}


def check(args, base, out, policy):
    start = time.monotonic()
    report, text = crawl(args, base, out, policy)
    rows, wanted = recorded(args)
    pages = check_accounts(out)
    reached = {url for url, page in pages.items() if page.get("status") == 200}
    missing = sorted(wanted - reached)
    (trap,) = [trap for trap in report["traps"] if trap["form"] == base + TRAPS[args.bed]]
    print(f"{args.bed}, {policy}: {report['requests']} requests in {time.monotonic() - start:.0f} s ({len(rows)} URLs were recorded), "
          f"{len(missing)} of {len(wanted)} pages missed; {trap['form']} {trap['measure']} after {trap['since']} requests: "
          f"{trap['fetched']} fetched, {trap['refused']} refused")
    assert report["stop_reason"] == "frontier_empty", report["stop_reason"]
    assert report["requests"] <= REQUESTS_MOST * len(rows), "the crawl did not end soon enough"
    assert trap["measure"] in ("cut", "closed") and trap["form"] in text and trap["example"] in text, text
    assert report["fates"]["policy"]["structure_trap"] > 0, report["fates"]
    assert len(missing) <= (1 - RECALL_LEAST) * len(wanted), missing[:10]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bed", required=True, choices=sorted(TRAPS))
    parser.add_argument("--beds", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--harvestman", required=True)
    args = parser.parse_args()
    # Ends the server if a time limit ends this script.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args.work = os.path.abspath(args.work)
    base, home = f"http://127.0.0.1:{PORTS[args.bed]}/", os.path.join(args.work, args.bed)
    server = serve(args, home, base)
    try:
        for policy in POLICIES:
            check(args, base, os.path.join(args.work, f"{args.bed}-trap"), policy)
    finally:
        stop(server)


if __name__ == "__main__":
    main()
