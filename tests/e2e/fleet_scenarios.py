"""Fault scenarios of a fleet, and the properties that must hold in each."""

import json
import time

import fleet_check as check
from fleet_log import changes_of_hands, last_before, longest_gap
from fleet_run import LEASE_SECONDS, clock_us
from fleet_traffic import KEYS, Traffic, foreign_links

MIB = 2**20
END_SECONDS_MAX = 400
# The allowed pause after the leader of a stream was killed.
FLOW_SECONDS_MAX = 10
FLOW_WATCHED_SECONDS = 25
MEMORY_MORE_MAX = 64 * MIB
# High enough that a node that is cut off is stopped by its lease and not by the number of unlogged URLs.
CUT_IN_FLIGHT_MAX = 2_000


def calm(fleet):
    """No faults."""
    fleet.begin("ABC", "--set", "archive.links=true")
    traffic = Traffic(fleet)
    fleet.wait_for_share(0.4, "its status was asked for")
    _status(fleet)
    fleet.wait_for_share(0.8, "it was rebalanced")
    _rebalance(fleet)
    requests = traffic.until(lambda: fleet.end(END_SECONDS_MAX))
    check.whole(fleet, requests, 0, "no faults", lambda found: check.even(found, "ABC"), lambda found: _traffic(fleet, traffic, found))


def _traffic(fleet, traffic, found):
    pages = sum(fate == "fetched" for lines in found.values() for _, fate in lines)
    traffic.tell(pages, foreign_links(fleet.outs(), found, fleet.site.truth))


def _status(fleet):
    code, text = fleet.status()
    if "unrecognized subcommand" in text:
        print("this program has no `fleet status`; skipped")
        return
    assert code == 0 and all(f'"{name}' in text for name in "ABC"), f"the status of the fleet does not name its nodes (exit code {code}): {text}"
    fleet.say("known URLs: " + ", ".join(f"{node['node']} {node['known']}" for node in json.loads(text)["nodes"]))


def _rebalance(fleet):
    """Rebalances so late that the final page counts of the nodes hardly change."""
    code, text = fleet.rebalance()
    assert code == 0, f"`fleet rebalance` failed (exit code {code}): {text}"
    done = json.loads(text)
    loads = ", ".join(f"{node['node']} {node['before']} → {node['after']}" for node in done["nodes"])
    fleet.say(f"`fleet rebalance` moved {len(done['moved'])} partitions; known URLs: {loads}")
    assert done["is_done"] and {node["node"] for node in done["nodes"]} == set("ABC"), text
    assert all(node["before"] and node["after"] for node in done["nodes"]), text


def kills(fleet):
    """Each node is killed once and restarted; meanwhile one node joins and one leaves."""
    fleet.begin("ABC")
    fleet.wait_for_share(0.12, "A was killed")
    fleet.kill("A")
    fleet.join("D")
    fleet.wait(LEASE_SECONDS + 2)
    # By now other nodes have its partitions.
    fleet.join("A")
    fleet.wait_for_share(0.35, "B was killed")
    fleet.kill("B")
    # At once, while its previous session still holds its partitions.
    fleet.join("B")
    fleet.wait_for_share(0.5, "A left")
    fleet.leave("A")
    fleet.wait_for_share(0.62, "C was killed")
    fleet.kill("C")
    fleet.wait(LEASE_SECONDS / 2)
    fleet.join("C")
    requests = fleet.end(END_SECONDS_MAX)
    check.whole(fleet, requests, *check.lives(3))


def leader(fleet):
    """The server that leads the stream of the keys, on which all leases depend, is killed and restarted later."""
    fleet.begin("ABC")
    fleet.wait_for_share(0.2, "a server was killed")
    number, led = fleet.cluster.leader(KEYS)
    killed = clock_us()
    fleet.cluster.kill(number)
    fleet.say(f"NATS server n{number} was killed, the leader of {len(led)} streams: {', '.join(led)}")
    fleet.wait(FLOW_WATCHED_SECONDS)
    fleet.cluster.start(number)
    fleet.say(f"NATS server n{number} was restarted")
    requests = fleet.end(END_SECONDS_MAX)
    # The end of a crawl has gaps too, so it is excluded.
    until = min(killed + FLOW_WATCHED_SECONDS * 1_000_000, requests[int(len(requests) * 0.95)].at)
    assert until > killed + FLOW_SECONDS_MAX * 1_000_000, "the crawl had almost ended when the server was killed: too few pages"
    gap, began = longest_gap(requests, killed, until)
    print(f"leader killed: the longest time without a request was {gap / 1e6:.2f} s, starting {(began - killed) / 1e6:.2f} s after the kill (allowed: {FLOW_SECONDS_MAX} s)")
    check.whole(fleet, requests, *check.lives(3), lambda _: _at_most(gap / 1e6, FLOW_SECONDS_MAX, "seconds without a request"))


def outage(fleet):
    """All servers are killed and restarted later."""
    _outage(fleet, fleet.cluster.kill, fleet.cluster.start)


def frozen(fleet):
    """All servers stop responding without closing connections, and resume later."""
    _outage(fleet, fleet.cluster.freeze, fleet.cluster.thaw)


def _outage(fleet, end, begin):
    fleet.begin("ABC")
    fleet.wait_for_share(0.2, "NATS went away")
    before = time.monotonic()
    end()
    gone = clock_us()
    fleet.say("no NATS server responds")
    fleet.wait(fleet.size.outage_seconds)
    begin()
    back, after = clock_us(), time.monotonic()
    fleet.say("the NATS servers are back")
    requests = fleet.end(END_SECONDS_MAX)
    last = last_before(requests, back)
    print(f"outage: the last request came {(last.at - gone) / 1e6:.2f} s after its start (allowed: {LEASE_SECONDS} s), the next one "
          f"{(min(request.at for request in requests if request.at >= back) - back) / 1e6:.2f} s after its end")
    check.whole(fleet, requests, *check.lives(3),
           lambda _: _at_most((last.at - gone) / 1e6, LEASE_SECONDS, f"seconds until the last request, longer than the lease: {last}"),
           lambda _: _memory(fleet.memory.most(before - 5, before), fleet.memory.most(before, after + 5)))


def _at_most(found, allowed, what):
    assert found <= allowed, f"{found:.2f} {what} (allowed: {allowed})"


def _memory(before, after):
    for name, held in sorted(before.items()):
        more = after[name] - held
        print(f"memory of node {name}: {held / MIB:.0f} MiB before, at most {after[name] / MIB:.0f} MiB during the outage ({more / MIB:+.0f}, allowed: {MEMORY_MORE_MAX / MIB:+.0f})")
        assert more <= MEMORY_MORE_MAX, f"the memory of node {name} grew by {more / MIB:.0f} MiB while NATS was unavailable"


def cut(fleet):
    """A node is cut off from NATS but not from the site, until well after its lease has expired; then it is reconnected."""
    fleet.begin("ABC", in_flight_max=CUT_IN_FLIGHT_MAX)
    node = fleet.nodes["B"]
    peer = node.place.site_address
    fleet.wait_for_share(0.2, "B was cut off")
    node.place.cut()
    away = clock_us()
    fleet.say("node B is cut off from NATS")
    fleet.wait(LEASE_SECONDS * 2 + 5)
    node.place.heal()
    back = clock_us()
    fleet.say("node B is reconnected")
    requests = fleet.end(END_SECONDS_MAX)
    own = [request for request in requests if request.peer == peer]
    last = last_before(own, back)
    assert last is not None, "node B sent no request before it was reconnected"
    again = [request for request in own if request.at >= back]
    print(f"cut: the node sent its last request {(last.at - away) / 1e6:.2f} s after it was cut off (allowed: {LEASE_SECONDS} s)")
    print(f"cut: the node sent {len(again)} requests after it was reconnected, the first one {(again[0].at - back) / 1e6 if again else 0:.2f} s later")
    check.whole(fleet, requests, *check.lives(1, CUT_IN_FLIGHT_MAX),
           lambda _: _at_most((last.at - away) / 1e6, LEASE_SECONDS, f"seconds until the last request, longer than its lease: {last}"),
           lambda _: _handed_over(requests, fleet.site.groups, peer, away, back),
           lambda _: _at_most(0 if again else 1, 0, "reconnected nodes sent no requests"))


def _handed_over(requests, groups, peer, away, back):
    """Checks that other nodes continued at the hosts of the node that was cut off, and prints how long these hosts had to wait."""
    waits = [other.at - one.answered for one, other in changes_of_hands(requests, groups) if one.peer == peer and away <= other.at < back]
    assert waits, "no node took over the hosts of the node that was cut off"
    print(f"cut: other nodes continued at {len(waits)} of its hosts, at least {min(waits) / 1e6:.2f} s after its last request there")
