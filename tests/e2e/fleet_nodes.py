"""Nodes of a fleet: Harvestman processes, each with its own network namespace and directory."""

import os
import signal
import subprocess
import threading
import time

from fleet_net import end_with_parent

SAMPLE_SECONDS = 0.2
# The exit codes of a node that was asked to leave or to stop.
LEFT = (0, 130, 143)


class Node:
    """Can be started, killed and restarted any number of times, always with the same name and directory."""

    def __init__(self, binary, name, place, work):
        self.name, self.place = name, place
        self.out = os.path.join(work, f"node{name}")
        self.cpu_seconds = 0.0
        self._binary, self._said = binary, os.path.join(work, f"node{name}.log")
        self._process, self._code, self._began = None, None, 0

    def start(self, *arguments):
        """Starts the process as a node of a fleet."""
        self.start_alone(*arguments, "--node", self.name)

    def start_alone(self, *arguments):
        command = self.place.command(self._binary, *arguments, "--out", self.out)
        with open(self._said, "ab") as said:
            said.write(f"---- {' '.join(command)}\n".encode())
            said.flush()
            self._began = said.tell()
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, preexec_fn=end_with_parent)
        self._code = None

    def code(self):
        """The exit code; None while it runs."""
        if self._code is None and self._process is not None:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._code = self._process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_seconds += usage.ru_utime + usage.ru_stime
        return self._code

    def runs(self):
        return self._process is not None and self.code() is None

    def said(self, most=3000):
        """The end of its log."""
        with open(self._said, "rb") as file:
            return file.read()[-most:].decode("utf-8", "replace")

    def takes_part(self):
        """Whether it has logged so since it was started."""
        with open(self._said, "rb") as file:
            file.seek(self._began)
            return b"this node takes part" in file.read()

    def check(self):
        """Checks that it is running or exited successfully."""
        assert self.code() in (None, 0), f"node {self.name} exited with code {self.code()}; its log:\n{self.said()}"

    def kill(self):
        assert self.runs(), f"node {self.name} had ended before it was killed; its log:\n{self.said()}"
        self._process.send_signal(signal.SIGKILL)
        self.wait(20)

    def leave(self, seconds_max):
        """Asks it to leave. Returns the seconds that this took."""
        start = time.monotonic()
        told = subprocess.run([self._binary, "fleet", "leave", self.out], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
        assert told.returncode == 0, f"`fleet leave` failed for node {self.name}: {told.stdout}{told.stderr}"
        assert self.wait(seconds_max) in LEFT, f"node {self.name} left with exit code {self.code()}; its log:\n{self.said()}"
        return time.monotonic() - start

    def wait(self, seconds_max):
        deadline = time.monotonic() + seconds_max
        while self.runs():
            assert time.monotonic() < deadline, f"node {self.name} did not exit within {seconds_max:.0f} s; its log:\n{self.said()}"
            time.sleep(0.02)
        return self.code()

    def memory(self):
        """Its resident memory in bytes; 0 if it is not running."""
        try:
            with open(f"/proc/{self._process.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, AttributeError, IndexError):
            return 0

    def close(self):
        if self.runs():
            self._process.kill()
            self.wait(20)


class Memory:
    """Samples the memory of nodes until it is closed."""

    def __init__(self, nodes):
        self._nodes, self._samples, self._ended = nodes, [], threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        while not self._ended.wait(SAMPLE_SECONDS):
            now = time.monotonic()
            self._samples.extend((now, node.name, node.memory()) for node in list(self._nodes.values()))

    def most(self, since, until):
        """The peak memory of each node between two moments of the monotonic clock."""
        most = {}
        for at, name, held in self._samples:
            if since <= at <= until:
                most[name] = max(held, most.get(name, 0))
        return most

    def close(self):
        self._ended.set()
        self._thread.join()
