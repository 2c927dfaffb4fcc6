"""Runs a command to its end, with everything that it starts, and prints the CPU time of all of it as JSON.

Usage: measured.py SECONDS COMMAND...

Processes whose parents end become children of this one, so none escapes the count: a browser's too, which are ended by their group.
"""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time

SUBREAPER = 36
# Time in which what the command started must end after it.
REST_SECONDS_MAX = 20


def adopt_orphans():
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(SUBREAPER, 1, 0, 0, 0) == 0, os.strerror(ctypes.get_errno())


def reap_rest():
    """Waits for all orphans. Returns how many there were."""
    count, deadline = 0, time.monotonic() + REST_SECONDS_MAX
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return count
        count += ended != 0
        assert time.monotonic() < deadline, "processes that the command started have not ended"
        time.sleep(0 if ended else 0.02)


def main():
    seconds, command = float(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    adopt_orphans()
    begun = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        code = process.wait(timeout=seconds)
    finally:
        if process.poll() is None:
            # It ends its browsers itself.
            process.terminate()
            process.wait()
    took = time.monotonic() - begun
    orphans = reap_rest()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"code": code, "seconds": took, "cpu": usage.ru_utime + usage.ru_stime, "orphans": orphans}))


if __name__ == "__main__":
    main()
