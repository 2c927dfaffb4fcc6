"""Renders many pages while the crawler and its browser are killed again and again, and checks that nothing is lost or left.

Usage: render_kills.py HARVESTMAN WORK [--pages N] [--kills N]

A first crawl is killed and resumed, a second one only loses its browsers; of the second one the memory is measured.
"""

import argparse
import contextlib
import glob
import http.server
import json
import os
import shutil
import signal
import subprocess
import threading
import time

from warcio.archiveiterator import ArchiveIterator

import sim

SECONDS_MAX = 1800
PAGE = b"<!doctype html><title>page</title><main id=app></main><script src=/app.js></script>"
APP = b"""const show = async () => {
  const answer = await fetch('/api' + location.pathname);
  const { text, links } = await answer.json();
  app.innerHTML = `<p>${text}</p>` + links.map(link => `<a href="${link}">${link}</a>`).join(' ');
};
show();"""


class Site(http.server.BaseHTTPRequestHandler):
    """Pages that are empty without their script; each leads to the next ones."""

    protocol_version = "HTTP/1.1"
    pages = 0

    def do_GET(self):
        path = self.path
        if path == "/app.js":
            self.answer(APP, "text/javascript")
        elif path.startswith("/api/p/"):
            number = int(path.rsplit("/", 1)[1])
            links = [f"/p/{other}" for other in (2 * number + 1, 2 * number + 2) if other < self.pages]
            self.answer(json.dumps({"text": f"What page {marker(number)} says is long enough to be read", "links": links}).encode(), "application/json")
        elif path.startswith("/p/"):
            self.answer(PAGE, "text/html")
        else:
            self.send_error(404)

    def answer(self, body, content_type):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def marker(number):
    return f"marker-{number:05d}-"


@contextlib.contextmanager
def served(pages):
    Site.pages = pages
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/p/0"
    finally:
        server.shutdown()


def browsers(temporary):
    """The processes of browsers that work in this folder."""
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        with contextlib.suppress(OSError):
            with open(os.path.join(folder, "cmdline"), "rb") as file:
                if temporary.encode() in file.read():
                    found.append(int(os.path.basename(folder)))
    return found


def main_browser(temporary):
    """The process that the others of a browser come from."""
    for pid in browsers(temporary):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
            if b"chrom" in words[0] and not any(word.startswith(b"--type=") for word in words):
                return pid
    return None


def memory(pid):
    """The resident memory of a process in MiB."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def count(out):
    with contextlib.suppress(OSError), open(os.path.join(out, "pages.jsonl"), "rb") as file:
        return sum(1 for _ in file)
    return 0


class Crawl:
    """A crawl that may be killed."""

    def __init__(self, binary, start, out, temporary):
        self.binary, self.out, self.temporary = binary, out, temporary
        options = ["--render", "always", "--set", "render.quiet=250ms", "--set", "render.scrolls=0", "--set", "render.clicks=0"]
        self.run("crawl", start, "--out", out, *options, "--set", "fetch.private_addresses=true", "--delay", "0s", "--contact", "gate@localhost")

    def run(self, *arguments):
        environment = os.environ | {"TMPDIR": self.temporary}
        self.process = subprocess.Popen([self.binary, *arguments, "--quiet"], stdout=subprocess.DEVNULL, env=environment)

    def await_pages(self, number):
        """Waits until so many pages are recorded, or the crawl has ended."""
        end = time.monotonic() + 300
        while count(self.out) < number and self.process.poll() is None:
            assert time.monotonic() < end, f"{count(self.out)} pages, and no more for five minutes"
            time.sleep(0.05)

    def kill_browser(self):
        pid = main_browser(self.temporary)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return pid is not None

    def kill(self):
        self.process.kill()
        self.process.wait()
        end = time.monotonic() + 10
        while browsers(self.temporary):
            assert time.monotonic() < end, f"browsers outlive the crawler: {browsers(self.temporary)}"
            time.sleep(0.1)

    def end(self):
        code = self.process.wait(timeout=SECONDS_MAX)
        assert code == 0, f"the crawl ended with {code}"
        assert not browsers(self.temporary), f"browsers are left: {browsers(self.temporary)}"


def check(out, pages):
    with open(os.path.join(out, "pages.jsonl"), encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["fate"] == "fetched"]
    assert len({record["url"] for record in records}) == pages, f"{len(records)} of {pages} pages were fetched"
    plain = [record["url"] for record in records if record.get("rendered") != "rendered"]
    assert not plain, f"{len(plain)} pages were not rendered: {plain[:5]}"
    said = archived(out)
    missing = [number for number in range(pages) if marker(number).encode() not in said]
    assert not missing, f"the data of {len(missing)} pages is not in the archive: {missing[:5]}"
    with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert sim.fates_of(report) == report["discovered"], report["fates"]


def archived(out):
    bodies = []
    for name in sorted(glob.glob(os.path.join(out, "warc", "*.warc.gz"))):
        with open(name, "rb") as file:
            bodies.extend(record.content_stream().read() for record in ArchiveIterator(file) if record.rec_type == "response")
    return b"".join(bodies)


def killed(crawl, pages, kills):
    """Kills browser and crawler by turns."""
    done = 0
    for number in range(1, kills + 1):
        crawl.await_pages(number * pages // (kills + 2) - pages // (2 * kills + 4))
        done += crawl.kill_browser()
        crawl.await_pages(number * pages // (kills + 2))
        crawl.kill()
        crawl.run("resume", crawl.out)
    crawl.end()
    return done


def measured(crawl, pages, kills):
    """Kills only browsers. Returns the memory of the crawler after a fifth of the pages, and the greatest after that."""
    crawl.await_pages(pages // 5)
    first = most = memory(crawl.process.pid)
    for number in range(1, kills + 1):
        crawl.await_pages(pages // 5 + number * pages * 3 // (4 * kills + 4))
        if crawl.process.poll() is None:
            most = max(most, memory(crawl.process.pid))
            crawl.kill_browser()
    crawl.end()
    return first, most


def main():
    sim.end_on_sigterm()
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("work")
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--kills", type=int, default=3)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    temporary = os.path.join(os.path.abspath(options.work), "tmp")
    os.makedirs(temporary)
    # The browser runs as another user where the crawler is root.
    for folder in (options.work, temporary):
        os.chmod(folder, 0o777)
    with served(options.pages) as start:
        for name in ("killed", "measured"):
            begun = time.monotonic()
            out = os.path.join(options.work, name)
            crawl = Crawl(options.binary, start, out, temporary)
            try:
                result = (killed if name == "killed" else measured)(crawl, options.pages, options.kills)
            finally:
                crawl.process.kill()
            check(out, options.pages)
            seconds = time.monotonic() - begun
            if name == "killed":
                print(f"{options.kills} kills of the crawler and {result} of its browser: all {options.pages} pages rendered in {seconds:.0f} s")
            else:
                first, most = result
                print(f"{options.kills} kills of the browser alone: all {options.pages} pages rendered in {seconds:.0f} s; the crawler's memory "
                      f"was {first:.0f} MiB after a fifth of them and {most:.0f} MiB at most after that")
                assert most < 1.25 * first + 16, "memory grows"


if __name__ == "__main__":
    main()
