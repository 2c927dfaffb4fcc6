"""Tickets: description and comments are consecutive passages of one file of the documentation."""
import difflib

from trac.ticket.model import Ticket

import people
from wiki import attach

TYPES = (["defect", "enhancement", "task"], [6, 3, 1])
PRIORITIES = (["blocker", "critical", "major", "minor", "trivial"], [1, 4, 60, 25, 10])
RESOLUTIONS = (["fixed", "invalid", "wontfix", "duplicate", "worksforme"], [62, 10, 10, 12, 6])
POINTERS = ["See also #%d.", "This looks related to #%d.", "Duplicate of #%d?", "Same cause as in #%d.",
            "#%d has a longer discussion."]


STOP = {"the", "how", "what", "and", "using", "about", "more", "other"}


def code_block(rng, stream):
    if stream.code and rng.random() < 0.3:
        return "\n\n{{{\n%s\n}}}" % stream.code.pop(0)
    return ""


def pick(rng, folders):
    """A file that has text left, with a probability by how much is left."""
    names = list(folders)
    sizes = {n: sum(s.left() for s in folders[n]) for n in names}
    folder = rng.choices(names, [sizes[n] ** 0.6 for n in names])[0]
    pool = [s for s in folders[folder] if s.left() >= 8]
    if not pool:
        del folders[folder]
        return pick(rng, folders)
    return folder, rng.choices(pool, [s.left() for s in pool])[0]


def quote(text, number, author):
    lines = text.split("\n\n")[0].split("\n")[0].strip(" *")[:400]
    return "Replying to [comment:%d %s]:\n> %s\n\n" % (number, author, lines)


def patch(rng, text):
    old = text.replace(". ", ".\n").split("\n")
    new = [line for line in old if rng.random() < 0.8] + ["."]
    return "\n".join(difflib.unified_diff(new, old, "a/doc.txt", "b/doc.txt", lineterm="")) + "\n"


def add_file(env, rng, ticket, stream, author, when):
    kind = rng.random()
    if kind < 0.45:
        name, data = "fix-%d.patch" % ticket.id, patch(rng, stream.take(120))
    elif kind < 0.8 and stream.code:
        name, data = "example.py", "\n\n".join(stream.code.pop(0) for _ in range(min(3, len(stream.code)))) + "\n"
    else:
        name, data = "notes.txt", stream.take(150) + "\n"
    note = stream.headline() if rng.random() < 0.5 and stream.left() else ""
    attach(env, "ticket", ticket.id, name, data.encode(), author, when, note)


def keywords(folder, stream, pages, rng):
    out = []
    if rng.random() < 0.25:
        word = stream.title.split()[0].strip("`.,").split(".")[0].lower() if stream.title.split() else ""
        if word.isalnum() and 3 <= len(word) <= 14 and word not in STOP:
            out.append(word)
    if rng.random() < 0.15:
        out.append(rng.choice(["easy", "regression", "wording", "example", "index"]))
    if rng.random() < 0.12:
        out.append(rng.choice(pages).split("/")[0])
    return " ".join(out)


def comment(rng, stream, past, number, pages):
    parts = ""
    said = [p for p in past if p[2]]
    if said and rng.random() < 0.3:
        target = rng.choice(said[-4:])
        parts = quote(target[2], target[0], target[1])
    text = stream.take(people.length(rng, 32)) + code_block(rng, stream)
    if rng.random() < 0.14 and number > 3:
        text += "\n\n" + rng.choice(POINTERS) % rng.randint(1, number - 1)
    if rng.random() < 0.07:
        text += "\n\nCompare [wiki:%s]." % rng.choice(pages)
    return parts + text, text


def fill(env, rng, who, folders, milestones, pages, wanted):
    versions = [n for n, _, done in milestones if done and n[0].isdigit()]
    for number in range(1, wanted + 1):
        part = (number - rng.random()) / wanted
        when = people.day(rng, part * 0.985)
        folder, stream = pick(rng, folders)
        t = Ticket(env)
        t["summary"] = stream.headline()
        t["description"] = stream.take(people.length(rng, 75)) + code_block(rng, stream)
        t["reporter"], t["owner"] = who.any(), who.member()
        t["component"], t["type"] = folder, rng.choices(*TYPES)[0]
        t["priority"], t["keywords"] = rng.choices(*PRIORITIES)[0], keywords(folder, stream, pages, rng)
        t["status"], t["version"] = "new", rng.choice(versions) if rng.random() < 0.4 else ""
        open_now = [n for n, due, done in milestones if not done or done > when]
        t["milestone"] = open_now[0] if rng.random() < 0.55 else rng.choice(open_now + [""] * 4)
        t["cc"] = ", ".join(sorted({who.any() for _ in range(people.power(rng, 1.2, 4))}))
        t.insert(when=when)
        discuss(env, rng, who, t, stream, when, pages, part)


def discuss(env, rng, who, t, stream, when, pages, part):
    past, cnum = [], 0
    closes = rng.random() < 0.92 - 0.55 * part
    total = people.power(rng, 1.3, 45) + (1 if closes else 0)
    folk = [t["reporter"], t["owner"]] + [who.any() for _ in range(1 + total // 3)]
    for n in range(total):
        when = people.later(rng, when, 6)
        author, cnum = rng.choice(folk), cnum + 1
        if rng.random() < 0.15 and stream.left() > 4:
            add_file(env, rng, t, stream, author, when)
            when = people.later(rng, when, 0.01)
        body, own = comment(rng, stream, past, t.id, pages) if stream.left() else ("", "")
        last = n == total - 1
        if last and closes:
            t["status"], t["resolution"] = "closed", rng.choices(*RESOLUTIONS)[0]
            author = t["owner"]
            if rng.random() < 0.2:
                body = own = ""
        elif t["status"] == "new" and rng.random() < 0.3:
            t["status"] = rng.choice(["assigned", "accepted"])
        elif rng.random() < 0.08:
            t["priority"] = rng.choices(*PRIORITIES)[0]
        elif rng.random() < 0.05:
            t["owner"] = who.member()
        elif rng.random() < 0.05 and "\n\n" in t["description"]:
            t["description"] = t["description"].replace("\n\n", "\n\n%s\n\n" % stream.take(15), 1)
        t.save_changes(author, body, when=when)
        past.append((cnum, author, own))
        if own and rng.random() < 0.05:        # the author corrects his comment
            edited = when
            for _ in range(rng.choice([1, 1, 2])):
                edited = people.later(rng, edited, 0.02)
                body += "\n\n" + stream.take(10)
                t.modify_comment(when, author, body, when=edited)
            when = edited
