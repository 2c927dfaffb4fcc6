"""The network traffic of a fleet crawl, as counted by the NATS servers."""

import gzip
import json
import os
import threading

from fleet_run import NAME

WATCH_SECONDS = 1.0
EXCHANGE, LOG, KEYS, OBJECTS = f"HM_{NAME}_X", f"HM_{NAME}_LOG", f"KV_hm-{NAME}", f"OBJ_hm-{NAME}"
MESSAGES_A_PAGE_MAX = 0.3
BYTES_A_LINK_MAX = 40


def foreign_links(outs, found, truth):
    """The number of links that nodes found to hosts of other nodes. Each counts once per node, the minimum number of times that it is sent."""
    holder = {url.split("/")[2]: lines[0][0] for url, lines in found.items()}
    links = set()
    for name, out in outs.items():
        with gzip.open(os.path.join(out, "links.jsonl.gz"), "rt", encoding="utf-8") as lines:
            for link in (link for line in lines for link in json.loads(line)["links"]):
                url = link["href"].split("#")[0]
                if url in truth and holder.get(url.split("/")[2], name) != name:
                    links.add((name, url))
    return len(links)


class Traffic:
    """Samples the counters of the servers, so that streams that are removed at the end are counted too."""

    def __init__(self, fleet):
        self._fleet, self._given, self._size = fleet, {}, {}
        self._clients = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        while not self._ended.wait(WATCH_SECONDS):
            self._look()

    def _look(self):
        try:
            streams, clients = self._fleet.cluster.streams(), self._fleet.cluster.clients()
        except (OSError, ValueError):
            # The server is busy; the next sample will do.
            return
        for name, stream in streams.items():
            self._given[name] = max(stream["given"], self._given.get(name, 0))
            if stream["held"]:
                self._size[name] = stream["bytes"] / stream["held"]
        self._clients = {name: max(count, self._clients.get(name, 0)) for name, count in clients.items()}

    def until(self, ended):
        """Samples until `ended` returns. Returns its result."""
        result = ended()
        self._ended.set()
        self._thread.join()
        self._look()
        return result

    def given(self, prefix):
        """The number of messages published to the streams with this prefix."""
        return sum(count for name, count in self._given.items() if name.startswith(prefix))

    def tell(self, pages, links):
        kept = sum(self._given.values())
        print(f"stored messages: {kept}, {kept / pages:.3f} per page (allowed: {MESSAGES_A_PAGE_MAX}); exchange {self.given(EXCHANGE)}, logs {self.given(LOG)}, "
              f"keys {self.given(KEYS)}, object chunks {self.given(OBJECTS)}")
        clients = self._clients
        print(f"messages from nodes to NATS: {clients['in_msgs']}, {clients['in_msgs'] / pages:.3f} per page, {clients['in_bytes'] / pages:.0f} bytes per page; "
              f"to nodes: {clients['out_msgs']}, {clients['out_msgs'] / pages:.3f} per page, {clients['out_bytes'] / pages:.0f} bytes per page")
        sent = sum(count * self._size.get(name, 0) for name, count in self._given.items() if name.startswith(EXCHANGE))
        print(f"exchange: {links} foreign links, {self.given(EXCHANGE)} messages, about {sent:.0f} bytes as stored by the servers: "
              f"{sent / max(1, links):.1f} per link (allowed: {BYTES_A_LINK_MAX})")
        assert kept <= MESSAGES_A_PAGE_MAX * pages, f"{kept / pages:.3f} messages per page"
        assert sent <= BYTES_A_LINK_MAX * links, f"{sent / max(1, links):.1f} bytes per foreign link"
