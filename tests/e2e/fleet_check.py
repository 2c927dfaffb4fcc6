"""The checks of a finished fleet crawl. Each one prints what it found, or fails with the URLs and log lines that show why."""

import collections
import json
import os

from fleet_log import TOLERANCE_US, changes_of_hands, repeats, shortest_wait, too_close
from fleet_run import IN_FLIGHT_MAX

SHOWN = 5
EVEN_WITHIN = 0.20


def all_of(*checks):
    """Runs every check, so that a failed one does not hide another."""
    failures = []
    for one in checks:
        try:
            one()
        except AssertionError as error:
            print(f"FAILED: {error}", flush=True)
            failures.append(str(error))
    assert not failures, f"{len(failures)} of {len(checks)} checks failed; the first one: {failures[0]}"


def expected_fate(row):
    if not row["robots_allowed"]:
        return "robots"
    return "fetched" if row["status"] == 200 else "redirected" if 300 <= row["status"] < 400 else "failed"


def lines_of(out):
    """The lines of a node's page log, each of which must be complete."""
    path = os.path.join(out, "pages.jsonl")
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise AssertionError(f"{path}: line {number} cannot be read ({error}): {line[:200]!r}") from None


def logged(outs):
    """The log entries of each URL: one (node, fate) per line."""
    found = collections.defaultdict(list)
    for name, out in outs.items():
        for line in lines_of(out):
            found[line["url"]].append((name, line["fate"]))
    return found


def nothing_lost(found, truth):
    """Checks that the logs of all nodes together match the ground truth: every URL has its fate, and there are no other URLs."""
    wrong = [(url, expected_fate(row), found.get(url)) for url, row in truth.items()
             if expected_fate(row) not in {fate for _, fate in found.get(url, ())}]
    more = [(url, lines) for url, lines in found.items() if url not in truth]
    by_host = collections.Counter(url.split("/")[2] for url, *_ in wrong)
    assert not wrong, (f"{len(wrong)} of {len(truth)} URLs do not have the expected fate (URL, expected, logged): "
                       f"{wrong[:SHOWN]}; most of them are on {by_host.most_common(SHOWN)}")
    assert not more, f"{len(more)} URLs do not belong to the site: {more[:SHOWN]}"
    print(f"fetched set: {sum(expected_fate(row) == 'fetched' for row in truth.values())} pages; all {len(truth)} URLs have the fate of the ground truth")


def fetched_twice(requests, found, truth, bound, why):
    """Checks the number of requests for pages that had been fetched already: at most `bound`, for the reason `why`."""
    again = repeats(requests, truth)
    twice = {url: lines for url, lines in found.items() if sum(fate == "fetched" for _, fate in lines) > 1}
    print(f"repeated requests: {sum(again.values())}; pages logged twice: {len(twice)}; allowed: {bound} ({why})")
    shown = [(url, count, [str(request) for request in requests if request.url == url], found.get(url))
             for url, count in list(again.items())[:SHOWN]]
    assert sum(again.values()) <= bound, f"{sum(again.values())} repeated requests, more than {bound}: {shown}"
    assert len(twice) <= bound, f"{len(twice)} pages are logged twice, more than {bound}: {list(twice.items())[:SHOWN]}"


def even(found, nodes):
    """Checks that no node fetched many more or fewer pages than the others."""
    pages = collections.Counter({name: 0 for name in nodes})
    pages.update(name for lines in found.values() for name, fate in lines if fate == "fetched")
    share = {name: count * len(nodes) / max(1, sum(pages.values())) for name, count in pages.items()}
    text = ", ".join(f"{name} {pages[name]} ({share[name] - 1:+.1%})" for name in nodes)
    print(f"load: {text}")
    assert all(abs(value - 1) <= EVEN_WITHIN for value in share.values()), f"the load is not within ±{EVEN_WITHIN:.0%} of even: {text}"


def polite(requests, groups, delay_us):
    """Checks that no host or host group got a request sooner than its delay after a response, from any node, and thus never from two at once."""
    close = too_close(requests, groups, delay_us)
    hands = changes_of_hands(requests, groups)
    shortest = shortest_wait(requests, groups)
    assert shortest is not None, "no host got two requests"
    shown = "; ".join(f"[{one}] then [{other}]" for one, other in close[:SHOWN])
    assert not close, (f"{len(close)} requests came sooner than {delay_us / 1e3:.0f} ms after the response to the previous request to the host or group "
                       f"(tolerance {TOLERANCE_US / 1e3:.0f} ms): {shown}")
    print(f"politeness: {len(requests)} requests ({sum(request.host in groups for request in requests)} to host groups), shortest wait at a server {shortest / 1e3:.1f} ms (delay {delay_us / 1e3:.0f} ms, tolerance "
          f"{TOLERANCE_US / 1e3:.0f} ms); {len(hands)} times another node continued, after at least "
          f"{min((other.at - one.answered for one, other in hands), default=0) / 1e3:.1f} ms")


def archived(outs):
    """Checks that the record of every page is at the position given in its log line."""
    for name, out in outs.items():
        sizes = {}
        for line in lines_of(out):
            file = line.get("warc_file")
            if file is None:
                continue
            if file not in sizes:
                path = os.path.join(out, file)
                assert os.path.exists(path), f"node {name}: {line['url']} should be in {file}, which does not exist"
                sizes[file] = os.path.getsize(path)
            assert line["warc_offset"] < sizes[file], f"node {name}: {line['url']} should be at offset {line['warc_offset']} of {file}, which has {sizes[file]} bytes"


def reports(outs):
    for name, out in outs.items():
        path = os.path.join(out, "report.json")
        assert os.path.exists(path), f"node {name} wrote no report"
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        print(f"node {name}: {report['pages']} pages, {report['requests']} requests, {report['cpu_seconds']:.1f} s of CPU time, "
              f"{report['peak_memory_bytes'] / 2**20:.0f} MiB peak memory, stop reason: {report['stop_reason']}")


def whole(fleet, requests, bound, why, *more):
    """The checks common to all scenarios; `more` are additional checks, which get the log entries."""
    found = logged(fleet.outs())
    truth, outs = fleet.site.truth, fleet.outs()
    all_of(
        lambda: nothing_lost(found, truth),
        lambda: fetched_twice(requests, found, truth, bound, why),
        lambda: polite(requests, fleet.site.groups, fleet.size.delay_us),
        lambda: archived(outs),
        lambda: reports(outs),
        *(lambda one=one: one(found) for one in more),
    )


def lives(count, in_flight_max=IN_FLIGHT_MAX):
    return count * in_flight_max, f"{count} node sessions that may have ended × {in_flight_max} URLs in flight"
