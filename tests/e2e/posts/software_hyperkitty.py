"""HyperKitty: an archive of mailing lists. Threads with all their messages, as robots get them, and a page for each message."""

import itertools
import re
import sqlite3

import sites
from texts import regions
from truth_file import Post, Shown

PORT = 8313
POSTS_AT_SCALE_1 = 816
LEFT_OUT = ["/export/", "/feed/", "/accounts/", r"[?&]sort=", "/attachment/", "/search", r"\?noscript", "/message/new"]
ATTRIBUTION = re.compile(r"^On .{10,100} wrote:$", re.M)


def set_up(site):
    sites.set_up(site, "hyperkitty")


def server(site):
    return sites.server(site, "hyperkitty")


def posts(site):
    rows = sqlite3.connect(f"file:{site.home}/hyperkitty.db?mode=ro", uri=True).execute(
        "select e.message_id_hash, t.thread_id, m.name, e.sender_name, e.date, e.content, p.message_id_hash "
        "from hyperkitty_email e join hyperkitty_thread t on t.id = e.thread_id join hyperkitty_mailinglist m on m.id = e.mailinglist_id "
        "left join hyperkitty_email p on p.id = e.parent_id where m.archive_policy = 2")
    for number, thread, of, author, date, content, parent in rows:
        readings = list(dict.fromkeys(readings_of(content)))
        yield Post(f"{of}/{number}", readings[0], f"{of}/{thread}", author, date[:19].replace(" ", "T") + "+00:00",
                   url=f"{site.base}/list/{of}/message/{number}/", variants=readings[1:], parents=[f"{of}/{parent}"] if parent else [])


def readings_of(content):
    """The text without quotes, the line before them, and signature; then with some of these."""
    for quotes, attribution, signature in itertools.product((False, True), repeat=3):
        text = content if signature else re.split(r"^-- $", content, maxsplit=1, flags=re.M)[0]
        if not quotes:
            text = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
        yield (text if attribution else ATTRIBUTION.sub("", text)).strip()


def shown(site, known):
    def on_page(url, html):
        match = re.search(r"/list/([^/]+)/(thread|message)/(\w+)/$", url)
        if match and match[2] == "message":
            # What it answers is on the page of the thread only.
            yield Shown(f"{match[1]}/{match[3]}", html, lacks=("parent",))
        elif match:
            for part in regions(html, r'<div id="(\w+)" class="email-header">'):
                yield Shown(f"{match[1]}/{part[0][1]}", part[1])
        else:
            # Lists show the beginning of the first message of each thread, which has the thread's name.
            for part in regions(html, r'href="/list/([^/"]+)/thread/(\w+)/'):
                yield Shown(f"{part[0][1]}/{part[0][2]}", part[1], excerpt=True)

    return on_page
