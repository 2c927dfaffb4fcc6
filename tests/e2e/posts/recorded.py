"""The HTML pages of a recording: those of a crawl directory, or of one WARC file."""

import glob
import gzip
import os
import re

# Harvestman stores what a browser showed as a resource of its own, beside the response.
RENDERED_PREFIX = "urn:dom:"


def _records(path):
    """Yields the header and the block of each record."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        while True:
            line = file.readline()
            if not line:
                return
            if not line.startswith(b"WARC/"):
                continue
            header = {}
            while (line := file.readline().strip()):
                name, _, value = line.partition(b":")
                header[name.decode().lower()] = value.strip().decode()
            yield header, file.read(int(header["content-length"]))


def _response(block):
    """Returns the body of an HTML response with status 200."""
    head, _, body = block.partition(b"\r\n\r\n")
    head = head.lower()
    if not re.match(rb"http/[\d.]+ 200", head) or b"content-type: text/html" not in head:
        return None
    assert b"\r\ntransfer-encoding:" not in head, "this body is in chunks"
    if b"\r\ncontent-encoding: gzip" in head:
        return gzip.decompress(body)
    assert b"\r\ncontent-encoding:" not in head, "this body is encoded"
    return body


def pages(recording):
    """Returns {URL: HTML}. A page that was rendered is what the browser showed; of several responses the first counts. A revisit has the
    content of the response that it names."""
    files = sorted(glob.glob(os.path.join(recording, "warc", "*.warc*"))) if os.path.isdir(recording) else [recording]
    found, rendered = {}, {}
    for path in files:
        for header, block in _records(path):
            url = header.get("warc-target-uri", "").strip("<>")
            if header["warc-type"] == "response" and url not in found:
                body = _response(block)
                if body is not None:
                    found[url] = body.decode("utf-8", "replace")
            elif header["warc-type"] == "revisit" and url not in found:
                same = header.get("warc-refers-to-target-uri", "").strip("<>")
                if same in found:
                    found[url] = found[same]
            elif header["warc-type"] == "resource" and url.startswith(RENDERED_PREFIX):
                rendered[url.removeprefix(RENDERED_PREFIX)] = block.decode("utf-8", "replace")
    return {url: rendered.get(url, html) for url, html in found.items()}
