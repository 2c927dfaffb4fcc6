#!/usr/bin/env python3
"""Executes the tutorial and compares the output with the output shown in the tutorial.

Usage: tutorial.py HARVESTMAN WORK_DIR

Runs the fenced blocks of docs/tutorial.md that are marked `sh tutorial`, in order, in WORK_DIR/tutorial, which is recreated. More marks:
  background=NAME       the block keeps running during the next ones, in its own process group; it is ended with this script
  until=URL or FILE     for a background block: the next block waits until the URL responds or the file is not empty
  look=SECONDS          for a background block: the next block starts after this delay, in which a reader would watch the crawl
  exit=CODE             the expected exit code (0)
  ends=NAME             the named background block ends by itself after this block
Each line of a `text output` block must be in the output of the blocks since the previous such block, in this order; `…` matches anything.
At the end, docs/files.md must describe every file and field that the crawls have written.
The tutorial's virtual environment is created with the Python that runs this script. Exits with 0 if all checks pass.
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
# Passes the working directory and the variables of a block to the next one, as a terminal does.
LEAVE = "\nexport -p >{0}.new; echo cd \"$PWD\" >>{0}.new; mv {0}.new {0}\n"


def blocks(text):
    """The fenced blocks of a document: language, marks, text."""
    found = re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(language, marks.split(), body) for language, marks, body in found]


class Terminal:
    """Runs blocks one after another in a directory."""

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
        assert process.returncode == code, f"exit code {process.returncode} instead of {code} for:\n{body}"
        self.output += said

    def run_beside(self, name, body, code, until):
        kind, place = ("url", until) if "://" in until else ("file", os.path.join(self.folder, until))
        assert kind == "file" or not answers(place), f"{place} is already served by another process"
        # The output goes to a file, because nothing reads it and a pipe would fill up.
        with open(f"{self.folder}/../{name}.log", "w", encoding="utf-8") as log:
            process = self.start("exec " + body.lstrip(), False, stdout=log, stderr=log)
        self.running[name] = (process, code)
        ready = (lambda: answers(place)) if kind == "url" else (lambda: os.path.exists(place) and os.path.getsize(place))
        deadline = time.monotonic() + WAIT_SECONDS_MAX
        while not ready():
            assert process.poll() is None and time.monotonic() < deadline, f"{name} did not reach {until}: see {name}.log"
            time.sleep(0.1)

    def wait_for(self, name):
        process, code = self.running.pop(name)
        try:
            assert process.wait(timeout=WAIT_SECONDS_MAX) == code, f"exit code {process.returncode} instead of {code} for {name}"
        finally:
            end(process)

    def compare(self, shown):
        """Checks that the lines shown in the document are in the output, in this order."""
        at = 0
        for line in shown.splitlines():
            pattern = r"[^\n]*".join(map(re.escape, line.rstrip().split("…")))
            match = re.compile(rf"^{pattern}\s*$" if "…" not in line[-1:] else rf"^{pattern}", re.MULTILINE).search(self.output, at)
            assert match, f"the tutorial shows a line that is not in the output (or not after the preceding lines):\n{line}"
            at = match.end()
        self.output = ""

    def close(self):
        for process, _ in self.running.values():
            end(process)


def end(process):
    """Ends a process and its children."""
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
    assert urlsplit(url).hostname == "127.0.0.1", "the tutorial must stay on this machine"
    try:
        return urllib.request.urlopen(url, timeout=10).status == 200
    except OSError:
        return False


def do(terminal, language, marks, body):
    """Executes one block. Returns whether it was part of the tutorial."""
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
    """Checks that docs/files.md describes all files of a crawl, and all fields of the page log and of the report."""
    with open(FILES, encoding="utf-8") as file:
        described = set(re.findall(r"`([^`\s]+)`", file.read()))
    found = set()
    for crawl in CRAWLS:
        found |= {re.sub(r"\d+", "N", name) for name in os.listdir(f"{folder}/{crawl}") if name not in ("warc", "state")}
        with open(f"{folder}/{crawl}/pages.jsonl", encoding="utf-8") as lines:
            found.update(*map(json.loads, lines))
        with open(f"{folder}/{crawl}/report.json", encoding="utf-8") as file:
            found |= set(json.load(file))
    assert len(found) > 40, f"only {sorted(found)} were found"
    unknown = sorted(found - described)
    assert not unknown, f"docs/files.md does not describe {unknown}"
    print(f"docs/files.md describes all {len(found)} files and fields that the crawls have written")


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
    print(f"the {count} steps of the tutorial work as described ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
