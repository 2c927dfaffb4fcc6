"""The pages that a polite crawl of a recorded site must reach, computed from the recording alone.

The recording is a WARC file with one response record per URL, and a table of labels with the status and redirect target of each URL.
Starting from the start page, the links of every page that robots.txt allows are followed, breadth-first. The computation uses no code
of Harvestman: the parsers for HTML, URLs and robots.txt are those of Python's standard library, the WARC reader is warcio.
"""

import collections
import csv
import gzip
import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from warcio.archiveiterator import ArchiveIterator

AGENT = "harvestman"


class Links(HTMLParser):
    """The href of every <a>, and that of <base>."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found, self.base = [], None

    def handle_starttag(self, tag, attributes):
        href = dict(attributes).get("href")
        if href is not None and tag == "a":
            self.found.append(href.strip())
        elif href is not None and tag == "base" and self.base is None:
            self.base = href


def _escape(match):
    char = chr(int(match.group()[1:], 16))
    return char if re.fullmatch(r"[A-Za-z0-9._~-]", char) else match.group().upper()


def key(url):
    """Normalises a URL for comparison, within the limits of RFC 3986 section 6.2.2: no fragment, lower-case host, non-empty path,
    upper-case escapes, no escaped unreserved characters, no empty query."""
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc.lower()}" + re.sub(r"%[0-9a-fA-F]{2}", _escape, (parts.path or "/") + query)


def _labels(path):
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            yield key(row["url"]), (int(row["status"]), row["redirect_to"])


def _links(path):
    """The links of every recorded HTML page."""
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != "response" or "html" not in (record.http_headers.get_header("Content-Type") or ""):
                continue
            url = record.rec_headers.get_header("WARC-Target-URI")
            page = Links()
            page.feed(record.content_stream().read().decode("utf-8", "replace"))
            base = urljoin(url, page.base or "")
            yield key(url), [urljoin(base, href) for href in page.found]


def reachable(start, corpora, name, robots):
    """Returns the pages that are reachable through allowed pages, {key: (status, redirect target)}, and the forbidden pages that
    they link to. Only recorded URLs count, because the recording left out one endless trap."""
    recorded = dict(_labels(f"{corpora}/{name}.labels.csv.gz"))
    links = dict(_links(f"{corpora}/{name}.warc.gz"))
    start = key(start)
    allowed, forbidden, queue = {start: recorded[start]}, set(), collections.deque([start])
    while queue:
        url = queue.popleft()
        for target in [urljoin(url, recorded[url][1])] * bool(recorded[url][1]) + links.get(url, []):
            target = key(target)
            if target not in recorded or target in allowed or target in forbidden:
                continue
            if robots.can_fetch(AGENT, target):
                allowed[target] = recorded[target]
                queue.append(target)
            else:
                forbidden.add(target)
    return allowed, forbidden
