#!/usr/bin/env python3
"""Builds the book from docs/ and checks its integrity.

Usage: book.py MDBOOK OUT_DIR

OUT_DIR is recreated. The script checks that every page of the summary was built, that all targets of relative references (pages, anchors,
pictures, scripts) exist, and that pictures have alternative texts. Exits with 0 if all checks pass.
"""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

DOCS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../docs")
SECONDS_MAX = 120
# Pages that mdBook generates itself: all pages as one, the table of contents, and the page for missing pages, which refers to its root.
MADE = {"print.html", "404.html", "toc.html"}


class Page(HTMLParser):
    """The references of a page, and the anchors in it."""

    def __init__(self, path):
        super().__init__()
        self.refers, self.anchors, self.silent = [], set(), []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(filter(None, (attributes.get("id"), attributes.get("name") if tag == "a" else None)))
        refers = attributes.get("href") or attributes.get("src")
        if refers:
            self.refers.append(refers)
        if tag == "img" and not attributes.get("alt"):
            self.silent.append(attributes.get("src"))


def build(mdbook, out):
    shutil.rmtree(out, ignore_errors=True)
    result = subprocess.run([mdbook, "build", DOCS, "--dest-dir", out], stdin=subprocess.DEVNULL, timeout=SECONDS_MAX, check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    amiss = [line for line in result.stdout.splitlines() if "WARN" in line or "ERROR" in line]
    assert not amiss, "mdBook reports:\n" + "\n".join(amiss)


def broken(out, name, pages):
    """References of a page whose targets are missing."""
    for refers in pages[name].refers:
        parts = urlsplit(refers)
        if parts.scheme or parts.netloc:
            continue
        path = os.path.normpath(os.path.join(os.path.dirname(name), unquote(parts.path))) if parts.path else name
        if path.startswith("..") or not os.path.exists(f"{out}/{path}"):
            yield f"{name} refers to {refers}, which is not in the book"
        elif parts.fragment and path in pages and unquote(parts.fragment) not in pages[path].anchors:
            yield f"{name} refers to {refers}, but that page has no such anchor"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    out = os.path.abspath(sys.argv[2])
    build(sys.argv[1], out)
    found = [os.path.relpath(os.path.join(folder, file), out) for folder, _, files in os.walk(out) for file in files if file.endswith(".html")]
    pages = {name: Page(f"{out}/{name}") for name in found if name not in MADE}
    with open(f"{DOCS}/SUMMARY.md", encoding="utf-8") as file:
        wanted = [name.replace(".md", ".html").replace("README", "index") for name in re.findall(r"\]\(([^)]+)\)", file.read())]
    amiss = [f"{name} was not built" for name in wanted if name not in pages]
    amiss += [text for name in sorted(pages) for text in broken(out, name, pages)]
    amiss += [f"{name} shows {picture} without an alternative text" for name in sorted(pages) for picture in pages[name].silent]
    assert wanted and not amiss, "\n".join(amiss)
    print(f"the book: {len(pages)} pages, {sum(len(page.refers) for page in pages.values())} references, no broken ones")


if __name__ == "__main__":
    main()
