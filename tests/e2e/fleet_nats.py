"""A cluster of NATS servers with JetStream, on the hub of the fleet's network."""

import json
import os
import signal
import subprocess
import time
import urllib.request

from fleet_net import BUS, end_with_parent

READY_SECONDS_MAX = 40
# The servers are not at loopback addresses, and so must ask for a log-in. All programs that are started here have it.
TOKEN = "token-of-the-end-to-end-tests"
os.environ["HARVESTMAN_FLEET_TOKEN"] = TOKEN
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))

_CONFIG = """
server_name: n{number}
listen: "{address}:4222"
http: "{address}:8222"
pid_file: "{home}/pid"
authorization {{ token: "{token}" }}
jetstream {{ store_dir: "{home}/store", max_memory_store: 64MB, max_file_store: {store_mib}MB }}
"""
_CLUSTER = """
cluster {{ name: "test", listen: "{address}:6222", routes: [{routes}] }}
"""


def server_command():
    return os.environ.get("HARVESTMAN_NATS_SERVER", "nats-server")


def version():
    said = subprocess.run([server_command(), "--version"], capture_output=True, text=True, timeout=20)
    return said.stdout.strip()


class Cluster:
    """The servers are numbered from 1. Their data is in `work` and survives restarts."""

    def __init__(self, work, servers, store_mib):
        self.numbers = range(1, servers + 1)
        self._work, self._store_mib, self._processes = work, store_mib, {}
        for number in self.numbers:
            self._write_config(number)

    def _write_config(self, number):
        home = os.path.join(self._work, f"nats{number}")
        os.makedirs(home)
        config = _CONFIG.format(token=TOKEN, number=number, home=home, address=self.address(number), store_mib=self._store_mib)
        if len(self.numbers) > 1:
            routes = ", ".join(f'"nats://{self.address(other)}:6222"' for other in self.numbers)
            config += _CLUSTER.format(address=self.address(number), routes=routes)
        with open(os.path.join(home, "config"), "w", encoding="utf-8") as file:
            file.write(config)

    @staticmethod
    def address(number):
        return f"{BUS}.{number}"

    def urls(self):
        return ",".join(f"nats://{self.address(number)}:4222" for number in self.numbers)

    def start(self, *numbers):
        for number in numbers or self.numbers:
            home = os.path.join(self._work, f"nats{number}")
            with open(os.path.join(home, "log"), "ab") as log:
                self._processes[number] = subprocess.Popen(
                    [server_command(), "-c", os.path.join(home, "config")], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    preexec_fn=end_with_parent)

    def kill(self, *numbers):
        """Kills servers, as a crash would."""
        for number in numbers or list(self._processes):
            process = self._processes.pop(number)
            process.kill()
            process.wait()

    def freeze(self):
        """Suspends all servers: connections stay open, but nothing responds."""
        for process in self._processes.values():
            process.send_signal(signal.SIGSTOP)

    def thaw(self):
        for process in self._processes.values():
            process.send_signal(signal.SIGCONT)

    def cpu_seconds(self):
        """CPU time used by the running servers."""
        ticks = 0
        for process in self._processes.values():
            with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def ask(self, number, path):
        """The monitoring data of a server."""
        with _OPENER.open(f"http://{self.address(number)}:8222/{path}", timeout=5) as answer:
            return json.load(answer)

    def _is_ready(self, number):
        try:
            healthy = self.ask(number, "healthz")["status"] == "ok"
            return healthy and (len(self.numbers) == 1 or bool(self.ask(number, "jsz").get("meta_cluster", {}).get("leader")))
        except OSError:
            return False

    def wait_until_ready(self):
        deadline = time.monotonic() + READY_SECONDS_MAX
        while not all(self._is_ready(number) for number in self._processes):
            dead = [number for number, process in self._processes.items() if process.poll() is not None]
            assert not dead, f"NATS servers {dead} ended; see nats*/log in {self._work}"
            assert time.monotonic() < deadline, f"NATS was not ready within {READY_SECONDS_MAX} s; see nats*/log in {self._work}"
            time.sleep(0.2)

    def streams(self):
        """For each stream: its leader, the number of messages ever published, and the messages and bytes that it holds now."""
        found = {}
        for number in self._processes:
            accounts = self.ask(number, "jsz?accounts=true&streams=true&config=true").get("account_details") or []
            for stream in (stream for account in accounts for stream in account.get("stream_detail") or []):
                state, leader = stream["state"], (stream.get("cluster") or {}).get("leader") or f"n{number}"
                if leader == f"n{number}":
                    found[stream["name"]] = {"leader": number, "given": state["last_seq"], "held": state["messages"], "bytes": state["bytes"]}
        return found

    def leader(self, stream):
        """The server that leads a stream, and all streams led by it."""
        streams = self.streams()
        assert stream in streams, f"there is no stream {stream}; the streams are {sorted(streams)}"
        number = streams[stream]["leader"]
        return number, sorted(name for name, stream in streams.items() if stream["leader"] == number)

    def clients(self):
        """Messages and bytes sent and received by clients, including disconnected ones."""
        sums = {"in_msgs": 0, "out_msgs": 0, "in_bytes": 0, "out_bytes": 0}
        for number in self._processes:
            for connection in self.ask(number, "connz?state=any&limit=1024").get("connections") or []:
                for name in sums:
                    sums[name] += connection[name]
        return sums

    def close(self):
        self.thaw()
        self.kill()
