"""Roundup: an issue tracker. Messages are rows of a table, the newest first, as preformatted text; each has a page of its own."""

import json
import os
import re
import shutil
import subprocess

from content import NAMES, Content
from render_bed import new_environment
from software_mhonarc import own
from texts import regions
from truth_file import Post, Shown

PORT = 8320
POSTS_AT_SCALE_1 = 1000
START = "/issue?@startwith=0&@pagesize=50"
# Lists in other orders, and pages that only members see.
LEFT_OUT = [r"[?&](@|%40)(sort|group|filter|columns|dispname|search_text|action|template)", "/file", "/@@file", "/user", "/keyword", "/query"]
FILL = """
import json, sys
from roundup import date, instance
db = instance.open(sys.argv[1]).open("admin")
users, names = {}, json.load(open(sys.argv[2], encoding="utf-8"))
for number, name in enumerate(names["names"]):
    users[name] = db.user.create(username=name, address=f"user{number}@example.com", roles="User", password=None)
for issue in names["issues"]:
    messages = [db.msg.create(author=users[row["author"]], date=date.Date(row["time"]), content=row["text"], messageid=f"<{row['id']}@example.com>")
                for row in issue["messages"]]
    db.issue.create(title=issue["title"], messages=messages, status=db.status.list()[issue["id"] % 6], priority=db.priority.list()[issue["id"] % 4])
db.commit()
db.close()
"""

# Roundup's own server does not run as root.
SERVE = """
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server
from roundup.cgi.wsgi_handler import RequestDispatcher
class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
make_server("127.0.0.1", int(sys.argv[2]), RequestDispatcher(sys.argv[1]), Server).serve_forever()
"""


def program(site, name):
    if site.environment:
        return os.path.join(site.environment, "bin", name)
    python = new_environment(os.path.join(site.home, "venv"), "roundup==2.6.0")
    return os.path.join(os.path.dirname(python), name)


def login(name):
    """Names of members are made of some characters only."""
    return re.sub("[^a-z0-9._-]", "", name.lower()) or f"member{NAMES.index(name)}"


def plan(site):
    """The issues with their messages. Their numbers are those that the database gives them."""
    threads, issues, number = list(Content(site.posts, seed=3).threads()), [], 0
    for issue, thread in enumerate(threads, 1):
        messages = []
        for message in thread.messages:
            number += 1
            quote = f"> {message.quote}\n\n" if message.quote else ""
            messages.append({"id": number, "author": login(message.author), "time": message.time.strftime("%Y-%m-%d.%H:%M:%S"),
                             "text": quote + own(message), "own": own(message), "parent": message.parent.number + 1 if message.quote else None})
        issues.append({"id": issue, "title": thread.title, "messages": messages})
    return {"names": sorted({login(message.author) for thread in threads for message in thread.messages}), "issues": issues}


def set_up(site):
    tracker = os.path.join(site.home, "tracker")
    if os.path.exists(tracker):
        return
    os.makedirs(site.home, exist_ok=True)
    with open(os.path.join(site.home, "plan.json"), "w", encoding="utf-8") as file:
        json.dump(plan(site), file)
    admin, quiet = [program(site, "roundup-admin"), "-i", tracker], {"check": True, "timeout": 300, "stdout": subprocess.DEVNULL}
    os.makedirs(tracker)
    try:
        settings = f"mail_domain=example.com,mail_host=localhost,tracker_web={site.base}/"
        subprocess.run([*admin, "install", "classic", "sqlite", settings], **quiet)
        subprocess.run([*admin, "initialise", "admin"], **quiet)
        # Mails go into this file instead.
        unsent = {**os.environ, "SENDMAILDEBUG": os.devnull}
        subprocess.run([program(site, "python"), "-c", FILL, tracker, os.path.join(site.home, "plan.json")], env=unsent, **quiet)
    except BaseException:
        shutil.rmtree(tracker)
        raise


def server(site):
    return [program(site, "python"), "-c", SERVE, os.path.join(site.home, "tracker"), str(site.port)], None


def posts(site):
    for issue in plan(site)["issues"]:
        for row in issue["messages"]:
            time = row["time"].replace(".", "T") + "+00:00"
            yield Post(str(row["id"]), row["own"], str(issue["id"]), row["author"], time, url=f"{site.base}/msg{row['id']}",
                       variants=[row["text"].replace("> ", "")], parents=[str(row["parent"])] if row["parent"] else [])


def shown(site, known):
    def on_page(url, html):
        if re.search(r"/issue\d+$", url):
            for match, part in regions(html, r'<a href="msg(\d+)">'):
                yield Shown(match[1], part)
        elif message := re.search(r"/msg(\d+)$", url):
            # The page of a message names no issue.
            yield Shown(message[1], html, lacks=("thread",))

    return on_page
