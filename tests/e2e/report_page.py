#!/usr/bin/env python3
"""Opens crawl reports in headless Chromium, from disk and offline, and checks their contents and accessibility.

Usage: report_page.py HARVESTMAN CHROMIUM AXE SHOTS CRAWL [CRAWL ...]

CRAWL are crawl directories, AXE is axe.min.js, SHOTS is a directory for screenshots. For each crawl the script checks that
  * the page requests nothing except itself, and the console stays empty,
  * every figure with a key in the JSON document has the same value there, and that document contains report.json unchanged,
  * nothing overflows the page at 390 px and at 1280 px, in light and dark,
  * axe-core finds no serious or critical violation, in light and dark,
  * every scrollable element can be reached with the keyboard.

Requires playwright in the Python environment. Exits with 0 if all checks pass.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")
# Figures of report.json that must be on the page of a finished crawl.
KEYS = ("pages", "requests", "bytes", "discovered")
REPORT_SECONDS_MAX = 120


def made(binary, crawl, form):
    """The report as a string."""
    command = [binary, "report", crawl, "--format", form, "--out", "-"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=REPORT_SECONDS_MAX, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr
    return result.stdout


def at(document, key):
    for part in key.split("."):
        document = document[part]
    return document


def check_figures(page, crawl, document):
    with open(os.path.join(crawl, "report.json")) as file:
        own = json.load(file)
    assert document["report"] == own, "the document does not contain report.json unchanged"
    figures = page.eval_on_selector_all("data[data-key]", "all => all.map(e => [e.dataset.key, e.value, e.innerText])")
    for key, value, _ in figures:
        # Names in keys may contain dots, but those of fates, statuses and errors do not.
        assert float(value) == float(at(document, key)), f"{key}: {value} on the page, {at(document, key)} in the document"
    shown = {key: int(value) for key, value, _ in figures if key.startswith("report.") and value.isdigit()}
    for key in KEYS:
        assert shown.get(f"report.{key}") == own[key], f"{key}: {shown.get(f'report.{key}')} on the page"
    fates = sum(value for key, value in shown.items() if key.startswith("report.fates."))
    assert fates == own["discovered"], f"the fates on the page add up to {fates}, but {own['discovered']} links were discovered"
    return len(figures)


def check_width(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert beyond <= 0, f"the page is {beyond} px too wide at {width} px"
    lost = page.evaluate("""() => [...document.querySelectorAll('*')].filter(e => {
        const s = getComputedStyle(e);
        return e.scrollWidth > e.clientWidth + 1 && ['auto', 'scroll'].includes(s.overflowX) && e.tabIndex < 0;
    }).map(e => e.outerHTML.slice(0, 80))""")
    assert not lost, f"not reachable with the keyboard: {lost}"


def check_accessible(page, axe, what):
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    told = [f"{v['impact']}: {v['id']}: {v['help']}: {v['nodes'][0]['html'][:120]}" for v in found]
    assert not [v for v in found if v["impact"] in ("serious", "critical")], f"{what}: " + "\n".join(told)
    return told


def check(browser, args, crawl, axe):
    name = os.path.basename(os.path.normpath(crawl))
    file = Path(args.shots, f"{name}.html").resolve()
    file.write_text(made(args.harvestman, crawl, "html"))
    document = json.loads(made(args.harvestman, crawl, "json"))
    for scheme in SCHEMES:
        context = browser.new_context(offline=True, color_scheme=scheme)
        page = context.new_page()
        asked, said = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(file.as_uri(), wait_until="load")
        figures = check_figures(page, crawl, document)
        for width in WIDTHS:
            check_width(page, width)
            page.screenshot(path=os.path.join(args.shots, f"{name}-{scheme}-{width}.png"), full_page=True)
        told = check_accessible(page, axe, f"{name}, {scheme}")
        page.emulate_media(media="print")
        page.screenshot(path=os.path.join(args.shots, f"{name}-{scheme}-print.png"), full_page=True)
        assert asked == [file.as_uri()], f"the page requested {asked}"
        assert not said, f"the console contains {said}"
        context.close()
    print(f"{name}: {figures} figures match the JSON document, no requests, no overflow at {WIDTHS} px, axe: {told or 'no violations'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("harvestman", "chromium", "axe", "shots"):
        parser.add_argument(name)
    parser.add_argument("crawls", nargs="+")
    args = parser.parse_args()
    os.makedirs(args.shots, exist_ok=True)
    with open(args.axe) as file:
        axe = file.read()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=args.chromium, args=ARGUMENTS)
        for crawl in args.crawls:
            check(browser, args, crawl, axe)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
