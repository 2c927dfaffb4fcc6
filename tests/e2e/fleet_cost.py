"""The cost of a fleet of one node, compared with the same crawl without a fleet."""

import dataclasses
import json
import os
import shutil
import time
from statistics import median

from fleet_net import Place
from fleet_nodes import Node
from fleet_run import Fleet

RUNS = 3
RATIO_MAX = 1.15
RUN_SECONDS_MAX = 400


def _embedded(fleet):
    """CPU seconds per page of a crawl by one machine without a fleet, in the same network environment."""
    place = Place(9, RUN_SECONDS_MAX)
    node = Node(fleet.binary, "E", place, fleet.work)
    try:
        node.start_alone("crawl", fleet.site.seed, *fleet.size.settings())
        assert node.wait(RUN_SECONDS_MAX) == 0, f"the crawl exited with code {node.code()}; its log:\n{node.said()}"
        return _a_page(fleet, node)
    finally:
        node.close()
        place.close()


def _in_fleet(fleet):
    fleet.crawl("A")
    node = fleet.nodes["A"]
    assert node.wait(RUN_SECONDS_MAX) == 0, f"the node exited with code {node.code()}; its log:\n{node.said()}"
    return _a_page(fleet, node)


def _a_page(fleet, node):
    with open(os.path.join(node.out, "report.json"), encoding="utf-8") as file:
        pages = json.load(file)["pages"]
    expected = sum(row["robots_allowed"] and row["status"] == 200 for row in fleet.site.truth.values())
    assert pages == expected, f"{pages} pages were fetched instead of {expected}"
    return node.cpu_seconds / pages


def cost(binary, work, size, seconds_max):
    """Alternates the two, each time with new servers and a new site. Without a delay, because otherwise idle time would be compared."""
    size = dataclasses.replace(size, delay_ms=0)
    seconds = {_embedded: [], _in_fleet: []}
    for number in range(RUNS):
        for crawl in (_embedded, _in_fleet) if number % 2 == 0 else (_in_fleet, _embedded):
            start = time.monotonic()
            with Fleet(binary, work, size, seconds_max, servers=1) as fleet:
                seconds[crawl].append(crawl(fleet))
                used = fleet.cluster.cpu_seconds()
            print(f"{'embedded' if crawl is _embedded else 'fleet of one'}: {seconds[crawl][-1] * 1e6:.0f} µs of CPU time per page, "
                  f"{time.monotonic() - start:.1f} s in total; NATS used {used:.1f} s", flush=True)
            shutil.rmtree(work, ignore_errors=True)
    ratio = median(seconds[_in_fleet]) / median(seconds[_embedded])
    print(f"cost: a page in a fleet of one node takes {ratio:.3f} times the CPU time of a page without a fleet (medians of {RUNS}, allowed: {RATIO_MAX})")
    assert ratio <= RATIO_MAX, f"{ratio:.3f} times the CPU time"
