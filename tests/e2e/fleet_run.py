"""A running fleet: NATS servers, a site, and nodes. Everything is stopped and removed with the fleet."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass

from fleet_nats import Cluster
from fleet_net import SITE_ADDRESS, Place
from fleet_nodes import Memory, Node
from fleet_site import DOMAIN, Site

NAME = "e2e"
LEASE_SECONDS = 6
# The maximum number of URLs that a node has started but not yet logged to the fleet, and that may be fetched again if it dies.
IN_FLIGHT_MAX = 256
START_SECONDS_MAX = 40
LEAVE_SECONDS_MAX = 60
# The exit codes of a node that ends, including those of a stopped crawl.
END_CODES = (0, 130)
FLEET = ["--set", f"fleet.lease={LEASE_SECONDS}s", "--set", "fleet.checkpoint=10s"]


@dataclass(frozen=True)
class Size:
    """The size of a crawl and its pace."""
    pages: int
    hosts: int
    delay_ms: int
    outage_seconds: int
    static: bool = False
    # The storage limit of each NATS server.
    store_mib: int = 4096

    @property
    def delay_us(self):
        return self.delay_ms * 1000

    @staticmethod
    def addresses():
        """The settings that each node has for itself."""
        return ["--set", "fetch.private_addresses=true", "--resolve", f"*.{DOMAIN}:{SITE_ADDRESS}", "--resolve", f"{DOMAIN}:{SITE_ADDRESS}"]

    def settings(self):
        return [*self.addresses(), "--set", f"scope.hosts=*.{DOMAIN}", "--delay", f"{self.delay_ms}ms", "--per-host", "1" if self.delay_ms else "8", "--set", "host.connections_per_ip=64",
                "--contact", "gate@localhost", "--quiet"]


def clock_us():
    """The current time on the clock of the site's log."""
    return time.time_ns() // 1000


class Fleet:
    """`work` is recreated, and removed on success."""

    def __init__(self, binary, work, size, seconds_max, servers=3):
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        self.binary, self.work, self.size = binary, work, size
        self._seconds_max, self._started = seconds_max, time.monotonic()
        self.nodes, self.left = {}, set()
        self.cluster = Cluster(work, servers, size.store_mib)
        self.site = self.memory = None

    def __enter__(self):
        try:
            self.memory = Memory(self.nodes)
            self.cluster.start()
            self.site = Site(self.binary, self.work, self.size, self._seconds_max)
            self.cluster.wait_until_ready()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, kind, *_):
        self._close()
        if kind is None:
            shutil.rmtree(self.work)
        else:
            print(f"the files are in {self.work}")

    def _close(self):
        for node in self.nodes.values():
            node.close()
            node.place.close()
        self.cluster.close()
        if self.site is not None:
            self.site.close()
        if self.memory is not None:
            self.memory.close()

    def say(self, what):
        print(f"{time.monotonic() - self._started:6.1f} s, {self.site.share_done():4.0%} requested: {what}", flush=True)

    # ---- Nodes

    def _node(self, name):
        if name not in self.nodes:
            place = Place(len(self.nodes) + 1, self._seconds_max)
            self.nodes[name] = Node(self.binary, name, place, self.work)
        return self.nodes[name]

    def _groups(self):
        groups = ", ".join(f'"{group}"' for group in sorted(set(self.site.groups.values())))
        return ["--set", f"host.groups=[{groups}]"] if groups else []

    def _urls(self):
        return [self.cluster.urls(), "--fleet-name", NAME]

    def crawl(self, name, *more, in_flight_max=IN_FLIGHT_MAX):
        """Starts the first node, which creates the crawl. Returns when others can join."""
        node = self._node(name)
        node.start("crawl", self.site.seed, "--fleet", *self._urls(), *self.size.settings(),
                   *FLEET, *self._groups(), "--set", f"frontier.in_flight_max={in_flight_max}", *more)
        deadline = time.monotonic() + START_SECONDS_MAX
        while not self._is_made():
            node.check()
            assert time.monotonic() < deadline, f"there is no crawl {START_SECONDS_MAX} s after node {name} started; its log:\n{node.said()}"
            time.sleep(0.2)
        self.say(f"node {name} created the crawl")

    def _is_made(self):
        """Whether the crawl may have been created: its key bucket is not empty."""
        try:
            return self.cluster.streams().get(f"KV_hm-{NAME}", {"given": 0})["given"] > 0
        except OSError:
            return False

    def join(self, name, *more):
        """Starts another node, or restarts one."""
        self._node(name).start("fleet", "join", *self._urls(), *self.size.addresses(), "--quiet", *more)
        self.left.discard(name)
        self.say(f"node {name} joins")

    def begin(self, names, *more, **other):
        self.crawl(names[0], *more, **other)
        for name in names[1:]:
            self.join(name)
        self.wait_for(names)

    def wait_for(self, names):
        """Waits until these nodes have joined. Right after the crawl was created, the servers may still be electing the leaders of its streams."""
        deadline = time.monotonic() + START_SECONDS_MAX
        while waiting := [name for name in names if not self.nodes[name].takes_part()]:
            self.check()
            assert time.monotonic() < deadline, f"nodes {waiting} have not joined after {START_SECONDS_MAX} s; the log of {waiting[0]}:\n{self.nodes[waiting[0]].said()}"
            time.sleep(0.05)

    def kill(self, name):
        self.nodes[name].kill()
        self.left.add(name)
        self.say(f"node {name} was killed")

    def leave(self, name):
        seconds = self.nodes[name].leave(LEAVE_SECONDS_MAX)
        self.left.add(name)
        self.say(f"node {name} has left after {seconds:.1f} s")

    def status(self):
        """Runs `fleet status`. Returns the exit code and the output."""
        return self._ask("status", "--format", "json", seconds_max=30)

    def rebalance(self):
        """Runs `fleet rebalance`. Returns the exit code and the output."""
        return self._ask("rebalance", "--json", seconds_max=200)

    def _ask(self, what, *more, seconds_max):
        command = [self.binary, "fleet", what, *self._urls(), *more]
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds_max, stdin=subprocess.DEVNULL)
        # Warnings about the servers are no part of the answer.
        return done.returncode, done.stdout if done.returncode == 0 else done.stdout + done.stderr

    # ---- Time

    def wait_for_share(self, share, what):
        """Waits until this share of the site has been requested; `what` happens then."""
        while self.site.share_done() < share:
            self.check()
            assert any(node.runs() for node in self.nodes.values()), f"the crawl ended before {what}: too few pages, or too short a delay"
            time.sleep(0.05)

    def wait(self, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.check()
            time.sleep(0.1)

    def check(self):
        for name, node in self.nodes.items():
            if name not in self.left:
                node.check()

    def end(self, seconds_max):
        """Waits until all nodes have exited by themselves. Returns the requests that the site received."""
        deadline = time.monotonic() + seconds_max
        for name, node in self.nodes.items():
            if name not in self.left:
                code = node.wait(max(1.0, deadline - time.monotonic()))
                assert code == 0, f"node {name} exited with code {code}; its log:\n{node.said()}"
        self.say("all nodes have exited")
        self.site.close()
        return self.site.requests()

    def outs(self):
        return {name: node.out for name, node in self.nodes.items()}
