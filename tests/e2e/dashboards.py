#!/usr/bin/env python3
"""Runs a real Prometheus that scrapes a real crawl, and sends it every query of grafana/.

Usage: dashboards.py --bed NAME --beds DIR --work DIR --harvestman BIN --prometheus BIN --promtool BIN

The forum is the one that `bed.py setup` created in WORK. It is crawled with the policy `ucc`, with archive and state, slowly enough to be
scraped about a dozen times. Prometheus uses the job and the rules of grafana/, but scrapes every second, and the shares of the overview are
those of some seconds. The script checks that
  * promtool accepts the metrics, the configuration and the rules, and the rules pass their tests,
  * each query of each panel returns numbers and no error, and its series have the labels that the legend uses,
  * the variables at the top of each dashboard have values,
  * each rule is evaluated without an error, each recording rule yields a result, and no alert fires,
  * the overview names the host and its delay as the bottleneck, and shows when the crawl is paused, resumed and interrupted.
Variables are substituted as Grafana does. WORK/NAME-scraped and WORK/prometheus-data are recreated.
"""

import argparse
import contextlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from bed import PORTS, serve, stop
from metrics_scrape import free_port, get, promtool_check, total

GRAFANA = Path(__file__).resolve().parents[2] / "grafana"
SECONDS_MAX = 150
SCRAPE_SECONDS = 1
SCRAPES = 15
# The crawl is too short for shares of five minutes.
LIMITS_WINDOW = "20s"
# By then there have been model updates, commits, and a yield forecast.
PAGES = 300
JOB = "harvestman"
# The dashboard and the rules that only a fleet has; fleet_dashboards.py covers them.
OF_FLEET = "fleet"
# The panels on a duration of something that need not happen while the crawl is scraped: they must have series, not numbers.
RARE = ("Render duration",)
# The panels whose queries complement each other: one for the alerts that fire, one for the case that none does.
EITHER = ("Firing alerts",)
# The exit code of a crawl that was asked to stop.
INTERRUPTED = 130


class Prometheus:
    """A running Prometheus server."""

    def __init__(self, port):
        self.port = port

    def ask(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}?{query}", timeout=20) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path} {parameters}: {error.read().decode()}") from error

    def is_ready(self):
        return get(self.port, "/-/ready") is not None


def configuration(folder, *targets):
    """Writes the configuration of grafana/ for these crawls, with shorter intervals. Returns its path."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(f"{folder}/rules")
    for rules in GRAFANA.glob("rules/*.yml"):
        text = rules.read_text(encoding="utf-8")
        text = text.replace("[5m]", f"[{LIMITS_WINDOW}]") if rules.name == "overview.yml" else text
        Path(f"{folder}/rules/{rules.name}").write_text(text, encoding="utf-8")
    text = (GRAFANA / "prometheus.yml").read_text(encoding="utf-8")
    for pattern, value in ((r"(scrape_interval|evaluation_interval): \S+", rf"\1: {SCRAPE_SECONDS}s"),
                           (r"targets: \[.*\]", f"targets: {json.dumps(targets)}")):
        text, changed = re.subn(pattern, value, text)
        assert changed, f"{pattern} is not in prometheus.yml"
    file = f"{folder}/prometheus.yml"
    Path(file).write_text(text, encoding="utf-8")
    return file


def promtool(binary, *arguments):
    result = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, f"promtool {arguments}: {result.stdout}{result.stderr}"
    print(f"promtool {' '.join(arguments[:2])}: ok")


@contextlib.contextmanager
def running(command, name, said=None):
    """A process that is always ended on exit. `said` is the file for its stderr; by default it shares the stderr of this process."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                print(f"{name} does not exit", file=sys.stderr)
                process.kill()
                process.wait()


def until(what, is_so, *processes):
    deadline = time.monotonic() + SECONDS_MAX
    while not is_so():
        ended = [process.args[0] for process in processes if process.poll() is not None]
        assert not ended, f"{ended} ended before this condition was met: {what}"
        assert time.monotonic() < deadline, f"this condition was not met in time: {what}"
        time.sleep(0.3)


def has_seen_enough(prometheus, port, out):
    """Whether the crawl has produced everything that panels show, and has been scraped often enough."""
    text = get(port, "/metrics") or ""
    done = total(text, "harvestman_crawl_pages_total") >= PAGES and total(text, "harvestman_policy_model_updates_total") > 0
    scraped = prometheus.ask("query", query=f'count_over_time(up{{job="{JOB}"}}[1h])')["result"]
    return done and scraped and int(scraped[0]["value"][1]) >= SCRAPES and os.path.exists(f"{out}/state")


def put_in(query, instance, node=".*"):
    """Substitutes Grafana's variables in a query. A variable used as a pattern is escaped, and escaped again within a string; `.*` selects all nodes."""
    pattern = re.escape(instance).replace("\\", "\\\\")
    # As Grafana does: at least four scrapes.
    for name, value in (("$__rate_interval", f"{4 * SCRAPE_SECONDS}s"), ("$__interval", f"{SCRAPE_SECONDS}s"),
                        ("$__range", "5m"), ("$job", JOB), ("$instance", pattern), ("$node", node)):
        query = query.replace(name, value)
    assert "$" not in query, f"a variable was not substituted in {query}"
    return query


def numbers(series):
    values = series["values"] if "values" in series else [series["value"]]
    return [float(value) for _, value in values if not math.isnan(float(value))]


def check_query(prometheus, place, target, query, span, needs="numbers"):
    """Checks a query of a panel, which must return numbers, series or nothing in particular. Returns its number of series."""
    if target.get("instant"):
        answer = prometheus.ask("query", query=query)
    else:
        answer = prometheus.ask("query_range", query=query, start=span[0], end=span[1], step=SCRAPE_SECONDS)
    series = [one for one in answer["result"] if needs != "numbers" or numbers(one)]
    assert series or needs == "nothing", f"{place}: {query} returns no numbers"
    for label in re.findall(r"{{\s*(\w+)\s*}}", target["legendFormat"]):
        nameless = [one["metric"] for one in series if not one["metric"].get(label)]
        assert not nameless, f"{place}: series without {label}: {nameless[:3]}"
    return len(series)


def check_panel(prometheus, place, panel, filled, span):
    """Checks the queries of a panel. Returns their number of series."""
    title = panel["title"]
    needs = "series" if title in RARE else "nothing" if title in EITHER else "numbers"
    found = sum(check_query(prometheus, f"{place}: {title}", target, filled(target["expr"]), span, needs) for target in panel["targets"])
    assert found, f"{place}: {title}: none of the queries returns a series"
    return found


def choices(prometheus, board, filled):
    """The values that can be selected at the top of a dashboard, by variable."""
    found = {}
    for choice in board["templating"]["list"]:
        if choice["type"] == "query":
            series, label = re.fullmatch(r"label_values\((.*), (\w+)\)", choice["query"]).groups()
            found[choice["name"]] = prometheus.ask(f"label/{label}/values", **{"match[]": filled(series)})
    return found


def check_dashboards(prometheus, names, filled, span):
    """Sends all queries of dashboards, with variables substituted by `filled`. Yields the values that can be selected in each."""
    for file in (GRAFANA / "dashboards" / f"{name}.json" for name in names):
        board = json.loads(file.read_text(encoding="utf-8"))
        chosen = choices(prometheus, board, filled)
        panels = [panel for panel in board["panels"] if panel.get("targets")]
        assert panels, f"{file.name} has no queries"
        found = [check_panel(prometheus, file.name, panel, filled, span) for panel in panels]
        print(f"{file.name}: {sum(len(panel['targets']) for panel in panels)} queries of {len(panels)} panels returned {sum(found)} series")
        yield chosen


def justified_alerts(folder, rule="HarvestmanDiskFull"):
    """The alert on a full disk, where less is free than it allows for: then it is right, whatever the crawl does."""
    warns_below = 20 * 2**30
    return {rule} if shutil.disk_usage(folder).free < warns_below else set()


def boards():
    """The names of all dashboards."""
    return sorted(file.stem for file in GRAFANA.glob("dashboards/*.json"))


class Overview:
    """What the overview shows of a crawl."""

    def __init__(self, prometheus, filled):
        board = json.loads((GRAFANA / "dashboards" / "overview.json").read_text(encoding="utf-8"))
        self.panels = {panel["title"]: panel for panel in board["panels"]}
        self.prometheus, self.filled = prometheus, filled

    def results(self, title):
        return self.prometheus.ask("query", query=self.filled(self.panels[title]["targets"][0]["expr"]))["result"]

    def state(self):
        texts = self.panels["State"]["fieldConfig"]["defaults"]["mappings"][0]["options"]
        one, = self.results("State")
        return texts[one["value"][1]]["text"]

    def bottleneck(self):
        one, = self.results("Bottleneck")
        return one["metric"]["cause"]

    def check_bottleneck(self, expected):
        limits = {one["metric"]["cause"]: round(float(one["value"][1]), 2) for one in self.results("Limits")}
        print(f"the overview shows the state {self.state()} and the bottleneck {self.bottleneck()}; limits: {limits}")
        assert self.bottleneck() in expected, f"{expected} hold this crawl back, not {self.bottleneck()}"


def check_states(args, out, overview, crawl):
    """Pauses the crawl, resumes it and interrupts it, and checks that the overview shows that within seconds."""
    def shows(*states):
        until(f"the overview shows {states}", lambda: overview.state() in states)

    shows("running")
    # The adaptive delay is as long as the responses take.
    overview.check_bottleneck(("politeness delay", "slow hosts"))
    for command, state in (("pause", "paused"), ("unpause", "running")):
        subprocess.run([args.harvestman, "ctl", out, command], check=True, timeout=30, capture_output=True)
        shows(state)
    assert crawl.poll() is None, "the crawl ended during the checks"
    crawl.send_signal(signal.SIGINT)
    assert crawl.wait(timeout=60) == INTERRUPTED, f"exit code {crawl.returncode}"
    # It depends on the moment of the last scrape whether Prometheus has seen the crawl stop.
    shows("finished", "down")


def check_rules(prometheus, is_fleet=False, expected=()):
    """Checks that all rules are evaluated, that recording rules yield a result, and that no unexpected alert fires. In a fleet only the rules
    of the fleet must yield a result, and in a crawl on one machine only the other rules."""
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
    wrong = [(rule["name"], rule["health"], rule.get("lastError")) for rule in rules if rule["health"] != "ok"]
    assert rules and not wrong, f"rules: {wrong}"
    for rule in rules:
        answer = prometheus.ask("query", query=rule["query"])["result"]
        is_of_this = (f"_{OF_FLEET}_" in rule["name"]) == is_fleet
        if rule["type"] == "recording":
            assert not is_of_this or any(numbers(series) for series in answer), f"{rule['name']} yields no result"
        elif rule["name"] not in expected:
            assert not answer and not rule["alerts"], f"{rule['name']} fires for a healthy crawl: {answer}"
    print(f"{len(rules)} rules evaluated; no alert fires{' except ' if expected else ''}{', '.join(sorted(expected))}")


def crawl_command(args, base, out, port):
    """The command line of a crawl that is slow enough to be observed."""
    return [args.harvestman, "crawl", base, "--out", out, "--policy", "ucc", "--delay", "30ms", "--per-host", "2",
            "--contact", "gate@example.org", "--metrics", f"127.0.0.1:{port}", "--quiet"]


def run(args, home):
    base, out = f"http://127.0.0.1:{PORTS[args.bed]}/", os.path.join(args.work, f"{args.bed}-scraped")
    shutil.rmtree(out, ignore_errors=True)
    port, own_port = free_port(), free_port()
    instance = f"127.0.0.1:{port}"
    folder = os.path.join(args.work, "prometheus-data")
    config = configuration(folder, instance)
    promtool(args.promtool, "check", "config", GRAFANA / "prometheus.yml")
    promtool(args.promtool, "check", "config", config)
    promtool(args.promtool, "check", "rules", *sorted(GRAFANA.glob("rules/*.yml")))
    promtool(args.promtool, "test", "rules", *sorted(GRAFANA.glob("rules/tests/*.yml")))
    server = serve(args, home, base)
    try:
        watch = [args.prometheus, f"--config.file={config}", f"--storage.tsdb.path={folder}/tsdb", "--log.level=warn",
                 f"--web.listen-address=127.0.0.1:{own_port}"]
        with running(watch, "prometheus") as watching, running(crawl_command(args, base, out, port), "the crawl") as crawl:
            prometheus, began = Prometheus(own_port), time.time()
            until("Prometheus is ready", prometheus.is_ready, watching)
            until("the crawl was scraped often enough", lambda: has_seen_enough(prometheus, port, out), watching, crawl)
            promtool_check(args.promtool, get(port, "/metrics"))
            own = [name for name in boards() if name != OF_FLEET]
            for chosen in check_dashboards(prometheus, own, lambda query: put_in(query, instance), (began, time.time())):
                assert chosen["job"] and chosen["instance"] and not chosen["node"], f"values that can be selected: {chosen}"
            check_rules(prometheus, expected=justified_alerts(args.work))
            check_states(args, out, Overview(prometheus, lambda query: put_in(query, instance)), crawl)
    finally:
        stop(server)
    print(f"all queries of grafana/ returned results for a crawl of {args.bed}, in {time.time() - began:.0f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bed", required=True, choices=sorted(PORTS))
    for name in ("beds", "work", "harvestman", "prometheus", "promtool"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    # Ends all child processes if a time limit ends this script.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    args.work = os.path.abspath(args.work)
    run(args, os.path.join(args.work, args.bed))


if __name__ == "__main__":
    main()
