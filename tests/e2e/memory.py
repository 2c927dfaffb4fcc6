#!/usr/bin/env python3
"""Crawls a large simulated site and measures the peak memory.

Usage: memory.py HARVESTMAN URLS MIB OUT [OPTION ...]

Further options are passed to the crawl, such as --policy topic --topic WORD.

Fails if fewer than URLS were discovered and fetched, or if the peak resident memory of the crawl exceeds MIB. The site is served by a
separate process, so its memory is not counted. Its pages are small, so that the URLs dominate the memory usage. OUT is recreated.
"""

import json
import shutil
import subprocess
import sys
import time

from sim import CRAWL, end_on_sigterm, fates_of, served

SECONDS_MAX = 3000


def main():
    binary, urls, mib, out, options = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:]
    end_on_sigterm()
    shutil.rmtree(out, ignore_errors=True)
    with served(binary, "--pages", str(urls), "--hosts", "100", "--page-bytes", "300", seconds_max=SECONDS_MAX) as seed:
        start = time.monotonic()
        subprocess.run([binary, "crawl", seed, "--out", out, *CRAWL, *options], check=True, stdout=subprocess.DEVNULL,
                       stdin=subprocess.DEVNULL, timeout=SECONDS_MAX)
        wall = time.monotonic() - start
    with open(f"{out}/report.json", encoding="utf-8") as file:
        report = json.load(file)
    peak = report["peak_memory_bytes"] / 2**20
    print(f"{report['pages']} pages fetched, {report['discovered']} links discovered: {peak:.0f} MiB peak memory "
          f"(allowed: {mib} MiB), {wall:.0f} s, {report['cpu_seconds']:.0f} s of CPU time")
    shutil.rmtree(out)
    assert report["pages"] >= urls, f"only {report['pages']} of {urls} pages were fetched"
    assert fates_of(report) == report["discovered"], "the fates do not add up"
    assert peak <= mib, f"the peak memory exceeds {mib} MiB"


if __name__ == "__main__":
    main()
