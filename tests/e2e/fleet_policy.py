"""A fleet that decides by one policy: what one node learns from the pages of all."""

import collections
import datetime
import json
import os

import fleet_check as check
from fleet_net import Place
from fleet_nodes import Node
from fleet_orders import WITHIN_US, tell
from fleet_run import LEASE_SECONDS, NAME
from fleet_traffic import Traffic

END_SECONDS_MAX = 300
ALONE_SECONDS_MAX = 300
# A policy learns templates for the first time at so many pages.
FIRST_LESSON = 12
# The harvest is compared over so large a share of the site: at its end every crawl has everything.
HARVESTED_SHARE = 0.4
# What one machine learns from a page at once takes a fleet some seconds, in which pages are fetched by what was known before.
HARVEST_OF_ALONE_MIN = 0.85
# So many of the kinds of pages must be of the same cluster on all nodes that have fetched enough of them.
ALIKE_MIN = 0.8
ENOUGH_PAGES = 5
POLICY = ["--policy", "ucc", "--set", "crawl.seed=5", "--set", "frontier.in_flight_max=64"]
OBSERVATIONS, KEYS, OBJECTS = f"HM_{NAME}_OBS", f"KV_hm-{NAME}", f"OBJ_hm-{NAME}"


def _fetched(outs):
    """The pages that were fetched, over all nodes, in the order of their time."""
    lines = [(line, name) for name, out in outs.items() for line in check.lines_of(out) if line["fate"] == "fetched"]
    return sorted(lines, key=lambda pair: pair[0]["time"])


def _wanted(row):
    return bool(row["ucc"]) and row["status"] == 200 and row["duplicate_of"] is None


def _harvest(outs, truth):
    """Which share of the first pages users made, and of all."""
    fetched = _fetched(outs)
    first = fetched[: int(HARVESTED_SHARE * len(fetched))]
    share = lambda pages: sum(_wanted(truth[line["url"]]) for line, _ in pages) / max(1, len(pages))
    return share(first), share(fetched), len(first)


def _alone(fleet):
    """The harvest of one machine without a fleet, on the same site."""
    place = Place(9, ALONE_SECONDS_MAX)
    node = Node(fleet.binary, "E", place, fleet.work)
    try:
        node.start_alone("crawl", fleet.site.seed, *fleet.size.settings(), *POLICY)
        assert node.wait(ALONE_SECONDS_MAX) == 0, f"the crawl ended with code {node.code()}; it said:\n{node.said()}"
        return _harvest({"E": node.out}, fleet.site.truth)
    finally:
        node.close()
        place.close()


def versions(out):
    """The versions of the policy that a node went by, in their order, over all its lives."""
    path = os.path.join(out, "policy.jsonl")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as lines:
        # The last line of a life that was ended may be cut off.
        return [json.loads(line)["snapshot"] for line in lines if line.endswith("}\n")]


def _grows(name, out):
    seen = versions(out)
    assert seen and all(one <= other for one, other in zip(seen, seen[1:])), f"node {name} went by the versions {seen}"
    print(f"node {name} went by {len(set(seen))} versions of the policy, up to {seen[-1]}")


def _clusters(outs, truth, since):
    """Of each kind of pages, how many are of which cluster, by node, from a version of the policy on."""
    kinds = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for line, name in _fetched(outs):
        if line.get("cluster", 0) > 1 and line.get("snapshot", 0) >= since:
            kinds[truth[line["url"]]["page_type"]][name][line["cluster"]] += 1
    return kinds


def _same_clusters(outs, truth, since):
    """A cluster has one number on all nodes: most pages of a kind are of the same one on each that has fetched enough of them."""
    alike, other = [], []
    for kind, nodes in sorted(_clusters(outs, truth, since).items()):
        most = {name: clusters.most_common(1)[0][0] for name, clusters in nodes.items() if sum(clusters.values()) >= ENOUGH_PAGES}
        if len(most) > 1:
            (alike if len(set(most.values())) == 1 else other).append(f"{kind} {most}")
    print(f"clusters since version {since}: {len(alike)} kinds of pages are of the same cluster on all nodes, {len(other)} are not: {other}")
    assert len(alike) >= 3 and len(alike) >= ALIKE_MIN * (len(alike) + len(other)), f"nodes tell pages apart in different ways: {other}"


def _learnt_elsewhere(out, name, version):
    """A node that has come late goes by what others have learnt from others' pages, before it could have learnt anything itself."""
    pages = [line for line in check.lines_of(out) if line["fate"] == "fetched"]
    first = sorted(pages, key=lambda line: line["time"])[:FIRST_LESSON]
    by = sorted({line.get("snapshot", 0) for line in first})
    told = sum(line.get("cluster", 0) > 1 for line in first)
    print(f"node {name} joined when version {version} was out: its first {len(first)} pages were chosen by versions {by}, {told} of them have a cluster")
    # A page that was asked for before it had loaded anything is chosen by nothing.
    assert told >= len(first) / 2 and by[-1] >= version, f"node {name} did not go by what others had learnt"


def _models(outs):
    left = [name for name, out in outs.items() if os.path.exists(os.path.join(out, "site-model.json.gz"))]
    print(f"the site model was left by {', '.join(left)}")
    assert len(left) == 1, f"{left} left a site model, and one node was to"


def _until_asked(fleet, share, base, what):
    """As `wait_for_share`, for a site that was crawled before."""
    while fleet.site.requests_so_far() - base < share * fleet.site.due:
        fleet.wait(0.2)
        assert any(node.runs() for node in fleet.nodes.values()), f"the crawl was over before {what}"


def policy(fleet):
    """Three nodes decide by one policy; its holder is killed."""
    alone, usual, count = _alone(fleet)
    print(f"harvest of one machine: {alone:.3f} of the first {count} pages are new and made by users; of all {usual:.3f}", flush=True)
    base = fleet.site.requests_so_far()
    fleet.begin("ABC", *POLICY)
    traffic = Traffic(fleet)
    _until_asked(fleet, 0.25, base, "D joined")
    known = max(versions(fleet.nodes["B"].out), default=0)
    fleet.join("D")
    _until_asked(fleet, 0.45, base, "A was killed")
    before = max(versions(fleet.nodes[name].out)[-1] for name in "ABC")
    fleet.kill("A")
    fleet.say(f"version {before} was out")
    fleet.wait(LEASE_SECONDS + 2)
    traffic.until(lambda: fleet.end(END_SECONDS_MAX))
    outs, truth = fleet.outs(), fleet.site.truth
    stayed = {name: out for name, out in outs.items() if name != "A"}
    harvested, _, count = _harvest(outs, truth)
    pages = len(_fetched(outs))
    sent = {name: traffic.given(stream) for name, stream in (("observations", OBSERVATIONS), ("keys", KEYS), ("pieces of objects", OBJECTS))}
    told = ", ".join(f"{count} {name} ({count / pages:.3f} a page)" for name, count in sent.items())
    print(f"on the wire: {told}")
    print(f"harvest of the fleet: {harvested:.3f} of the first {count} pages are new and made by users (one machine: {alone:.3f})")
    check.all_of(
        lambda: check.nothing_lost(check.logged(outs), truth),
        *(lambda name=name: _grows(name, outs[name]) for name in outs),
        lambda: _grown(stayed, before),
        lambda: _same_clusters(outs, truth, before // 2),
        lambda: _learnt_elsewhere(outs["D"], "D", known),
        lambda: _models(stayed),
        lambda: check.reports(stayed),
        lambda: _no_worse(harvested, alone),
    )


def _grown(outs, before):
    last = {name: versions(out)[-1] for name, out in outs.items()}
    print(f"the holder was killed at version {before}; at the end the others go by {last}")
    assert all(version > before for version in last.values()), "nobody went on learning after the holder was killed"


def _no_worse(harvested, alone):
    assert harvested >= HARVEST_OF_ALONE_MIN * alone, f"the fleet's harvest is {harvested:.3f}, that of one machine {alone:.3f}"


BANNED_SECONDS = 10
# A node knows by pages of its own where links lead.
BANNED_SHARE_MAX = 0.05
LATEST = 300


def _at(line):
    """When a page was asked for, in microseconds."""
    return int(datetime.datetime.fromisoformat(line["time"]).timestamp() * 1e6)


def _of_cluster(outs, cluster, since, until):
    """How many of the pages that were fetched between two moments are of a cluster, by node: (these, all)."""
    counts = collections.defaultdict(lambda: [0, 0])
    for line, name in _fetched(outs):
        if since <= _at(line) < until:
            counts[name][0] += line.get("cluster") == cluster
            counts[name][1] += 1
    return dict(counts)


def clusters(fleet):
    """A cluster of pages that is banned at one node is fetched by none, until it is free again by what is told at another."""
    fleet.begin("ABC", *POLICY)
    fleet.wait_for_share(0.3, "a cluster was banned")
    latest = collections.Counter(line.get("cluster", 0) for line, _ in _fetched(fleet.outs())[-LATEST:])
    cluster, count = next((number, count) for number, count in latest.most_common() if number > 1)
    fleet.say(f"{count} of the latest {LATEST} pages are of cluster {cluster}")
    banned = tell(fleet, "B", "ban", str(cluster))
    fleet.wait(BANNED_SECONDS)
    free = tell(fleet, "C", "unban", str(cluster))
    fleet.end(END_SECONDS_MAX)
    outs = fleet.outs()
    before = _of_cluster(outs, cluster, banned - BANNED_SECONDS * 1_000_000, banned)
    while_banned = _of_cluster(outs, cluster, banned + WITHIN_US, free)
    after = _of_cluster(outs, cluster, free + WITHIN_US, free + 100 * WITHIN_US)
    print(f"pages of cluster {cluster}, of all that were fetched, by node: before {before}, while it was banned {while_banned}, later {after}")
    check.all_of(
        *(lambda name=name: _rare(name, while_banned) for name in "ABC"),
        lambda: _common(before),
        lambda: check.reports(outs),
    )


def _rare(name, counts):
    of_it, pages = counts[name]
    assert pages > 20, f"node {name} fetched {pages} pages only while the cluster was banned"
    assert of_it <= BANNED_SHARE_MAX * pages, f"node {name} fetched {of_it} pages of the banned cluster, of {pages}"


def _common(counts):
    of_it, pages = map(sum, zip(*counts.values()))
    assert of_it > 0.1 * pages, f"the cluster was rare before it was banned: {counts}"
