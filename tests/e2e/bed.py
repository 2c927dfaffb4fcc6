"""Crawls a live forum and compares what was fetched with the recorded ground truth of the same forum.

    python bed.py --harvestman BIN --bed NAME --beds DIR --corpora DIR --work DIR --port PORT

Sets the bed up (its own setup.sh, in WORK), serves it on loopback, crawls it, and checks that
  * every page that the ground truth says is reachable by links and allowed by robots.txt was reached (fetched, or
    redirected where the truth says so),
  * nothing was requested that robots.txt forbids,
  * every URL has one line in the page log, and the fates sum up to what was discovered.

"Reachable and allowed" is computed from the recorded pages: breadth-first from the start page over the links of allowed pages.
"""
import argparse
import collections
import csv
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from warcio.archiveiterator import ArchiveIterator


class Links(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            href = dict(attributes).get("href")
            if href is not None:
                self.found.append(href)


def key(url):
    """One spelling for comparison: fragment dropped, an empty path filled in."""
    parts = urlsplit(url)
    query = "?" + parts.query if parts.query else ""
    path = re.sub(r"%[0-9a-fA-F]{2}", unreserved, parts.path or "/")
    return f"{parts.scheme}://{parts.netloc.lower()}{path}{re.sub(r'%[0-9a-fA-F]{2}', unreserved, query)}"


def unreserved(match):
    char = chr(int(match.group()[1:], 16))
    return char if re.fullmatch(r"[A-Za-z0-9._~-]", char) else match.group().upper()


def reachable(base, corpora, name, robots):
    """The URLs of the ground truth that can be reached over allowed pages, with their expected kind."""
    status = {}
    with gzip.open(f"{corpora}/{name}.labels.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            status[key(row["url"])] = (int(row["status"]), key(row["redirect_to"]) if row["redirect_to"] else None)
    links = collections.defaultdict(list)
    with open(f"{corpora}/{name}.warc.gz", "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != "response":
                continue
            url = record.rec_headers.get_header("WARC-Target-URI")
            if "html" not in (record.http_headers.get_header("Content-Type") or ""):
                continue
            parser = Links()
            parser.feed(record.content_stream().read().decode("utf-8", "replace"))
            links[key(url)] = [urljoin(url, href.strip()) for href in parser.found]
    seen, queue, forbidden = {key(base)}, collections.deque([key(base)]), set()
    while queue:
        url = queue.popleft()
        if not robots.can_fetch("harvestman", url):
            forbidden.add(url)
            continue
        kind, redirect = status[url]
        for target in ([redirect] if redirect else []) + links[url]:
            if urlsplit(target).netloc == urlsplit(base).netloc and key(target) in status and key(target) not in seen:
                seen.add(key(target))
                queue.append(key(target))
    return {url: status[url] for url in seen - forbidden}, forbidden


def crawl(binary, base, out):
    command = [binary, "crawl", base, "--out", out, "--delay", "0", "--per-host", "4", "--contact", "ci@example.org",
               "--set", "robots.agent=harvestman", "--quiet"]
    start = time.time()
    result = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    print(result.stdout[-3000:], result.stderr[-3000:], sep="\n")
    assert result.returncode == 0, f"exit {result.returncode}"
    print(f"crawled in {time.time() - start:.0f} s")


def check(base, out, expected, forbidden):
    fetched, lines = {}, collections.Counter()
    with open(f"{out}/pages.jsonl") as file:
        for line in file:
            page = json.loads(line)
            lines[page["url"]] += 1
            fetched[key(page["url"])] = page
    report = json.load(open(f"{out}/report.json"))
    total = sum(sum(v.values()) if isinstance(v, dict) else v for v in report["fates"].values())
    assert total == report["discovered"], (total, report["discovered"])
    twice = [url for url, count in lines.items() if count > 1]
    assert not twice, f"URLs with several lines: {twice[:5]}"
    missing = [url for url in expected if url not in fetched]
    wrong = []
    for url, (status, _) in expected.items():
        page = fetched.get(url)
        if page and page.get("status") != status:
            wrong.append((url, status, page.get("status"), page["fate"]))
    requested = [u for u in forbidden if u in fetched and fetched[u].get("status")]
    print(f"{len(expected)} reachable and allowed; {len(expected) - len(missing)} reached; {len(forbidden)} forbidden, "
          f"{len(requested)} of them requested; {len(fetched)} lines; {len(wrong)} with another status")
    assert not missing, missing[:10]
    assert not requested, requested[:10]
    assert len(wrong) <= len(expected) // 1000, wrong[:10]


def main():
    parser = argparse.ArgumentParser()
    for name in ("harvestman", "bed", "beds", "corpora", "work", "port"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    home = f"{args.work}/{args.bed}"
    environment = {**os.environ, "BED_HOME": home, "PORT": args.port, "WORKERS": "2", "SCALE": "1.0", "SEED": "1"}
    scripts = f"{args.beds}/{args.bed}"
    if not os.path.exists(f"{home}/data"):
        subprocess.run(["sh", f"{scripts}/setup.sh"], env=environment, check=True)
    server = subprocess.Popen(["sh", f"{scripts}/serve.sh"], env=environment, start_new_session=True)
    base = f"http://127.0.0.1:{args.port}/"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(base, timeout=5).read()
                break
            except OSError:
                time.sleep(0.5)
        robots = RobotFileParser(f"{base}robots.txt")
        robots.read()
        expected, forbidden = reachable(base, args.corpora, args.bed, robots)
        out = f"{args.work}/{args.bed}-crawl"
        subprocess.run(["rm", "-rf", out], check=True)
        crawl(args.harvestman, base, out)
        check(base, out, expected, forbidden)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()
    print(f"{args.bed}: every reachable and allowed page was reached")


if __name__ == "__main__":
    sys.exit(main())
