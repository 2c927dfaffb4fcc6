"""Checks of the live page with abnormal views: hostile strings, missing parts, a broken stream."""

import json

from browser import THEMES, WIDTHS, Watched
from live_api import until

ATTACK = "<script>hacked=1</script><img src=x onerror=hacked=1>\u202egnp.exe\u202c \u200f\u05e9\u05dc\u05d5\u05dd \U0001f600 "
LONG = "http://long.test/" + "x" * 300
SCRIPT = "javascript:hacked=1"
# Values that the page interprets, so they are kept.
KEPT = ("kind", "stage", "id", "time", "budget", "paused", "draining", "stall")


def spoilt(value, key=None, at=0):
    """The same view with every text replaced."""
    if isinstance(value, dict):
        return {name: spoilt(part, name, index) for index, (name, part) in enumerate(value.items())}
    if isinstance(value, list):
        return [spoilt(part, key, index) for index, part in enumerate(value)]
    return [f"{ATTACK}{at}", f"{LONG}{at}", SCRIPT][at % 3] if isinstance(value, str) and key not in KEPT else value


def with_fleet(view):
    """The same crawl as a node of a fleet that has partly caught up."""
    nodes = [{"node": name, "session": f"{name}.1", "leads": name == "a", "state": state, "partitions": 100, "caught_up": 98, "waiting": 12_345,
              "under_way": 8, "pages": 4_567, "requests": 5_000, "bytes": 99_999, "behind": 17} for name, state in (("a", "live"), ("b", "silent"))]
    fleet = {"name": "crawl", "state": "running", "partitions": 256, "held": 200, "size": 70, "nodes": nodes, "exchange": [9, 9]}
    return {**view, "status": {**view["status"], "fleet": {"session": "b.1", "margin_seconds": 7.3, "fleet": fleet}}}


def check_fleet(browser, url, view):
    """Checks that only a node of a fleet shows the fleet: its nodes, the leader, and which node this is."""
    assert "fleet" not in view["status"]
    with Watched(browser, url) as watched:
        watched.open().element("[data-stage=pages]").wait_for()
        assert not watched.element("#fleet-section").is_visible()
    with Watched(browser, url) as watched:
        serve_view(watched, with_fleet(view))
        watched.open().element("#fleet tbody tr").first.wait_for()
        rows = [row.inner_text().split("\t")[:4] for row in watched.element("#fleet tbody tr").all()]
        assert rows == [["a", "live, leader", "100", "98"], ["b", "silent, this node", "100", "98"]], rows
        told = watched.text("#fleet-sum")
        assert "200 of 256 partitions held, 2 of 70 nodes" in told and "another 7" in told, told
        watched.check_quiet()


def serve_view(watched, view):
    """Makes every stream of this page send one view and then break."""
    body = f"event: view\ndata: {json.dumps(view)}\n\n"
    watched.page.route("**/api/events", lambda route: route.fulfill(content_type="text/event-stream", body=body))


def check_text_is_text(browser, url, view, work):
    for width in WIDTHS:
        with Watched(browser, url, width, THEMES[width == 390]) as watched:
            serve_view(watched, spoilt(view))
            watched.open().element("[data-cluster]").first.click()
            watched.element("#detail").wait_for()
            assert watched.evaluate("typeof hacked") == "undefined", "a text was executed as code"
            assert watched.evaluate("document.querySelectorAll('main img, header img, main script').length") == 0
            leads = watched.evaluate("[...document.querySelectorAll('a[href]:not(.skip)')].map((it) => [it.protocol, it.rel])")
            assert leads and all(it == ["http:", "noopener noreferrer"] for it in leads), leads
            shown = watched.element("main").inner_text()
            assert "<script>hacked=1</script>" in shown and "\\u202e" in shown and "\u202e" not in shown
            watched.check_width()
            watched.page.screenshot(path=f"{work}/hostile-{width}.png", full_page=True)
            watched.check_quiet()


def unscored(view):
    """The same site as shown by a policy that does not score pages."""
    nodes = [{**node, "worth": None} for node in view["site"]["nodes"]]
    return {**view, "site": {**view["site"], "nodes": nodes}}


def check_nobody_is_kept_out(browser, url, view, axe):
    """Checks accessibility after the stream has broken, too: stale content is grey but must stay readable."""
    for width, theme, shown in zip(WIDTHS, THEMES, (spoilt(view), unscored(view))):
        with Watched(browser, url, width, theme, bypass_csp=True) as watched:
            serve_view(watched, shown)
            watched.open().element("[data-cluster]").first.click()
            watched.element("body.stale #detail").wait_for()
            found = watched.grave_violations(axe)
            assert not found, f"{width} pixels, {theme}: {found}"


def check_little_is_enough(browser, url, view):
    """Checks views of a crawl that has just started, of a crawl without clusters, and of a server that sends fewer fields."""
    without_map = {**view, "site": {"kind": "none", "note": "This policy learns no clusters.", "nodes": [], "edges": []}}
    plain = unscored(view)
    hollow = {"status": {"fleet": {}}, "site": {}, "classes": {}, "hosts": {}, "history": {}}
    for little in ({}, {"funnel": []}, hollow, without_map, plain):
        with Watched(browser, url) as watched:
            serve_view(watched, little)
            watched.open()
            until("the view", lambda: watched.element("body.stale").count() > 0)
            watched.check_quiet()
            if little is without_map:
                assert "learns no clusters" in watched.text("#map-note") and not watched.element("#map").is_visible()
            if little is plain:
                assert watched.element("[data-cluster][aria-label*='no score']").count() > 0


def check_forms_keep_their_places(browser, url, view):
    """Checks that a selection survives renumbering: URL forms get new numbers in each view, and commands name them by their pattern."""
    def numbered(*ids):
        nodes = [{"id": id, "pages": 9, "worth": None, "pattern": pattern, "examples": []} for id, pattern in zip(ids, ("/t/N", "/m/S/"))]
        return {**view, "site": {"kind": "forms", "nodes": nodes, "edges": []}}
    first, second = numbered(0, 1), numbered(1, 0)
    with Watched(browser, url) as watched:
        views = iter([first, first])
        watched.page.route("**/api/events", lambda route: route.fulfill(
            content_type="text/event-stream", body=f"event: view\ndata: {json.dumps(next(views, second))}\n\n"))
        told = []
        watched.page.route("**/api/pin", lambda route: (told.append(route.request.post_data), route.fulfill(body="it holds")))
        watched.open().element("[aria-label*='/m/S/']").click()
        assert watched.element("[aria-label*='/m/S/']").get_attribute("data-cluster") == "1"
        until("the new numbers", lambda: watched.element("[aria-label*='/m/S/']").get_attribute("data-cluster") == "0")
        assert watched.element("[aria-label*='/m/S/']").get_attribute("aria-pressed") == "true"
        watched.element("#pin").click()
        until("a pin", lambda: told == ['["/m/*/"]'], say=lambda: told)
        watched.check_quiet()


def check_broken_stream(browser, url):
    """Checks that the last view stays, that the page marks it as stale, and that updates resume with the stream."""
    with Watched(browser, url) as watched:
        watched.page.route("**/api/events", lambda route: route.fulfill(status=503, body="too many streams"), times=2)
        watched.open()
        until("the state `lost`", lambda: watched.element("#state").get_attribute("data-state") == "lost")
        assert "Retrying" in watched.text("#state-note")
        watched.element("[data-stage=pages]").wait_for()
        until("a state of the crawl", lambda: watched.element("#state").get_attribute("data-state") in ("running", "paused"))
        streams = [asked for asked in watched.asked if asked.endswith("/api/events")]
        assert len(streams) == 3, streams
        # Chromium itself logs the two 503 responses.
        assert all("503" in line for line in watched.said), watched.said


def check_taken(browser, url, work, axe):
    """Checks that a fetched page is shown as its texts, with what was taken as posts marked, or that the reason is told."""
    with Watched(browser, url) as watched:
        button = watched.open().element("#fetches button:visible").first
        address = button.get_attribute("aria-label").removeprefix("Show posts of ")
        button.click()
        until("the texts of a page", lambda: watched.text("#taken-sum").startswith(f"{address}: "), say=lambda: watched.text("#taken-sum"))
        assert watched.element("#taken-body p").count() > 0
        watched.element("#taken-close").click()
        assert not watched.element("#taken").is_visible()
        watched.check_quiet()
    parts = [{"post": number, "taken_as": field, "begins_line": field == "author", "text": f"{text}{field}"}
             for number in (1, 2) for field, text in (("author", ATTACK), ("time", LONG), ("title", SCRIPT), ("text", ATTACK), (None, ATTACK))]
    view = {"url": LONG, "posts": 2, "dates": ATTACK, "evidence": {"learned_from": 96}, "outline": {"parts": parts, "is_cut": True}}
    for width, theme in zip(WIDTHS, THEMES):
        with Watched(browser, url, width, theme, bypass_csp=True) as watched:
            watched.page.route("**/api/posts?*", lambda route: route.fulfill(json=view))
            watched.open().element("#fetches button:visible").first.click()
            watched.element("#taken-body mark").first.wait_for()
            assert watched.evaluate("typeof hacked") == "undefined", "a text was executed as code"
            assert watched.evaluate("document.querySelectorAll('#taken img, #taken script, #taken a').length") == 0
            marks = watched.evaluate("[...document.querySelectorAll('#taken-body mark')].map((it) => it.dataset.as)")
            assert marks == ["author", "time", "title", "text"] * 2, marks
            shown = watched.text("#taken-body")
            assert "Post 2: " in shown and "<script>hacked=1</script>" in shown and "\u202e" not in shown and "has more" in shown, shown
            watched.check_width()
            found = watched.grave_violations(axe)
            assert not found, f"{width} pixels, {theme}: {found}"
            watched.page.screenshot(path=f"{work}/taken-{width}.png")
    with Watched(browser, url) as watched:
        watched.page.route("**/api/posts?*", lambda route: route.fulfill(status=422, body=f"{ATTACK}: no record"))
        watched.open().element("#fetches button:visible").first.click()
        until("the reason", lambda: "no record" in watched.text("#taken-sum"))
        assert watched.evaluate("typeof hacked") == "undefined" and watched.element("#taken-body *").count() == 0


def check(browser, url, api, work, axe):
    view = api.live()
    check_taken(browser, url, work, axe)
    check_fleet(browser, url, view)
    check_text_is_text(browser, url, with_fleet(view), work)
    check_nobody_is_kept_out(browser, url, with_fleet(view), axe)
    check_little_is_enough(browser, url, view)
    check_forms_keep_their_places(browser, url, view)
    check_broken_stream(browser, url)
    print("the page shows hostile texts as text, what a fetched page was taken as, and handles missing parts and broken streams")
