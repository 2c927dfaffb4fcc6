"""What the site's log of requests says about those who sent them. Plain functions over values.

All times are of one clock, the site's, in microseconds. A request is logged as its head has been parsed, and as answered before the
first byte of its answer is written: on the way to the client and back both can only be seen later, never earlier. So a fleet that keeps
its waits is seen to keep them, whatever the load. The one tolerance is a millisecond, for the granularity of the clocks on both sides.
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
    """Each two requests to a server that came one after the other. A server is a host, or the group that `groups` says it is of."""
    last = {}
    for request in requests:
        server = groups.get(request.host, request.host)
        if server in last:
            yield last[server], request
        # Of two that overlap, the wait counts from that which ends last.
        if server not in last or request.answered >= last[server].answered:
            last[server] = request


def too_close(requests, groups, delay_us):
    """Pairs of requests to a server of which the second came sooner than `delay_us` after the first was answered."""
    return [(one, other) for one, other in pairs(requests, groups) if other.at - one.answered + TOLERANCE_US < delay_us]


def shortest_wait(requests, groups):
    return min((other.at - one.answered for one, other in pairs(requests, groups)), default=None)


def changes_of_hands(requests, groups):
    """Pairs of requests to a server that came from different nodes."""
    return [(one, other) for one, other in pairs(requests, groups) if one.peer != other.peer]


def repeats(requests, urls):
    """How often more than once each of `urls` was asked for, of those that were."""
    counts = collections.Counter(request.url for request in requests if request.url in urls)
    return {url: count - 1 for url, count in counts.items() if count > 1}


def longest_gap(requests, since, until):
    """The longest time without a request between two moments, and when it began; the edges count."""
    times = [since, *sorted(request.at for request in requests if since < request.at < until), until]
    return max((later - earlier, earlier) for earlier, later in zip(times, times[1:]))


def last_before(requests, moment):
    return max((request for request in requests if request.at < moment), key=lambda request: request.at, default=None)
