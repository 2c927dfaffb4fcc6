#!/usr/bin/env python3
"""Crawls a simulated site with a fleet, injects faults, and checks that nothing is lost and that no host gets requests too often.

Usage: fleet.py HARVESTMAN WORK [SCENARIO…]

HARVESTMAN is a binary with the feature `fleet`. WORK is recreated for each scenario, and kept if one fails. Three real NATS servers
(HARVESTMAN_NATS_SERVER, or nats-server in the PATH) and three nodes run in network namespaces that end with this process. Requires root, and
nats-py from PyPI.

  selftest  the checks themselves can fail
  calm      no faults: the ground truth, each URL once, an even load, bounded network traffic
  kills     each node is killed in turn and restarted, one node joins, one leaves
  leader    the NATS server that leads the stream of the keys is killed
  outage    all NATS servers are down for a minute
  frozen    the same, but connections stay open
  cut       a node is cut off from NATS but not from the site
  orders    commands given at one node are executed by all: pause, resume, block, change the delay, stop; then the crawl is resumed
  budget    a page budget applies to all nodes together and is used up exactly; a ban given at one node applies to all
  policy    all nodes use one policy, whose holder is killed; the harvest is compared with that of a single machine
  clusters  a page cluster that is banned at one node is fetched by none
  full      the NATS servers run out of storage for a while
  spoilt    the checkpoints of a killed node are corrupted before others read them
  cost      CPU time per page in a fleet of one node, compared with a crawl without a fleet

Without a scenario, all of them run. Sizes are set by environment variables: FLEET_PAGES (20000), FLEET_HOSTS (200), FLEET_DELAY_MS (800),
FLEET_OUTAGE_S (60), FLEET_STATIC=1 (cost: one host with large pages), FLEET_POLICY_PAGES (5000), FLEET_POLICY_HOSTS (40),
FLEET_POLICY_DELAY_MS (100). Hashing alone spreads so few hosts unevenly: with three nodes and hosts as different as these, 200 hosts deviate
by 12 % (standard deviation). The even load is the result of the fleet's balancing, which has more time the larger the delay is.
"""

import contextlib
import os
import signal
import sys
import time

from fleet_cost import cost
from fleet_nats import version
from fleet_net import enter
from fleet_orders import BUDGET_SIZE, ORDERS_SIZE, budget, orders
from fleet_policy import clusters, policy
from fleet_run import Fleet, Size
from fleet_scenarios import calm, cut, frozen, kills, leader, outage
from fleet_selftest import selftest
from fleet_trouble import TROUBLE_SIZE, full, spoilt
from sim import end_on_sigterm

# Each scenario with its time limit in seconds.
SCENARIOS = {
    calm: 400, kills: 500, leader: 450, outage: 550, frozen: 550, cut: 450, orders: 400, budget: 350, policy: 650, clusters: 350,
    full: 400, spoilt: 300,
}
COST_SECONDS_MAX = 1500


def size(scenario=None):
    number = lambda name, usual: int(os.environ.get(f"FLEET_{name}", usual))
    if scenario is orders:
        return ORDERS_SIZE
    if scenario is budget:
        return BUDGET_SIZE
    if scenario in (full, spoilt):
        return TROUBLE_SIZE
    if scenario in (policy, clusters):
        # A small site is enough, because a policy learns most of what it learns early.
        return Size(number("POLICY_PAGES", 5_000), number("POLICY_HOSTS", 40), number("POLICY_DELAY_MS", 100), 0)
    return Size(number("PAGES", 20_000), number("HOSTS", 200), number("DELAY_MS", 800), number("OUTAGE_S", 60), bool(number("STATIC", 0)))


@contextlib.contextmanager
def within(seconds, name):
    def late(*_):
        raise AssertionError(f"{name} did not finish within {seconds} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def play(scenario, binary, work):
    with within(SCENARIOS[scenario], scenario.__name__), Fleet(binary, work, size(scenario), SCENARIOS[scenario] + 60) as fleet:
        print(f"site: {fleet.site.allowed} allowed URLs on {fleet.site.hosts} hosts, delay {fleet.size.delay_ms} ms; {version()}")
        scenario(fleet)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    binary, work, *names = sys.argv[1:]
    known = {scenario.__name__: scenario for scenario in SCENARIOS}
    names = names or ["selftest", *known, "cost"]
    strange = [name for name in names if name not in known and name not in ("selftest", "cost")]
    if strange:
        print(f"there is no scenario {strange[0]}; the scenarios are selftest, {', '.join(known)}, cost", file=sys.stderr)
        return 2
    end_on_sigterm()
    if names != ["selftest"]:
        enter(buses=3)
    for name in names:
        print(f"---- {name}", flush=True)
        start = time.monotonic()
        if name == "selftest":
            selftest()
        elif name == "cost":
            with within(COST_SECONDS_MAX, name):
                cost(os.path.abspath(binary), os.path.abspath(work), size(), COST_SECONDS_MAX)
        else:
            play(known[name], os.path.abspath(binary), os.path.abspath(work))
        print(f"---- {name}: {time.monotonic() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
