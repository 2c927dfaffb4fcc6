#!/usr/bin/env python3
"""Makes the pictures of the book again, each from a real run.

Usage: make.py HARVESTMAN learn RECORDING      (clusters.svg: what is learned of a recorded site)
       make.py HARVESTMAN harvest RECORDING    (harvest.svg: pages that came with the first requests; the recording has labels)
       make.py HARVESTMAN page SEED            (live-page.png: the live page of a crawl of a site that runs, such as the tutorial's)

RECORDING is a WARC file. `learn` and `harvest` need harvestman-lab beside HARVESTMAN. `learn` needs Graphviz, `page` a Python with playwright, and Chromium. Pictures are written beside this file.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS_MAX = 600
# The number that pages like no others share.
OUTLIERS = 1
# When the page is photographed.
PAGES_WATCHED = 250
PAGE_HEIGHT = 1060
LOOK = 'graph [bgcolor=white, pad=0.2, nodesep=0.15, ranksep=0.4]; node [fontname="DejaVu Sans", fontsize=16]; edge [fontname="DejaVu Sans", fontsize=14, color="#5f6b76"];'


def run(*command, **options):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=SECONDS_MAX, stdout=subprocess.PIPE, check=True, **options)
    return result.stdout.decode()


def quoted(text):
    return '"' + text.replace('"', r"\"") + '"'


def without_host(url):
    return re.sub(r"^\w+://[^/]+", "", url)


def short(text, most):
    return text if len(text) <= most else text[:most - 1] + "…"


def draw(name, lines, program="dot"):
    dot = "digraph {\n" + LOOK + "\n" + "\n".join(lines) + "\n}\n"
    result = subprocess.run([program, "-Tsvg"], input=dot.encode(), stdout=subprocess.PIPE, timeout=SECONDS_MAX, check=True)
    save(name, result.stdout.decode())


def save(name, svg):
    with open(f"{HERE}/{name}", "w", encoding="utf-8") as file:
        file.write(svg)
    print(f"{name}: {os.path.getsize(f'{HERE}/{name}') // 1024} KiB")


def learned(harvestman, recording, *options):
    """What is learned of the recording, as `harvestman inspect site` tells it."""
    with tempfile.TemporaryDirectory() as folder:
        run(f"{harvestman}-lab", "replay", recording, "--pages", "1000", "--no-labels", "--write-model", f"{folder}/model", *options)
        return json.loads(run(harvestman, "inspect", "site", f"{folder}/model", "--format", "json"))


def colour(worth):
    """From grey to green, as HSV."""
    return f'"0.38 {0.08 + 0.5 * min(worth, 1):.2f} 0.96"'


def clusters(site):
    """Clusters as ovals, larger where they have more pages, greener where they are worth more; edges as links led from one to another."""
    lines = []
    for cluster in site["clusters"]:
        number, example = cluster["cluster"], without_host(cluster["examples"][0])
        worth = cluster.get("worth") or 0
        label = f"{f'cluster {number}' if number > OUTLIERS else 'outliers'}\n{cluster['pages']} pages, worth {worth:.2f}\n{short(example, 28)}"
        size = 1.5 + 1.8 * cluster["pages"] / site["pages"]
        lines.append(f"c{number} [label={quoted(label)}, style=filled, fillcolor={colour(worth)}, height={size:.1f}];")
        lines += edges(cluster)
    return lines


def edges(cluster):
    """An edge for each cluster that links led to, labelled by the pattern that led there most."""
    led = {}
    for link in cluster["classes"]:
        for to in filter(lambda to: to["cluster"], link["leads_to"]):
            led.setdefault(to["cluster"], []).append((to["fetches"], link["pattern"]))
    for to, links in sorted(led.items()):
        links.sort(reverse=True)
        told = [f"{short(pattern, 26)} ×{fetches}" for fetches, pattern in links[:1]] + [f"and {len(links) - 1} more"] * (len(links) > 1)
        width = 1 + min(sum(fetches for fetches, _ in links), 400) ** 0.5 / 5
        label = quoted("\n".join(told))
        yield f"c{cluster['cluster']} -> c{to} [label={label}, penwidth={width:.1f}];"


def learn(harvestman, recording):
    draw("clusters.svg", clusters(learned(harvestman, recording)))


def harvest(harvestman, recording):
    with tempfile.TemporaryDirectory() as folder:
        run(f"{harvestman}-lab", "lab", "ucc", recording, "--policies", "bfs,ucc", "--variants", "default", "--seeds", "2", "--out", folder, "--quiet")
        with open(f"{folder}/ucc.html", encoding="utf-8") as file:
            plots = re.findall(r"<svg.*?</svg>", file.read(), re.DOTALL)
    save("harvest.svg", next(plot for plot in plots if "without duplicate views" in plot and "fetches" in plot))


def page(harvestman, seed):
    sys.path.insert(0, os.path.join(HERE, "../../tests/e2e"))
    from browser import Watched, chromium
    with tempfile.TemporaryDirectory() as folder:
        command = [harvestman, "crawl", seed, "--policy", "ucc", "--seed", "1", "--out", "forum", "--delay", "50ms", "--quiet",
                   "--requests", "600", "--metrics", "127.0.0.1:0", "--contact", "you@example.org"]
        crawl = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            file = f"{folder}/forum/live.url"
            until(lambda: os.path.exists(file) and os.path.getsize(file), crawl)
            with chromium() as browser, Watched(browser, address(file)) as watched:
                watched.open().element("[data-stage=pages]").wait_for()
                until(lambda: watched.evaluate("+document.querySelector('[data-stage=pages]').dataset.count") >= PAGES_WATCHED, crawl)
                watched.page.set_viewport_size({"width": 1280, "height": PAGE_HEIGHT})
                nodes = watched.element("[data-cluster]")
                largest = max(range(nodes.count()), key=lambda at: nodes.nth(at).bounding_box()["height"])
                nodes.nth(largest).click()
                watched.element("#detail").wait_for()
                watched.evaluate("scrollTo(0, 0)")
                watched.page.screenshot(path=f"{HERE}/live-page.png")
        finally:
            crawl.terminate()
            crawl.wait(timeout=60)
    print(f"live-page.png: {os.path.getsize(f'{HERE}/live-page.png') // 1024} KiB")


def until(true, crawl):
    """Waits while the crawl runs."""
    deadline = time.monotonic() + SECONDS_MAX
    while not true():
        assert crawl.poll() is None and time.monotonic() < deadline, "the crawl ended, or took too long"
        time.sleep(0.1)


def address(file):
    """What the crawl wrote of the page's address."""
    with open(file, encoding="utf-8") as lines:
        return lines.readline().strip()


def main():
    what = {"learn": learn, "harvest": harvest, "page": page}
    if len(sys.argv) != 4 or sys.argv[2] not in what:
        sys.exit(__doc__)
    what[sys.argv[2]](os.path.abspath(sys.argv[1]), sys.argv[3])


if __name__ == "__main__":
    main()
