"""A network of its own for a fleet: the servers of NATS and the site stand on a hub, each node in a network namespace with a link to
either. The hub is in a namespace that has no name and ends with this process, and so do those of the nodes: whatever happens, nothing
is left, and no address of this network is seen outside. Needs Linux, root and iproute2.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import time

# The hub's addresses on either bridge; private ones, and seen in here only.
BUS, SITE = "10.77.1", "10.77.2"
SITE_ADDRESS = f"{SITE}.1"
# Of the nodes: the last number of both of their addresses is this, and more.
NODES_FROM = 100
_NEW_NETWORK = 0x40000000
_DEATH_SIGNAL = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def end_with_parent():
    """For a child, before it runs: it is killed where this process ends before it, by whatever."""
    _LIBC.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr.strip()}"


def enter(buses):
    """Puts this process, and all that it starts from now on, into a network of its own with `buses` addresses for servers."""
    if _LIBC.unshare(_NEW_NETWORK) != 0:
        raise SystemExit(f"a network namespace cannot be made ({os.strerror(ctypes.get_errno())}): this test must run as root on Linux")
    ip("link", "set", "lo", "up")
    for bridge, prefix in (("bus", BUS), ("site", SITE)):
        ip("link", "add", bridge, "type", "bridge")
        ip("link", "set", bridge, "up")
    for number in range(1, buses + 1):
        ip("address", "add", f"{BUS}.{number}/24", "dev", "bus")
    ip("address", "add", f"{SITE_ADDRESS}/24", "dev", "site")


class Place:
    """Where a node runs."""

    def __init__(self, number, seconds_max):
        self.number = number
        self.site_address = f"{SITE}.{NODES_FROM + number}"
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", str(seconds_max)], stdin=subprocess.DEVNULL,
                                        preexec_fn=end_with_parent)
        try:
            self._wait_for_holder()
            self._link("bus", BUS)
            self._link("site", SITE)
            self._ip("link", "set", "lo", "up")
        except BaseException:
            self.close()
            raise

    def _wait_for_holder(self):
        own = os.readlink("/proc/self/ns/net")
        deadline = time.monotonic() + 10
        while os.readlink(f"/proc/{self._holder.pid}/ns/net") == own:
            assert time.monotonic() < deadline and self._holder.poll() is None, "no network namespace was made"
            time.sleep(0.01)

    def _ip(self, *words):
        done = subprocess.run(self.command("ip", *words), capture_output=True, text=True, timeout=20)
        assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr.strip()}"

    def _link(self, bridge, prefix):
        outer = f"{bridge}{self.number}"
        ip("link", "add", outer, "type", "veth", "peer", "name", bridge, "netns", str(self._holder.pid))
        ip("link", "set", outer, "master", bridge)
        ip("link", "set", outer, "up")
        self._ip("address", "add", f"{prefix}.{NODES_FROM + self.number}/24", "dev", bridge)
        self._ip("link", "set", bridge, "up")

    def command(self, *command):
        """The same command, in here; its process has the number of the one that is started."""
        return ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net", *command]

    def cut(self):
        """Pulls the cable to the servers of NATS: nothing gets through, either way, and nobody is told. That to the site stays."""
        ip("link", "set", f"bus{self.number}", "down")

    def heal(self):
        ip("link", "set", f"bus{self.number}", "up")

    def close(self):
        self._holder.kill()
        self._holder.wait()
        # Its links end with it, but a moment later; the next one may have the same names.
        for bridge in ("bus", "site"):
            with contextlib.suppress(AssertionError):
                ip("link", "delete", f"{bridge}{self.number}")
