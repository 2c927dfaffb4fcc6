"""Runs a command to its end, with everything that it starts, and prints the CPU time of all of it as JSON.

Usage: measured.py SECONDS COMMAND...

The CPU time of each process is read again and again while it runs. What the system adds up when processes end would not do: the
children of a browser's sandbox are in a namespace whose end drops their times. Processes whose parents end become children of this one,
so that all can be found. The time that a process takes after it was last read is missing: at most the interval, seldom that much.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

SUBREAPER = 36
INTERVAL = 0.03
# Time in which what the command started must end after it.
REST_SECONDS_MAX = 20


def adopt_orphans():
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(SUBREAPER, 1, 0, 0, 0) == 0, os.strerror(ctypes.get_errno())


def processes():
    """Yields the ID, the parent, the start and the CPU time in ticks of each process of the system."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        yield int(name), int(fields[1]), int(fields[19]), int(fields[11]) + int(fields[12])


class Times:
    """The CPU time of every process below this one that was ever seen."""

    def __init__(self):
        self.ticks = {}

    def read(self):
        """Reads the times. Returns whether there are such processes."""
        seen = {pid: (parent, (pid, start), ticks) for pid, parent, start, ticks in processes()}
        below = {os.getpid()}
        while new := {pid for pid, (parent, *_) in seen.items() if parent in below} - below:
            below |= new
        below.remove(os.getpid())
        self.ticks.update((key, ticks) for pid, (_, key, ticks) in seen.items() if pid in below)
        return bool(below)

    def seconds(self):
        return sum(self.ticks.values()) / os.sysconf("SC_CLK_TCK")


def reap():
    """Removes orphans that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def main():
    deadline, command = time.monotonic() + float(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    adopt_orphans()
    times, begun = Times(), time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        # It stays in the list of processes until it is waited for, so its own time is complete.
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            assert time.monotonic() < deadline, "the command has not ended"
            times.read()
            time.sleep(INTERVAL)
        times.read()
    finally:
        if process.poll() is None:
            # It ends its browsers itself.
            process.terminate()
            process.wait()
    took = time.monotonic() - begun
    while reap() or times.read():
        assert time.monotonic() < begun + took + REST_SECONDS_MAX, "processes that the command started have not ended"
        time.sleep(INTERVAL)
    print(json.dumps({"code": process.returncode, "seconds": took, "cpu": times.seconds()}))


if __name__ == "__main__":
    main()
