"""Writes the expected result of a replay of a crawl, page by page, for pywb_replay.py.

For pages with stable bytes, the live server is the reference: if it responds as it did when the site was recorded, long before
the crawl, the archive must contain the same bytes. This detects an archive that changed the bytes, and a revisit record that
refers to different bytes. Pages with a fresh token or a counter differ each time. For these, warcio, an independent reader,
determines the content of the WARC file, and the replay shows that pywb reads the same.
"""

import collections
import glob
import json
import os
import urllib.error
import urllib.request

from warcio.archiveiterator import ArchiveIterator

FETCH_SECONDS_MAX = 30
PAGES_OF_A_KIND = 8


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


_OPENER = urllib.request.build_opener(_Stay, urllib.request.ProxyHandler({}))


def _fetch(url):
    request = urllib.request.Request(url, headers={"Accept-Encoding": "identity", "User-Agent": "replay-expectation/1"})
    try:
        with _OPENER.open(request, timeout=FETCH_SECONDS_MAX) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def _records(path):
    """Yields (URL, time, status, body) of every response and revisit record of a WARC file; a revisit has no body."""
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, no_record_parse=False):
            if record.rec_type in ("response", "revisit"):
                time = "".join(filter(str.isdigit, record.rec_headers.get_header("WARC-Date")))[:14]
                body = record.raw_stream.read() if record.rec_type == "response" else None
                url = record.rec_headers.get_header("WARC-Target-URI")
                yield url, time, int(record.http_headers.get_statuscode()), body


def _kind(url, _, status, body):
    """The page type: the status, whether the page is a revisit, and the first path segment. Pages of a type look alike."""
    return status, body is None, url.split("/", 4)[3].split("?")[0]


def _choose(warcs, least):
    """Chooses a few pages of each type, and more until there are `least`."""
    kinds, taken, rest = collections.Counter(), [], []
    for path in sorted(glob.glob(os.path.join(warcs, "*.warc.gz"))):
        for page in _records(path):
            kind = _kind(*page)
            kinds[kind] += 1
            (taken if kinds[kind] <= PAGES_OF_A_KIND else rest).append(page)
    missing = max(0, least - len(taken))
    taken += rest[:: max(1, len(rest) // missing)][:missing] if missing else []
    assert len(taken) >= least, f"the archive contains only {len(taken)} pages"
    return taken


def write_expected(warcs, recording, directory, least):
    """Returns the numbers of expected pages: (as served by the live server, as read by warcio)."""
    os.makedirs(directory)
    taken = _choose(warcs, least)
    urls = {page[0] for page in taken}
    recorded = {url: (status, body) for url, _, status, body in _records(recording) if url in urls}
    live, read = 0, 0
    with open(os.path.join(directory, "expected.jsonl"), "w", encoding="utf-8") as lines:
        for number, (url, time, status, body) in enumerate(taken):
            now = _fetch(url)
            stable = now == recorded.get(url)
            if not stable and body is None:
                continue
            live += stable
            read += not stable
            status, body = now if stable else (status, body)
            with open(os.path.join(directory, f"{number}.body"), "wb") as file:
                file.write(body)
            page = {"url": url, "status": status, "body": f"{number}.body", "time": time, "live": stable}
            lines.write(json.dumps(page) + "\n")
    assert live + read >= least // 2, f"there are only {live + read} pages to compare"
    return live, read
