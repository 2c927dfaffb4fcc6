#!/usr/bin/env python3
"""Crawls live forum software as a member who logs in by its form, and whose sessions the forum ends while the crawl runs.

Usage: login.py --bed NAME --beds DIR --work DIR --harvestman BIN

Copies the data of the bed that `bed.py setup` made, makes a member and pages for members only by the software's own models, and crawls a
part of the forum four times:
  as a guest              none of these pages is fetched
  as the member           each of them is fetched, by the database
  with lost sessions      the same, while the forum ends the sessions again and again: not a page is missing or as a guest sees it
  killed and resumed      the same; the resumed crawl does not log in again
The log of the server shows that nothing ended a session by a request and that only the log-in page was requested against robots.txt. No
file of a crawl has the password. A wrong password ends the crawl before it begins.

Exits with 0 if all checks pass.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from urllib.robotparser import RobotFileParser

from bed import environment, stop
from truth import AGENT

HERE = os.path.dirname(os.path.abspath(__file__))
USER, PASSWORD, VARIABLE = "crawler", "correct-horse-&=+battery", "FORUM_PASSWORD"
# Requests of the crawl after which the sessions end.
LOST_AFTER = (25, 60, 61, 95)
CRAWL_SECONDS_MAX = 300
START_SECONDS_MAX = 60


class Forum:
    """A served copy of a bed, and its operator."""

    def __init__(self, args):
        self.home = os.path.join(args.work, f"{args.bed}-login")
        source = os.path.join(args.work, args.bed)
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(self.home)
        shutil.copytree(os.path.join(source, "data"), os.path.join(self.home, "data"))
        os.symlink(os.path.join(source, "venv"), os.path.join(self.home, "venv"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        beds = os.path.join(args.beds, args.bed)
        self.base = f"http://127.0.0.1:{port}"
        # An empty home of Python's paths: the operator gets those of serve.sh.
        self.environment = {**environment(args, self.home), "PORT": str(port), "BED_HOME": self.home,
                            "PYTHONPATH": f"{beds}:{args.beds}/common", "DJANGO_SETTINGS_MODULE": "bedsite.settings", "PYTHONWARNINGS": "ignore"}
        python = os.path.join(self.home, "venv/bin/python")
        self.operator = subprocess.Popen([python, os.path.join(HERE, "login_operator.py")], env=self.environment, text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.about = self.ask(f"prepare {USER} {PASSWORD}")
        self.server = subprocess.Popen(["sh", os.path.join(beds, "serve.sh")], env=self.environment, start_new_session=True)
        self.wait()

    def ask(self, command):
        self.operator.stdin.write(command + "\n")
        self.operator.stdin.flush()
        line = self.operator.stdout.readline()
        assert line, "the operator has ended"
        return json.loads(line)

    def wait(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline and self.server.poll() is None:
            try:
                urllib.request.urlopen(f"{self.base}/robots.txt", timeout=5).read()
                return
            except OSError:
                time.sleep(0.3)
        self.close()
        sys.exit("the forum did not start")

    def requests(self):
        """The crawler's requests so far: status, method and target."""
        try:
            with open(f"{self.home}/access.log", encoding="utf-8") as file:
                lines = [line.split(" ", 4) for line in file]
        except FileNotFoundError:
            return []
        return [(int(line[0]), line[1], line[2]) for line in lines if len(line) == 5 and line[4].startswith(AGENT)]

    def close(self):
        stop(self.server)
        self.operator.stdin.close()
        self.operator.wait(timeout=15)


def command(args, forum, out, *more):
    about = forum.about
    belongs = [f"^{re.escape(forum.base)}{pattern}" for pattern in about["belongs"]] + [f"^{re.escape(forum.base)}/$"]
    # The log-in page belongs to the crawl, although robots.txt forbids it.
    belongs.append(f"^{re.escape(forum.base)}{about['login']}")
    includes = [word for pattern in belongs for word in ("--include", pattern)]
    seeds = [forum.base + path for path in about["seeds"]]
    return [args.harvestman, "crawl", *seeds, "--out", out, "--delay", "0s", "--contact", "gate@example.org", "--quiet", *includes, *more]


def log_in(forum):
    return ["--login", forum.base + forum.about["login"], "--user", USER, "--password-env", VARIABLE, "--set", "login.backoff=1s",
            "--set", "login.unsure_time=2s", "--set", "login.tries=3"]


def run(words, password=PASSWORD):
    result = subprocess.run(words, env={**os.environ, VARIABLE: password}, capture_output=True, text=True, timeout=CRAWL_SECONDS_MAX,
                            stdin=subprocess.DEVNULL)
    return result.returncode, result.stdout + result.stderr


def fresh(args, name):
    out = os.path.join(args.work, f"{args.bed}-login-{name}")
    shutil.rmtree(out, ignore_errors=True)
    return out


def pages(out, base):
    with open(f"{out}/pages.jsonl", encoding="utf-8") as file:
        return {page["url"].removeprefix(base): page for page in map(json.loads, file)}


def check_member(name, forum, out):
    """Every page for members is there as members see it. Returns the paths of all fetched pages."""
    lines = pages(out, forum.base)
    missing = [path for path in forum.about["pages"] if lines.get(path, {}).get("fate") != "fetched"]
    assert not missing, f"{name}: {len(missing)} of {len(forum.about['pages'])} pages for members are missing: {missing[:5]}"
    for path, title in forum.about["pages"].items():
        shown = " ".join(lines[path]["title"].split())
        assert " ".join(title.split()) in shown, f"{name}: {path} is called {shown!r}, not {title!r}"
    walls = [path for path, line in lines.items() if line["fate"] == "fetched" and re.search("log ?in", line.get("title") or "", re.I)]
    assert not walls, f"{name}: log-in pages count as pages: {walls[:5]}"
    return {path for path, line in lines.items() if line["fate"] == "fetched"}


def check_files(out):
    """No file has the password, and the cookies are for their owner only."""
    for folder, _, names in os.walk(out):
        for path in (os.path.join(folder, name) for name in names):
            if path.endswith(".gz"):
                content = subprocess.run(["gzip", "-dc", path], capture_output=True, check=False).stdout
            else:
                with open(path, "rb") as file:
                    content = file.read()
            assert b"battery" not in content and b"POST " not in content, f"{path} has the password or the form"
    assert os.stat(f"{out}/session.json").st_mode & 0o777 == 0o600


def as_guest(args, forum):
    out = fresh(args, "guest")
    code, said = run(command(args, forum, out))
    assert code == 0, said
    lines = pages(out, forum.base)
    seen = [path for path in forum.about["pages"] if lines.get(path, {}).get("status") == 200]
    assert not seen, f"guests see {seen[:5]}"
    print(f"as a guest: {sum(line['fate'] == 'fetched' for line in lines.values())} pages, none of those for members")


def undisturbed(args, forum):
    out, before = fresh(args, "member"), len(forum.requests())
    code, said = run(command(args, forum, out, *log_in(forum)))
    assert code == 0, said
    fetched = check_member("as the member", forum, out)
    check_files(out)
    made = forum.requests()[before:]
    assert sum(method == "POST" for _, method, _ in made) == 1
    print(f"as the member: {len(fetched)} pages in {len(made)} requests, all {len(forum.about['pages'])} for members")
    return fetched


def lose_sessions(forum, before, done):
    """Ends the sessions while a crawl runs. Returns how often."""
    lost = 0
    while lost < len(LOST_AFTER) and not done.is_set():
        if len(forum.requests()) - before >= LOST_AFTER[lost]:
            forum.ask("lose")
            lost += 1
        time.sleep(0.01)
    return lost


def disturbed(args, forum, expected):
    out, before = fresh(args, "lost"), len(forum.requests())
    done, times = threading.Event(), []
    operator = threading.Thread(target=lambda: times.append(lose_sessions(forum, before, done)))
    operator.start()
    try:
        code, said = run(command(args, forum, out, *log_in(forum), "--set", "filter.substitutes=true", "--log-level", "info"))
    finally:
        done.set()
        operator.join()
    assert code == 0, said
    assert times == [len(LOST_AFTER)], f"the sessions were ended {times} times"
    fetched = check_member("with lost sessions", forum, out)
    assert fetched == expected, f"missing: {sorted(expected - fetched)[:5]}, more: {sorted(fetched - expected)[:5]}"
    check_files(out)
    made = forum.requests()[before:]
    posts = sum(method == "POST" for _, method, _ in made)
    with open(f"{out}/report.json", encoding="utf-8") as file:
        report = json.load(file)
    assert report["requests"] == len(made), f"{report['requests']} requests are reported, the server has {len(made)}"
    # Links that end the session belong to the crawl where the forum has them.
    rejected = report["fates"].get("policy", {}).get("log_out", 0)
    assert rejected or args.bed != "spirit", report["fates"]
    # Two sessions that end in a row may be noticed as one.
    assert 3 <= posts <= len(LOST_AFTER) + 1, f"{posts} log-ins"
    print(f"with {times[0]} lost sessions: the same {len(fetched)} pages in {len(made)} requests, {posts} log-ins; "
          f"{rejected} links that end the session are not followed")


def killed(args, forum, expected):
    out, before = fresh(args, "killed"), len(forum.requests())
    crawl = subprocess.Popen(command(args, forum, out, *log_in(forum)), env={**os.environ, VARIABLE: PASSWORD},
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    while len(forum.requests()) - before < 60 and crawl.poll() is None:
        time.sleep(0.01)
    assert crawl.poll() is None, "the crawl ended before it was killed"
    crawl.send_signal(signal.SIGKILL)
    crawl.wait()
    between = len(forum.requests())
    code, said = run([args.harvestman, "resume", out, "--quiet", *log_in(forum)])
    assert code == 0, said
    made = forum.requests()[between:]
    assert not [target for _, method, target in made if method == "POST"], "the resumed crawl logged in again"
    fetched = check_member("killed and resumed", forum, out)
    assert fetched == expected, f"missing: {sorted(expected - fetched)[:5]}, more: {sorted(fetched - expected)[:5]}"
    print(f"killed after 60 requests and resumed: the same pages, with the session of the killed run")


def wrong_password(args, forum):
    out, before = fresh(args, "wrong"), len(forum.requests())
    code, said = run(command(args, forum, out, *log_in(forum)), password="wrong-horse")
    assert code == 3 and "does not accept the user and the password" in said and "horse" not in said, (code, said)
    made = [target for _, method, target in forum.requests()[before:] if method == "GET"]
    assert len(made) <= 6, made
    print(f"a wrong password: the crawl does not begin, after {len(made)} requests")


def check_log(forum):
    made = forum.requests()
    robots = RobotFileParser(f"{forum.base}/robots.txt")
    robots.read()
    ends = [target for _, _, target in made if re.search("log-?_?out|sign-?_?out", target, re.I)]
    assert not ends, f"requests that end a session: {ends[:5]}"
    login = forum.about["login"]
    forbidden = {target for _, _, target in made if not robots.can_fetch(AGENT, forum.base + target)}
    assert forbidden == {login}, f"forbidden requests: {sorted(forbidden - {login})[:5]}"
    print(f"{len(made)} requests in the log of the server: none ended a session, and of what robots.txt forbids only {login} was requested")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bed", required=True, choices=("machina", "spirit"))
    for name in ("--beds", "--work", "--harvestman"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args.work, start = os.path.abspath(args.work), time.monotonic()
    forum = Forum(args)
    try:
        as_guest(args, forum)
        expected = undisturbed(args, forum)
        disturbed(args, forum, expected)
        killed(args, forum, expected)
        wrong_password(args, forum)
        check_log(forum)
    finally:
        forum.close()
    print(f"{args.bed}: crawled as a member, in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
