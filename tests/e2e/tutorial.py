#!/usr/bin/env python3
"""Does what the tutorial says, and compares what comes of it with what the tutorial shows.

Usage: tutorial.py HARVESTMAN WORK_DIR

Runs the fenced blocks of docs/tutorial.md that are marked `sh tutorial`, in order, in WORK_DIR/tutorial, which is made anew. Further marks:
  background=NAME       the block goes on while the next ones run, in a process group of its own; it is ended with this script
  until=URL or FILE     of such a block: the next one waits until the URL answers, or the file holds something
  look=SECONDS          of such a block: the next one comes so much later, as a reader would look at what happens
  exit=CODE             the exit code that it should have (0)
  ends=NAME             after this block the named one ends by itself
Each line of a `text output` block must be in the output of the blocks since the last such one, in this order; `…` stands for anything.
In the end docs/files.md must describe every file and field that the crawls have left.
The Python that runs it makes the virtual environment that the tutorial asks for. Exit code 0: all of it holds.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from urllib.parse import urlsplit

TUTORIAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/tutorial.md")
FILES = os.path.join(os.path.dirname(TUTORIAL), "files.md")
CRAWLS = ("first", "second")
SOURCE = os.path.dirname(os.path.dirname(os.path.realpath(TUTORIAL)))
BLOCK_SECONDS_MAX = 240
WAIT_SECONDS_MAX = 60
BLOCKS_LEAST = 10
# What a block leaves to the next one, as a terminal does: its folder and its variables.
LEAVE = "\nexport -p >{0}.new; echo cd \"$PWD\" >>{0}.new; mv {0}.new {0}\n"


def blocks(text):
    """The blocks of a document: marks, text."""
    found = re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(language, marks.split(), body) for language, marks, body in found]


class Terminal:
    """Runs blocks one after the other, in a folder."""

    def __init__(self, folder, harvestman):
        self.folder, self.left = folder, os.path.join(os.path.dirname(folder), "left.sh")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("HARVESTMAN_")}
        bins = f"{os.path.dirname(folder)}/bin"
        os.makedirs(bins)
        os.symlink(harvestman, f"{bins}/harvestman")
        os.symlink(sys.executable, f"{bins}/python3")
        self.environment |= {"PATH": f"{bins}:{os.environ['PATH']}", "SOURCE": SOURCE}
        self.running, self.output = {}, ""

    def start(self, body, leave, **options):
        begin = f". {self.left}\n" if os.path.exists(self.left) else ""
        end = LEAVE.format(self.left) if leave else ""
        return subprocess.Popen(["bash", "-euo", "pipefail", "-c", begin + body + end], cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, start_new_session=True, text=True, **options)

    def run(self, body, code):
        process = self.start(body, True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            said, _ = process.communicate(timeout=BLOCK_SECONDS_MAX)
        finally:
            end(process)
        print(said, end="")
        assert process.returncode == code, f"exit code {process.returncode}, not {code}, of:\n{body}"
        self.output += said

    def run_beside(self, name, body, code, until):
        kind, place = ("url", until) if "://" in until else ("file", os.path.join(self.folder, until))
        assert kind == "file" or not answers(place), f"somebody else serves {place}"
        # Its output must be read by nobody: a pipe would fill up.
        with open(f"{self.folder}/../{name}.log", "w", encoding="utf-8") as log:
            process = self.start("exec " + body.lstrip(), False, stdout=log, stderr=log)
        self.running[name] = (process, code)
        ready = (lambda: answers(place)) if kind == "url" else (lambda: os.path.exists(place) and os.path.getsize(place))
        deadline = time.monotonic() + WAIT_SECONDS_MAX
        while not ready():
            assert process.poll() is None and time.monotonic() < deadline, f"{name} did not come to {until}: see {name}.log"
            time.sleep(0.1)

    def wait_for(self, name):
        process, code = self.running.pop(name)
        try:
            assert process.wait(timeout=WAIT_SECONDS_MAX) == code, f"exit code {process.returncode}, not {code}, of {name}"
        finally:
            end(process)

    def compare(self, shown):
        """Lines that the document shows are in what was said, one after the other."""
        at = 0
        for line in shown.splitlines():
            pattern = r"[^\n]*".join(map(re.escape, line.rstrip().split("…")))
            match = re.compile(rf"^{pattern}\s*$" if "…" not in line[-1:] else rf"^{pattern}", re.MULTILINE).search(self.output, at)
            assert match, f"the tutorial shows a line that did not come (or not after the lines before it):\n{line}"
            at = match.end()
        self.output = ""

    def close(self):
        for process, _ in self.running.values():
            end(process)


def end(process):
    """Ends a process and what it started."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def answers(url):
    assert urlsplit(url).hostname == "127.0.0.1", "the tutorial stays on this machine"
    try:
        return urllib.request.urlopen(url, timeout=10).status == 200
    except OSError:
        return False


def do(terminal, language, marks, body):
    """One block. Returns whether it was part of the tutorial."""
    said = dict(mark.partition("=")[::2] for mark in marks)
    if language == "text" and "output" in said:
        terminal.compare(body)
    if language != "sh" or "tutorial" not in said:
        return False
    start, code = time.monotonic(), int(said.get("exit", 0))
    print("$ " + body.rstrip().replace("\n", "\n$ "))
    if "background" in said:
        terminal.run_beside(said["background"], body, code, said["until"])
        time.sleep(float(said.get("look", 0)))
    else:
        terminal.run(body, code)
    if "ends" in said:
        terminal.wait_for(said["ends"])
    print(f"-- {time.monotonic() - start:.0f} s\n")
    return True


def check_files(folder):
    """Whatever a crawl leaves is described: its files, the fields of the page log and of the report."""
    with open(FILES, encoding="utf-8") as file:
        described = set(re.findall(r"`([^`\s]+)`", file.read()))
    found = set()
    for crawl in CRAWLS:
        found |= {re.sub(r"\d+", "N", name) for name in os.listdir(f"{folder}/{crawl}") if name not in ("warc", "state")}
        with open(f"{folder}/{crawl}/pages.jsonl", encoding="utf-8") as lines:
            found.update(*map(json.loads, lines))
        with open(f"{folder}/{crawl}/report.json", encoding="utf-8") as file:
            found |= set(json.load(file))
    assert len(found) > 40, f"only {sorted(found)} was found"
    unknown = sorted(found - described)
    assert not unknown, f"docs/files.md does not describe {unknown}"
    print(f"docs/files.md describes all of the {len(found)} files and fields that the crawls have left")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    harvestman, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(f"{work}/tutorial")
    with open(TUTORIAL, encoding="utf-8") as file:
        parts = blocks(file.read())
    start, terminal = time.monotonic(), Terminal(f"{work}/tutorial", harvestman)
    try:
        count = sum(do(terminal, *part) for part in parts)
        check_files(terminal.folder)
    finally:
        terminal.close()
    assert count >= BLOCKS_LEAST, f"only {count} blocks were found"
    print(f"the tutorial's {count} steps do what it says ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
