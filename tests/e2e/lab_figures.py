#!/usr/bin/env python3
"""Measures the default policies and clusterings on recorded sites, and reports figures that fall below their floor.

Usage: lab_figures.py HARVESTMAN CORPORA

CORPORA contains machina.warc.gz and spirit.warc.gz with their labels. Every figure is printed with its floor, followed by a list
of the figures below their floor. Exits with 0 if there are none.
"""

import json
import subprocess
import sys
import time
from collections import defaultdict
from statistics import mean

SITES = ("machina", "spirit")
SECONDS_MAX = 600

# Experiment, its arguments, the policy name of its default rows, and per site the floors of the means over seeds (and targets). The
# same seeds give the same figures.
UCC = ("--seeds", "3", "--policies", "bfs,ucc", "--variants", "default")
TARGET = ("--seeds", "2", "--policies", "target", "--variants", "default")
CLUSTER = ("--seeds", "2", "--methods", "default")
CLUSTER_FLOORS = {"purity": 0.98, "micro_f": 0.96, "macro_f": 0.90}
FLOORS = (
    ("ucc", UCC, "ucc", {"machina": {"valid_ratio_unique": 0.90, "of_oracle": 0.92, "of_oracle_at_wanted": 0.92},
                         "spirit": {"valid_ratio_unique": 0.88, "of_oracle": 0.92, "of_oracle_at_wanted": 0.92}}),
    ("target", TARGET, "target", {site: {"harvest_rate": 0.88, "of_oracle": 0.88} for site in SITES}),
    ("cluster", CLUSTER, "default", {site: CLUSTER_FLOORS for site in SITES}),
)
# The greedy choice of a crawl with full knowledge reaches nearly what is proven to be the most.
ORACLE = ("--seeds", "1")
OF_BOUND_MIN = 0.95
# Stopping below a tenth must miss almost nothing, and the yield forecast must be right on average.
EARLY_STOP = ("--seeds", "3", "--shares", "0.1")
LEFT_BEHIND_MAX, REQUESTS_MAX, ERROR_MAX = 0.08, 0.5, 0.10


def rows(binary, corpora, experiment, arguments):
    """The rows of an experiment, by site and policy."""
    warcs = [f"{corpora}/{site}.warc.gz" for site in SITES]
    command = [f"{binary}-lab", "lab", experiment, *warcs, *arguments, "--json", "-", "--quiet"]
    start = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr[-3000:]
    print(f"{' '.join(command[1:3])}: {time.monotonic() - start:.0f} s")
    found = defaultdict(list)
    for row in json.loads(result.stdout)["rows"]:
        found[row["corpus"], row["policy"]].append(row)
    return found


def average(found, measure):
    """The mean of a measure. Fails if a row lacks it or if there are no rows."""
    return mean(row[measure] for row in found)


def figure(site, what, value, floor):
    """Prints a figure. Returns whether it reaches its floor."""
    print(f"  {site:<8} {what:<28} {value:.4f}  (at least {floor:.4f})")
    return value >= floor


def measure(binary, corpora):
    """Measures all experiments. Returns the names of the figures below their floor."""
    below = []
    for experiment, arguments, default, floors in FLOORS:
        found = rows(binary, corpora, experiment, arguments)
        checks = [(site, name, average(found[site, default], name), floor)
                  for site in SITES for name, floor in floors[site].items()]
        if experiment == "ucc":
            plain = "valid_ratio"
            checks += [(site, f"{plain}, against bfs", average(found[site, "ucc"], plain), average(found[site, "bfs"], plain))
                       for site in SITES]
        below += [f"{experiment} {site} {name}" for site, name, value, floor in checks if not figure(site, name, value, floor)]
    return below


def measure_oracle(binary, corpora):
    """The same for the crawl with full knowledge: its smallest harvest as a share of its bound."""
    found = rows(binary, corpora, "oracle", ORACLE)
    shares = {site: [row["harvested"] / row["bound"] for row in found[site, "oracle"]] for site in SITES}
    assert all(share <= 1 for site in SITES for share in shares[site]), f"more than the bound: {shares}"
    return [f"oracle {site}" for site in SITES if not figure(site, "harvest of the bound", min(shares[site]), OF_BOUND_MIN)]


def measure_early_stop(binary, corpora):
    """The same for early stopping: recall, requests saved, and the error of the yield forecast."""
    found = rows(binary, corpora, "early-stop", EARLY_STOP)
    below = []
    for site in SITES:
        both = [row for policy in ("ucc", "target") for row in found[site, policy]]
        whole = [row for row in both if row["variant"] == "to the end"]
        stopped = [row for row in both if row["variant"] == "below 0.1"]
        checks = [("recall at the stop", average(stopped, "recall_unique"), 1 - LEFT_BEHIND_MAX),
                  ("requests saved", 1 - average(stopped, "fetches") / average(whole, "fetches"), 1 - REQUESTS_MAX),
                  ("1 - error of the forecast", 1 - average(whole, "yield_error"), 1 - ERROR_MAX)]
        below += [f"early-stop {site} {what}" for what, value, floor in checks if not figure(site, what, value, floor)]
    return below


def main():
    below = [name for part in (measure, measure_oracle, measure_early_stop) for name in part(sys.argv[1], sys.argv[2])]
    assert not below, f"below the floor: {', '.join(below)}"
    print("all figures reach their floor")


if __name__ == "__main__":
    main()
