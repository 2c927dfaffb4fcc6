#!/usr/bin/env python3
"""Checks `harvestman export wacz` with the tools that read WACZ files: py-wacz validates them, pywb replays from them.

Usage: wacz.py HARVESTMAN WORK [CRAWL EXPECTED]…

Requires wacz, pywb, warcio, and what outputs.py requires, in the Python environment. A simulated site is crawled into WORK, which is
recreated, and recrawled twice. For this crawl, for each directory CRAWL (which is only read; EXPECTED describes its expected pages, see
pywb_replay.py), and for WARC files that warcio has written, the script checks that

* py-wacz finds the file valid: manifest, lengths, digests, directories,
* WARC files and the compressed index are stored, and the index has the lines of `harvestman export cdxj`,
* each HTML page with status 200 is in the list of pages, with its title, and its text if wanted,
* pywb replays pages from it.

A torn WARC file is exported up to the damage, and mistakes in the arguments are reported without a file.
"""

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import outputs
import pywb_replay
from outputs import check, run
from sim import end_on_sigterm

VALIDATE = "import sys; from wacz.main import main; sys.exit(main())"
# What a tool must find in each file.
ENTRIES = {"indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl", "datapackage.json", "datapackage-digest.json"}


def export(binary, *arguments):
    return subprocess.run([binary, "export", "wacz", *arguments], capture_output=True, text=True, timeout=600)


def validate(path):
    said = run(sys.executable, "-c", VALIDATE, "validate", "-f", path)
    assert "Validation succeeded" in said, said


def lines_of(path):
    """The index of a WACZ file, member by member as its table names them."""
    with zipfile.ZipFile(path) as archive:
        table, members = archive.read("indexes/index.idx").decode(), archive.read("indexes/index.cdx.gz")
    text = b""
    for line in table.splitlines()[1:]:
        place = json.loads(line[line.index("{"):])
        member = gzip.decompress(members[place["offset"]:place["offset"] + place["length"]])
        check("key of a member", line[:line.index("{")], member.decode().split("{", 1)[0])
        text += member
    return text.decode().splitlines()


def pages_of(path):
    with zipfile.ZipFile(path) as archive:
        head, *pages = map(json.loads, archive.read("pages/pages.jsonl").decode().splitlines())
    check("format of the list", head["format"], "json-pages-1.0")
    check("identifiers of pages", len({page["id"] for page in pages}), len(pages))
    return head, pages


def contents(path, warcs):
    """Checks what is in the file, and how."""
    with zipfile.ZipFile(path) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        check("entries", set(entries), ENTRIES | {f"archive/{name}" for name in warcs})
        for name, entry in entries.items():
            if name.startswith("archive/") or name.endswith(".gz"):
                check(f"compression of {name}", entry.compress_type, zipfile.ZIP_STORED)
        for name, source in warcs.items():
            with open(source, "rb") as file:
                assert archive.read(f"archive/{name}") == file.read(), f"{name} is another file"
        return json.loads(archive.read("datapackage.json"))


def warcs_of(crawl):
    directory = os.path.join(crawl, "warc")
    return {name: os.path.join(directory, name) for name in sorted(os.listdir(directory)) if not name.endswith(".open")}


def html_pages(warcs):
    """URL and time of each HTML page with status 200, by another reader."""
    found = []
    for path in warcs.values():
        with open(path, "rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response" and record.http_headers.get_statuscode() == "200":
                    kind = (record.http_headers.get_header("Content-Type") or "").split(";")[0].strip().lower()
                    if kind in ("text/html", "application/xhtml+xml"):
                        found.append((record.rec_headers.get_header("WARC-Target-URI"), record.rec_headers.get_header("WARC-Date")[:19]))
    return sorted(found)


def of_crawl(binary, crawl, out, cdxj):
    """Exports a crawl and compares the file with other exports of it."""
    done = export(binary, crawl, "--out", out, "--text", "--title", "A crawl", "--force")
    check(f"exit code ({done.stderr})", done.returncode, 0)
    validate(out)
    warcs = warcs_of(crawl)
    manifest = contents(out, warcs)
    check("title", manifest["title"], "A crawl")
    run(binary, "export", "cdxj", crawl, "--out", cdxj, "--force")
    with open(cdxj, encoding="utf-8") as lines:
        check("index", lines_of(out), lines.read().splitlines())
    head, pages = pages_of(out)
    assert head["hasText"] and pages[0]["url"] == manifest["mainPageUrl"]
    # Both to the second: the notations of a part of it differ.
    check("pages", sorted((page["url"], page["ts"][:19]) for page in pages), html_pages(warcs))
    # The last visit of a URL is the last line of the log about it.
    titles = {line["url"]: line["title"] for line in outputs.json_lines(os.path.join(crawl, "pages.jsonl")) if line.get("title")}
    last = {page["url"]: page for page in pages}
    same = [url for url, page in last.items() if page.get("title") == titles.get(url)]
    assert titles and len(same) >= 0.95 * len(last), f"{len(same)} of {len(last)} titles are those of the page log"
    assert all(page["text"] for page in pages if page.get("title")), "a page without text"
    print(f"wacz: py-wacz finds {os.path.basename(out)} valid: {len(warcs)} WARC files, {len(lines_of(out))} lines, {len(pages)} pages")


# ---- Files of other tools

def record(url, body, compress):
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=compress)
    head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
    writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=head))
    return out.getvalue()


def of_others(binary, work):
    directory = os.path.join(work, "others")
    os.makedirs(directory)
    at = lambda name: os.path.join(directory, name)
    one, other = (lambda compress: record("http://example.org/1", "<title>Eins – ä</title><p>Wörter".encode(), compress),
                  lambda compress: record("http://example.org/2", b"<p>No title", compress))
    whole = {"a.warc.gz": one(True) + other(True), "b.warc": one(False) + other(False)}
    for name, content in whole.items():
        with open(at(name), "wb") as file:
            file.write(content)
    out = at("others.wacz")
    done = export(binary, at("a.warc.gz"), at("b.warc"), "--out", out)
    check(f"exit code ({done.stderr})", done.returncode, 0)
    validate(out)
    contents(out, {name: at(name) for name in whole})
    head, pages = pages_of(out)
    assert not head["hasText"] and all("text" not in page for page in pages)
    check("titles", [page.get("title") for page in pages], ["Eins – ä", None] * 2)
    # A torn file is cut where its last record begins.
    with open(at("torn.warc.gz"), "wb") as file:
        file.write(whole["a.warc.gz"][:-20])
    torn = at("torn.wacz")
    done = export(binary, at("torn.warc.gz"), "--out", torn)
    assert done.returncode == 1 and "ends within the record" in done.stderr and "could not be exported completely" in done.stderr, done.stderr
    validate(torn)
    with zipfile.ZipFile(torn) as archive:
        check("records of a torn file", len(list(ArchiveIterator(io.BytesIO(archive.read("archive/torn.warc.gz"))))), 1)
    check("pages of a torn file", [page["url"] for page in pages_of(torn)[1]], ["http://example.org/1"])
    mistakes(binary, directory)
    print("wacz: files of warcio are exported; a torn one up to the damage; mistakes are reported")


def mistakes(binary, directory):
    """Each is reported, and leaves no file."""
    at = lambda name: os.path.join(directory, name)
    os.makedirs(at("empty"))
    with open(at("text.warc"), "w", encoding="utf-8") as file:
        file.write("no WARC file")
    out = at("never.wacz")
    for arguments, code, part in (
        ((at("missing.warc.gz"), "--out", out), 2, "does not exist"),
        ((at("empty"), "--out", out), 1, "no closed WARC file found"),
        ((at("text.warc"), "--out", out), 1, "nothing to replay"),
        ((at("a.warc.gz"), "--out", at("never.zip")), 2, "ends in .wacz"),
        ((at("a.warc.gz"),), 2, "--out"),
        ((at("a.warc.gz"), "--out", at("others.wacz")), 2, "--force"),
        ((at("a.warc.gz"), at("a.warc.gz"), "--out", out), 2, "given twice"),
    ):
        done = export(binary, *arguments)
        assert done.returncode == code and part in done.stderr, f"{arguments}: {done.returncode} {done.stderr}"
    left = [name for name in os.listdir(directory) if "never" in name]
    check("files of failed exports", left, [])


def main():
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        print(__doc__, file=sys.stderr)
        return 2
    end_on_sigterm()
    binary, work, *given = sys.argv[1:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    of_others(binary, work)
    crawl = outputs.crawl_twice(binary, work, "simulated", "etag", "--policy", "ucc")
    out, cdxj = os.path.join(work, "simulated.wacz"), os.path.join(work, "simulated.cdxj")
    of_crawl(binary, crawl, out, cdxj)
    outputs.replay(crawl, out, work)
    for number, (crawl, expected) in enumerate(zip(given[::2], given[1::2])):
        out = os.path.join(work, f"{number}.wacz")
        of_crawl(binary, crawl, out, os.path.join(work, f"{number}.cdxj"))
        check("replay", pywb_replay.replay(os.path.join(crawl, "warc"), expected, os.path.abspath(out)), 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
