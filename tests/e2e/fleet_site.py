"""The simulated site that a fleet crawls, with a ground truth and a request log."""

import json
import os
import subprocess

from fleet_log import read
from fleet_net import SITE_ADDRESS, end_with_parent

DOMAIN = "fleet.test"
PORT = 8080
# The number of links of each page to pages of other hosts. Without them, hardly any link would belong to another node.
ELSEWHERE = 3
# The number of auxiliary requests per host: robots.txt and two sitemaps.
ERRANDS = 3


# The number of host pairs that are crawled as one server.
GROUPS = 5


def grouped(hosts):
    """Pairs of a forum and a question board that belong to one server: {host with port: name of the group}."""
    pairs = [(f"forum{number}.{DOMAIN}", f"qa{number}.{DOMAIN}") for number in range(1, GROUPS + 1)]
    return {f"{host}:{PORT}": " ".join(pair) for pair in pairs if set(pair) <= hosts for host in pair}


class Site:
    """Serves until it is closed; after that the log is complete."""

    def __init__(self, binary, work, size, seconds_max):
        self._log = os.path.join(work, "requests.jsonl")
        truth = os.path.join(work, "truth.jsonl")
        social = ["--pages", str(size.pages), "--hosts", str(size.hosts), "--elsewhere", str(ELSEWHERE)]
        pages = ["--static", "--pages", str(size.pages)] if size.static else social
        command = [binary, "sim", *pages, "--domain", DOMAIN, "--address", SITE_ADDRESS, "--port", str(PORT),
                   "--for", f"{seconds_max}s", "--log", self._log, "--truth", truth]
        with open(os.path.join(work, "site.log"), "wb") as said:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, text=True,
                                             preexec_fn=end_with_parent)
        # It writes the ground truth first.
        self.seed = self._process.stdout.readline().strip()
        assert self.seed.startswith("http://"), f"the simulator did not start; see site.log in {work}"
        with open(truth, encoding="utf-8") as lines:
            self.truth = {row["url"]: row for row in map(json.loads, lines)}
        allowed = [row for row in self.truth.values() if row["robots_allowed"]]
        hosts = {row["host"] for row in allowed}
        self.hosts, self.allowed, self.due = len(hosts), len(allowed), len(allowed) + ERRANDS * len(hosts)
        self.groups = {} if size.static else grouped(hosts)
        self._read, self._seen = 0, 0

    def requests_so_far(self):
        """Lags by some hundred requests, because the log is written in blocks."""
        try:
            with open(self._log, "rb") as file:
                file.seek(self._read)
                new = file.read()
        except FileNotFoundError:
            return 0
        self._read += len(new)
        self._seen += new.count(b"\n")
        return self._seen

    def share_done(self):
        return self.requests_so_far() / self.due

    def close(self):
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def requests(self):
        """All requests, in order of arrival; to be called after `close`."""
        return read(self._log)
