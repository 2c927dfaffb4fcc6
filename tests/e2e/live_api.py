"""A client of the HTTP API of a running crawl."""

import json
import time
import urllib.request


def until(what, holds, seconds=20, say=None):
    """Waits for a condition."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not reached within {seconds} s: {what}{f': {say()}' if say else ''}"
        time.sleep(0.1)


class Api:
    """Reads what the live page reads; `url` is the address of the page with its token."""

    def __init__(self, url):
        self.base, _, self.token = url.partition("/#token=")

    def get(self, path):
        request = urllib.request.Request(self.base + path, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def live(self):
        return self.get("/api/live")

    def status(self):
        return self.get("/api/status")

    def in_force(self):
        return self.status()["in_force"]
