"""Serves pages that try to make a browser send requests or to harm it, and logs every request and every connection to a canary.

`/` uses all ways together except those that exhaust the browser, `/one/NAME` uses one (`/hang`, `/memory`, `/grow` and `/chain` are short
for `/one/hang` and so on), and `/ways` lists the names. Each way requests `/hit/NAME`. A canary is another loopback address that a page may
not reach: every TCP connection and every UDP datagram to it is logged. The first line of the output is the start URL.
"""

import argparse
import contextlib
import http.server
import json
import os
import socket
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zlib

import adversary_ways as ways

# Limits of one connection: seconds without data, and bytes of a request that are read.
SECONDS = 10
BODY_BYTES = 1 << 20


class Log:
    """Writes JSON lines to a file, each at once."""

    def __init__(self, path):
        self._file = open(path, "a", encoding="utf-8")
        self._lock = threading.Lock()

    def write(self, **fields):
        with self._lock:
            if not self._file.closed:
                self._file.write(json.dumps({"time": time.time(), **fields}) + "\n")
                self._file.flush()

    def close(self):
        with self._lock:
            self._file.close()


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = SECONDS

    def _handle(self):
        self.server.log.write(method=self.command, path=self.path, headers=dict(self.headers.items()))
        length = self.headers.get("Content-Length", "0")
        self.rfile.read(min(int(length) if length.isdecimal() else 0, BODY_BYTES))
        path, _, query = self.path.partition("?")
        self._send(*self._answer(path, query))

    def _answer(self, path, query):
        port, canaries = self.server.server_port, self.server.canaries
        html = {"Content-Type": "text/html; charset=utf-8"}
        name = path.removeprefix("/one/") if path.startswith("/one/") else path[1:] if path[1:] in ways.EXHAUSTIONS else None
        if path.startswith("/hit/"):
            return ways.answer(path.removeprefix("/hit/"), query)
        if path == "/":
            return 200, html, ways.page(list(ways.TOGETHER), port, canaries).encode()
        if name in ways.WAYS:
            return 200, html, ways.page([name], port, canaries).encode()
        if path == "/ways":
            return 200, {"Content-Type": "application/json"}, json.dumps(list(ways.WAYS)).encode()
        return 404, {"Content-Type": "text/plain"}, b"no\n"

    def _send(self, status, headers, body):
        with contextlib.suppress(ConnectionError, TimeoutError):
            self.send_response(status)
            for header, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(header, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _handle

    def log_message(self, *_):
        """Replaced by the log file."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address, log, canaries):
        self.log = log
        super().__init__(address, Handler)
        # A canary without a port has that of the server.
        self.canaries = [canary if ":" in canary else f"{canary}:{self.server_port}" for canary in canaries]

    def handle_error(self, *_):
        """A browser that closes a connection is no error."""


def _bound(kind, canary):
    host, port = canary.rsplit(":", 1)
    bound = socket.socket(socket.AF_INET, kind)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((host, int(port)))
    return bound


def _watch_tcp(listener, canary, log):
    with contextlib.suppress(OSError):
        while True:
            connection, peer = listener.accept()
            log.write(canary=canary, kind="tcp", peer=f"{peer[0]}:{peer[1]}")
            with connection, contextlib.suppress(OSError):
                connection.settimeout(1)
                log.write(canary=canary, kind="data", data=connection.recv(1000).decode("latin-1"))
                connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\ncanary\n")


def _watch_udp(bound, canary, log):
    with contextlib.suppress(OSError):
        while True:
            data, peer = bound.recvfrom(1000)
            log.write(canary=canary, kind="udp", peer=f"{peer[0]}:{peer[1]}", data=data.hex())


@contextlib.contextmanager
def served(log_path, address="127.0.0.1", port=0, canaries=()):
    """Serves until the block ends, and yields the start URL. The log is complete after the block."""
    with contextlib.ExitStack() as stack:
        log = Log(log_path)
        stack.callback(log.close)
        server = stack.enter_context(Server((address, port), log, canaries))
        for canary in server.canaries:
            for kind, watch in ((socket.SOCK_STREAM, _watch_tcp), (socket.SOCK_DGRAM, _watch_udp)):
                bound = stack.enter_context(_bound(kind, canary))
                if kind == socket.SOCK_STREAM:
                    bound.listen(64)
                threading.Thread(target=watch, args=(bound, canary, log), daemon=True).start()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        yield f"http://{address}:{server.server_port}/"


def read_log(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def fetch(url, data=None):
    with urllib.request.urlopen(urllib.request.Request(url, data=data, headers={"X-Test": "yes"}), timeout=10) as answer:
        return answer.read()


def until(wanted, what):
    deadline = time.monotonic() + 10
    while not wanted():
        assert time.monotonic() < deadline, f"not seen in the log: {what}"
        time.sleep(0.02)


def self_test():
    """Requests all pages without a browser and checks the log."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.jsonl")
        with served(path, canaries=["127.0.0.2"]) as start:
            port = start.split(":")[2].strip("/")
            together = fetch(start).decode()
            names = json.loads(fetch(start + "ways"))
            assert len(names) >= 40 and names == list(ways.WAYS)
            for name in names:
                alone = fetch(f"{start}one/{name}").decode()
                assert "$" not in alone.replace("${", ""), f"{name}: a value is missing"
                assert name in ways.EXHAUSTIONS or alone.splitlines()[2] in together, f"{name} is not in the common page"
            for name in ways.EXHAUSTIONS:
                assert fetch(start + name) == fetch(f"{start}one/{name}")
            assert f"http://127.0.0.2:{port}/" in together and f"stun:127.0.0.2:{port}" in together
            fetch(start + "hit/fetch_post", data=b"x=1")
            assert json.loads(fetch(start + "hit/chain?n=7")) == {"next": "/hit/chain?n=8"}
            packed = fetch(start + "hit/gzip_bomb")
            unpacker = zlib.decompressobj(31)
            size = len(unpacker.decompress(packed, 1 << 24))
            while unpacker.unconsumed_tail:
                size += len(unpacker.decompress(unpacker.unconsumed_tail, 1 << 24))
            assert size == ways.BOMB_BYTES and unpacker.eof and len(packed) < 2 << 20
            with contextlib.suppress(urllib.error.HTTPError):
                fetch(start + "hit/redirect_loop")
                raise AssertionError("the redirects ended")
            assert fetch(f"http://127.0.0.2:{port}/") == b"canary\n"
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.sendto(b"hello", ("127.0.0.2", int(port)))
            until(lambda: any(line.get("kind") == "udp" for line in read_log(path)), "the datagram")
        lines = read_log(path)
    requests = [line for line in lines if "method" in line]
    assert all(set(line) == {"time", "method", "path", "headers"} for line in requests)
    assert requests[0]["path"] == "/" and requests[0]["headers"]["X-Test"] == "yes"
    assert [line["path"] for line in requests if line["method"] == "POST"] == ["/hit/fetch_post"]
    assert sum(line["path"].startswith("/hit/redirect_loop") for line in requests) > 2
    kinds = [(line["kind"], line["canary"]) for line in lines if "canary" in line]
    assert kinds == [(kind, f"127.0.0.2:{port}") for kind in ("tcp", "data", "udp")], kinds
    print(f"ok: {len(names)} ways, {len(requests)} requests logged")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 picks a free port")
    parser.add_argument("--canary", action="append", default=[], metavar="ADDRESS[:PORT]", help="further address to watch; may be repeated")
    parser.add_argument("--log", default="adversary.jsonl", help="file of the log, one JSON line per request or connection")
    parser.add_argument("--for", dest="seconds", type=float, default=1800, help="end after this number of seconds")
    parser.add_argument("--self-test", action="store_true", help="serve, request all pages, check the log, and end")
    given = parser.parse_args()
    if given.self_test:
        return self_test()
    with served(given.log, given.address, given.port, given.canary) as start, contextlib.suppress(KeyboardInterrupt):
        print(start, flush=True)
        time.sleep(given.seconds)


if __name__ == "__main__":
    main()
