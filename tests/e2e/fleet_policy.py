"""A fleet that shares one policy: one node learns from the pages of all nodes."""

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
# A policy learns templates for the first time at this number of pages.
FIRST_LESSON = 12
# The harvest is compared over this first share of the site, because at the end every crawl has fetched everything.
HARVESTED_SHARE = 0.4
# A single machine learns from a page at once. A fleet needs some seconds, during which pages are fetched by the previous snapshot.
HARVEST_OF_ALONE_MIN = 0.85
# The share of page types that must be in the same cluster on all nodes that have fetched enough of them.
ALIKE_MIN = 0.8
ENOUGH_PAGES = 5
POLICY = ["--policy", "ucc", "--set", "crawl.seed=5", "--set", "frontier.in_flight_max=64"]
OBSERVATIONS, KEYS, OBJECTS = f"HM_{NAME}_OBS", f"KV_hm-{NAME}", f"OBJ_hm-{NAME}"


def _fetched(outs):
    """The fetched pages of all nodes, in order of time."""
    lines = [(line, name) for name, out in outs.items() for line in check.lines_of(out) if line["fate"] == "fetched"]
    return sorted(lines, key=lambda pair: pair[0]["time"])


def _wanted(row):
    return bool(row["ucc"]) and row["status"] == 200 and row["duplicate_of"] is None


def _harvest(outs, truth):
    """The share of new user-written pages among the first pages and among all pages, and the number of first pages."""
    fetched = _fetched(outs)
    first = fetched[: int(HARVESTED_SHARE * len(fetched))]
    share = lambda pages: sum(_wanted(truth[line["url"]]) for line, _ in pages) / max(1, len(pages))
    return share(first), share(fetched), len(first)


def _alone(fleet):
    """The harvest of a single machine without a fleet, on the same site."""
    place = Place(9, ALONE_SECONDS_MAX)
    node = Node(fleet.binary, "E", place, fleet.work)
    try:
        node.start_alone("crawl", fleet.site.seed, *fleet.size.settings(), *POLICY)
        assert node.wait(ALONE_SECONDS_MAX) == 0, f"the crawl exited with code {node.code()}; its log:\n{node.said()}"
        return _harvest({"E": node.out}, fleet.site.truth)
    finally:
        node.close()
        place.close()


def versions(out):
    """The policy versions that a node used, in order, over all its sessions."""
    path = os.path.join(out, "policy.jsonl")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as lines:
        # The last line of a killed session may be incomplete.
        return [json.loads(line)["snapshot"] for line in lines if line.endswith("}\n")]


def _grows(name, out):
    seen = versions(out)
    assert seen and all(one <= other for one, other in zip(seen, seen[1:])), f"node {name} used the policy versions {seen}"
    print(f"node {name} used {len(set(seen))} policy versions, up to {seen[-1]}")


def _clusters(outs, truth, since):
    """The number of pages of each cluster, by page type and node, starting with a policy version."""
    kinds = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for line, name in _fetched(outs):
        if line.get("cluster", 0) > 1 and line.get("snapshot", 0) >= since:
            kinds[truth[line["url"]]["page_type"]][name][line["cluster"]] += 1
    return kinds


def _same_clusters(outs, truth, since):
    """Checks that cluster numbers agree: most pages of a type are in the same cluster on each node that has fetched enough of them."""
    alike, other = [], []
    for kind, nodes in sorted(_clusters(outs, truth, since).items()):
        most = {name: clusters.most_common(1)[0][0] for name, clusters in nodes.items() if sum(clusters.values()) >= ENOUGH_PAGES}
        if len(most) > 1:
            (alike if len(set(most.values())) == 1 else other).append(f"{kind} {most}")
    print(f"clusters since version {since}: {len(alike)} page types are in the same cluster on all nodes, {len(other)} are not: {other}")
    assert len(alike) >= 3 and len(alike) >= ALIKE_MIN * (len(alike) + len(other)), f"nodes cluster pages differently: {other}"


def _learned_elsewhere(out, name, version):
    """Checks that a late node uses what the others have learned, before it could have learned anything from its own pages."""
    pages = [line for line in check.lines_of(out) if line["fate"] == "fetched"]
    first = sorted(pages, key=lambda line: line["time"])[:FIRST_LESSON]
    by = sorted({line.get("snapshot", 0) for line in first})
    told = sum(line.get("cluster", 0) > 1 for line in first)
    print(f"node {name} joined when version {version} was published: its first {len(first)} pages were chosen by versions {by}, {told} of them have a cluster")
    # Pages requested before the node had loaded a snapshot are chosen without a policy.
    assert told >= len(first) / 2 and by[-1] >= version, f"node {name} did not use what the others had learned"


def _models(outs):
    left = [name for name, out in outs.items() if os.path.exists(os.path.join(out, "site-model.json.gz"))]
    print(f"a site model was written by {', '.join(left)}")
    assert len(left) == 1, f"{left} wrote a site model instead of exactly one node"


def _until_asked(fleet, share, base, what):
    """Like `wait_for_share`, but for a site that was crawled before."""
    while fleet.site.requests_so_far() - base < share * fleet.site.due:
        fleet.wait(0.2)
        assert any(node.runs() for node in fleet.nodes.values()), f"the crawl ended before {what}"


def policy(fleet):
    """Three nodes share one policy; its holder is killed."""
    alone, usual, count = _alone(fleet)
    print(f"harvest of a single machine: {alone:.3f} of the first {count} pages are new and user-written; {usual:.3f} of all pages", flush=True)
    base = fleet.site.requests_so_far()
    fleet.begin("ABC", *POLICY)
    traffic = Traffic(fleet)
    _until_asked(fleet, 0.25, base, "D joined")
    known = max(versions(fleet.nodes["B"].out), default=0)
    fleet.join("D")
    _until_asked(fleet, 0.45, base, "A was killed")
    before = max(versions(fleet.nodes[name].out)[-1] for name in "ABC")
    fleet.kill("A")
    fleet.say(f"version {before} was published")
    fleet.wait(LEASE_SECONDS + 2)
    traffic.until(lambda: fleet.end(END_SECONDS_MAX))
    outs, truth = fleet.outs(), fleet.site.truth
    stayed = {name: out for name, out in outs.items() if name != "A"}
    harvested, _, count = _harvest(outs, truth)
    pages = len(_fetched(outs))
    sent = {name: traffic.given(stream) for name, stream in (("observations", OBSERVATIONS), ("keys", KEYS), ("object chunks", OBJECTS))}
    told = ", ".join(f"{count} {name} ({count / pages:.3f} per page)" for name, count in sent.items())
    print(f"messages: {told}")
    print(f"harvest of the fleet: {harvested:.3f} of the first {count} pages are new and user-written (single machine: {alone:.3f})")
    check.all_of(
        lambda: check.nothing_lost(check.logged(outs), truth),
        *(lambda name=name: _grows(name, outs[name]) for name in outs),
        lambda: _grown(stayed, before),
        lambda: _same_clusters(outs, truth, before // 2),
        lambda: _learned_elsewhere(outs["D"], "D", known),
        lambda: _models(stayed),
        lambda: check.reports(stayed),
        lambda: _no_worse(harvested, alone),
    )


def _grown(outs, before):
    last = {name: versions(out)[-1] for name, out in outs.items()}
    print(f"the holder was killed at version {before}; at the end the other nodes use {last}")
    assert all(version > before for version in last.values()), "no node continued learning after the holder was killed"


def _no_worse(harvested, alone):
    assert harvested >= HARVEST_OF_ALONE_MIN * alone, f"the harvest of the fleet is {harvested:.3f}, that of a single machine {alone:.3f}"


BANNED_SECONDS = 10
# Each node knows only from its own pages where links lead.
BANNED_SHARE_MAX = 0.05
LATEST = 300


def _at(line):
    """The time when a page was requested, in microseconds."""
    return int(datetime.datetime.fromisoformat(line["time"]).timestamp() * 1e6)


def _of_cluster(outs, cluster, since, until):
    """The pages fetched between two moments, by node: (in the cluster, all)."""
    counts = collections.defaultdict(lambda: [0, 0])
    for line, name in _fetched(outs):
        if since <= _at(line) < until:
            counts[name][0] += line.get("cluster") == cluster
            counts[name][1] += 1
    return dict(counts)


def clusters(fleet):
    """A page cluster that is banned at one node is fetched by none, until the ban is lifted at another node."""
    fleet.begin("ABC", *POLICY)
    fleet.wait_for_share(0.3, "a cluster was banned")
    latest = collections.Counter(line.get("cluster", 0) for line, _ in _fetched(fleet.outs())[-LATEST:])
    cluster, count = next((number, count) for number, count in latest.most_common() if number > 1)
    fleet.say(f"{count} of the latest {LATEST} pages are in cluster {cluster}")
    banned = tell(fleet, "B", "ban", str(cluster))
    fleet.wait(BANNED_SECONDS)
    free = tell(fleet, "C", "unban", str(cluster))
    fleet.end(END_SECONDS_MAX)
    outs = fleet.outs()
    before = _of_cluster(outs, cluster, banned - BANNED_SECONDS * 1_000_000, banned)
    while_banned = _of_cluster(outs, cluster, banned + WITHIN_US, free)
    after = _of_cluster(outs, cluster, free + WITHIN_US, free + 100 * WITHIN_US)
    print(f"pages in cluster {cluster} and all fetched pages, by node: before {before}, during the ban {while_banned}, afterwards {after}")
    check.all_of(
        *(lambda name=name: _rare(name, while_banned) for name in "ABC"),
        lambda: _common(before),
        lambda: check.reports(outs),
    )


def _rare(name, counts):
    of_it, pages = counts[name]
    assert pages > 20, f"node {name} fetched only {pages} pages during the ban"
    assert of_it <= BANNED_SHARE_MAX * pages, f"{of_it} of {pages} pages fetched by node {name} are in the banned cluster"


def _common(counts):
    of_it, pages = map(sum, zip(*counts.values()))
    assert of_it > 0.1 * pages, f"the cluster was rare before the ban: {counts}"
