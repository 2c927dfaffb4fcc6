"""Trac: tickets with comments. Times are relative ("8 years ago"), with the time itself in a tooltip."""

import datetime
import re
import sqlite3

import sites
from texts import regions
from truth_file import Post, Shown

PORT = 8314
POSTS_AT_SCALE_1 = 1270
START = "/report/1"
# Pages of the wiki are not posts; queries and time lines have no end.
LEFT_OUT = ["/wiki", "/query", r"/timeline\?", "/search", "/login", "/prefs", "/about", "/browser", "/changeset", "/attachment/", "/raw-attachment/",
            r"[?&](format|asc|sort|USER|cversion|cnum_edit|cnum_hist|action|page)="]
REPLY = re.compile(r"Replying to \[comment:(\d+) [^\]]*\]:\n?|Replying to \[ticket:\d+ [^\]]*\]:\n?")


def set_up(site):
    sites.set_up(site, "trac")


def server(site):
    return sites.server(site, "trac")


def posts(site):
    database = sqlite3.connect(f"file:{site.home}/env/db/trac.db?mode=ro", uri=True)
    for ticket, time, author, summary, source in database.execute("select id, time, reporter, summary, description from ticket"):
        text = plain(source)
        yield Post(f"{ticket}.0", text, str(ticket), author, utc(time), variants=[f"{summary}\n{text}"])
    rows = database.execute("select ticket, time, author, oldvalue, newvalue from ticket_change where field = 'comment' and newvalue <> '' order by ticket, time")
    for ticket, time, author, number, source in rows:
        number = number.split(".")[-1]
        reply = REPLY.search(source)
        own = "\n".join(line for line in REPLY.sub("", source).split("\n") if not line.startswith(">"))
        parents = [f"{ticket}.{reply[1] or 0}"] if reply else []
        named = REPLY.sub(lambda match: re.sub(r"\[\S+ ([^\]]*)\]", r"\1", match[0]), source)
        quoted = REPLY.sub("", source)
        yield Post(f"{ticket}.{number}", plain(own), str(ticket), author, utc(time), url=f"{site.base}/ticket/{ticket}#comment:{number}",
                   variants=[plain(named), plain(quoted)], parents=parents)


def utc(microseconds):
    return datetime.datetime.fromtimestamp(microseconds // 1_000_000, datetime.timezone.utc).isoformat()


def plain(source):
    """The text of wiki markup: its words, as the page shows them."""
    text = re.sub(r"\[(?:https?|wiki|ticket|comment|attachment|source|milestone|report):\S+ ([^\]]*)\]", r"\1", source)
    text = re.sub(r"\[wiki:(\S+)\]", r"\1", text)
    text = re.sub(r"\[\[Image\([^)]*\)\]\]|^#!\w+$", "", text, flags=re.M)
    return re.sub(r"'''?|\{\{\{|\}\}\}|`|\[\[BR\]\]|^>\s?", "", text, flags=re.M).strip()


def shown(site, known):
    def on_page(url, html):
        ticket = re.search(r"/ticket/(\d+)$", url)
        if not ticket:
            if "/timeline" in url:
                for match, part in regions(html, r'href="/ticket/(\d+)(?:#comment:(\d+))?"'):
                    yield Shown(f"{match[1]}.{match[2] or 0}", part, excerpt=True)
            return
        yield Shown(f"{ticket[1]}.0", html)
        for match, part in regions(html, r'<h3 class="change" id="comment:(\d+)">'):
            yield Shown(f"{ticket[1]}.{match[1]}", part)

    return on_page
