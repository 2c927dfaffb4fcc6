#!/usr/bin/env python3
"""Records real software with the truth from its database, and measures how well `harvestman-lab lab posts` finds the posts.

Usage: posts_truth.py HARVESTMAN WORK [SOFTWARE…] [--posts N] [--beds DIR] [--environments DIR]

Without SOFTWARE, those whose setup is quick are recorded. DIR/SOFTWARE of --environments is a Python environment with the software. Each
recording is made in WORK/SOFTWARE. Every figure is printed with its floor, with and without markup for machines. Exits with 0 if no figure
is below its floor, each run gives the same figures again, and a truth file of another site is refused.
"""

import argparse
import json
import os
import subprocess
import sys
import time

from sim import end_on_sigterm

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "posts", "record.py")
QUICK = ("trac", "mhonarc")
RECORD_SECONDS_MAX, LAB_SECONDS_MAX = 900, 120
# Measures of all pages of a site. What is not named for a software has no floor yet.
FLOORS = {
    "machina": {"post_f1": 0.98, "text_f1": 0.97, "author_right": 0.98, "thread_right": 0.99, "parent_right": 0.9},
    "spirit": {"post_f1": 0.98, "text_f1": 0.97, "author_right": 0.98, "thread_right": 0.99, "parent_right": 0.9},
    "trac": {"post_f1": 0.70, "text_f1": 0.97, "author_right": 0.90},
    "isso": {"post_f1": 0.98, "text_f1": 0.97, "author_right": 0.95},
    "mhonarc": {"post_f1": 0.98, "text_f1": 0.97, "author_right": 0.98},
    "nodebb": {"post_f1": 0.97, "text_f1": 0.97, "author_right": 0.98},
    "hyperkitty": {"post_f1": 0.95, "author_right": 0.98},
    "wordpress": {"post_f1": 0.85},
    "askbot": {"post_f1": 0.25},
}
TIMED = ("parse_micros", "extract_micros")


def record(arguments, software):
    """Makes a recording. Returns its crawl directory and its truth file."""
    out = os.path.join(arguments.work, software)
    command = [sys.executable, RECORD, software, "--out", out, "--posts", str(arguments.posts), "--harvestman", arguments.harvestman]
    if arguments.beds:
        command += ["--beds", arguments.beds]
    environment = arguments.environments and os.path.join(arguments.environments, software)
    if environment and os.path.exists(environment):
        command += ["--environment", environment]
    subprocess.run(command, check=True, timeout=RECORD_SECONDS_MAX)
    return os.path.join(out, "crawl"), os.path.join(out, "truth.jsonl")


def measure(binary, crawl, truth, *options):
    """The measures of all pages."""
    command = [f"{binary}-lab", "lab", "posts", crawl, "--truth", truth, "--json", "-", *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LAB_SECONDS_MAX, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)["rows"]
    alone = [row for row in rows if "target" not in row]
    assert len(alone) == 1 and sum(row["pages"] for row in rows) == 2 * alone[0]["pages"], "the types of pages do not add up"
    return {name: value for name, value in alone[0].items() if name not in TIMED}


def check(binary, software, crawl, truth):
    """Prints the figures of a recording. Returns those that are below their floor."""
    below = []
    for options in ([], ["--no-markup"]):
        row = measure(binary, crawl, truth, *options)
        assert row == measure(binary, crawl, truth, *options), f"{software}: another run gives other figures"
        name = " ".join([software, *options])
        figures = ((key, value) for key, value in row.items() if isinstance(value, (int, float)))
        print(f"{name}: " + ", ".join(f"{key} {value:g}" for key, value in figures), flush=True)
        floors = FLOORS.get(software, {}) if not options else {}
        below += [f"{name}: {key} {row.get(key)} < {floor}" for key, floor in floors.items() if not row.get(key, 0) >= floor]
    return below


def check_refusal(binary, recordings):
    """The truth of one site must be refused for another."""
    (crawl, _), (_, truth) = recordings[:2]
    result = subprocess.run([f"{binary}-lab", "lab", "posts", crawl, "--truth", truth], capture_output=True, text=True, timeout=LAB_SECONDS_MAX)
    assert result.returncode == 2 and "another recording" in result.stderr, (result.returncode, result.stderr)


def main():
    end_on_sigterm()
    parser = argparse.ArgumentParser()
    parser.add_argument("harvestman")
    parser.add_argument("work")
    parser.add_argument("software", nargs="*", default=QUICK)
    parser.add_argument("--posts", type=int, default=300)
    parser.add_argument("--beds")
    parser.add_argument("--environments")
    arguments = parser.parse_args()
    arguments.harvestman = os.path.abspath(arguments.harvestman)
    recordings, below = [], []
    for software in arguments.software:
        start = time.monotonic()
        recordings.append(record(arguments, software))
        print(f"{software}: recorded in {time.monotonic() - start:.0f} s", flush=True)
        below += check(arguments.harvestman, software, *recordings[-1])
    if len(recordings) > 1:
        check_refusal(arguments.harvestman, recordings)
    print("\n".join(below) or "no figure is below its floor")
    sys.exit(1 if below else 0)


if __name__ == "__main__":
    main()
