"""Crawls a live site three times, with no page rendered, those that need it, and all, and compares what was reached at which cost.

What counts is in the archive: each post of the site has a word of its own, and is found if an answer that the crawl fetched holds it.
"""

import argparse
import collections
import contextlib
import datetime
import email.message
import glob
import gzip
import inspect
import json
import mailbox
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

from sim import fates_of

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = ("never", "auto", "always")
# Not that of the crawler: HyperKitty sends robots complete pages.
AGENT = "Mozilla/5.0 (X11; Linux x86_64) gate@localhost"
OPTIONS = ["--user-agent", AGENT, "--set", "fetch.private_addresses=true", "--quiet", "--log-level", "info"]
WORD = re.compile(rb"zq\d{7}qz")
# Modules whose documentation gives texts: written by people, and on every machine.
TEXTS = (argparse, datetime, email.message, mailbox, os, random, shutil, subprocess)
CRAWL_SECONDS_MAX = 1_500
START_SECONDS_MAX = 60
SERVER_SECONDS_MAX = 3 * CRAWL_SECONDS_MAX

FOUND_MIN = 0.99
RENDERED_MAX = 20
REPLAYED_MIN = 0.95


def word(number):
    """The word of a post, which is nowhere else."""
    return f"zq{number:07}qz"


class Texts:
    """Paragraphs that differ, in which words follow each other as in the documentation of some modules."""

    def __init__(self, rng):
        self.rng, self.following = rng, collections.defaultdict(list)
        documented = list(TEXTS) + [value for module in TEXTS for _, value in sorted(vars(module).items()) if callable(value)]
        self.words = [word for value in documented for word in re.findall(r"[A-Za-z][a-z']*[.,]?", inspect.getdoc(value) or "")]
        for before, after in zip(self.words, self.words[1:]):
            self.following[before].append(after)

    def some(self, shortest, longest):
        word = self.rng.choice(self.words)
        for _ in range(self.rng.randint(shortest, longest)):
            yield word
            word = self.rng.choice(self.following[word] or self.words)

    def title(self):
        return " ".join(self.some(4, 6))

    def paragraph(self):
        return " ".join(self.some(15, 60))


def new_environment(path, *requirements):
    """The interpreter of a Python environment with these packages."""
    python = os.path.join(path, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", path], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements], check=True)
    return python


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def serving(command, url, environment=None, log=None):
    """Runs a server and yields once it answers at `url`. It ends with its group, at the latest after its time even if this is killed."""
    command = ["timeout", str(SERVER_SECONDS_MAX), *command]
    with open(log or os.devnull, "ab") as output:
        server = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
    try:
        wait_for(server, url)
        yield server
    finally:
        end(server)


def wait_for(server, url):
    deadline = time.monotonic() + START_SECONDS_MAX
    while True:
        try:
            return urllib.request.urlopen(url, timeout=5).read()
        except OSError as error:
            assert server.poll() is None and time.monotonic() < deadline, f"{url} is not served: {error}"
            time.sleep(0.2)


def end(server):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


class Crawl:
    """A crawl that has ended: its pages, the words of posts in its archive, and what it cost."""

    def __init__(self, binary, start, out, mode, options):
        shutil.rmtree(out, ignore_errors=True)
        command = [binary, "crawl", start, "--out", out, "--render", mode, *OPTIONS, *options]
        measured = [sys.executable, os.path.join(HERE, "measured.py"), str(CRAWL_SECONDS_MAX), *command]
        with open(f"{out}.log", "w", encoding="utf-8") as log:
            result = subprocess.run(measured, stdout=subprocess.PIPE, stderr=log, text=True, check=False)
        assert result.returncode == 0, f"{mode}: see {out}.log"
        self.mode, self.out, self.cost = mode, out, json.loads(result.stdout)
        assert self.cost["code"] == 0, f"{mode}: the crawl ended with {self.cost['code']}, see {out}.log"
        with open(os.path.join(out, "pages.jsonl"), encoding="utf-8") as lines:
            self.pages = [json.loads(line) for line in lines]
        with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
            report = json.load(file)
        assert fates_of(report) == report["discovered"], report["fates"]
        self.statuses, self.words = archived(out)

    def fetched(self):
        return [page for page in self.pages if page["fate"] == "fetched" and page.get("status") == 200]

    def needed(self):
        """The number of pages by the form of their URLs and by how they were completed, of forms not all of whose pages are plain."""
        counts = collections.defaultdict(collections.Counter)
        for page in self.fetched():
            counts[form(page["url"])][page.get("rendered")] += 1
        return {name: ways for name, ways in counts.items() if ways["rendered"] or ways["replayed"]}


def form(url):
    """What the URLs of pages of one type have in common: not the crawler's own notion of it, which is tested here."""
    path, _, query = url.partition("://")[2].partition("/")[2].partition("?")
    names = ",".join(sorted(pair.partition("=")[0] for pair in query.split("&") if pair))
    return "/" + re.sub(r"(?<=/)(\d+|[A-Z\d]{20,})(?=/|$)", "*", f"/{path}")[1:] + (f"?{names}" if names else "")


def archived(out):
    """The statuses of all URLs in an archive, and the words of posts in the answers."""
    statuses, words = {}, set()
    for path in glob.glob(os.path.join(out, "warc", "*.warc.gz")):
        with gzip.open(path) as file:
            for record in file.read().split(b"WARC/1.1\r\n"):
                head, _, block = record.partition(b"\r\n\r\n")
                if b"WARC-Type: response" not in head:
                    continue
                answer, _, body = block.partition(b"\r\n\r\n")
                assert b"\r\ncontent-encoding:" not in answer.lower(), "the server compresses its answers"
                words.update(WORD.findall(body))
                url = re.search(rb"WARC-Target-URI: <?([^>\r]*)", head)[1].decode()
                statuses[url] = int(answer.split(b" ", 2)[1])
    return statuses, {found.decode() for found in words}


def crawl_all(binary, start, work, options=(), modes=MODES):
    return {mode: Crawl(binary, start, os.path.join(work, f"crawl-{mode}"), mode, options) for mode in modes}


def modes(arguments):
    return MODES[:2] if arguments.quick else MODES


def listed(ways):
    return ", ".join(f"{count} {how or 'plain'}" for how, count in sorted(ways.items(), key=str))


def show(crawls, truth):
    """Prints what each crawl found, how, and at which cost."""
    for mode, crawl in crawls.items():
        how = collections.Counter(page.get("rendered") for page in crawl.fetched())
        found, cost = len(crawl.words & truth), crawl.cost
        print(f"{mode}: {found} of {len(truth)} posts ({found / len(truth):.3f}), {len(crawl.fetched())} pages ({listed(how)}), "
              f"{cost['cpu']:.1f} s CPU, {cost['seconds']:.0f} s")
    auto, always = crawls["auto"], crawls.get("always")
    for name, ways in auto.needed().items():
        print(f"  {name}: {listed(ways)}", flush=True)
    if always:
        print(f"auto: {len(auto.words & always.words) / len(always.words):.4f} of the posts that a browser shows, "
              f"{auto.cost['cpu'] / always.cost['cpu']:.3f} of the CPU time of rendering all pages, "
              f"{len(more_requests(auto, always))} of {len(auto.statuses)} requests that no browser makes", flush=True)


def arguments(what, default):
    """The arguments of a script whose site has `default` of `what`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("harvestman")
    parser.add_argument("work")
    parser.add_argument("--size", type=int, default=default, help=f"number of {what}")
    parser.add_argument("--delay", default="5ms")
    parser.add_argument("--cpu", type=float, default=0.5, help="maximum of the CPU time, as a share of that of rendering all pages")
    parser.add_argument("--quick", action="store_true", help="render no site as a whole: posts are compared with those of the site, nothing with costs")
    parser.add_argument("--python", help="interpreter of an environment with the site's software")
    return parser.parse_args()


def check(crawls, truth, cpu_max):
    """Checks the crawl that renders what needs it."""
    never, auto, always = (crawls.get(mode) for mode in MODES)
    shown = always.words if always else truth
    assert not shown - truth, "there are words of no post"
    assert len(shown) > len(never.words), "no post needs a browser: this site tests nothing"
    found = len(auto.words & shown) / len(shown)
    missing = sorted(shown - auto.words)
    assert found >= FOUND_MIN, f"{len(missing)} posts that a browser shows were not found: {missing[:5]}"
    failed = [page for crawl in crawls.values() for page in crawl.pages if page.get("rendered", "rendered") not in ("rendered", "replayed")]
    assert not failed, f"{len(failed)} pages were not rendered: {failed[:2]}"
    check_forms(auto)
    if not always:
        return
    failed = [url for url, status in more_requests(auto, always).items() if status >= 400]
    assert not failed, f"{len(failed)} requests that no browser makes failed: {failed[:3]}"
    assert auto.cost["cpu"] <= cpu_max * always.cost["cpu"], f"more than {cpu_max} of the CPU time of rendering all pages"


def check_forms(auto):
    """Checks that few pages of each form are rendered, and that those that need it are replayed."""
    needed = auto.needed()
    many = {name: ways["rendered"] for name, ways in needed.items() if ways["rendered"] > RENDERED_MAX}
    assert not many, f"too many pages were rendered: {many}"
    shares = {name: ways["replayed"] / (sum(ways.values()) - ways["rendered"]) for name, ways in needed.items() if ways["replayed"]}
    assert shares, "no page was replayed"
    assert min(shares.values()) >= REPLAYED_MIN, f"of the pages that were not rendered, these shares were replayed: {shares}"


def more_requests(auto, always):
    """The URLs, with their statuses, that were requested only if not all pages were rendered."""
    return {url: status for url, status in auto.statuses.items() if url not in always.statuses}
