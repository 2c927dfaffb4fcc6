#!/usr/bin/env python3
"""Replays an archive with pywb and compares every expected page byte for byte.

Usage: pywb_replay.py WARC_DIR EXPECTED_DIR [INDEX]

WARC_DIR      contains the *.warc.gz (or *.warc) files.
EXPECTED_DIR  contains expected.jsonl, one object per line:
              {"url": ..., "status": 200, "body": FILE, "time": "YYYYMMDDhhmmss"}
              body is the name of a file in EXPECTED_DIR with the payload as received (with its content coding),
              time (optional) is that of the capture; other keys are ignored.
INDEX         a CDXJ index of the files, which pywb then uses instead of creating one; or a WACZ file, which pywb then reads instead of
              all of these.

Requires pywb in the Python environment. Starts `wayback` on a free loopback port and ends it by its process id. Exit code 0: all
pages were replayed; 1: some were not (each one is listed); 2: pywb could not be started.
"""

import contextlib
import glob
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote

COLLECTION = "replay"
START_SECONDS_MAX = 60
FETCH_SECONDS_MAX = 30
MANAGER = "from pywb.manager.manager import main_wrap_exc as main; main()"
WAYBACK = "from pywb.apps.cli import wayback as main; main()"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def manage(directory, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", MANAGER, *arguments], cwd=directory, capture_output=True, text=True, timeout=600
    )
    if done.returncode != 0:
        print(f"pywb: {' '.join(arguments[:2])} failed:\n{done.stdout}{done.stderr}", file=sys.stderr)
        sys.exit(2)


def wait_until_up(server, port, log):
    deadline = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    print(f"pywb did not start: {open(log).read()}", file=sys.stderr)
    sys.exit(2)


def fetch(port, page):
    """Status and body of the page as recorded (`id_` disables rewriting)."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=FETCH_SECONDS_MAX)
    try:
        target = quote(page["url"], safe=":/?#[]@!$&'()*+,;=%~")
        path = f"/{COLLECTION}/{page.get('time', '')}id_/{target}"
        connection.request("GET", path, headers={"Accept-Encoding": "gzip, deflate, br, zstd"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def difference(port, page, expected):
    try:
        status, body = fetch(port, page)
    except (OSError, http.client.HTTPException) as error:
        return f"not replayed: {error!r}"
    if status != page["status"]:
        return f"status {status}, expected {page['status']}"
    if body != expected:
        return f"{len(body)} bytes that differ from the expected {len(expected)} bytes"
    return None


def compare_all(port, directory):
    with open(os.path.join(directory, "expected.jsonl"), encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines if line.strip()]
    failed = 0
    for page in pages:
        with open(os.path.join(directory, page["body"]), "rb") as file:
            found = difference(port, page, file.read())
        if found:
            failed += 1
            print(f"{page['url']}: {found}", file=sys.stderr)
    print(f"pywb: {len(pages) - failed} of {len(pages)} pages were replayed byte for byte")
    return 1 if failed or not pages else 0


def prepare(directory, warcs, index):
    """Creates a collection of the files in `directory`, with the given index or one created by pywb, or of a WACZ file."""
    is_wacz = bool(index) and index.endswith(".wacz")
    # A page in a frame of the replayer's own has another address than its scripts expect.
    config = {"framed_replay": False}
    if index and not is_wacz:
        config["collections"] = {COLLECTION: {"index_paths": index, "archive_paths": os.path.join(warcs, "")}}
    with open(os.path.join(directory, "config.yaml"), "w", encoding="utf-8") as file:
        # JSON is YAML.
        json.dump(config, file)
    if index and not is_wacz:
        return
    if is_wacz:
        manage(directory, "init", COLLECTION)
        manage(directory, "add", "--unpack-wacz", COLLECTION, index)
        return
    files = sorted(glob.glob(os.path.join(warcs, "*.warc.gz")) + glob.glob(os.path.join(warcs, "*.warc")))
    manage(directory, "init", COLLECTION)
    manage(directory, "add", COLLECTION, *files)


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    warcs, expected, *index = (os.path.abspath(argument) for argument in sys.argv[1:])
    return replay(warcs, expected, index[0] if index else None)


def replay(warcs, expected, index=None):
    with serving(warcs, index) as port:
        return compare_all(port, expected)


@contextlib.contextmanager
def serving(warcs, index=None):
    """Serves an archive in the collection `COLLECTION` on the port that it yields."""
    with tempfile.TemporaryDirectory() as directory:
        prepare(directory, warcs, index)
        port, log = free_port(), os.path.join(directory, "wayback.log")
        arguments = [sys.executable, "-c", WAYBACK, "-b", "127.0.0.1", "-p", str(port)]
        with open(log, "w", encoding="utf-8") as output:
            server = subprocess.Popen(arguments, cwd=directory, stdout=output, stderr=output)
        try:
            wait_until_up(server, port, log)
            yield port
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()


if __name__ == "__main__":
    sys.exit(main())
