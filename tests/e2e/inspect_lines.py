#!/usr/bin/env python3
"""Sends queries to `harvestman inspect` as JSON lines and compares the results, which may arrive in any order.

Usage: inspect_lines.py HARVESTMAN WARC WORK

WORK is a path prefix for temporary files.
"""

import base64
import json
import subprocess
import sys

ROBOTS = base64.b64encode(b"User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 2\n").decode()
SITEMAP = (b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
           b"<url><loc>http://example.org/a</loc></url><url><loc>http://example.org/b</loc></url></urlset>")
PAGE = base64.b64encode(b'<title>T</title><ul><li><a href="b?x=1">b</a><li><a href="/c">c</a></ul>').decode()


def ask(binary, kind, questions):
    """Returns the results by id. One input line is invalid JSON, which must not affect the results of the others."""
    lines = [json.dumps({"id": number, **question}) for number, question in enumerate(questions)]
    lines.insert(1, "this is not JSON")
    result = subprocess.run([binary, "inspect", kind], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(lines), result.stdout
    assert [answer for answer in answers if answer["id"] is None and answer["error"]], "no error for the line that is not JSON"
    return {answer["id"]: answer for answer in answers if answer["id"] is not None}


def check(what, found, expected):
    assert found == expected, f"{what}: {found}, expected {expected}"


def urls(binary):
    answers = ask(binary, "url", [
        {"op": "canon", "input": "HTTP://Example.ORG:80/a/../%7eb?#part"},
        {"op": "parse", "input": "../c", "base": "http://example.org/a/b"},
        {"op": "canon", "input": "http://"},
    ])
    check("canonical form", answers[0].get("href"), "http://example.org/~b")
    check("resolved", answers[1].get("href"), "http://example.org/c")
    check("invalid URL", answers[2].get("failure"), True)


def robots(binary):
    question = {"robots_b64": ROBOTS, "agent": "harvestman"}
    answers = ask(binary, "robots", [
        {**question, "url": f"http://example.org{path}"} for path in ("/", "/private/x", "/private/open/x")
    ])
    check("allowed", [answers[number]["allowed"] for number in range(3)], [True, False, True])
    check("crawl-delay", float(answers[0]["crawl_delay"]), 2.0)


def sitemaps(binary, work):
    path = f"{work}.sitemap.xml"
    with open(path, "wb") as file:
        file.write(SITEMAP)
    question = {"path": path, "url": "http://example.org/sitemap.xml", "content_type": "text/xml"}
    answers = ask(binary, "sitemap", [question, {**question, "path": f"{path}.missing"}])
    check("sitemap", answers[0]["urls"], ["http://example.org/a", "http://example.org/b"])
    assert "error" in answers[1], answers[1]


def pages(binary):
    answers = ask(binary, "page", [{"html_b64": PAGE, "content_type": "text/html", "url": "http://example.org/a/"}])
    found = sorted(link["url"] for link in answers[0]["links"])
    check("links", found, ["http://example.org/a/b?x=1", "http://example.org/c"])


def warcs(binary, warc):
    result = subprocess.run([binary, "inspect", "warc", "--json", "--verify", warc], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(records) > 3, result.stdout[:1000]
    return len(records)


def main():
    binary, warc, work = sys.argv[1:]
    urls(binary)
    robots(binary)
    sitemaps(binary, work)
    pages(binary)
    lines = warcs(binary, warc)
    print(f"inspect url, robots, sitemap and page process JSON lines; inspect warc --json writes {lines} lines")


if __name__ == "__main__":
    main()
