#!/usr/bin/env python3
"""Reads the output of `harvestman export` with the tools that it is meant for.

Usage: outputs.py HARVESTMAN WORK [CRAWL EXPECTED]…

Requires pywb, surt, duckdb and networkx in the Python environment, and a HARVESTMAN with Parquet. Simulated sites are crawled into WORK,
which is recreated, and recrawled twice (so that there are revisits of both kinds), with links and learning policies. For these crawls, and
for each directory CRAWL (which is only read; EXPECTED describes its expected pages, see pywb_replay.py), the script checks that

* the CDXJ index equals the output of pywb's own indexer line by line, and pywb replays pages from it without an index of its own,
* DuckDB reads the Parquet files: the types are as documented, and every value equals that of the JSON lines,
* networkx reads the GraphML file: every node and edge is in `harvestman inspect site --format json`, with its values.

It also checks that the SURT keys of thousands of unusual URLs equal those of the Python package that replay tools use.
"""

import gzip
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import time
import warnings
from collections import Counter
from urllib.parse import urlsplit

import duckdb
import networkx
import surt
from warcio.archiveiterator import ArchiveIterator

import pywb_replay
from sim import CRAWL, end_on_sigterm, served

INDEXER = "from pywb.indexer.cdxindexer import main; main()"
REPLAYED_MAX = 150
KEYS = 20_000
DAY = 86_400
# The columns that are not text.
PAGE_TYPES = {
    "time": "TIMESTAMP WITH TIME ZONE", "score": "DOUBLE", "changed": "BOOLEAN",
    **dict.fromkeys(("status", "depth", "attempts"), "INTEGER"),
    **dict.fromkeys(("bytes", "first_byte_ms", "duration_ms", "visit", "links", "links_new", "cluster", "snapshot", "warc_offset"),
                    "BIGINT"),
}
LINKS_TYPE = 'STRUCT(href VARCHAR, "class" VARCHAR, "new" BOOLEAN, refused VARCHAR)[]'


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def check(what, found, expected):
    assert found == expected, f"{what}: {found}, expected {expected}"


def json_lines(path):
    openers = {"": open, ".gz": gzip.open}
    for suffix, opener in openers.items():
        if os.path.exists(path + suffix):
            with opener(path + suffix, "rt", encoding="utf-8") as lines:
                return [json.loads(line) for line in lines]
    raise AssertionError(f"there is no {path}")


# ---- Keys

def odd_url(rng):
    """A random URL with features that affect keys: hosts, ports, escapes, dots, session ids, non-ASCII letters."""
    scheme = rng.choice(["http://", "https://", "http://", "HTTP://", "ftp://", "http:/", "", "http://https://", "dns:"])
    host = rng.choice(["example.org", "www.Example.org", "www3.a.b", "u:p@h.org", "1.2.3.4", "0x7f.1", "127.1", "017.0.0.1", "3232235777",
                       "[::1]", "b\u00fccher.test", "a..b.", "h%41.org", "\u65e5\u672c.test", "a b", "-", "www.", "256.1.1.1.1"])
    port = rng.choice(["", "", ":80", ":443", ":8080", ":", ":0", ":99999", ":x"])
    pieces = ["a", "B", ".", "..", "", "%41", "%2541", "%2f", "\u00e4", "%C3%A4", " ", "x;y", "(abcdefghijklmnopqrstuvwx)", "p.aspx",
              "(S(abcdefghijklmnopqrstuvwx))", "%zz", "?", "%3f", "~", "'"]
    path = "".join("/" + rng.choice(pieces) for _ in range(rng.randrange(5)))
    parameters = ["a=1", "b", "A=", "=", "", "c=%26", "sid=" + "0aB" * 10 + "01", "PHPSESSID=" + "f" * 32, "jsessionid=" + "9" * 32, "q=\u00dc b",
                  "ASPSESSIONIDABCDEFGH=" + "A" * 24, "cfid=1", "CFTOKEN=2", "cfid=a=b", "xsid=" + "1" * 32, "z=%2525"]
    query = "?" + "&".join(rng.choice(parameters) for _ in range(rng.randrange(5))) if rng.random() < 0.7 else ""
    return scheme + host + port + path + query + rng.choice(["", "", "#f", "#?"])


def key_of(url):
    try:
        return surt.surt(url)
    except Exception:
        return None


def keys(binary):
    rng = random.Random(17)
    urls = [odd_url(rng) for _ in range(KEYS)]
    questions = "".join(json.dumps({"id": number, "op": "surt", "input": url}) + "\n" for number, url in enumerate(urls))
    answers = [json.loads(line) for line in run(binary, "inspect", "url", input=questions).splitlines()]
    wrong = [(url, answer.get("href"), key_of(url)) for url, answer in zip(urls, answers, strict=True) if answer.get("href") != key_of(url)]
    assert not wrong, f"{len(wrong)} keys differ, for example {wrong[:5]}"
    print(f"keys: the keys of {len(urls)} unusual URLs equal those of the package surt, {sum(key_of(url) is None for url in urls)} of them are invalid in both")


# ---- CDXJ

def index(binary, crawl, out):
    warcs = os.path.join(crawl, "warc")
    said = subprocess.run([binary, "export", "cdxj", crawl, "--out", out, "--force"], capture_output=True, text=True, timeout=600)
    assert said.returncode == 0, said.stderr
    with open(out, encoding="ascii") as lines:
        ours = lines.read().splitlines()
    theirs = run(sys.executable, "-c", INDEXER, "-s", "-j", warcs).splitlines()
    for number, (one, other) in enumerate(zip(ours, theirs)):
        check(f"line {number + 1} of the index of {crawl}", one, other)
    check("lines of the index", len(ours), len(theirs))
    return ours


def captures(warcs):
    """The expected replay results: the payload of each page at each time, from the records."""
    payloads, wanted = {}, []
    for name in sorted(os.listdir(warcs)):
        with open(os.path.join(warcs, name), "rb") as file:
            for record in ArchiveIterator(file, no_record_parse=False):
                header = record.rec_headers.get_header
                url, date = header("WARC-Target-URI"), header("WARC-Date")
                if record.rec_type == "response":
                    payloads[url, date] = (int(record.http_headers.get_statuscode()), record.raw_stream.read())
                    wanted.append(((url, date), (url, date)))
                elif record.rec_type == "revisit":
                    wanted.append(((url, date), (header("WARC-Refers-To-Target-URI"), header("WARC-Refers-To-Date"))))
    # Times in an index are in seconds. Of two captures in the same second, either one may be returned, so they are excluded.
    at_once = Counter((url, date[:19]) for (url, date), _ in wanted)
    return [(url, date, *payloads[held]) for (url, date), held in wanted
            if held in payloads and payloads[held][0] == 200 and at_once[url, date[:19]] == 1]


def replay(crawl, cdxj, work):
    """Replays pages of one of the simulated crawls and compares them with its records."""
    warcs, expected = os.path.join(crawl, "warc"), os.path.join(work, "expected")
    shutil.rmtree(expected, ignore_errors=True)
    os.makedirs(expected)
    found = captures(warcs)
    random.Random(3).shuffle(found)
    with open(os.path.join(expected, "expected.jsonl"), "w", encoding="utf-8") as lines:
        for number, (url, date, status, body) in enumerate(found[:REPLAYED_MAX]):
            moment = "".join(digit for digit in date[:19] if digit.isdigit())
            lines.write(json.dumps({"url": url, "status": status, "body": str(number), "time": moment}) + "\n")
            with open(os.path.join(expected, str(number)), "wb") as file:
                file.write(body)
    check("replay", pywb_replay.replay(os.path.abspath(warcs), expected, os.path.abspath(cdxj)), 0)


# ---- Parquet

def pages(binary, crawl, out):
    run(binary, "export", "pages", crawl, "--out", out, "--force")
    lines = json_lines(os.path.join(crawl, "pages.jsonl"))
    types = {name: kind for name, kind, *_ in duckdb.sql(f"DESCRIBE SELECT * FROM '{out}'").fetchall()}
    assert {name for line in lines for name in line} <= set(types), "a field of the log has no column"
    check("types", types, {name: PAGE_TYPES.get(name, "VARCHAR") for name in types})
    by_fate = Counter((line["fate"], line.get("reason")) for line in lines)
    check("by fate", {(fate, reason): count for fate, reason, count in
                      duckdb.sql(f"SELECT fate, reason, count(*) FROM '{out}' GROUP BY ALL").fetchall()}, by_fate)
    sums = duckdb.sql(f"SELECT count(*), sum(bytes), sum(links), sum(status) FROM '{out}'").fetchall()[0]
    total = lambda name: sum(line.get(name) or 0 for line in lines)
    check("sums", tuple(value or 0 for value in sums), (len(lines), total("bytes"), total("links"), total("status")))
    # Compares every value in the order of the lines. Times are compared as text, to the millisecond.
    columns = ["strftime(time AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%g') AS time" if name == "time" else f'"{name}"' for name in types]
    rows = duckdb.sql(f"SELECT {', '.join(columns)} FROM '{out}'").fetchall()
    for line, row in zip(lines, rows, strict=True):
        expected = {**line, "time": (line["time"].rstrip("Z") + ("" if "." in line["time"] else ".") + "000")[:23]} if "time" in line else line
        check(line["url"], {name: value for name, value in zip(types, row) if value is not None}, expected)
    print(f"pages: DuckDB reads {len(rows)} rows of {crawl}, every value equals that of its line, {len(by_fate)} fates")


def links(binary, crawl, out):
    run(binary, "export", "links", crawl, "--out", out, "--force")
    lines = json_lines(os.path.join(crawl, "links.jsonl"))
    types = dict(row[:2] for row in duckdb.sql(f"DESCRIBE SELECT * FROM '{out}'").fetchall())
    check("types", types, {"url": "VARCHAR", "links": LINKS_TYPE})
    full = lambda link: {"new": False, "refused": None, **link}
    expected = [(line["url"], [full(link) for link in line["links"]]) for line in lines]
    check("links", duckdb.sql(f"SELECT url, links FROM '{out}'").fetchall(), expected)
    flat = duckdb.sql(f"SELECT count(*), sum(new::int), count(refused) FROM (SELECT unnest(links, recursive := true) FROM '{out}')")
    every = [link for _, found in expected for link in found]
    check("links, one row each", flat.fetchall()[0], (len(every), sum(link["new"] for link in every), sum(link["refused"] is not None for link in every)))
    print(f"links: DuckDB reads {len(lines)} pages with {len(every)} links")


# ---- The graph

def graph(binary, crawl, out):
    run(binary, "export", "site", crawl, "--out", out, "--force")
    facts = json.loads(run(binary, "inspect", "site", crawl, "--format", "json"))
    read = networkx.read_graphml(out, force_multigraph=True)
    assert read.is_directed()
    clusters = {f"c{cluster['cluster']}": cluster for cluster in facts["clusters"]}
    check("nodes", set(read.nodes), set(clusters))
    for name, cluster in clusters.items():
        node = read.nodes[name]
        values = ("pages", "worth", "links", "cluster")
        check(name, [node[value] for value in values], [cluster[value] for value in values])
        check(f"{name}: title", node.get("title"), cluster["title"])
        check(f"{name}: example", node.get("example"), (cluster["examples"] or [None])[0])
    expected = Counter(
        (name, f"c{to['cluster']}", to["fetches"], link["share"], link["pattern"], link.get("refused", False))
        for name, cluster in clusters.items() for link in cluster["classes"] for to in link["leads_to"] if f"c{to['cluster']}" in clusters)
    values = ("weight", "share", "pattern", "refused")
    edges = Counter((one, other, *(edge[value] for value in values)) for one, other, edge in read.edges(data=True))
    check("edges", edges, expected)
    dot = run(binary, "export", "site", crawl, "--format", "dot", "--out", "-")
    check("edges of the DOT file", sum(" -> " in line for line in dot.splitlines()), sum(edges.values()))
    assert len(read) > 3 and edges, "the graph is too small"
    print(f"graph: networkx reads {len(read)} nodes and {sum(edges.values())} edges of {crawl}")


# ---- Simulated crawls

def move_time(seed, to):
    """Advances the time of the site. Its host names resolve only in the crawler, so the request goes to the loopback address."""
    host = urlsplit(seed).netloc
    connection = http.client.HTTPConnection("127.0.0.1", int(host.rsplit(":", 1)[1]), timeout=10)
    connection.request("GET", f"/.sim/time?to={to}", headers={"Host": host})
    check("time of the site", connection.getresponse().status, 200)
    connection.close()


def crawl_twice(binary, work, name, validators, *more):
    out = os.path.join(work, name)
    with served(binary, "--pages", "500", "--hosts", "6", "--changes", "--non-html", "--validators", validators, seconds_max=300) as seed:
        run(binary, "crawl", seed, "--out", out, *CRAWL, "--set", "archive.links=true", "--set", "archive.file_size_max=1MiB",
            "--time", "120s", *more)
        for _ in range(2):
            # Makes sure that repeated fetches are captures of a different second.
            time.sleep(1.5)
            move_time(seed, 2 * DAY)
            run(binary, "recrawl", out, "--quiet", "--time", "120s")
    return out


def own(binary, work):
    for name, validators, policy in (("etag", "etag", "ucc"), ("ignored", "ignored", "ucc"), ("graph", "none", "cluster-graph")):
        crawl = crawl_twice(binary, work, name, validators, "--policy", policy,
                            *(("--set", "archive.compress=false") if name == "graph" else ()))
        cdxj = os.path.join(work, f"{name}.cdxj")
        lines = index(binary, crawl, cdxj)
        revisits = sum('"warc/revisit"' in line for line in lines)
        assert revisits > 5, f"there are only {revisits} revisits"
        print(f"index: {len(lines)} lines of {name} equal those of pywb, {revisits} of them are revisits")
        replay(crawl, cdxj, work)
        pages(binary, crawl, os.path.join(work, f"{name}.pages.parquet"))
        links(binary, crawl, os.path.join(work, f"{name}.links.parquet"))
        graph(binary, crawl, os.path.join(work, f"{name}.graphml"))


def main():
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        print(__doc__, file=sys.stderr)
        return 2
    end_on_sigterm()
    warnings.simplefilter("ignore")
    binary, work, *given = sys.argv[1:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    keys(binary)
    own(binary, work)
    for number, (crawl, expected) in enumerate(zip(given[::2], given[1::2])):
        cdxj = os.path.join(work, f"{number}.cdxj")
        lines = index(binary, crawl, cdxj)
        print(f"index: {len(lines)} lines of {crawl} equal those of pywb")
        check("replay", pywb_replay.replay(os.path.abspath(os.path.join(crawl, "warc")), os.path.abspath(expected), os.path.abspath(cdxj)), 0)
        pages(binary, crawl, os.path.join(work, f"{number}.pages.parquet"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
