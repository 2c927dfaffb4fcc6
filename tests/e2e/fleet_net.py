"""An isolated network for a fleet. The NATS servers and the site are on a hub; each node is in a network namespace with a link to each of
them. The hub and the nodes are in unnamed namespaces that end with this process. Nothing is left behind in any case, and no address of this
network is visible outside. Requires Linux, root and iproute2.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import time

# The hub's addresses on the two bridges; private and visible only inside the namespace.
BUS, SITE = "10.77.1", "10.77.2"
SITE_ADDRESS = f"{SITE}.1"
# The last byte of both addresses of a node is this plus its number.
NODES_FROM = 100
_NEW_NETWORK = 0x40000000
_DEATH_SIGNAL = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def end_with_parent():
    """Runs in a child process before exec: the child is killed if this process ends first for any reason."""
    _LIBC.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr.strip()}"


def enter(buses):
    """Moves this process and its future children into a new network namespace with `buses` addresses for servers."""
    if _LIBC.unshare(_NEW_NETWORK) != 0:
        raise SystemExit(f"cannot create a network namespace ({os.strerror(ctypes.get_errno())}): this test must run as root on Linux")
    ip("link", "set", "lo", "up")
    for bridge, prefix in (("bus", BUS), ("site", SITE)):
        ip("link", "add", bridge, "type", "bridge")
        ip("link", "set", bridge, "up")
    for number in range(1, buses + 1):
        ip("address", "add", f"{BUS}.{number}/24", "dev", "bus")
    ip("address", "add", f"{SITE_ADDRESS}/24", "dev", "site")


class Place:
    """The network namespace of a node."""

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
            assert time.monotonic() < deadline and self._holder.poll() is None, "no network namespace was created"
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
        """The command line that runs a command in this namespace, under the process id of the started process."""
        return ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net", *command]

    def cut(self):
        """Cuts the link to the NATS servers silently in both directions. The link to the site stays up."""
        ip("link", "set", f"bus{self.number}", "down")

    def heal(self):
        ip("link", "set", f"bus{self.number}", "up")

    def close(self):
        self._holder.kill()
        self._holder.wait()
        # Its links disappear with it, but slightly later; the next namespace may use the same names.
        for bridge in ("bus", "site"):
            with contextlib.suppress(AssertionError):
                ip("link", "delete", f"{bridge}{self.number}")
