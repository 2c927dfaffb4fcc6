"""NodeBB: a forum in Spanish with schema.org markup. Scripts write the times: without them, they are in tooltips and markup only."""

import datetime
import json
import os
import re
import subprocess
from urllib.parse import unquote

import sites
from texts import contained, regions, text_of
from truth_file import Post, Shown

PORT = 8319
POSTS_AT_SCALE_1 = 1409
LEFT_OUT = [r"\.rss", "/login", "/register", "/reset", "/groups", "/uid/", "/tags", "/popular", r"/recent\?", "/recent/", "/users", "/unread", "/notifications",
            "/user/[^/]+/(following|followers|groups|best|topics)", r"[?&](lang|sort|cid|filter)=", "/assets/", "/uploads/", r"/topic/\d+/[^/]+/\d+\?"]
# The functions that start and stop the database find their folder by the name of the script.
QUERY = """HERE=$(dirname "$0"); . "$HERE/common.sh"; for _ in $(seq 50); do redis-cli -s "$SOCKET" ping >/dev/null 2>&1 || break; sleep 0.2; done
start_redis; redis-cli -s "$SOCKET" --raw eval "$LUA" 0; stop_redis"""
LUA = """local rows = {}
for _, key in ipairs(redis.call('keys', 'post:*')) do
  if string.match(key, '^post:%d+$') then
    local post, fields = {}, redis.call('hgetall', key)
    for at = 1, #fields, 2 do post[fields[at]] = fields[at + 1] end
    post.author = redis.call('hget', 'user:' .. post.uid, 'username')
    post.title = redis.call('hget', 'topic:' .. post.tid, 'title')
    rows[#rows + 1] = cjson.encode(post)
  end
end
return rows"""


def script(site, name):
    return ["bash", os.path.join(site.recordings, "nodebb", name)]


def set_up(site):
    os.makedirs(site.home, exist_ok=True)
    with open(os.path.join(site.home, "setup.out"), "w", encoding="utf-8") as log:
        subprocess.run(script(site, "setup.sh"), env=sites.environment(site), check=True, timeout=sites.SETUP_SECONDS_MAX, stdout=log, stderr=log)


def server(site):
    return script(site, "serve.sh"), sites.environment(site)


def posts(site):
    command = ["bash", "-c", QUERY, os.path.join(site.recordings, "nodebb", "setup.sh")]
    result = subprocess.run(command, env={**sites.environment(site), "LUA": LUA}, check=True, capture_output=True, text=True, timeout=120)
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    for row in sorted(rows, key=lambda row: (int(row["timestamp"]), int(row["pid"]))):
        if row.get("deleted") == "1":
            continue
        quoteless = "\n".join(line for line in row["content"].split("\n") if not line.startswith(">"))
        whole = plain(row["content"])
        time = datetime.datetime.fromtimestamp(int(row["timestamp"]) // 1000, datetime.timezone.utc).isoformat()
        yield Post(row["pid"], plain(quoteless), row["tid"], row["author"], time, url=f"{site.base}/post/{row['pid']}",
                   variants=[whole, f"{row['title']}\n{whole}"], parents=[row["toPid"]] if row.get("toPid") else [])


def plain(source):
    """The text of Markdown: its words, as the page shows them."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", source)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return text_of(re.sub(r"^>\s?|^```\w*$|^\s*(\d+\.|[*-])\s", "", text, flags=re.M).replace("<", "&lt;").replace("\n", "<br>"))


def shown(site, known):
    topics = {}
    for post in known:
        topics.setdefault(post.thread, []).append(post)

    def on_page(url, html):
        is_topic = "/topic/" in url
        for match, part in regions(html, r'<li component="post"[^>]*\sdata-pid="(\d+)"'):
            # Pages of members show neither the thread nor what a post answers.
            yield Shown(match[1], part, lacks=() if is_topic else ("thread", "parent"))
        for _, part in regions(html, r'component="topic/teaser"'):
            link = re.search(r'href="/topic/(\d+)/[^"/]*/(\d+)"', unquote(part))
            post = link and dict(enumerate(topics.get(link[1], []), 1)).get(int(link[2]))
            if post:
                teaser = part.partition("</li>")[0]
                yield Shown(post.id, teaser, excerpt=contained(post.text, text_of(teaser)) < 1.0, lacks=("url", "parent"))

    return on_page
