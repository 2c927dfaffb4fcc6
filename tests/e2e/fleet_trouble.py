"""NATS servers without free storage, and corrupted checkpoints: checks the log messages of the nodes and that nothing is lost."""

import asyncio
import os

import nats
from nats.errors import Error

import fleet_check as check
from fleet_nats import TOKEN
from fleet_run import LEASE_SECONDS, NAME, Size, clock_us

BALLAST = "BALLAST"
MIB = 2**20
# Little storage, so that it fills up quickly.
TROUBLE_SIZE = Size(pages=2_500, hosts=60, delay_ms=250, outage_seconds=0, store_mib=256)
REST_SECONDS = 20
DELETES_MAX = 20
# Within this time other nodes have taken over the partitions of a dead node.
TAKEN_SECONDS = LEASE_SECONDS + 5
END_SECONDS_MAX = 300
# Allows for requests of a node before its next write to the full servers fails.
FULL_WITHIN_US = (LEASE_SECONDS + 2) * 1_000_000


def _with_bus(fleet, work):
    """Runs `work` as another client of the servers."""
    async def connected():
        client = await nats.connect([f"nats://{fleet.cluster.address(number)}:4222" for number in fleet.cluster.numbers], token=TOKEN)
        try:
            return await work(client, client.jetstream(timeout=10))
        finally:
            await client.close()

    return asyncio.run(connected())


async def _fill(_, bus):
    """Fills all storage, down to messages of a few bytes. Returns the number of bytes."""
    await bus.add_stream(name=BALLAST, subjects=[BALLAST], num_replicas=3)
    taken, size = 0, MIB // 2
    while size:
        try:
            await bus.publish(BALLAST, bytes(size))
            taken += size
            assert taken <= TROUBLE_SIZE.store_mib * MIB, "the servers accept more than their limit"
        except Error as error:
            # Full servers also give up leadership, so that some calls get no response.
            print(f"another {size} bytes are refused: {error}")
            size //= 16
    return taken


async def _empty(_client, bus):
    for _ in range(DELETES_MAX):
        try:
            await bus.delete_stream(BALLAST)
            return
        except Error as error:
            print(f"the ballast cannot be removed yet: {error}")
            await asyncio.sleep(1)
    raise AssertionError("the ballast could not be removed")


def full(fleet):
    """Another client fills the storage of the servers and frees it later."""
    fleet.begin("ABC")
    fleet.wait_for_share(0.25, "the servers were full")
    fleet.say(f"{_with_bus(fleet, _fill) / MIB:.1f} MiB of ballast fill the servers")
    since = clock_us()
    fleet.wait(REST_SECONDS)
    _with_bus(fleet, _empty)
    until = clock_us()
    fleet.say("the servers have free storage again")
    requests = fleet.end(END_SECONDS_MAX)
    last = max(request.at for request in requests if request.at < until)
    print(f"full: the last request came {(last - since) / 1e6:.2f} s after the servers were full, the next one "
          f"{(min(request.at for request in requests if request.at >= until) - until) / 1e6:.2f} s after storage was free again")
    check.whole(fleet, requests, *check.lives(3),
                lambda _: _rested(last - since),
                lambda _: _said(fleet, "the NATS servers are full"))


def _rested(last_us):
    assert last_us <= FULL_WITHIN_US, f"the last request came {last_us / 1e6:.2f} s after the servers were full (allowed: {FULL_WITHIN_US / 1e6:.0f} s)"


def _said(fleet, what):
    """Checks that each node logged that it paused, and at least one why. Of the full servers, only those that still lead report the reason."""
    said = {name: fleet.nodes[name].said(10**7) for name in "ABC"}
    told = [name for name, text in said.items() if what in text]
    print(f"full: reported by {', '.join(told) or 'no node'}")
    assert told, f"no node reported {what!r}"
    for name, text in said.items():
        assert "this node pauses without losing data" in text, f"node {name} did not report that it paused; its log:\n{fleet.nodes[name].said()}"


def _spoil(session_of):
    """Corrupts the first copy of each checkpoint of a node: alternately overwrites its content and deletes one of its chunks."""
    async def work(_, bus):
        store = await bus.object_store(f"hm-{NAME}-objects")
        spoilt = 0
        for info in await store.list():
            if not info.name.startswith(f"parts.{session_of}.") or info.name.endswith(".copy"):
                continue
            if spoilt % 2:
                chunk = await bus.get_last_msg(f"OBJ_hm-{NAME}-objects", f"$O.hm-{NAME}-objects.C.{info.nuid}")
                await bus.delete_msg(f"OBJ_hm-{NAME}-objects", chunk.seq)
            else:
                await store.put(info.name, os.urandom(info.size))
            spoilt += 1
        return spoilt

    return work


def spoilt(fleet):
    """A node is killed, and its data on the servers is corrupted before other nodes take over."""
    fleet.begin("ABC", "--set", "fleet.checkpoint=3s")
    fleet.wait_for_share(0.4, "a node was killed")
    fleet.kill("B")
    count = _with_bus(fleet, _spoil("B"))
    fleet.say(f"{count} checkpoints of B are corrupted")
    assert count > 0, "B had written no checkpoint"
    fleet.wait(TAKEN_SECONDS)
    # The node repairs its archive itself.
    fleet.join("B")
    requests = fleet.end(END_SECONDS_MAX)
    check.whole(fleet, requests, *check.lives(1), lambda _: _told_spoilt(fleet))


def _told_spoilt(fleet):
    told = [name for name in "AC" if "reading its copy instead" in fleet.nodes[name].said(10**7)]
    print(f"spoilt: reported by {', '.join(told) or 'no node'}")
    assert told, "no node reported a corrupted checkpoint"
