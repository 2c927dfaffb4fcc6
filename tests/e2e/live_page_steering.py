"""Checks of the commands that the live page sends to a crawl."""

import json
import re
import time
from collections import Counter

from browser import Watched
from live_api import until

PAUSE_SECONDS_MAX = 2
# Requests in flight at the time of a ban still finish.
UNDER_WAY_SECONDS = 3
WATCHED_SECONDS = 6
CLEAR = 0.9
PAGES_TO_JUDGE_BY = 20
WAITING_LEAST = 60
PINNED_LEAST = 15
PINNED_SHARE = 0.7


def state(watched):
    return watched.element("#state").get_attribute("data-state")


def result(watched, part):
    """Waits until the page shows the result of a command."""
    until(f"`{part}` in the list of commands", lambda: part in watched.element("#told").text_content())


def check_focus_is_kept(watched):
    """Checks that focus, expanded elements and the text selection survive two updates."""
    fold = watched.element("#funnel details:visible").first
    fold.locator("summary").click()
    watched.evaluate("getSelection().selectAllChildren(document.querySelector('#funnel h3'))")
    watched.element("#fetches a[href]").nth(3).focus()
    focused = watched.evaluate("document.activeElement.href")
    seen = watched.text("[data-stage=requested]")
    until("a view with other numbers", lambda: watched.text("[data-stage=requested]") != seen)
    time.sleep(2)
    assert watched.evaluate("document.activeElement.href") == focused, "the focus was lost"
    assert fold.get_attribute("open") is not None, "an expanded element was collapsed"
    assert watched.evaluate("getSelection().toString()") == watched.text("#funnel h3"), "the text selection was lost"
    fold.locator("summary").click()


def check_pause(watched, api):
    """Checks that requests stop soon, and that the button changes to Resume."""
    assert watched.text("#pause") == "Pause" and state(watched) == "running", state(watched)
    watched.element("#pause").click()
    result(watched, "pause")
    time.sleep(PAUSE_SECONDS_MAX)
    before = api.status()
    time.sleep(1)
    after = api.status()
    assert before["paused"] and before["requests"] == after["requests"], f"{before['requests']}, then {after['requests']}"
    until("the button Resume", lambda: watched.text("#pause") == "Resume" and state(watched) == "paused")


def check_resume(watched, api):
    before = api.status()["requests"]
    watched.element("#pause").click()
    until("more requests", lambda: api.status()["requests"] > before)
    until("the button Pause", lambda: watched.text("#pause") == "Pause" and state(watched) == "running")


def check_read_only(browser, url, api):
    """Checks that the page is read-only without a token, and that a wrong token is rejected and changes nothing."""
    held = api.in_force()
    with Watched(browser, api.base + "/") as watched:
        watched.open().element("[data-cluster]").first.click()
        assert watched.element("#token-form").is_visible() and "read-only" in watched.text("#token-note")
        usable = watched.element("[data-steers]:enabled").count()
        assert usable == 0, f"{usable} controls work without a token"
        watched.check_quiet()
        watched.element("#token").fill("wrong")
        watched.element("#token-form button").click()
        watched.element("#pin").click()
        until("the refusal", lambda: "invalid" in watched.text("#token-note") and watched.element("#token-form").is_visible())
        assert watched.element("#pin").is_disabled()
        # Chromium itself logs the 401 response; nothing else may be logged.
        assert [line for line in watched.said if "401" not in line] == [], watched.said
        assert api.in_force() == held, "a wrong token changed something"
        watched.element("#token").fill(api.token)
        watched.element("#token-form button").click()
        assert watched.element("#pin").is_enabled(), "the correct token was not accepted"


def tab_to(watched, selector, most=80):
    """Moves the focus with the Tab key only."""
    for _ in range(most):
        if watched.evaluate("(it) => document.activeElement.matches(it)", selector):
            return
        watched.page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached within {most} presses of Tab")


def check_pin_by_keyboard(watched, api, node):
    """Checks that a cluster can be pinned from the top of the page without a mouse."""
    watched.page.reload()
    watched.element("[data-cluster]").first.wait_for()
    tab_to(watched, "[data-cluster]")
    order = [str(node["id"]) for node in sorted(api.live()["site"]["nodes"], key=lambda node: (-node["pages"], node["id"]))]
    chosen = str(node["id"])
    for _ in range(order.index(chosen)):
        watched.page.keyboard.press("ArrowRight")
    assert watched.evaluate("document.activeElement.dataset.cluster") == chosen, "the arrow keys do not move by size"
    watched.page.keyboard.press("Enter")
    watched.element(f"#detail[data-chosen='{chosen}']").wait_for()
    tab_to(watched, "#pin", 3)
    watched.page.keyboard.press("Enter")
    until("the pin in the crawl", lambda: chosen in api.in_force()["pinned"])
    until("the pin on the page", lambda: watched.text("#pin") == "Unpin")
    assert watched.evaluate("document.activeElement.id") == "pin", "the button has lost the focus"
    watched.element("[data-force=pinned]").get_by_text(chosen, exact=True).wait_for()
    print(f"cluster {chosen} ({node['pattern']}) was pinned by keyboard")


def check_budget(watched, api):
    watched.element(".budgets summary").click()
    watched.element("#budget-name").select_option("pages")
    watched.element("#budget-value").fill("19999")
    watched.element("#budget-value").press("Enter")
    until("the budget in the crawl", lambda: ("pages", 19999) in [(it["budget"], it["limit"]) for it in api.status()["budgets"]])
    until("the budget on the page", lambda: "of 19,999" in watched.element("#budgets").text_content())
    until("the setting in force", lambda: "budget.pages=19999" in watched.element("#force").text_content())


def form(pattern):
    """A URL pattern as a regular expression for the part after the host."""
    parts = {"N": r"\d+", "S": "[^/?&]+", r"\*": "[^/?&]*"}
    text = re.sub(r"(?<=[/=])(?:N|S|\\\*)(?=/|&|$|\\\?)", lambda found: parts[found[0]], re.escape(pattern))
    return re.compile(f"^{text}$")


def lines_of(out):
    with open(f"{out}/pages.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def path_of(url):
    return "/" + url.split("/", 3)[3]


def of_pattern(node, lines):
    """The number of lines whose URL matches the pattern of the cluster."""
    return sum(1 for line in lines if form(node["pattern"]).search(path_of(line["url"])))


def told_by_pattern(node, lines):
    """Whether a cluster is identified by its pattern: URLs of the pattern are in the cluster, and vice versa."""
    lines = [line for line in lines if line.get("cluster")]
    inside = [line for line in lines if line["cluster"] == node["id"]]
    both = of_pattern(node, inside)
    return both >= max(PAGES_TO_JUDGE_BY, CLEAR * of_pattern(node, lines), CLEAR * len(inside))


def cluster_to_steer(api, out):
    """A cluster that is identified by its pattern and has enough queued URLs, or None if there is none yet."""
    view = api.live()
    lines = lines_of(out) if out else []
    waiting = Counter()
    for row in view["classes"]["rows"]:
        waiting[row["pattern"]] += row["waiting"]
    nodes = [node for node in view["site"]["nodes"] if node["id"] > 1 and node["pattern"]]
    fits = (node for node in nodes if not out or waiting[node["pattern"]] >= WAITING_LEAST and told_by_pattern(node, lines))
    return next(fits, None)


def check_pin_holds(watched, api, out, node):
    """Checks that pinned pages are fetched first, and that the pin can be removed in the list of active commands."""
    if out:
        since = len(lines_of(out))
        until("pages of the pinned cluster", lambda: of_pattern(node, lines_of(out)[since:]) >= PINNED_LEAST)
        new = lines_of(out)[since:]
        print(f"{of_pattern(node, new)} of {len(new)} fetches since then match its pattern")
        assert of_pattern(node, new) >= PINNED_SHARE * len(new)
    watched.element("[data-force=pinned] button").click()
    until("nothing pinned", lambda: api.in_force()["pinned"] == [] and watched.text("#pin") == "Pin as target")


def check_ban(watched, api, out, node):
    """Checks a ban by mouse with a confirmation: URLs of the cluster are no longer requested."""
    # Dispatches the event because the node moves.
    watched.element(f"[data-cluster='{node['id']}']").dispatch_event("click")
    watched.element(f"#detail[data-chosen='{node['id']}']").wait_for()
    watched.element("#ban").click()
    watched.element("#confirm-no").click()
    assert api.in_force()["banned"] == [], "it was banned without confirmation"
    watched.element("#ban").click()
    watched.element("#confirm-yes").click()
    until("the ban in the crawl", lambda: str(node["id"]) in api.in_force()["banned"])
    until("the ban on the page", lambda: watched.text("#ban") == "Unban")
    if out:
        check_banned_stays_away(node, out)
    watched.page.reload()
    watched.element("[data-force=banned]").get_by_text(str(node["id"]), exact=True).wait_for()
    until("the mark on the map", lambda: "banned" in watched.element(f"[data-cluster='{node['id']}']").get_attribute("aria-label"))


def check_banned_stays_away(node, out):
    time.sleep(UNDER_WAY_SECONDS)
    since = len(lines_of(out))
    time.sleep(WATCHED_SECONDS)
    new = lines_of(out)[since:]
    print(f"cluster {node['id']} ({node['pattern']}) was banned: {of_pattern(node, new)} of {len(new)} fetches since then match it")
    assert len(new) >= PINNED_LEAST and of_pattern(node, new) == 0


def check_stop(watched, process):
    """Checks a stop with a confirmation: the page shows the end of the crawl and sends no more requests."""
    watched.element("#stop").click()
    watched.element("#confirm-no").click()
    assert state(watched) == "running" and (process is None or process.poll() is None)
    watched.element("#stop").click()
    watched.element("#confirm-yes").click()
    until("the end of the crawl", lambda: state(watched) == "ended", say=lambda: state(watched))
    assert "ended" in watched.text("#state-note")
    if process:
        code = process.wait(timeout=30)
        assert code in (0, 130), f"exit code {code}"
        print(f"stopped: exit code {code}; the page shows: {watched.text('#state-note')}")
    asked = len(watched.asked)
    time.sleep(3)
    assert len(watched.asked) == asked, "the page still sends requests to a server that is gone"
    assert watched.element("#pause").is_disabled()
