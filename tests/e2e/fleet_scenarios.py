"""What happens to a fleet, and what must hold all the same."""

import json
import time

import fleet_check as check
from fleet_log import changes_of_hands, last_before, longest_gap
from fleet_run import LEASE_SECONDS, clock_us
from fleet_traffic import KEYS, Traffic, foreign_links

MIB = 2**20
END_SECONDS_MAX = 400
# After the leader of a stream was killed.
FLOW_SECONDS_MAX = 10
FLOW_WATCHED_SECONDS = 25
MEMORY_MORE_MAX = 64 * MIB
# So many that it is its lease, and not what it could not bring to the log, that stops a node that is cut off.
CUT_IN_FLIGHT_MAX = 2_000


def calm(fleet):
    """Nothing happens."""
    fleet.begin("ABC", "--set", "archive.links=true")
    traffic = Traffic(fleet)
    fleet.wait_for_share(0.4, "its status was asked for")
    _status(fleet)
    fleet.wait_for_share(0.8, "its load was to be spread")
    _rebalance(fleet)
    requests = traffic.until(lambda: fleet.end(END_SECONDS_MAX))
    check.whole(fleet, requests, 0, "nothing happened", lambda found: check.even(found, "ABC"), lambda found: _traffic(fleet, traffic, found))


def _traffic(fleet, traffic, found):
    pages = sum(fate == "fetched" for lines in found.values() for _, fate in lines)
    traffic.tell(pages, foreign_links(fleet.outs(), found, fleet.site.truth))


def _status(fleet):
    code, text = fleet.status()
    if "unrecognized subcommand" in text:
        print("this program has no `fleet status`: not checked")
        return
    assert code == 0 and all(f'"{name}' in text for name in "ABC"), f"the fleet's status does not name its nodes (exit code {code}): {text}"
    fleet.say("URLs known: " + ", ".join(f"{node['node']} {node['known']}" for node in json.loads(text)["nodes"]))


def _rebalance(fleet):
    """At a time when it makes no difference any more to what each node has fetched in the end."""
    code, text = fleet.rebalance()
    assert code == 0, f"the load was not spread (exit code {code}): {text}"
    done = json.loads(text)
    loads = ", ".join(f"{node['node']} {node['before']} → {node['after']}" for node in done["nodes"])
    fleet.say(f"asked to, the fleet moved {len(done['moved'])} partitions; URLs known: {loads}")
    assert done["is_done"] and {node["node"] for node in done["nodes"]} == set("ABC"), text
    assert all(node["before"] and node["after"] for node in done["nodes"]), text


def kills(fleet):
    """Each node is killed once and comes back; one joins meanwhile, and one leaves."""
    fleet.begin("ABC")
    fleet.wait_for_share(0.12, "A was killed")
    fleet.kill("A")
    fleet.join("D")
    fleet.wait(LEASE_SECONDS + 2)
    # Its partitions are with others by now.
    fleet.join("A")
    fleet.wait_for_share(0.35, "B was killed")
    fleet.kill("B")
    # At once: its former life still holds its partitions.
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
    """The server that leads the keys, on which all leases depend, is killed, and started again later."""
    fleet.begin("ABC")
    fleet.wait_for_share(0.2, "a server was killed")
    number, led = fleet.cluster.leader(KEYS)
    killed = clock_us()
    fleet.cluster.kill(number)
    fleet.say(f"server n{number} of NATS was killed, which led {len(led)} streams: {', '.join(led)}")
    fleet.wait(FLOW_WATCHED_SECONDS)
    fleet.cluster.start(number)
    fleet.say(f"server n{number} was started again")
    requests = fleet.end(END_SECONDS_MAX)
    # At the end of a crawl there are gaps too.
    until = min(killed + FLOW_WATCHED_SECONDS * 1_000_000, requests[int(len(requests) * 0.95)].at)
    assert until > killed + FLOW_SECONDS_MAX * 1_000_000, "the crawl was nearly over when the server was killed: too few pages"
    gap, began = longest_gap(requests, killed, until)
    print(f"leader killed: the longest time without a request was {gap / 1e6:.2f} s, from {(began - killed) / 1e6:.2f} s after it on (allowed: {FLOW_SECONDS_MAX} s)")
    check.whole(fleet, requests, *check.lives(3), lambda _: _at_most(gap / 1e6, FLOW_SECONDS_MAX, "seconds without a page"))


def outage(fleet):
    """All servers are killed, and started again later."""
    _outage(fleet, fleet.cluster.kill, fleet.cluster.start)


def frozen(fleet):
    """All servers stop answering, without closing a connection, and go on later."""
    _outage(fleet, fleet.cluster.freeze, fleet.cluster.thaw)


def _outage(fleet, end, begin):
    fleet.begin("ABC")
    fleet.wait_for_share(0.2, "NATS went away")
    before = time.monotonic()
    end()
    gone = clock_us()
    fleet.say("no server of NATS answers")
    fleet.wait(fleet.size.outage_seconds)
    begin()
    back, after = clock_us(), time.monotonic()
    fleet.say("the servers of NATS are back")
    requests = fleet.end(END_SECONDS_MAX)
    last = last_before(requests, back)
    print(f"outage: the last request came {(last.at - gone) / 1e6:.2f} s after it began (allowed: {LEASE_SECONDS} s), the first one "
          f"{(min(request.at for request in requests if request.at >= back) - back) / 1e6:.2f} s after it ended")
    check.whole(fleet, requests, *check.lives(3),
           lambda _: _at_most((last.at - gone) / 1e6, LEASE_SECONDS, f"seconds until the last request, when leases had run out: {last}"),
           lambda _: _memory(fleet.memory.most(before - 5, before), fleet.memory.most(before, after + 5)))


def _at_most(found, allowed, what):
    assert found <= allowed, f"{found:.2f} {what} (allowed: {allowed})"


def _memory(before, after):
    for name, held in sorted(before.items()):
        more = after[name] - held
        print(f"memory of node {name}: {held / MIB:.0f} MiB before, {after[name] / MIB:.0f} MiB at most in the outage ({more / MIB:+.0f}, allowed: {MEMORY_MORE_MAX / MIB:+.0f})")
        assert more <= MEMORY_MORE_MAX, f"node {name} took {more / MIB:.0f} MiB more while NATS was away"


def cut(fleet):
    """A node is cut off from NATS, not from the site, until its lease is long over; then it is back."""
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
    fleet.say("node B is back")
    requests = fleet.end(END_SECONDS_MAX)
    own = [request for request in requests if request.peer == peer]
    last = last_before(own, back)
    assert last is not None, "node B sent no request before it was cut off"
    again = [request for request in own if request.at >= back]
    print(f"cut: the last request of the node came {(last.at - away) / 1e6:.2f} s after it was cut off (allowed: {LEASE_SECONDS} s)")
    print(f"cut: the node sent {len(again)} requests after it was back, the first {(again[0].at - back) / 1e6 if again else 0:.2f} s after it")
    check.whole(fleet, requests, *check.lives(1, CUT_IN_FLIGHT_MAX),
           lambda _: _at_most((last.at - away) / 1e6, LEASE_SECONDS, f"seconds until the last request, when its lease had run out: {last}"),
           lambda _: _handed_over(requests, fleet.site.groups, peer, away, back),
           lambda _: _at_most(0 if again else 1, 0, "nodes had no part in the crawl when they were back"))


def _handed_over(requests, groups, peer, away, back):
    """How long the hosts of the node that was cut off were left alone before others asked them."""
    waits = [other.at - one.answered for one, other in changes_of_hands(requests, groups) if one.peer == peer and away <= other.at < back]
    assert waits, "nobody took the hosts of the node that was cut off"
    print(f"cut: others went on at {len(waits)} hosts of the node, {min(waits) / 1e6:.2f} s after its last request there at least")
