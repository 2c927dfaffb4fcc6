#!/usr/bin/env python3
"""Records real social software with the truth about its posts, for `harvestman-lab lab posts`.

Usage: record.py SOFTWARE --out DIR [--posts N] [--harvestman BIN] [--home DIR] [--environment DIR] [--beds DIR] [--recording FILE]

SOFTWARE is the NAME of a file software_NAME.py beside this one. The site is made in --home (DIR/site), unless that holds one, with about N
posts; served on loopback; and crawled to DIR/crawl. The truth is read from its database and written to DIR/truth.jsonl.
--environment is a Python environment with the software, --beds the folder of machina and spirit. With --recording, the truth is about that
WARC file of the same site, and nothing is crawled. Everything that was started has ended when this exits.
"""

import argparse
import dataclasses
import importlib
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))

import recorded  # noqa: E402
import truth_file  # noqa: E402
from render_bed import serving  # noqa: E402
from sim import end_on_sigterm  # noqa: E402

CRAWL_SECONDS_MAX = 110
POSTS = 1_000


@dataclasses.dataclass
class Site:
    """Where a site is made and served, and how large it is."""

    home: str
    port: int
    scale: float
    posts: int
    beds: str | None
    environment: str | None
    recordings: str = os.path.join(HERE, "..", "..", "recordings")

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}"


def options(software):
    """The options of a crawl of a site of one's own."""
    left_out = [part for pattern in getattr(software, "LEFT_OUT", []) for part in ("--exclude", pattern)]
    return [*left_out, *getattr(software, "OPTIONS", []), "--delay", "0s", "--per-host", "4", "--set", "fetch.private_addresses=true",
            "--set", "scope.trap_guard=false", "--contact", "recording@localhost", "--time", f"{CRAWL_SECONDS_MAX}s", "--quiet"]


def crawl(binary, software, site, out):
    """Crawls the site, which must have no page left."""
    shutil.rmtree(out, ignore_errors=True)
    start = site.base + getattr(software, "START", "/")
    command, environment = software.server(site)
    with serving(command, start, environment, os.path.join(site.home, "server.log")):
        begin = time.monotonic()
        result = subprocess.run([binary, "crawl", start, "--out", out, *options(software)], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, timeout=10 * CRAWL_SECONDS_MAX)
        assert result.returncode == 0, f"the crawl ended with {result.returncode}: {result.stdout[-2000:]}{result.stderr[-2000:]}"
    with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    print(f"crawled {report['pages']} pages in {time.monotonic() - begin:.0f} s ({report['stop_reason']})", flush=True)


def record(arguments):
    software = importlib.import_module(f"software_{arguments.software}")
    out = os.path.abspath(arguments.out)
    os.makedirs(out, exist_ok=True)
    scale = arguments.posts / software.POSTS_AT_SCALE_1
    home = os.path.abspath(arguments.home or os.path.join(out, "site"))
    site = Site(home, software.PORT, scale, arguments.posts, arguments.beds and os.path.abspath(arguments.beds), arguments.environment)
    begin = time.monotonic()
    software.set_up(site)
    print(f"{arguments.software}: set up in {time.monotonic() - begin:.0f} s", flush=True)
    recording = arguments.recording or os.path.join(out, "crawl")
    if not arguments.recording:
        crawl(os.path.abspath(arguments.harvestman), software, site, recording)
    posts = list(software.posts(site))
    assert posts, "the database has no posts"
    pages = recorded.pages(recording)
    count, holders = truth_file.write(os.path.join(out, "truth.jsonl"), posts, pages.items(), software.shown(site, posts))
    print(f"{count} of {len(posts)} posts are shown on {holders} of {len(pages)} pages", flush=True)


def main():
    end_on_sigterm()
    parser = argparse.ArgumentParser()
    parser.add_argument("software", choices=sorted(name[9:-3] for name in os.listdir(HERE) if name.startswith("software_") and name.endswith(".py")))
    parser.add_argument("--out", required=True)
    parser.add_argument("--posts", type=int, default=POSTS)
    parser.add_argument("--harvestman", default="harvestman")
    parser.add_argument("--home")
    parser.add_argument("--environment")
    parser.add_argument("--beds")
    parser.add_argument("--recording")
    record(parser.parse_args())


if __name__ == "__main__":
    main()
