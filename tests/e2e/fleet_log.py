"""Analysis of the site's request log, as pure functions.

All times are in microseconds and from one clock, that of the site. The time of a request is taken when its head has been parsed, the time of
the response before its first byte is written. Network latency can only delay what the client sees and sends, so a fleet that respects its
waits is seen to respect them under any load. The only tolerance is one millisecond, for the granularity of the clocks on both sides.
"""

import collections
import json
from dataclasses import dataclass

TOLERANCE_US = 1_000


@dataclass(frozen=True)
class Request:
    at: int
    answered: int
    host: str
    path: str
    status: int
    peer: str

    @property
    def url(self):
        return f"http://{self.host}{self.path}"

    def __str__(self):
        return f"{self.at / 1e6:.6f}–{self.answered / 1e6:.6f} {self.peer} {self.url} {self.status}"


def request(line):
    return Request(line["us"], line["us"] + line["took_us"], line["host"], line["path"], line["status"], line["peer"])


def read(path):
    with open(path, encoding="utf-8") as lines:
        return sorted((request(json.loads(line)) for line in lines), key=lambda request: request.at)


def pairs(requests, groups):
    """Yields consecutive requests to the same server. A server is a host, or the group of the host according to `groups`."""
    last = {}
    for request in requests:
        server = groups.get(request.host, request.host)
        if server in last:
            yield last[server], request
        # If two requests overlap, the wait is measured from the one that ends last.
        if server not in last or request.answered >= last[server].answered:
            last[server] = request


def too_close(requests, groups, delay_us):
    """Pairs of consecutive requests to a server where the second came sooner than `delay_us` after the response to the first."""
    return [(one, other) for one, other in pairs(requests, groups) if other.at - one.answered + TOLERANCE_US < delay_us]


def shortest_wait(requests, groups):
    return min((other.at - one.answered for one, other in pairs(requests, groups)), default=None)


def changes_of_hands(requests, groups):
    """Pairs of consecutive requests to a server that came from different nodes."""
    return [(one, other) for one, other in pairs(requests, groups) if one.peer != other.peer]


def repeats(requests, urls):
    """The number of repeated requests for each of `urls` that was requested more than once."""
    counts = collections.Counter(request.url for request in requests if request.url in urls)
    return {url: count - 1 for url, count in counts.items() if count > 1}


def longest_gap(requests, since, until):
    """The longest time without a request between two moments, and its start; the edges of the interval count."""
    times = [since, *sorted(request.at for request in requests if since < request.at < until), until]
    return max((later - earlier, earlier) for earlier, later in zip(times, times[1:]))


def last_before(requests, moment):
    return max((request for request in requests if request.at < moment), key=lambda request: request.at, default=None)
