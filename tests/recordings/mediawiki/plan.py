"""Writes the plan of the wiki: users, uploads, edits, discussions, moves, in the order of time."""
import argparse
import bisect
import datetime
import glob
import json
import os
import random
import re

import articles
import texts
from talk import Talk

p = argparse.ArgumentParser()
p.add_argument("--seed", type=int, default=1)
p.add_argument("--scale", type=float, default=1.0)
p.add_argument("--icons", required=True)
p.add_argument("--out", required=True)
arg = p.parse_args()
rng = random.Random(arg.seed)
START = datetime.datetime(2019, 3, 4, 8, 0)
DAYS = 1900


def scaled(n):
    return max(3, round(n * arg.scale))


def when(low=0.0, high=1.0):
    """A moment between the fractions low and high of the wiki's life."""
    return START + datetime.timedelta(seconds=int(rng.uniform(low, high) * DAYS * 86400))


ops = []


def add(time, op, user, **more):
    ops.append({"ts": time, "op": op, "user": user, **more})
    return time


# Users. The first ones do most of the work (power law).
pool = [h for h, _ in texts.jargon(5, 400) if re.fullmatch(r"[A-Za-z][A-Za-z -]{3,14}", h)]
rng.shuffle(pool)
users = []
for head in pool:
    name = "".join(w.capitalize() for w in re.split(r"[ -]+", head))
    name += rng.choice(["", "", str(rng.randrange(60, 100)), " " + rng.choice("ABCDEFGHJKLMRST")])
    if name not in users and len(users) < scaled(95):
        users.append(name)
rank = []
total = 0.0
for i in range(len(users)):
    total += 1.0 / (i + 1.5) ** 1.05
    rank.append(total)
joined = {}
for i, name in enumerate(users):
    joined[name] = START + datetime.timedelta(hours=i + 1) if i < 12 else when(0.0, 0.55)
    groups = ["sysop", "bureaucrat"] if i == 0 else ["sysop"] if i < 3 else []
    add(joined[name], "user", name, groups=groups)
admins = users[:3]
networks = ["192.0.2.%d" % rng.randrange(1, 250) for _ in range(12)]


def editor(time, anonymous=0.0):
    """Somebody who is already a member at that time; sometimes an anonymous address."""
    if rng.random() < anonymous:
        return rng.choice(networks)
    while True:
        name = users[min(bisect.bisect(rank, rng.random() * total), len(users) - 1)]
        if joined[name] < time:
            return name


short = list(texts.fortunes(["wisdom", "people", "work", "science", "education", "literature", "love"], 5, 60))
rng.shuffle(short)
chosen, aliases = articles.choose(rng, scaled(170))
aliases = dict(rng.sample(sorted(aliases.items()), min(len(aliases), scaled(14))))
titles = list(chosen)
outside = sorted({articles.title(x) for e in chosen.values() for x in e.links if articles.usable(x)} - set(chosen))
red = set(rng.sample(outside, min(len(outside), scaled(35))))

# Pictures: the uploader describes them; each article of the first ones shows one.
files = sorted(f for f in glob.glob(os.path.join(arg.icons, "**/256x256/*/*.png"), recursive=True)
               if not os.path.islink(f))
rng.shuffle(files)
pictures, used = [], set()
for f in files:
    name = os.path.basename(f)[:-4].replace("-", " ").replace("x generic", "").strip()
    name = name[0].upper() + name[1:] + ".png"
    if name in used or len(pictures) >= scaled(205):
        continue
    used.add(name)
    t = when(0.02, 0.8)
    text = "%s\n\n[[Category:Pictures]]\n[[Category:Pictures of %s]]" % (
        texts.escape(short.pop()), os.path.basename(os.path.dirname(f)))
    add(t, "upload", editor(t), title="File:" + name, file=f, text=text, summary="Drawing for the articles")
    pictures.append((name, t))

# Subjects that several articles have become categories.
count = {}
for e in chosen.values():
    for tag in e.tags:
        count[tag] = count.get(tag, 0) + 1
subjects = sorted(t for t in count if count[t] >= 3 and re.fullmatch(r"[a-z ]+", t))
kinds = sorted({os.path.basename(os.path.dirname(f)) for f in files})
for name in ["Contents", "Pictures", "Dictionary articles", "Short articles"] + [s.capitalize() for s in subjects] + \
        ["Pictures of " + k for k in kinds]:
    t = when(0.0, 0.3)
    parent = "Pictures" if name.startswith("Pictures of") else "Contents"
    add(t, "edit", editor(t), title="Category:" + name, summary="category",
        text=(texts.escape(short.pop()) + "\n\n" if rng.random() < 0.5 else "") + "[[Category:%s]]" % parent)

t = START + datetime.timedelta(hours=30)
add(t, "edit", users[0], title="Template:Source", summary="for all articles",
    text="<div class=\"source\">''This article follows the Free On-line Dictionary of Computing{{#if:{{{1|}}}|, {{{1}}}}}.''</div>"
         "<includeonly>[[Category:Dictionary articles]]</includeonly>")
add(t, "edit", users[0], title="Template:Stub", summary="new",
    text="''This article is short. You can [{{fullurl:{{FULLPAGENAME}}|action=edit}} add to it].''"
         "<includeonly>[[Category:Short articles]]</includeonly>")

known = set(titles) | set(aliases)
talk = Talk(rng, ops, editor, when, texts)
for n, name in enumerate(titles):
    e = chosen[name]
    parts = articles.wikitext(e, known, red)
    tail = "\n\n{{Source|%s}}" % e.date
    if e.size < 60:
        tail += "\n{{Stub}}"
    for tag in e.tags:
        if tag in subjects:
            tail += "\n[[Category:%s]]" % tag.capitalize()
    if len(parts) > 5:
        parts[3] = "== Details ==\n" + parts[3]
        if len(parts) > 9:
            parts[7] = "== Further notes ==\n" + parts[7]
    for i, part in enumerate(parts):
        if i and re.match(r"(See also|Compare|See) \[\[", part):
            parts[i] = "== See also ==\n" + part
            break
    t = when(0.03, 0.5)
    revisions = min(int(rng.paretovariate(1.3)), 4) if rng.random() < 0.35 else 1
    if n == 2:
        revisions = 54
    elif n < 8:
        revisions = 4
    shown = len(parts) if revisions == 1 else max(1, len(parts) // 2)
    picture = rng.choice(pictures)[0] if rng.random() < 0.6 else None
    lead = "[[File:%s|thumb|120px|%s]]\n" % (picture, texts.escape(e.head)) if picture else ""
    title = name + " (computing)" if rng.random() < 0.05 and name not in red else name
    add(t, "edit", editor(t, 0.05), title=title, summary="",
        text=(lead if revisions == 1 else "") + "\n\n".join(parts[:shown]) + tail)
    if title != name:
        t = when(0.51, 0.52)
        add(t, "move", editor(t), title=title, to=name, summary="the addition is not needed")
    steps = sorted(when(0.53, 1.0) for _ in range(revisions - 1))
    extra = []
    for k, t in enumerate(steps):
        shown = max(shown, len(parts) * (k + 2) // revisions)
        who = editor(t, 0.2)
        if len(steps) > 8 and k % 3 == 0:
            extra.append("* " + texts.escape(short.pop()))
        body = "\n\n".join(parts[:shown]) + ("\n\n== Quotations ==\n" + "\n".join(extra) if extra else "")
        if k % 5 == 3 and k + 1 < len(steps):
            # Somebody spoils the page; the next edit brings the text back.
            body = texts.escape(short.pop())
            who = rng.choice(networks)
        add(t, "edit", who, title=name, text=lead + body + tail, minor=rng.random() < 0.3,
            summary=rng.choice(["", "more text", "wording", "links", "picture", "copy edit", "order of paragraphs"]))
    if n and rng.random() < 0.6:
        talk.page("Talk:" + name, 0.1, [e.head])

for a, target in sorted(aliases.items()):
    t = when(0.55, 0.9)
    add(t, "edit", editor(t), title=a, text="#REDIRECT [[%s]]" % target)

for n, name in enumerate(users):
    low = (joined[name] - START).total_seconds() / DAYS / 86400
    t = when(low, 1.0)
    if rng.random() < 0.72:
        text = "\n\n".join(texts.escape(short.pop()) for _ in range(min(4, int(rng.paretovariate(1.5)))))
        if rng.random() < 0.5:
            like = rng.sample(titles, min(len(titles), rng.randint(2, 6)))
            text += "\n\n== My articles ==\n" + "\n".join("* [[%s]]" % x for x in like)
        add(t, "edit", name, title="User:" + name, text=text, summary=rng.choice(["", "hello", "about me"]))
    if rng.random() < 0.42:
        talk.page("User talk:" + name, low, ["Your edits", rng.choice(titles), "Question"])
for name, _ in pictures[:7]:
    talk.page("File talk:" + name, 0.81, ["Licence", "Better drawing"])
talk.page("Computopedia:Village pump", 0.05, ["Categories", "Pictures", "Redirects", "Names of articles", "New members"], 16)
talk.page("Computopedia talk:About", 0.2, ["Aims"], 3)

law = list(texts.fortunes(["disclaimer", "law", "definitions"], 25, 200))
rng.shuffle(law)
for name in ["About", "Privacy policy", "General disclaimer", "Style", "Admins"]:
    for k in range(2):
        t = when(0.01 + 0.3 * k, 0.2 + 0.3 * k)
        add(t, "edit", rng.choice(admins), title="Computopedia:" + name, append=True, summary="text",
            text="\n\n".join(texts.escape(law.pop()) for _ in range(3)))
for k in range(4):
    t = when(0.2, 0.3)
    name = "Test page %d" % (k + 1)
    add(t, "edit", rng.choice(networks), title=name, text=texts.escape(short.pop()))
    add(t + datetime.timedelta(hours=3), "delete", rng.choice(admins), title=name, summary="not an article")
for k, name in enumerate(rng.sample(titles, 4)):
    add(when(0.97, 0.99), "protect", admins[k % 3], title=name, level="autoconfirmed", summary="spoilt too often")
add(when(0.97, 0.99), "block", admins[1], target=networks[0], expiry="infinity", summary="spoils pages")
add(when(0.97, 0.99), "block", admins[2], target=users[-1], expiry="infinity", summary="advertising")

front = ["__NOTOC__", "'''Computopedia''' has {{NUMBEROFARTICLES}} articles about computing.", "== Subjects =="]
front += ["* [[:Category:%s|%s]]" % (s.capitalize(), s) for s in subjects]
front += ["* [[:Category:Pictures|pictures]]", "== Chosen articles =="]
front += ["* [[%s]]" % x for x in titles[:25]]
front += ["== Members ==", "See [[Special:ListUsers|the list of members]], the [[Computopedia:Village pump|village pump]] and "
          "[[Computopedia:Style|the style of the articles]]."]
for k in (10, 18, len(front)):
    add(when(0.3, 0.8), "edit", admins[0], title="Main Page", text="\n".join(front[:k]), summary="front page")

ops.sort(key=lambda o: o["ts"])
with open(arg.out, "w", encoding="utf-8") as f:
    for o in ops:
        o["ts"] = o["ts"].strftime("%Y%m%d%H%M%S")
        f.write(json.dumps(o) + "\n")
kinds = {}
for o in ops:
    kinds[o["op"]] = kinds.get(o["op"], 0) + 1
print(kinds, "redirects:", sorted(aliases))
