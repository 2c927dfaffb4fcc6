#!/usr/bin/env python3
"""Monitors and steers a crawl through its live page, in a headless Chromium.

Usage: live_page.py HARVESTMAN WORK_DIR AXE_JS
       live_page.py --url URL WORK_DIR AXE_JS      (a page that is already served; checks that need the crawl's files are skipped)

A simulated photo site is crawled slowly. The script checks that the live page
  * shows the numbers of the funnel and the nodes of the site map as the API returns them,
  * executes pause, resume, pin, ban, a budget and stop by mouse or keyboard, and still shows them after a reload,
  * keeps the focus and the expanded elements across updates, and survives a broken stream and a view without most of its parts,
  * shows every text as text, regardless of its content,
  * changes nothing without a token or with a wrong one, and reports this,
  * logs nothing to the console, contacts no other origin, fits windows of 390 and 1280 pixels, light and dark, and has no serious
    violations according to axe-core.
The crawl and the screenshots are written to WORK_DIR, which is recreated. Exits with 0 if all checks pass.
"""

import argparse
import contextlib
import os
import shutil
import stat
import subprocess
import time

import live_page_hostile as hostile
import live_page_steering as steering
from browser import THEMES, WIDTHS, Watched, chromium
from live_api import Api, until
from sim import end_on_sigterm, served

SECONDS_MAX = 400
LEARNING_SECONDS_MAX = 120
CLUSTERS_LEAST = 4


@contextlib.contextmanager
def crawl(args, out):
    """A crawl of a simulated photo site that is slow enough to be observed."""
    with served(args.harvestman, "--pages", "20000", "--hosts", "1", "--families", "media", seconds_max=SECONDS_MAX) as seed:
        command = [args.harvestman, "crawl", seed, "--policy", "ucc", "--metrics", "127.0.0.1:0", "--out", out, "--seed", "1",
                   "--delay", "20ms", "--per-host", "2", "--set", "fetch.private_addresses=true", "--contact", "gate@localhost",
                   "--quiet"]
        with open(f"{args.work}/crawl.log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, stdin=subprocess.DEVNULL)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def address_of(out):
    """The address of the page, from a file that only its user may read."""
    file = f"{out}/live.url"
    until("live.url", lambda: os.path.exists(file) and os.path.getsize(file) > 0)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600, "other users may read the token"
    with open(file, encoding="utf-8") as lines:
        return lines.readline().strip()


def check_token_is_hidden(watched):
    """Checks that the address bar, which ends up in screenshots and browser histories, does not show the token."""
    assert "token" not in watched.evaluate("location.href"), watched.evaluate("location.href")
    assert watched.element("#pause").is_enabled()
    watched.page.reload()
    watched.element("[data-stage=pages]").wait_for()
    assert watched.element("#pause").is_enabled(), "the token is lost on reload"


def check_numbers(watched, api):
    """Checks that the page of a paused crawl shows the numbers of the API."""
    def differences():
        view = api.live()
        shown = watched.evaluate("[...document.querySelectorAll('[data-stage]')]"
                                 ".map((it) => [it.dataset.stage, +it.dataset.count, it.textContent])")
        told = [[stage["stage"], stage["count"], f"{stage['count']:,}"] for stage in view["funnel"]]
        nodes = sorted(watched.evaluate("[...document.querySelectorAll('[data-cluster]')].map((it) => +it.dataset.cluster)"))
        return [shown, nodes], [told, sorted(node["id"] for node in view["site"]["nodes"])]
    until("the numbers of the API on the page", lambda: (lambda pair: pair[0] == pair[1])(differences()), say=differences)
    stages, nodes = differences()[0]
    assert len(stages) >= 5 and len(nodes) >= CLUSTERS_LEAST
    print(f"the page and the API agree: {', '.join(f'{name} {count}' for name, count, _ in stages)}; {len(nodes)} nodes")


def check_table(watched):
    """Checks that the table has the same nodes as the drawing."""
    nodes = watched.element("[data-cluster]").count()
    watched.element("#as-table").click()
    assert watched.element("#clusters tbody tr").count() == nodes and not watched.element("#map").is_visible()
    watched.element("#as-table").click()
    assert watched.element("#map").is_visible()


def check_looks(browser, url, args, axe):
    """Checks width and accessibility at both widths in both themes. To run axe, the page's content security policy is bypassed."""
    for width in WIDTHS:
        for theme in THEMES:
            with Watched(browser, url, width, theme) as watched:
                watched.open().element("[data-cluster]").first.click()
                watched.element("#detail").wait_for()
                watched.check_width()
                watched.page.screenshot(path=f"{args.work}/live-{width}-{theme}.png", full_page=True)
                watched.check_quiet()
            with Watched(browser, url, width, theme, bypass_csp=True) as watched:
                watched.open().element("[data-cluster]").first.click()
                for summary in watched.element("summary:visible").all()[:6]:
                    summary.click()
                found = watched.grave_violations(axe)
                assert not found, f"{width} pixels, {theme}: {found}"
    print(f"fits {' and '.join(map(str, WIDTHS))} pixels, light and dark; axe-core finds no serious violations")


def check(args, browser, url, process):
    api = Api(url)
    with open(args.axe, encoding="utf-8") as file:
        axe = file.read()
    with Watched(browser, url, motion="no-preference") as watched:
        watched.open().element("[data-stage=pages]").wait_for()
        check_token_is_hidden(watched)
        until("fetches", lambda: watched.element("#fetches a[href]").count() > 5)
        steering.check_focus_is_kept(watched)
        files = args.out if process else None
        found = []
        until("clusters", lambda: found.append(steering.cluster_to_steer(api, files)) or found[-1], seconds=LEARNING_SECONDS_MAX)
        node = found[-1]
        until("nodes", lambda: watched.element("[data-cluster]").count() >= CLUSTERS_LEAST)
        steering.check_pause(watched, api)
        check_numbers(watched, api)
        check_table(watched)
        check_looks(browser, url, args, axe)
        hostile.check(browser, url, api, args.work, axe)
        steering.check_read_only(browser, url, api)
        steering.check_pin_by_keyboard(watched, api, node)
        steering.check_budget(watched, api)
        steering.check_resume(watched, api)
        steering.check_pin_holds(watched, api, files, node)
        steering.check_ban(watched, api, files, node)
        steering.check_stop(watched, process)
        watched.check_quiet()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("harvestman", nargs="?")
    parser.add_argument("work")
    parser.add_argument("axe")
    parser.add_argument("--url")
    args = parser.parse_args()
    end_on_sigterm()
    args.out = f"{args.work}/crawl"
    shutil.rmtree(args.work, ignore_errors=True)
    os.makedirs(args.work)
    start = time.monotonic()
    with chromium() as browser:
        if args.url:
            check(args, browser, args.url, None)
        else:
            with crawl(args, args.out) as process:
                check(args, browser, address_of(args.out), process)
    print(f"the live page monitors and steers a crawl ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
