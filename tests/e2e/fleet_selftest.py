"""Tests that the checks can fail, with hand-made logs that each contain one fault."""

import fleet_check as check
from fleet_log import Request, changes_of_hands, longest_gap, repeats, too_close

DELAY_US = 150_000
TRUTH = {f"http://h{host}/{page}": {"robots_allowed": page != 9, "status": 200} for host in range(3) for page in range(10)}


def _good():
    """Three hosts, each crawled by its own node, with slightly more than the delay between requests."""
    return sorted((Request(page * 160_000 + host * 7, page * 160_000 + host * 7 + 5_000, f"h{host}", f"/{page}", 200, f"10.0.0.{host}")
                   for host in range(3) for page in range(9)), key=lambda request: request.at)


def _found():
    return {url: [(url[8], check.expected_fate(row))] for url, row in TRUTH.items()}


def _must_fail(what, checked):
    try:
        checked()
    except AssertionError as error:
        print(f"detected: {what}: {str(error)[:150]}")
        return
    raise SystemExit(f"not detected: {what}")


def _with(requests, **changed):
    """The same requests, with one to h1 in the middle changed."""
    number = next(number for number, request in enumerate(requests) if request.host == "h1" and request.path == "/4")
    other = Request(**{**vars(requests[number]), **changed})
    return sorted([*requests[:number], other, *requests[number + 1:]], key=lambda request: request.at)


def selftest():
    good, found = _good(), _found()
    check.polite(good, {}, DELAY_US)
    check.nothing_lost(found, TRUTH)
    check.fetched_twice(good, found, TRUTH, 0, "no faults")
    check.even(found, "012")
    at = 4 * 160_000 + 7
    _must_fail("a request 7 ms too early", lambda: check.polite(_with(good, at=at - 17_000, answered=at - 16_000), {}, DELAY_US))
    _must_fail("a response so slow that the next request overlaps it", lambda: check.polite(_with(good, answered=at + 165_000), {}, DELAY_US))
    _must_fail("another node on the host at the same time",
               lambda: check.polite(sorted([*good, Request(at + 2_000, at + 3_000, "h1", "/x", 200, "10.0.0.9")], key=lambda request: request.at), {}, DELAY_US))
    _must_fail("robots.txt within the delay",
               lambda: check.polite(sorted([*good, Request(at + 60_000, at + 61_000, "h1", "/robots.txt", 200, "10.0.0.1")], key=lambda r: r.at), {}, DELAY_US))
    _must_fail("two hosts of a group at once", lambda: check.polite(good, {"h0": "group", "h2": "group"}, DELAY_US))
    assert [other.path for _, other in changes_of_hands(_with(good, peer="10.0.0.9"), {})] == ["/4", "/5"]
    # A short request during a long one does not hide that the long one continued.
    long = [Request(0, 400_000, "h", "/a", 200, "p"), Request(10_000, 11_000, "h", "/b", 200, "q"), Request(170_000, 171_000, "h", "/c", 200, "q")]
    assert len(too_close(long, {}, DELAY_US)) == 2
    again = [*good, Request(9_000_000, 9_001_000, "h2", "/3", 200, "10.0.0.1")]
    assert repeats(again, TRUTH) == {"http://h2/3": 1}
    _must_fail("a page fetched again", lambda: check.fetched_twice(again, found, TRUTH, 0, "no faults"))
    _must_fail("a page logged twice", lambda: check.fetched_twice(good, {**found, "http://h2/3": [("2", "fetched"), ("1", "fetched")]}, TRUTH, 0, "no faults"))
    _must_fail("a page lost", lambda: check.nothing_lost({url: lines for url, lines in found.items() if url != "http://h1/5"}, TRUTH))
    _must_fail("a page that failed although it is available", lambda: check.nothing_lost({**found, "http://h1/5": [("1", "failed")]}, TRUTH))
    _must_fail("a URL that does not belong to the site", lambda: check.nothing_lost({**found, "http://h1/10": [("1", "fetched")]}, TRUTH))
    _must_fail("a node with too large a share of the load", lambda: check.even({url: [("0", "fetched")] if url[8] == "1" and url[-1] > "5" else lines
                                                                        for url, lines in found.items()}, "012"))
    assert longest_gap(good, 0, 20_000_000) == (20_000_000 - good[-1].at, good[-1].at)
