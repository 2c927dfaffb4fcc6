"""Servers of NATS that have no room left, and checkpoints that are spoilt: what nodes say, and that nothing is lost."""

import asyncio
import os

import nats
from nats.errors import Error

import fleet_check as check
from fleet_run import LEASE_SECONDS, NAME, Size, clock_us

BALLAST = "BALLAST"
MIB = 2**20
# Little room, so that it is soon filled.
TROUBLE_SIZE = Size(pages=2_500, hosts=60, delay_ms=250, outage_seconds=0, store_mib=256)
REST_SECONDS = 20
DELETES_MAX = 20
# Within this others have gone on with what a node left.
TAKEN_SECONDS = LEASE_SECONDS + 5
END_SECONDS_MAX = 300
# For what a node has sent when the servers are full already: that it cannot be kept shows only then.
FULL_WITHIN_US = (LEASE_SECONDS + 2) * 1_000_000


def _with_bus(fleet, work):
    """Does something as another client of the servers."""
    async def connected():
        client = await nats.connect([f"nats://{fleet.cluster.address(number)}:4222" for number in fleet.cluster.numbers])
        try:
            return await work(client, client.jetstream(timeout=10))
        finally:
            await client.close()

    return asyncio.run(connected())


async def _fill(_, bus):
    """Takes all room that there is, down to messages of a few bytes; gives how much it was."""
    await bus.add_stream(name=BALLAST, subjects=[BALLAST], num_replicas=3)
    taken, size = 0, MIB // 2
    while size:
        try:
            await bus.publish(BALLAST, bytes(size))
            taken += size
            assert taken <= TROUBLE_SIZE.store_mib * MIB, "the servers take more than they may"
        except Error as error:
            # Servers that are full also stop leading, so that now and then there is no answer.
            print(f"{size} bytes more are refused: {error}")
            size //= 16
    return taken


async def _empty(_client, bus):
    for _ in range(DELETES_MAX):
        try:
            await bus.delete_stream(BALLAST)
            return
        except Error as error:
            print(f"what fills the servers cannot be removed yet: {error}")
            await asyncio.sleep(1)
    raise AssertionError("what fills the servers could not be removed")


def full(fleet):
    """Somebody else fills the servers, and makes room again later."""
    fleet.begin("ABC")
    fleet.wait_for_share(0.25, "the servers were full")
    fleet.say(f"{_with_bus(fleet, _fill) / MIB:.1f} MiB of something else fill the servers")
    since = clock_us()
    fleet.wait(REST_SECONDS)
    _with_bus(fleet, _empty)
    until = clock_us()
    fleet.say("there is room again")
    requests = fleet.end(END_SECONDS_MAX)
    last = max(request.at for request in requests if request.at < until)
    print(f"full: the last request came {(last - since) / 1e6:.2f} s after it, the first one "
          f"{(min(request.at for request in requests if request.at >= until) - until) / 1e6:.2f} s after there was room again")
    check.whole(fleet, requests, *check.lives(3),
                lambda _: _rested(last - since),
                lambda _: _said(fleet, "have no room left"))


def _rested(last_us):
    assert last_us <= FULL_WITHIN_US, f"the last request came {last_us / 1e6:.2f} s after the servers were full (allowed: {FULL_WITHIN_US / 1e6:.0f} s)"


def _said(fleet, what):
    """That each of them said why it rested. Of servers that are full, only those that still lead say so."""
    said = {name: fleet.nodes[name].said(10**7) for name in "ABC"}
    told = [name for name, text in said.items() if what in text]
    print(f"full: said by {', '.join(told) or 'nobody'}")
    assert told, f"nobody said that {what!r}"
    for name, text in said.items():
        assert "this node rests, loses nothing" in text, f"node {name} did not say that it rested; it said:\n{fleet.nodes[name].said()}"


def _spoil(session_of):
    """Spoils the first copy of each checkpoint of a node: of one its content, of the next a piece of it is gone, by turns."""
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
    """A node is killed, and what it left on the servers is spoilt before others go on with it."""
    fleet.begin("ABC", "--set", "fleet.checkpoint=3s")
    fleet.wait_for_share(0.4, "a node was killed")
    fleet.kill("B")
    count = _with_bus(fleet, _spoil("B"))
    fleet.say(f"{count} checkpoints of B are spoilt")
    assert count > 0, "B had left no checkpoint"
    fleet.wait(TAKEN_SECONDS)
    # What it archived is made whole by itself.
    fleet.join("B")
    requests = fleet.end(END_SECONDS_MAX)
    check.whole(fleet, requests, *check.lives(1), lambda _: _told_spoilt(fleet))


def _told_spoilt(fleet):
    told = [name for name in "AC" if "its copy is read instead" in fleet.nodes[name].said(10**7)]
    print(f"spoilt: said by {', '.join(told) or 'nobody'}")
    assert told, "nobody said that a checkpoint was spoilt"
