"""Checks the archive of a crawl that rendered pages: the documents that a browser showed, and a replay by pywb in a browser.

Used by render_crawl.py.
"""

import glob
import json
import os

from warcio.archiveiterator import ArchiveIterator

import browser
import pywb_replay

PREFIX = "urn:dom:"
PAGES_REPLAYED = 6


def records(out):
    for name in sorted(glob.glob(os.path.join(out, "warc", "*.warc.gz"))):
        with open(name, "rb") as file:
            for record in ArchiveIterator(file):
                yield record.rec_type, record.rec_headers, record.content_stream().read()


def shown(out):
    """The documents that a browser showed, by URL. Each must belong to the response of its page."""
    responses, documents = {}, {}
    for kind, headers, body in records(out):
        url = headers["WARC-Target-URI"]
        if kind in ("response", "revisit"):
            responses[headers["WARC-Record-ID"]] = url
        elif kind == "resource":
            page = responses.get(headers["WARC-Concurrent-To"])
            assert url == f"{PREFIX}{page}", f"{url} belongs to {page}"
            assert headers["Content-Type"] == "text/html; charset=utf-8", headers["Content-Type"]
            documents[page] = body.decode()
    return documents


def check_documents(documents, pages, rendered):
    expected = {page["url"] for page in pages if page.get("rendered") == "rendered"}
    assert set(documents) == expected, f"documents of {len(documents)} pages, {len(expected)} were rendered"
    for url in expected:
        missing = [post for post in rendered[url]["complete"]["posts"] if post["text"] not in documents[url]]
        assert not missing, f"{len(missing)} posts are not in the document of {url}"


def check_replay(out, urls, rendered):
    """Opens pages in the replay: their scripts must find the answers that they had in the crawl."""
    with pywb_replay.serving(os.path.abspath(os.path.join(out, "warc"))) as port, browser.chromium() as chromium:
        for url in urls:
            with browser.Watched(chromium, f"http://127.0.0.1:{port}/{pywb_replay.COLLECTION}/2026/{url}") as page:
                page.open()
                page.element("article .text").first.wait_for()
                texts = page.element("article .text").all_text_contents()
            missing = [post for post in rendered[url]["on_load"]["posts"] if post["text"] not in texts]
            assert not missing, f"the replay of {url} lacks {len(missing)} posts"


def check(out, rendered):
    with open(os.path.join(out, "pages.jsonl"), encoding="utf-8") as lines:
        pages = [page for page in map(json.loads, lines) if page["fate"] == "fetched"]
    check_documents(shown(out), pages, rendered)
    with_posts = [page for page in pages if rendered.get(page["url"], {"on_load": {"posts": []}})["on_load"]["posts"]]
    # The requests of threads have a parameter of the time, which pywb does not take for another spelling of the same.
    chosen = [page["url"] for how in ("rendered", "replayed") for page in with_posts if page.get("rendered") == how and "/u/" in page["url"]]
    chosen = chosen[:PAGES_REPLAYED // 2] + chosen[-PAGES_REPLAYED // 2:]
    check_replay(out, chosen, rendered)
    print(f"the documents of all rendered pages are archived, and {len(chosen)} pages show their posts when pywb replays them")
