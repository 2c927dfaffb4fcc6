#!/usr/bin/env python3
"""Scrapes /metrics during a crawl and checks that promtool accepts the text and that the counters are consistent.

Usage: metrics_scrape.py HARVESTMAN PROMTOOL OUT

A simulated site is crawled together with a local server that does not respond until it is closed. The crawl therefore becomes idle
with one URL left, which waits for the robots.txt of that server. At that point the counters must be exactly consistent:
discovered = sum of fates + queued + leased. OUT is recreated.
"""

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from sim import CRAWL, end_on_sigterm, fates_of, served

SECONDS_MAX = 120
SILENCE = f"{SECONDS_MAX}s"
SCRAPES_AT_REST = 10
DECIDED_IN_THE_MIDDLE = 1000


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def silent_server():
    """A listener whose connections are accepted by the kernel and never served. Closing it resets them."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(16)
    return listener


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return None


def total(text, name):
    """The sum of all series of a metric."""
    return int(sum(float(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE)))


def accounts(text):
    """Returns (discovered, decided, queued, leased)."""
    names = ("crawl_discovered_total", "crawl_fates_total", "frontier_queued_urls", "frontier_leased_urls")
    return tuple(total(text, f"harvestman_{name}") for name in names)


def promtool_check(promtool, text):
    result = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
    findings = (result.stdout + result.stderr).strip()
    assert result.returncode == 0 and not findings, f"promtool: {findings}"


def watch(crawl, port):
    """Scrapes until the crawl is idle. Returns one scrape from the middle of the crawl, and the counters when idle."""
    middle, resting = None, []
    deadline = time.monotonic() + SECONDS_MAX
    while len(resting) < SCRAPES_AT_REST:
        assert crawl.poll() is None, f"the crawl ended too early with exit code {crawl.returncode}"
        assert time.monotonic() < deadline, f"the crawl does not become idle: {resting}"
        text = get(port, "/metrics")
        found = accounts(text) if text else (0, 0, 0, 0)
        if found[2] and not middle and found[1] > DECIDED_IN_THE_MIDDLE:
            middle = text
        # Links that were just counted may not have reached the frontier yet, so the crawl is idle only when the counters no longer change.
        still = text and sum(found[2:]) == 1 and resting[-1:] in ([], [found])
        resting = [*resting, found] if still else []
        time.sleep(0.1)
    return middle, resting[0]


def main():
    binary, promtool, out = sys.argv[1:]
    end_on_sigterm()
    shutil.rmtree(out, ignore_errors=True)
    port = free_port()
    site = ("--pages", "3000", "--hosts", "20", "--latency", "20ms", "--error-rate", "0.02")
    silent = silent_server()
    with served(binary, *site, seconds_max=SECONDS_MAX) as seed:
        command = [binary, "crawl", seed, "http://127.0.0.1:%d/" % silent.getsockname()[1], "--out", out, *CRAWL,
                   "--metrics", f"127.0.0.1:{port}", "--set", "host.retries_max=0", "--set", "robots.unavailable_tries=1",
                   "--set", f"fetch.first_byte_timeout={SILENCE}", "--set", f"fetch.whole_timeout={SILENCE}"]
        crawl = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        try:
            middle, resting = watch(crawl, port)
            silent.close()
            crawl.wait(timeout=SECONDS_MAX)
        finally:
            if crawl.poll() is None:
                crawl.kill()
                crawl.wait()
    assert crawl.returncode == 0, f"exit code {crawl.returncode}"
    assert middle, "there was no scrape in the middle of the crawl"
    promtool_check(promtool, middle)
    discovered, decided, queued, leased = resting
    print(f"idle: {discovered} discovered = {decided} decided + {queued} queued + {leased} leased")
    assert discovered == decided + queued + leased
    with open(f"{out}/report.json", encoding="utf-8") as file:
        report = json.load(file)
    assert report["discovered"] == fates_of(report) == discovered, "the report and /metrics disagree"
    print(f"promtool accepts {len(middle.splitlines())} lines; the report agrees")


if __name__ == "__main__":
    main()
