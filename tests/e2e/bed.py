#!/usr/bin/env python3
"""Crawls live forum software and compares what was reached with the recorded ground truth of the same forum.

Usage: bed.py setup --bed NAME --beds DIR --work DIR
       bed.py crawl --bed NAME --beds DIR --work DIR --corpora DIR --harvestman BIN [--expected N]

setup  creates the forum in WORK/NAME by its own setup.sh; does nothing if it exists already.
crawl  serves the forum on loopback, crawls it to WORK/NAME-crawl, and checks that
         * every page that is reachable through pages allowed by robots.txt was reached, with the recorded status,
         * no request was sent that robots.txt forbids, and none twice, according to the log of the server,
         * every URL has one line in the page log, and the fates add up to the number of discovered links.
       --expected N also writes the expected result of a replay of N pages to WORK/NAME-expected (for pywb_replay.py).

Requires warcio in the Python environment. Exits with 0 if all checks pass.
"""

import argparse
import collections
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from expected import write_expected
from truth import AGENT, key, reachable

# The recorded URLs contain these ports.
PORTS = {"machina": 8101, "spirit": 8102}
SETUP_SECONDS_MAX = 1500
START_SECONDS_MAX = 60
CRAWL_SECONDS_MAX = 1500
SETUP_DONE = "setup-is-done"


def environment(args, home):
    log = f"--access-logfile {home}/access.log --access-logformat '%(s)s %(r)s %(a)s'"
    settings = {"BED_HOME": home, "PORT": str(PORTS[args.bed]), "WORKERS": "2", "SCALE": "1.0", "SEED": "1"}
    return {**os.environ, **settings, "PYTHON": sys.executable, "GUNICORN_CMD_ARGS": log}


def setup(args, home):
    done = os.path.join(home, SETUP_DONE)
    if not os.path.exists(done):
        script = ["sh", os.path.join(args.beds, args.bed, "setup.sh")]
        subprocess.run(script, env=environment(args, home), check=True, timeout=SETUP_SECONDS_MAX)
        open(done, "w").close()
    print(f"{args.bed}: set up")


def serve(args, home, base):
    """Starts the forum and waits until it responds."""
    with socket.socket() as probe:
        # Otherwise the crawl could reach a server that is not ours.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", PORTS[args.bed]))
    try:
        os.remove(f"{home}/access.log")
    except FileNotFoundError:
        pass
    script = ["sh", os.path.join(args.beds, args.bed, "serve.sh")]
    server = subprocess.Popen(script, env=environment(args, home), start_new_session=True)
    deadline = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(f"{base}robots.txt", timeout=5).read()
            return server
        except OSError:
            time.sleep(0.3)
    stop(server)
    sys.exit(f"{args.bed} did not start at {base}")


def stop(server):
    """Ends the server and its workers, which run in a session of their own."""
    try:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=15)
    except ProcessLookupError:
        pass
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def crawl(binary, base, out):
    shutil.rmtree(out, ignore_errors=True)
    command = [binary, "crawl", base, "--out", out, "--delay", "0s", "--per-host", "4", "--contact", "gate@example.org",
               "--quiet"]
    start = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, timeout=CRAWL_SECONDS_MAX, stdin=subprocess.DEVNULL)
    print(result.stdout[-3000:], result.stderr[-3000:], sep="")
    assert result.returncode == 0, f"exit code {result.returncode}"
    print(f"crawled in {time.monotonic() - start:.0f} s")


def requests(home, base):
    """The URLs that the crawler requested, from the log of the server: status, method, target, version, user agent."""
    with open(f"{home}/access.log", encoding="utf-8") as file:
        lines = [line.split(" ", 4) for line in file]
    return [base.rstrip("/") + line[2] for line in lines if line[4].startswith(AGENT)]


def check_accounts(out):
    """Checks that each URL has one line and that the fates add up. Returns the lines by key."""
    with open(f"{out}/pages.jsonl", encoding="utf-8") as file:
        pages = [json.loads(line) for line in file]
    twice = [url for url, count in collections.Counter(page["url"] for page in pages).items() if count > 1]
    assert not twice, f"URLs with more than one line: {twice[:5]}"
    with open(f"{out}/report.json", encoding="utf-8") as file:
        report = json.load(file)
    total = sum(sum(count.values()) if isinstance(count, dict) else count for count in report["fates"].values())
    assert total == report["discovered"], f"the fates add up to {total}, but {report['discovered']} links were discovered"
    return {key(page["url"]): page for page in pages}


def check_requests(made, robots):
    """Checks the log of the server: no forbidden requests, no repeated requests."""
    assert made, "the log of the server contains no request of the crawler"
    forbidden = [url for url in made if not robots.can_fetch(AGENT, url)]
    assert not forbidden, f"{len(forbidden)} forbidden requests: {forbidden[:5]}"
    twice = [url for url, count in collections.Counter(made).items() if count > 1]
    twice = [url for url in twice if urlsplit(url).path != "/robots.txt"]
    assert not twice, f"requested more than once: {twice[:5]}"


def check_reached(allowed, pages):
    reached = {url: pages[url]["status"] for url in allowed if "status" in pages.get(url, {})}
    missing = sorted(set(allowed) - set(reached))
    other = [(url, allowed[url][0], status) for url, status in reached.items() if status != allowed[url][0]]
    print(f"{len(allowed)} pages are reachable and allowed: {len(reached)} reached, {len(other)} of them with a different status; "
          f"{len(pages) - len(set(allowed) & set(pages))} other URLs in the page log")
    assert not missing, f"{len(missing)} not reached: {missing[:10]}"
    assert not other, f"different status (URL, recorded, now): {other[:10]}"


def run(args, home):
    base = f"http://127.0.0.1:{PORTS[args.bed]}/"
    out, expected = (os.path.join(args.work, f"{args.bed}-{what}") for what in ("crawl", "expected"))
    server = serve(args, home, base)
    try:
        robots = RobotFileParser(f"{base}robots.txt")
        robots.read()
        allowed, forbidden = reachable(base, args.corpora, args.bed, robots)
        crawl(args.harvestman, base, out)
        made = requests(home, base)
        print(f"{len(made)} requests in the log of the server; links led to {len(forbidden)} recorded URLs that robots.txt forbids")
        assert forbidden, "the check of robots.txt needs at least one forbidden URL"
        pages = check_accounts(out)
        check_requests(made, robots)
        check_reached(allowed, pages)
        if args.expected:
            shutil.rmtree(expected, ignore_errors=True)
            recording = os.path.join(args.corpora, f"{args.bed}.warc.gz")
            live, read = write_expected(os.path.join(out, "warc"), recording, expected, args.expected)
            print(f"a replay must return {live} pages as served by the live server and {read} as read by warcio")
    finally:
        stop(server)
    print(f"{args.bed}: every reachable and allowed page was reached, and nothing forbidden was requested")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("setup", "crawl"))
    parser.add_argument("--bed", required=True, choices=sorted(PORTS))
    parser.add_argument("--beds", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--corpora")
    parser.add_argument("--harvestman")
    parser.add_argument("--expected", type=int, default=0)
    args = parser.parse_args()
    # Ends all child processes if a time limit ends this script.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args.work = os.path.abspath(args.work)
    home = os.path.join(args.work, args.bed)
    setup(args, home) if args.what == "setup" else run(args, home)


if __name__ == "__main__":
    main()
