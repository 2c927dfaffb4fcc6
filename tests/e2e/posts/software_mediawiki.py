"""MediaWiki: discussion pages, where a post is a paragraph that ends in a signature and is indented below what it answers. The software does
not know these posts: the truth is the edits that made the pages."""

import datetime
import html as html_entities
import json
import os
import re
from urllib.parse import unquote

import sites
from truth_file import Post, Shown

PORT = 8311
POSTS_AT_SCALE_1 = 330
START = "/wiki/Main_Page"
LEFT_OUT = ["action=", "oldid=", "diff=", "printable=", "curid=", "redlink=", "/images/", r"[/=:]File(:|%3A)", "/w/load", "/w/api", "/w/rest", "Special(:|%3A)[B-Z]",
            "feed=", "mobileaction=", "CiteThisPage", "redirect=no", "veaction="]
SIGNATURE = "~~~~"


def set_up(site):
    sites.set_up(site, "mediawiki")


def server(site):
    return sites.server(site, "mediawiki")


def posts(site):
    """The signed edits of the plan that the wiki was filled with, in their order."""
    pages = {}
    with open(os.path.join(site.home, "plan.jsonl"), encoding="utf-8") as file:
        edits = [json.loads(line) for line in file]
    for edit in edits:
        if edit["op"] != "edit" or not edit.get("append") or SIGNATURE not in edit["text"]:
            continue
        heading, _, source = edit["text"].rpartition("==\n")
        depth = len(source) - len(source.lstrip(":"))
        text = html_entities.unescape(source.lstrip(":").replace(SIGNATURE, "")).strip()
        above = pages.setdefault(edit["title"], [])
        parents = [post.id for level, post in reversed(above) if level < depth][:1] if depth else []
        time = datetime.datetime.strptime(edit["ts"], "%Y%m%d%H%M%S").replace(tzinfo=datetime.timezone.utc)
        named = html_entities.unescape(heading.strip("= \n"))
        post = Post(f"{edit['title']}#{len(above)}", text, edit["title"], edit["user"], time.isoformat(), variants=[f"{named}\n{text}"], parents=parents)
        above.append((depth, post))
        yield post


def shown(site, known):
    pages = {}
    for post in known:
        pages.setdefault(post.thread.replace(" ", "_"), []).append(post)

    def on_page(url, html):
        title = re.search(r"/wiki/([^?#]+)$", unquote(url))
        for post in pages.get(title[1], []) if title else []:
            yield Shown(post.id, html)

    return on_page
