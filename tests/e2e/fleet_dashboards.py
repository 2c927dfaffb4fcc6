#!/usr/bin/env python3
"""Runs a real Prometheus that scrapes a real fleet, and sends it the queries of grafana/.

Usage: fleet_dashboards.py HARVESTMAN PROMETHEUS PROMTOOL OUT

Three nodes crawl a simulated site over one NATS server (HARVESTMAN_NATS_SERVER, or nats-server in the PATH), all of them on this
machine. The third node joins when the others hold all partitions, so that partitions are handed over. It is then killed, so that its
partitions are taken over. The script checks that
  * promtool accepts the metrics of a node, and all of them have the label `node`,
  * each query of the dashboard `fleet` returns numbers and no error, for all nodes and for one,
  * so does each query of the dashboards that also apply to a crawl on one machine, for all nodes and for one,
  * all nodes can be selected at the top of each dashboard,
  * `harvestman ctl DIR status` of a node and the data of its live page show the fleet: all nodes, one leader, the partitions of each node,
  * each rule is evaluated, and no alert fires except that a node is missing.
OUT is recreated.
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
# A node that is silent for this long is considered dead.
LEASE = "8s"
SETTINGS = ["scope.hosts=*.localhost", "fetch.private_addresses=true", "host.connections_per_ip=64", f"fleet.lease={LEASE}",
            f"fleet.partitions={PARTITIONS}", "fleet.checkpoint=3s"]
# Slow enough to be observed, and to leave the machine some CPU time.
PACE = ["--delay", "300ms", "--per-host", "1", "--contact", "gate@localhost"]
# The other dashboards need data that an ordinary crawl may not have: model updates of a policy, measured times.
PLAIN = ["overview", "hosts", "resources"]
LEFT = (0, 130, 143)


def server_command():
    return os.environ.get("HARVESTMAN_NATS_SERVER", "nats-server")


class Node:
    """A node: its metrics address and its command line."""

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
    """Substitutes the variables: all crawls, and this node."""
    return lambda query: put_in(query, "", node).replace('instance=~""', 'instance=~".+"')


def check_names(text, node):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    nameless = [line for line in lines if f'node="{node.name}"' not in line]
    assert lines and not nameless, f"lines without the label of the node: {nameless[:3]}"


def check_status(binary, nodes):
    """Checks what a node reports about its fleet, in a terminal and on its live page."""
    asked = [binary, "ctl", nodes[1].out, "status"]
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
        assert part in text, f"{part!r} is not in {text}"
    print("the status command and the live page of a node show the fleet")


def check_alerts(prometheus):
    """Like `check_rules`, but expects the alert for the killed node."""
    raised = {rule["labels"]["alertname"] for rule in prometheus.ask("alerts")["alerts"]}
    assert "HarvestmanNodeAway" in raised, f"no alert fires for the killed node, only {raised}"
    check_rules(prometheus, is_fleet=True, expected=raised & {"HarvestmanNodeAway", "HarvestmanGone"})


def play(args, prometheus, nodes, seed, bus, stack):
    """Starts the nodes one after another, and kills the last one."""
    flags = [word for setting in SETTINGS for word in ("--set", setting)]
    begin = ["crawl", seed, "--fleet", bus, *PACE, *flags]
    processes = []
    for number, node in enumerate(nodes):
        arguments = node.command(args[0], *(begin if number == 0 else ["fleet", "join", bus, "--set", "fetch.private_addresses=true"]))
        said = stack.enter_context(open(f"{node.out}.log", "w", encoding="utf-8"))
        processes.append(stack.enter_context(running(arguments, f"node {node.name}", said)))
        held = nodes[:number + 1]
        until(f"node {node.name} holds its share", lambda held=held: all(one.caught_up() for one in held)
              and sum(one.caught_up() for one in held) == PARTITIONS and scraped(prometheus, held, 3), *processes)
    until("links were sent in both directions and checkpoints were written", lambda: all(
        node.shows("fleet_arrived_links_total") and node.shows("fleet_checkpoints_total")
        and node.shows("crawl_pages_total") > 50 for node in nodes) and scraped(prometheus, nodes, 8), *processes)
    check_names(get(nodes[0].port, "/metrics"), nodes[0])
    promtool_check(args[2], get(nodes[0].port, "/metrics"))
    check_status(args[0], nodes)
    processes[2].kill()
    processes[2].wait()
    until("the others have taken over", lambda: sum(node.caught_up() for node in nodes[:2]) == PARTITIONS, *processes[:2])
    # Leaves time for the counters to be scraped and the rules to be evaluated.
    time.sleep(4 * SCRAPE_SECONDS)
    return processes


def check(prometheus, nodes, span):
    names = {node.name for node in nodes}
    for chosen in check_dashboards(prometheus, [OF_FLEET, *PLAIN], filled(".*"), span):
        assert set(chosen["node"]) == names, f"values that can be selected: {chosen}"
    leader = next(node for node in nodes[:2] if node.shows("fleet_leads") == 1)
    list(check_dashboards(prometheus, [OF_FLEET, *PLAIN], filled(leader.name), span))
    pages = prometheus.ask("query", query=filled(leader.name)('sum by (node) (harvestman_crawl_pages_total{node=~"$node"})'))["result"]
    assert [one["metric"] for one in pages] == [{"node": leader.name}], f"the result does not match the selected node: {pages}"


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
            assert process.poll() is None, f"node {node.name} ended during the checks"
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) in LEFT, f"node {node.name}: exit code {process.returncode}"
    print(f"the queries of grafana/ returned results for a fleet of three nodes, in {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
