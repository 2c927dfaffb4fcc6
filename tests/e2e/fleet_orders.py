"""Commands given at one node and executed by all nodes, and budgets that apply to all nodes together."""

import json
import os
import subprocess

import fleet_check as check
from fleet_log import too_close
from fleet_run import END_CODES, LEAVE_SECONDS_MAX, Size, clock_us

# Small, because only the reaction within seconds matters.
ORDERS_SIZE = Size(pages=2_500, hosts=60, delay_ms=300, outage_seconds=0)
# Slow enough that the budget lasts until all nodes have joined.
BUDGET_SIZE = Size(pages=2_500, hosts=60, delay_ms=800, outage_seconds=0)
WITHIN_US = 2_000_000
REST_SECONDS = 6
SLOW_MS = 1_500
END_SECONDS_MAX = 250
PAGES = 600
HOST = "forum1.fleet.test:8080"


def tell(fleet, name, command, *arguments):
    """Gives a command at one node. Returns the time just before."""
    given = clock_us()
    done = subprocess.run([fleet.binary, "ctl", fleet.nodes[name].out, command, *arguments], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{command} {arguments} at node {name}: {done.stdout}{done.stderr}"
    fleet.say(f"command at node {name}: {command} {' '.join(arguments)}: {done.stdout.strip() or 'done'}")
    return given


def _refused(fleet, name, command, *arguments):
    done = subprocess.run([fleet.binary, "ctl", fleet.nodes[name].out, command, *arguments], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    assert done.returncode != 0, f"{command} {arguments} at node {name} was not refused"
    return done.stdout + done.stderr


def _none(requests, since, until, what):
    """Checks that no request came between two moments."""
    late = [request for request in requests if since <= request.at < until]
    last = max((request.at for request in requests if request.at < until), default=since)
    print(f"{what}: the last request came {(last - since + WITHIN_US) / 1e6:.2f} s after the command (allowed: {WITHIN_US / 1e6:.0f} s)")
    assert not late, f"{what}: {len(late)} requests later than {WITHIN_US / 1e6:.0f} s after the command, the first one: {late[0]}"


def orders(fleet):
    """Commands at one node, executed by all: pause, resume, block a host, change the delay, stop; the crawl then resumes where it was."""
    fleet.begin("ABC")
    fleet.wait_for_share(0.1, "it was paused")
    assert "cannot be changed" in _refused(fleet, "A", "set", "crawl.threads=2")
    paused = tell(fleet, "B", "pause")
    fleet.wait(REST_SECONDS)
    on = tell(fleet, "C", "unpause")
    fleet.wait(3)
    blocked = tell(fleet, "A", "block", HOST)
    fleet.wait(REST_SECONDS)
    unblocked = tell(fleet, "B", "unblock", HOST)
    slow = tell(fleet, "C", "set", f"host.delay={SLOW_MS}ms")
    fleet.wait(REST_SECONDS + 2)
    fast = tell(fleet, "A", "set", f"host.delay={fleet.size.delay_ms}ms")
    fleet.wait_for_share(0.45, "it was stopped")
    stopped, on_again = _stop_and_go_on(fleet)
    requests = fleet.end(END_SECONDS_MAX)
    found, truth = check.logged(fleet.outs()), fleet.site.truth
    of_host = [request for request in requests if request.host == HOST]
    in_slow = [request for request in requests if slow + WITHIN_US <= request.at < fast]
    check.all_of(
        lambda: _none(requests, paused + WITHIN_US, on, "pause"),
        lambda: _none(of_host, blocked + WITHIN_US, unblocked, "block"),
        lambda: _slow(in_slow, fleet.site.groups),
        lambda: _none(requests, stopped + WITHIN_US, on_again, "stop"),
        lambda: _goes_on(requests, on, blocked),
        lambda: check.nothing_lost(found, truth),
        lambda: check.fetched_twice(requests, found, truth, 0, "no node died"),
        lambda: check.polite(requests, fleet.site.groups, fleet.size.delay_us),
        lambda: check.archived(fleet.outs()),
        lambda: check.reports(fleet.outs()),
    )


def _goes_on(requests, since, until):
    assert any(since <= request.at < until for request in requests), "no requests were made after the crawl was resumed"


def _slow(requests, groups):
    close = too_close(requests, groups, SLOW_MS * 1000)
    print(f"rate: {len(requests)} requests, starting {WITHIN_US / 1e6:.0f} s after the command")
    assert requests and not close, f"{len(close)} requests sooner than {SLOW_MS} ms after the previous one: [{close[0][0]}] then [{close[0][1]}]" if close else "no requests"


def _stop_and_go_on(fleet):
    """Stops the fleet: all nodes exit, and none can join without `--resume`. Returns the times of the stop and of the restart."""
    names = list(fleet.nodes)
    fleet.left.update(names)
    stopped = tell(fleet, "B", "stop")
    for name in names:
        code = fleet.nodes[name].wait(LEAVE_SECONDS_MAX)
        assert code in END_CODES, f"node {name} exited with code {code}; its log:\n{fleet.nodes[name].said()}"
    fleet.say("all nodes have exited")
    for name in names:
        with open(os.path.join(fleet.nodes[name].out, "report.json"), encoding="utf-8") as file:
            reason = json.load(file)["stop_reason"]
        assert reason == "interrupted", f"the stop reason of node {name} is {reason}"
    fleet.join("A")
    code = fleet.nodes["A"].wait(30)
    assert code == 2 and "--resume" in fleet.nodes["A"].said(), f"a node joined a stopped crawl (exit code {code}): {fleet.nodes['A'].said()}"
    again = clock_us()
    fleet.join("A", "--resume")
    fleet.wait_for("A")
    fleet.join("B")
    fleet.join("C")
    return stopped, again


def budget(fleet):
    """Exactly the budgeted number of pages over all nodes; URLs banned at one node are fetched by none."""
    fleet.begin("ABC", "--pages", str(PAGES))
    fleet.wait_for_share(0.05, "something was banned")
    banned = tell(fleet, "B", "ban", f"http://{HOST}/*")
    requests = fleet.end(END_SECONDS_MAX)
    found = check.logged(fleet.outs())
    pages = sum(fate == "fetched" for lines in found.values() for _, fate in lines)
    print(f"budget: {pages} of {PAGES} pages fetched")
    check.all_of(
        lambda: _exactly(pages, PAGES),
        lambda: _none([request for request in requests if request.host == HOST], banned + WITHIN_US, clock_us(), "ban"),
        lambda: check.polite(requests, fleet.site.groups, fleet.size.delay_us),
        lambda: check.archived(fleet.outs()),
        lambda: _because(fleet, "pages_budget"),
    )


def _exactly(found, wanted):
    assert found == wanted, f"{found} pages were fetched instead of {wanted}"


def _because(fleet, wanted):
    check.reports(fleet.outs())
    for name, out in fleet.outs().items():
        with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
            reason = json.load(file)["stop_reason"]
        assert reason == wanted, f"the stop reason of node {name} is {reason}, not {wanted}"
