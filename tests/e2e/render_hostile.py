"""Renders pages that try to make a browser send requests or to harm it, and compares the server's log with the archive.

Usage: render_hostile.py HARVESTMAN WORK
"""

import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import time

from warcio.archiveiterator import ArchiveIterator

import adversary
import adversary_ways
import sim

DELAY = 0.03
# A page has five seconds of its own; a browser that crashes or hangs is started again.
SECONDS_MAX = 900
# How a page that tries to do harm may end.
RENDERED = {"rendered", "hung", "crashed", "too_large", "too_many_events", "rejected"}


def crawl(binary, work, start):
    out = os.path.join(work, "out")
    seeds = os.path.join(work, "seeds")
    with open(seeds, "w", encoding="utf-8") as file:
        file.write("\n".join(f"{start}one/{name}" for name in adversary_ways.WAYS))
    command = [binary, "crawl", start, "--seeds-file", seeds, "--out", out, "--render", "always", "--contact", "gate@localhost",
               "--delay", f"{int(DELAY * 1000)}ms", "--set", "render.page_time=5s", "--set", "render.heap_mib=64", "--quiet",
               "--set", "host.delay_factor=0", "--set", "render.requests=20", "--exclude", "/grown/"]
    begun = time.monotonic()
    ended = subprocess.run(command, timeout=SECONDS_MAX, stdout=subprocess.DEVNULL, check=False)
    assert ended.returncode == 0, f"the crawl ended with {ended.returncode}"
    return out, time.monotonic() - begun


def archived(out):
    """The paths of all requests in the archive, with their numbers."""
    paths = collections.Counter()
    for name in glob.glob(os.path.join(out, "warc", "*")):
        with open(name, "rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "request":
                    # warcio calls the method of a request its protocol.
                    method, url = record.http_headers.protocol, record.rec_headers["WARC-Target-URI"]
                    paths[f"{method} /{url.split('/', 3)[3]}"] += 1
    return paths


def check_requests(log, out):
    served = collections.Counter(f"{line['method']} {line['path']}" for line in log if "method" in line)
    assert served == archived(out), f"only served: {served - archived(out)}, only archived: {archived(out) - served}"
    assert all(request.startswith("GET ") for request in served), served
    agents = {line["headers"].get("User-Agent") for line in log if "method" in line}
    assert len(agents) == 1 and "harvestman" in agents.pop(), "a request of another program"
    for way in ("fetch", "xhr", "script", "module", "worker", "worker_fetch", "xhr_sync"):
        assert f"GET /hit/{way}" in served, f"{way} was not answered"
    for way in ("img", "css_font", "beacon", "service_worker", "web_socket", "event_source", "fetch_post", "video", "prefetch"):
        assert f"GET /hit/{way}" not in served, f"{way} was sent"
    assert served["GET /hit/script"] == 1, "a script was requested again"


def check_politeness(log):
    times = sorted(line["time"] for line in log if "method" in line)
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    # The log is written when the request arrives, the delay counts from the answer.
    assert min(gaps) > DELAY * 0.9, f"two requests {min(gaps):.4f} s apart"


def check_pages(out):
    with open(os.path.join(out, "pages.jsonl"), encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    seeds = {page["url"].split("/", 3)[3]: page for page in pages if "/one/" in page["url"] or page["url"].count("/") == 3}
    missing = [name for name in adversary_ways.WAYS if f"one/{name}" not in seeds]
    assert not missing, f"without a fate: {missing}"
    for path, page in seeds.items():
        assert page["fate"] == "fetched" and page.get("rendered") in RENDERED, f"{path}: {page}"
    outcomes = {path.removeprefix("one/"): page["rendered"] for path, page in seeds.items()}
    assert outcomes["hang"] == "hung" and outcomes["memory"] in ("crashed", "hung", "rendered"), outcomes
    rendered = sum(outcome == "rendered" for outcome in outcomes.values())
    assert rendered >= len(outcomes) - 8, outcomes
    return outcomes


def left_over():
    """Processes of browsers that crawls started."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                command = file.read()
        except OSError:
            continue
        if b"harvestman-browser-" in command and int(entry) != os.getpid():
            found.append(command.replace(b"\0", b" ").decode()[:200])
    return [command for command in found if "chrom" in command]


def main():
    sim.end_on_sigterm()
    binary, work = sys.argv[1:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    work = os.path.realpath(work)
    path = os.path.join(work, "log.jsonl")
    with adversary.served(path, canaries=["127.0.0.2", "127.0.0.3"]) as start:
        out, seconds = crawl(binary, work, start)
    log = adversary.read_log(path)
    heard = [line for line in log if "canary" in line]
    assert not heard, f"a canary heard something: {heard[:5]}"
    check_requests(log, out)
    check_politeness(log)
    outcomes = check_pages(out)
    time.sleep(1)
    assert not left_over(), left_over()
    failed = {path: outcome for path, outcome in outcomes.items() if outcome != "rendered"}
    print(f"ok: {len(outcomes)} pages in {seconds:.0f} s, {len(log)} requests, all archived; not rendered: {failed}")


if __name__ == "__main__":
    main()
