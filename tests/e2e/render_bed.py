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
OPTIONS = ["--delay", "5ms", "--user-agent", AGENT, "--set", "fetch.private_addresses=true", "--quiet", "--log-level", "info"]
WORD = re.compile(rb"zq\d{7}qz")
# Modules whose documentation gives texts: written by people, and on every machine.
TEXTS = (argparse, datetime, email.message, mailbox, os, random, shutil, subprocess)
CRAWL_SECONDS_MAX = 1_500
START_SECONDS_MAX = 60

FOUND_MIN = 0.99
RENDERED_MAX = 20
REPLAYED_MIN = 0.95


def word(number):
    """The word of a post, which is nowhere else."""
    return f"zq{number:07}qz"


def paragraphs():
    """The paragraphs of the documentation of some modules."""
    documented = [module for module in TEXTS] + [value for module in TEXTS for _, value in sorted(vars(module).items()) if callable(value)]
    texts = dict.fromkeys(part.strip() for value in documented for part in (inspect.getdoc(value) or "").split("\n\n"))
    return [text for text in texts if 15 <= len(text.split()) <= 80 and ">>>" not in text]


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
    """Runs a server and yields once it answers at `url`. It is ended with its group."""
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
        self.words = archived_words(out)

    def fetched(self):
        return [page for page in self.pages if page["fate"] == "fetched" and page.get("status") == 200]

    def rendered(self):
        """The number of pages by cluster and by how they were completed."""
        counts = collections.defaultdict(collections.Counter)
        for page in self.fetched():
            counts[page.get("cluster")][page.get("rendered")] += 1
        return counts


def archived_words(out):
    """The words of posts in the answers of an archive."""
    words = set()
    for path in glob.glob(os.path.join(out, "warc", "*.warc.gz")):
        with gzip.open(path) as file:
            for record in file.read().split(b"WARC/1.1\r\n"):
                head, _, block = record.partition(b"\r\n\r\n")
                if b"WARC-Type: response" not in head:
                    continue
                answer, _, body = block.partition(b"\r\n\r\n")
                assert b"\r\ncontent-encoding:" not in answer.lower(), "the server compresses its answers"
                words.update(WORD.findall(body))
    return {found.decode() for found in words}


def crawl_all(binary, start, work, options=(), modes=MODES):
    return {mode: Crawl(binary, start, os.path.join(work, f"crawl-{mode}"), mode, options) for mode in modes}


def show(crawls, truth):
    """Prints what each crawl found, how, and at which cost."""
    for mode, crawl in crawls.items():
        how = collections.Counter(page.get("rendered") for page in crawl.fetched())
        ways = ", ".join(f"{count} {name or 'plain'}" for name, count in sorted(how.items(), key=str))
        found, cost = len(crawl.words & truth), crawl.cost
        print(f"{mode}: {found} of {len(truth)} posts ({found / len(truth):.3f}), {len(crawl.fetched())} pages ({ways}), "
              f"{cost['cpu']:.1f} s CPU, {cost['seconds']:.0f} s", flush=True)


def check(crawls, truth, cpu_max):
    """Checks the crawl that renders what needs it. Returns the share of the CPU time that it took."""
    never, auto, always = (crawls[mode] for mode in MODES)
    assert not always.words - truth, "there are words of no post"
    shown = always.words & truth
    assert len(shown) > len(never.words & truth), "no post needs a browser: this site tests nothing"
    found = len(auto.words & shown) / len(shown)
    assert found >= FOUND_MIN, f"{found:.4f} of the posts that a browser shows were found; missing: {sorted(shown - auto.words)[:5]}"
    failed = [page for page in auto.pages + always.pages if page.get("rendered", "rendered") not in ("rendered", "replayed")]
    assert not failed, f"{len(failed)} pages were not rendered: {failed[:2]}"
    check_clusters(auto)
    ratio = auto.cost["cpu"] / always.cost["cpu"]
    print(f"{found:.4f} of the posts that a browser shows, with {ratio:.3f} of the CPU time of rendering all pages")
    assert ratio <= cpu_max, f"more than {cpu_max} of the CPU time"


def check_clusters(auto):
    """Checks that few pages of each cluster are rendered, and the rest of those that need it replayed."""
    rendered = {cluster: ways for cluster, ways in auto.rendered().items() if ways["rendered"] or ways["replayed"]}
    for cluster, ways in rendered.items():
        print(f"cluster {cluster}: {dict(ways)}")
        assert ways["rendered"] <= RENDERED_MAX, f"{ways['rendered']} pages of cluster {cluster} were rendered"
    for cluster, ways in rendered.items():
        if ways["replayed"]:
            share = ways["replayed"] / (sum(ways.values()) - ways["rendered"])
            assert share >= REPLAYED_MIN, f"only {share:.3f} of the other pages of cluster {cluster} were replayed"
    assert any(ways["replayed"] for ways in rendered.values()), "no cluster is replayed"
