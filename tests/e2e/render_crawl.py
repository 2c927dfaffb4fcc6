"""Crawls a simulated forum that builds its pages in the browser, and compares what was reached with what its pages show once
they are loaded, scrolled and clicked.

Usage: render_crawl.py HARVESTMAN WORK
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request

import render_archive
import sim
from warcio.archiveiterator import ArchiveIterator

PAGES = 80
SECONDS_MAX = 600


def get(url):
    """The answer of a simulated host, whose name not every system knows."""
    host, path = url.removeprefix("http://").split("/", 1)
    request = urllib.request.Request(f"http://127.0.0.1:{host.split(':')[1]}/{path}", headers={"Host": host})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read().decode()


def links(rendered, url):
    """The links of a page that was loaded, scrolled and clicked, and the pages that its scripts open."""
    return {*rendered[url]["complete"]["links"], *(path for path in rendered[url]["routed"] if "#" not in path)}


def reachable(rendered, start):
    """The URLs that lead to each other by the links of loaded pages."""
    found, waiting = {start}, [start]
    while waiting:
        new = [url for url in links(rendered, waiting.pop()) if url not in found and url in rendered]
        found.update(new)
        waiting.extend(new)
    return found


def run(binary, *arguments, stop_after=None):
    process = subprocess.Popen([binary, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(timeout=stop_after or SECONDS_MAX)
    except subprocess.TimeoutExpired:
        assert stop_after, f"not done within {SECONDS_MAX} s"
        process.kill()
        process.wait()
        return None


def crawl(binary, start, out, kills):
    """Crawls to the end, with the crawler killed some times."""
    options = ["--render", "auto", *sim.CRAWL[:4], "--delay", "5ms", "--contact", "gate@localhost", "--quiet",
               "--set", "archive.rendered_records=true"]
    begun = time.monotonic()
    code = run(binary, "crawl", start, "--out", out, *options, stop_after=6 if kills else None)
    for remaining in reversed(range(kills)):
        assert code is None, f"the crawl ended before it was killed: {code}"
        code = run(binary, "resume", out, "--quiet", stop_after=6 if remaining else None)
    assert code == 0, f"the crawl ended with {code}"
    return time.monotonic() - begun


def check(out, rendered, start):
    with open(os.path.join(out, "pages.jsonl"), encoding="utf-8") as lines:
        pages = {page["url"]: page for page in map(json.loads, lines)}
    fetched = {url for url, page in pages.items() if page["fate"] == "fetched"}
    expected = reachable(rendered, start)
    assert not expected - fetched, f"not reached: {sorted(expected - fetched)[:5]}"
    shown = {start}.union(*(links(rendered, url) for url in expected))
    invented = {url for url, page in pages.items() if page["fate"] in ("fetched", "failed")} - shown
    assert not invented, f"{len(invented)} pages were requested that no page links to: {sorted(invented)[:5]}"
    posts = {post["text"] for url, page in rendered.items() if url.split("#")[0] in expected for post in page["complete"]["posts"]}
    missing = posts - texts(out)
    assert not missing, f"{len(missing)} of {len(posts)} posts are not in the archive: {sorted(missing)[:5]}"
    count = {how: sum(pages[url].get("rendered") == how for url in expected) for how in ("rendered", "replayed", None)}
    failed = [page for page in pages.values() if page.get("rendered", "rendered") not in ("rendered", "replayed")]
    assert not failed, failed[:3]
    with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert sim.fates_of(report) == report["discovered"], report["fates"]
    return len(expected), count


def texts(out):
    """All strings in archived answers of JSON."""
    found = set()
    for file in glob.glob(os.path.join(out, "warc", "*.warc.gz")):
        with open(file, "rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "response" and "json" in (record.http_headers.get_header("Content-Type") or ""):
                    found.update(strings(json.load(record.content_stream())))
    return found


def strings(value):
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(strings, inner))


def main():
    sim.end_on_sigterm()
    binary, work = sys.argv[1:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with sim.served(binary, "--families", "client", "--hosts", "1", "--pages", str(PAGES), "--seed", "5") as start:
        listed = map(json.loads, get(start + ".sim/rendered").splitlines())
        rendered = {page["url"]: page for page in listed}
        for kills in (0, 3):
            out = os.path.join(work, f"out-{kills}")
            seconds = crawl(binary, start, out, kills)
            expected, count = check(out, rendered, start)
            if not kills:
                render_archive.check(out, rendered)
            assert kills or count["replayed"] > count["rendered"], f"the requests of its scripts were not learned: {count}"
            print(f"{kills} kills: all {expected} pages in {seconds:.0f} s: {count['rendered']} rendered, {count['replayed']} replayed")
        counts = json.loads(get(start + "__counts"))
        assert not any(counts.values()), f"something was changed on the server: {counts}"


if __name__ == "__main__":
    main()
