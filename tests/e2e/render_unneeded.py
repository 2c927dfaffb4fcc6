"""Crawls live forum software that needs no browser, with and without one at hand, and compares pages, requests and costs.

Usage: render_unneeded.py HARVESTMAN WORK --bed NAME --beds DIR --homes DIR [--rounds N] [--cpu RATIO]

HOMES is the folder in which bed.py set the forum up. Exits with 0 if no page is lost, at most three percent more requests are made, and
the processor time of the crawl and its browser together is at most RATIO (1.1) of that without, by the median of the rounds. The
browser's share is that of some four renders: on small sites it is large.
"""

import argparse
import os
import statistics

import bed
import render_bed
from sim import end_on_sigterm

REQUESTS_MAX = 1.03


def compare(arguments, home, base, number):
    """Crawls once without and once with a browser. Returns the ratio of the processor times."""
    options = ["--delay", "0s", "--per-host", "4"]
    crawls, requests = {}, {}
    for mode in ("never", "auto"):
        open(f"{home}/access.log", "w", encoding="utf-8").close()
        crawls[mode] = render_bed.Crawl(arguments.harvestman, base, os.path.join(arguments.work, f"{mode}-{number}"), mode, options)
        with open(f"{home}/access.log", encoding="utf-8") as log:
            requests[mode] = sum(render_bed.AGENT in line for line in log)
    never, auto = crawls["never"], crawls["auto"]
    pages = {mode: {page["url"] for page in crawl.fetched()} for mode, crawl in crawls.items()}
    lost = pages["never"] - pages["auto"]
    assert not lost, f"{len(lost)} of {len(pages['never'])} pages are lost: {sorted(lost)[:5]}"
    rendered = [page for page in auto.fetched() if page.get("rendered")]
    ratio = auto.cost["cpu"] / never.cost["cpu"]
    print(f"{len(pages['auto'])} pages, {len(rendered)} of them rendered; {requests['auto']} requests ({requests['never']} without a browser), "
          f"{auto.cost['cpu']:.2f} s CPU ({never.cost['cpu']:.2f} s), ratio {ratio:.3f}", flush=True)
    assert requests["auto"] <= REQUESTS_MAX * requests["never"], "too many requests"
    return ratio


def main():
    end_on_sigterm()
    parser = argparse.ArgumentParser()
    parser.add_argument("harvestman")
    parser.add_argument("work")
    parser.add_argument("--bed", choices=sorted(bed.PORTS), required=True)
    parser.add_argument("--beds", required=True)
    parser.add_argument("--homes", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cpu", type=float, default=1.1)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    home, base = os.path.join(arguments.homes, arguments.bed), f"http://127.0.0.1:{bed.PORTS[arguments.bed]}/"
    server = bed.serve(arguments, home, base)
    try:
        ratios = [compare(arguments, home, base, number) for number in range(arguments.rounds)]
    finally:
        bed.stop(server)
    assert statistics.median(ratios) <= arguments.cpu, f"the browser costs too much: {ratios}"


if __name__ == "__main__":
    main()
