#!/usr/bin/env python3
"""A real Prometheus scrapes a real fleet, and the queries of grafana/ are put to it.

Usage: fleet_dashboards.py HARVESTMAN PROMETHEUS PROMTOOL OUT

Three nodes crawl a simulated site over a server of NATS (HARVESTMAN_NATS_SERVER, or nats-server on the path), all of them on this
machine. The third joins when the others hold everything, so that partitions are handed over, and is killed, so that they are taken.
It is checked that
  * promtool finds no fault in what a node serves, and all of it names the node,
  * each query of the dashboard `fleet` is answered without an error and with numbers, for all nodes and for one,
  * so is each query of the dashboards that a crawl on one machine has as well, for all nodes and for one,
  * at the top of each dashboard all nodes can be chosen,
  * `harvestman status` of a node and what its live page is told show the fleet: all nodes, one that leads, what each holds,
  * each rule is evaluated, and no alert is raised but that a node is away.
OUT is made anew.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from dashboards import JOB, OF_FLEET, SCRAPE_SECONDS, Prometheus, check_dashboards, check_rules, configuration, put_in, running, until
from live_api import Api
from metrics_scrape import free_port, get, promtool_check
from sim import end_on_sigterm, served

SECONDS_MAX = 300
SITE = ("--pages", "30000", "--hosts", "40", "--elsewhere", "4")
PARTITIONS = 32
# As many seconds without a sign of life, and a node is dead.
LEASE = "8s"
SETTINGS = ["scope.hosts=*.localhost", "fetch.private_addresses=true", "host.connections_per_ip=64", f"fleet.lease={LEASE}",
            f"fleet.partitions={PARTITIONS}", "fleet.checkpoint=3s", "fleet.renew=500ms"]
# Slow enough to be watched, and to leave the machine some time.
PACE = ["--delay", "300ms", "--per-host", "1", "--contact", "gate@localhost"]
# What an ordinary crawl need not have: lessons of a policy, time that was measured.
PLAIN = ["overview", "hosts", "resources"]
LEFT = (0, 130, 143)


def server_command():
    return os.environ.get("HARVESTMAN_NATS_SERVER", "nats-server")


class Node:
    """A node: where it is scraped, and how it is started."""

    def __init__(self, name, out):
        self.name, self.port, self.out = name, free_port(), os.path.join(out, name)
        self.instance = f"127.0.0.1:{self.port}"

    def command(self, binary, *arguments):
        return [binary, *arguments, "--node", self.name, "--fleet-name", "watched", "--out", self.out,
                "--metrics", self.instance, "--quiet"]

    def shows(self, metric, labels=""):
        """The sum of a metric's series that have these labels."""
        found = re.findall(rf"^harvestman_{metric}{{(.*)}} (\S+)$", get(self.port, "/metrics") or "", re.MULTILINE)
        return sum(float(value) for names, value in found if labels in names)

    def caught_up(self):
        return self.shows("fleet_partitions", 'state="caught_up"')


def scraped(prometheus, nodes, times):
    answer = prometheus.ask("query", query=f'count_over_time(up{{job="{JOB}"}}[1h])')["result"]
    counts = {one["metric"]["instance"]: int(one["value"][1]) for one in answer}
    return all(counts.get(node.instance, 0) >= times for node in nodes)


def filled(node):
    """Puts the variables in: all crawls, and this node."""
    return lambda query: put_in(query, "", node).replace('instance=~""', 'instance=~".+"')


def check_names(text, node):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    nameless = [line for line in lines if f'node="{node.name}"' not in line]
    assert lines and not nameless, f"lines that do not name the node: {nameless[:3]}"


def check_status(binary, nodes):
    """What a node says of its fleet, in a terminal and to its live page."""
    asked = [binary, "status", nodes[1].out]
    told = json.loads(subprocess.run([*asked, "--json"], capture_output=True, text=True, timeout=30, check=True).stdout)
    with open(os.path.join(nodes[1].out, "live.url"), encoding="utf-8") as file:
        seen = Api(file.readline().strip()).live()["status"]
    for standing in (told["fleet"], seen["fleet"]):
        fleet = standing["fleet"]
        assert [row["node"] for row in fleet["nodes"]] == [node.name for node in nodes] and fleet["size"] == len(nodes), fleet
        assert fleet["held"] == sum(row["partitions"] for row in fleet["nodes"]) == fleet["partitions"] == PARTITIONS, fleet
        assert [row["node"] for row in fleet["nodes"] if row["leads"]] == [nodes[0].name], "the oldest leads"
        assert standing["session"].startswith(f"{nodes[1].name}.") and standing["margin_seconds"] > 0, standing
    text = subprocess.run(asked, capture_output=True, text=True, timeout=30, check=True).stdout
    for part in ("fleet: crawl `watched`: running", "live, leads", f"this is node {nodes[1].name}; its lease lasts"):
        assert part in text, f"{part} is not in {text}"
    print("the status of a node and its live page show the fleet")


def check_alerts(prometheus):
    """As `check_rules`, but that a node was killed is to be said."""
    raised = {rule["labels"]["alertname"] for rule in prometheus.ask("alerts")["alerts"]}
    assert "HarvestmanNodeAway" in raised, f"nobody misses the node that was killed: {raised}"
    check_rules(prometheus, is_fleet=True, expected=raised & {"HarvestmanNodeAway", "HarvestmanGone"})


def play(args, prometheus, nodes, seed, bus, stack):
    """Starts the nodes one after the other, and kills the last."""
    flags = [word for setting in SETTINGS for word in ("--set", setting)]
    begin = ["crawl", seed, "--fleet", bus, *PACE, *flags]
    processes = []
    for number, node in enumerate(nodes):
        arguments = node.command(args[0], *(begin if number == 0 else ["fleet", "join", bus]))
        said = stack.enter_context(open(f"{node.out}.log", "w", encoding="utf-8"))
        processes.append(stack.enter_context(running(arguments, f"node {node.name}", said)))
        held = nodes[:number + 1]
        until(f"{node.name} holds its share", lambda held=held: all(one.caught_up() for one in held)
              and sum(one.caught_up() for one in held) == PARTITIONS and scraped(prometheus, held, 3), *processes)
    until("links were sent both ways, and checkpoints written", lambda: all(
        node.shows("fleet_arrived_links_total") and node.shows("fleet_checkpoints_total")
        and node.shows("crawl_pages_total") > 50 for node in nodes) and scraped(prometheus, nodes, 8), *processes)
    check_names(get(nodes[0].port, "/metrics"), nodes[0])
    promtool_check(args[2], get(nodes[0].port, "/metrics"))
    check_status(args[0], nodes)
    processes[2].kill()
    processes[2].wait()
    until("the others have taken over", lambda: sum(node.caught_up() for node in nodes[:2]) == PARTITIONS, *processes[:2])
    # What was counted is to be scraped, and the rules to be evaluated.
    time.sleep(4 * SCRAPE_SECONDS)
    return processes


def check(prometheus, nodes, span):
    names = {node.name for node in nodes}
    for chosen in check_dashboards(prometheus, [OF_FLEET, *PLAIN], filled(".*"), span):
        assert set(chosen["node"]) == names, f"what can be chosen: {chosen}"
    leader = next(node for node in nodes[:2] if node.shows("fleet_leads") == 1)
    list(check_dashboards(prometheus, [OF_FLEET, *PLAIN], filled(leader.name), span))
    pages = prometheus.ask("query", query=filled(leader.name)('sum by (node) (harvestman_crawl_pages_total{node=~"$node"})'))["result"]
    assert [one["metric"] for one in pages] == [{"node": leader.name}], f"what is chosen is not what is shown: {pages}"


def main():
    args = sys.argv[1:]
    out = os.path.abspath(args[3])
    end_on_sigterm()
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    nodes = [Node(name, out) for name in ("a", "b", "c")]
    bus_port, own_port = free_port(), free_port()
    config = configuration(f"{out}/prometheus", *(node.instance for node in nodes))
    watch = [args[1], f"--config.file={config}", f"--storage.tsdb.path={out}/prometheus/tsdb", "--log.level=error",
             f"--web.listen-address=127.0.0.1:{own_port}"]
    bus = [server_command(), "-a", "127.0.0.1", "-p", str(bus_port), "-js", "-sd", f"{out}/nats", "-l", f"{out}/nats.log"]
    with contextlib.ExitStack() as stack:
        seed = stack.enter_context(served(args[0], *SITE, seconds_max=SECONDS_MAX))
        watching = stack.enter_context(running(watch, "prometheus"))
        stack.enter_context(running(bus, "nats-server"))
        prometheus, began = Prometheus(own_port), time.time()
        until("Prometheus is ready", prometheus.is_ready, watching)
        processes = play(args, prometheus, nodes, seed, f"nats://127.0.0.1:{bus_port}", stack)
        check(prometheus, nodes, (began, time.time()))
        check_alerts(prometheus)
        for node, process in zip(nodes[:2], processes[:2]):
            assert process.poll() is None, f"node {node.name} ended while it was looked at"
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) in LEFT, f"node {node.name}: exit code {process.returncode}"
    print(f"the queries of grafana/ were answered from a fleet of three nodes, in {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
