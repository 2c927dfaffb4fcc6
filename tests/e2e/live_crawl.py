"""Crawls of live sites that are compared with replays of their recordings, among them crawls that are killed again and again."""

import collections
import glob
import json
import os
import re
import shutil
import subprocess
import time
from statistics import mean, stdev

from warcio.archiveiterator import ArchiveIterator

from sim import fates_of
from truth import key

CRAWL_SECONDS_MAX = 1800
# One request is in flight, as in a replay and as on a site that is crawled politely: each further one was chosen before the policy knew
# the pages before it. Replays that chose eight at a time found .07 less of a topic.
IN_FLIGHT = 1
# Long enough for the policy to learn from a page before the next one is chosen.
DELAY = "5ms"
# Observations are written in blocks of this size at most; those that wait for a block are lost when the crawl is killed.
BLOCK = 64
RESTORED = re.compile(r"the policy is restored from its observations.*fetches=(\d+)")


def command(harvestman, out, seed, requests, *arguments, in_flight=IN_FLIGHT, delay=DELAY):
    """A crawl with a fixed number of requests. A replay has no robots.txt and no depth limit, so this crawl, on loopback, has none."""
    settings = ("robots.obey=false", "robots.sitemaps=false", f"budget.requests={requests}", "budget.depth=65535",
                f"frontier.in_flight_max={in_flight}", "fetch.private_addresses=true")
    fixed = [harvestman, "crawl", *arguments, "--out", out, "--seed", str(seed), "--delay", delay, "--per-host", str(in_flight),
             "--contact", "gate@example.org", "--quiet"]
    return fixed + [part for setting in settings for part in ("--set", setting)]


def crawl(made, out):
    """Runs a crawl to its end and returns its page log."""
    return killed_crawl(made, out, ())


def killed_crawl(made, out, points):
    """Runs a crawl that is killed by SIGKILL when its page log has each of these numbers of lines, and resumed. Returns its page log.
    Files with examples are given again, as a crawl directory must not choose them.
    Checks after each kill that the policy knows again what the log says was fetched."""
    shutil.rmtree(out, ignore_errors=True)
    deadline, start, restored = time.monotonic() + CRAWL_SECONDS_MAX, time.monotonic(), []
    examples = [word for at, word in enumerate(made) if "--example" in (word, made[at - 1])]
    resume = [made[0], "resume", out, "--quiet", *examples]
    process, log = _start(made, f"{out}-0.log"), f"{out}-0.log"
    try:
        for number, point in enumerate(points, 1):
            while _lines(out) < point:
                assert process.poll() is None, f"the crawl ended before its kill {number}: {_read(log)}"
                assert time.monotonic() < deadline, f"not done within {CRAWL_SECONDS_MAX} s"
                time.sleep(0.002)
            process.kill()
            process.wait()
            known, log = _lines(out), f"{out}-{number}.log"
            process = _start(resume, log)
            restored.append((known, log))
        code = process.wait(timeout=deadline - time.monotonic())
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert code == 0, f"exit code {code}: {_read(log)}"
    print(f"crawled in {time.monotonic() - start:.0f} s" + f", killed {len(points)} times" * bool(points))
    for known, log in restored:
        _check_restored(known, _read(log))
    return pages_of(out)


def crawl_twice(made, out, points, wanted, names):
    """The harvests of a crawl and of one that is killed at these points and has lost nothing."""
    whole = harvest(crawl(made, out), wanted)
    pages = killed_crawl(made, out, points)
    check_kept(out, pages, len(points))
    killed = harvest(pages, wanted)
    print(", ".join(f"{name} {whole[name]:.4f}, killed {killed[name]:.4f}" for name in names))
    return whole, killed


def _start(made, log):
    with open(log, "w", encoding="utf-8") as file:
        return subprocess.Popen(made, stdin=subprocess.DEVNULL, stdout=file, stderr=file)


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()[-3000:]


def _lines(out):
    try:
        with open(f"{out}/pages.jsonl", "rb") as file:
            return file.read().count(b"\n")
    except FileNotFoundError:
        return 0


def _check_restored(known, log):
    found = RESTORED.search(re.sub(r"\x1b\[[0-9;]*m", "", log))
    restored = int(found.group(1)) if found else 0
    assert restored >= known - BLOCK - IN_FLIGHT, f"killed after {known} pages, the policy knew {restored} of them again: {log}"


def pages_of(out):
    with open(f"{out}/pages.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def check_kept(out, pages, kills):
    """Checks that nothing is lost: the fates add up, and each page is in the archive where its line says. A page in flight at a kill may
    have a line and still wait; it is fetched again, unless the crawl ends before."""
    with open(f"{out}/report.json", encoding="utf-8") as file:
        report = json.load(file)
    assert fates_of(report) == report["discovered"], f"{fates_of(report)} fates of {report['discovered']} discovered links"
    lines = collections.Counter(page["url"] for page in pages)
    again = sum(lines.values()) - len(lines)
    waiting = len({page["url"] for page in pages if page["fate"] == "fetched"}) - report["pages"]
    # A query that is sent again after a kill counts again.
    assert waiting + again >= 0, f"the report has {-waiting} more pages than the log, {again} of them fetched again"
    assert again + waiting <= kills * IN_FLIGHT, f"{again} pages were fetched again after {kills} kills, {waiting} wait for it"
    last = {page["url"]: page for page in pages if "status" in page}
    records = _records(out)
    lost = [url for url, page in last.items() if records.get((page.get("warc_file"), page.get("warc_offset"))) != url]
    assert not lost, f"{len(lost)} pages are not in the archive where the log says: {lost[:3]}"
    print(f"kept: {len(last)} answers in the archive, {again} of them fetched again, {waiting} to be, "
          f"{report['discovered']} links accounted for")


def _records(out):
    """The URL of each response or revisit record, by file and offset."""
    records = {}
    for path in glob.glob(f"{out}/warc/*.warc.gz"):
        with open(path, "rb") as file:
            iterator = ArchiveIterator(file)
            for record in iterator:
                if record.rec_type in ("response", "revisit"):
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    records[f"warc/{os.path.basename(path)}", iterator.get_record_offset()] = url
    return records


def kill_points(rng, requests, kills):
    """Random numbers of pages, none of them so close to the end that the crawl could end before."""
    return sorted(rng.sample(range(requests // 50 + 1, requests * 9 // 10), kills))


def harvest(pages, wanted):
    """The measures of a replay, from the page log and the recorded wanted pages by key, each with whether it is no duplicate view."""
    requests = sum(page["attempts"] for page in pages)
    valid = {key(page["url"]) for page in pages if page.get("status") == 200} & set(wanted)
    unique = sum(wanted[url] for url in valid)
    return {"requests": requests, "valid_ratio": len(valid) / requests, "valid_ratio_unique": unique / requests,
            "recall": len(valid) / len(wanted), "recall_unique": unique / sum(wanted.values())}


def compare(live, replayed, names, tolerance):
    """Compares the means of two lists of measures, with their standard errors."""
    apart = {}
    for name in names:
        measured = [[row[name] for row in rows] for rows in (live, replayed)]
        means = [mean(values) for values in measured]
        errors = [stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0 for values in measured]
        texts = [f"{value:.4f} ± {error:.4f}" for value, error in zip(means, errors)]
        print(f"{name}: live {texts[0]}, replayed {texts[1]} (live: {', '.join(f'{value:.4f}' for value in measured[0])}; "
              f"replayed: {', '.join(f'{value:.4f}' for value in measured[1])})")
        if abs(means[0] - means[1]) > tolerance:
            apart[name] = means
    assert not apart, f"live crawls and replays differ by more than {tolerance}: {apart}"


def compare_all(crawls, replayed, names, tolerance):
    """The same for crawls that were not killed and crawls that were, as pairs."""
    for what, live in zip(("whole crawls", "killed crawls"), zip(*crawls)):
        print(f"{what}:")
        compare(live, replayed, names, tolerance)
    print("the harvest of the live crawls matches the replays, also of those that were killed")
