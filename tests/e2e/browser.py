"""Headless Chromium, and a page whose console output and requests are recorded."""

import contextlib
import shutil

from playwright.sync_api import sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
PROGRAMS = ("chromium", "chromium-headless-shell", "google-chrome")
WIDTHS = (390, 1280)
THEMES = ("light", "dark")
# axe grades violations as minor, moderate, serious or critical.
GRAVE = ("serious", "critical")


@contextlib.contextmanager
def chromium():
    """A headless browser with an empty profile."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert program, f"none of {', '.join(PROGRAMS)} is installed"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page in its own browser context. `said` records console messages and exceptions, `asked` records requested URLs."""

    def __init__(self, browser, url, width=1280, theme="light", motion="reduce", **options):
        window = {"viewport": {"width": width, "height": 900}, "color_scheme": theme, "reduced_motion": motion}
        self.context = browser.new_context(**window, **options)
        self.context.set_default_timeout(20_000)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"thrown: {error}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.url = url

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def open(self):
        self.page.goto(self.url)
        return self

    def element(self, selector):
        return self.page.locator(selector)

    def text(self, selector):
        return self.element(selector).first.text_content()

    def evaluate(self, script, argument=None):
        return self.page.evaluate(script, argument)

    def check_quiet(self):
        """Checks that nothing was logged and that no other origin was contacted."""
        assert not self.said, f"the console contains {self.said}"
        origin = self.url.split("/#")[0].rstrip("/")
        foreign = [url for url in self.asked if not url.startswith((f"{origin}/", "data:"))]
        assert not foreign, f"the page contacted {foreign}"

    def check_width(self):
        wide, window = self.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= window, f"the page is {wide} pixels wide in a window of {window}"

    def grave_violations(self, axe):
        """The serious and critical violations that axe-core finds."""
        self.evaluate(axe)
        found = self.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)")
        return [f"{it['id']}: {it['help']} ({it['nodes'][0]['html'][:200]})" for it in found if it["impact"] in GRAVE]
