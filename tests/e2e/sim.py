"""A simulated site, served by `harvestman sim` in a separate process, and options for crawling it."""

import contextlib
import signal
import subprocess
import sys

CRAWL = ["--set", "scope.hosts=*.localhost", "--set", "fetch.private_addresses=true", "--delay", "0s", "--per-host", "8",
         "--set", "host.connections_per_ip=32", "--contact", "gate@localhost", "--quiet"]


def end_on_sigterm():
    """Makes SIGTERM raise SystemExit, so that child processes are ended if a time limit ends the script."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


@contextlib.contextmanager
def served(binary, *options, seconds_max=1800):
    """Serves on a free port and yields the start URL. The server exits after `seconds_max` even if this script is killed."""
    command = [binary, "sim", "--port", "0", "--for", f"{seconds_max}s", *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
    try:
        seed = server.stdout.readline().strip()
        assert seed.startswith("http://"), f"the simulator did not start: {seed!r}"
        yield seed
    finally:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def fates_of(report):
    """The sum of all fates in report.json."""
    return sum(sum(count.values()) if isinstance(count, dict) else count for count in report["fates"].values())
