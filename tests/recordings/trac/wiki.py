"""Wiki pages with revisions: one index page for a manual, one subpage for each of its sections."""
import io
import os
import re

from trac.attachment import Attachment
from trac.wiki.model import WikiPage

import corpus
import people

NOT_PROSE = {"perlcn", "perljp", "perlko", "perltw", "perltoc", "perlgpl", "perlartistic"}
REMARKS = ["typo", "clearer wording", "add the missing part", "fix markup", "more detail", "reorder",
           "shorter", "see discussion in #%d", "update for the next release", "", "", ""]


def camel(heading):
    name = "".join(w[:1].upper() + w[1:].lower() for w in re.findall(r"[A-Za-z0-9]+", heading))
    return name[:38] or "Notes"


def attach(env, realm, parent, name, data, author, when, note=""):
    a = Attachment(env, realm, parent)
    a.author, a.description = author, note
    a.insert(name, io.BytesIO(data), len(data), t=when)
    return a.filename


def revisions(rng, blocks):
    """Texts from the first to the last version: parts are added, reworded, removed."""
    count = 1 + people.power(rng, 2.0, 14)
    kept = [True] * len(blocks)
    history = [list(kept)]
    for _ in range(count - 1):
        for i in rng.sample(range(len(blocks)), min(len(blocks), rng.randint(1, 3))):
            kept[i] = not kept[i]
        if not any(kept):
            kept[0] = True
        history.append(list(kept))
    history.reverse()                   # the last version has everything
    texts = []
    for n, keep in enumerate(history):
        text = "\n\n".join(b for b, k in zip(blocks, keep) if k)
        if not texts or text != texts[-1]:
            texts.append(text)
    return texts


def save(env, rng, who, name, texts, when, head="", tail=""):
    page = WikiPage(env, name)
    for n, text in enumerate(texts):
        page.text = head + text + tail
        remark = rng.choice(REMARKS) if n else rng.choice(["new page", "", "first draft"])
        page.save(who.any() if rng.random() < 0.6 else who.member(),
                  remark % rng.randint(1, 200) if "%" in remark else remark, t=when)
        when = people.later(rng, when, 60)


def cut(rng, blocks):
    limit, out, n = people.length(rng, 420, 0.9, 60, 2400), [], 0
    for b in blocks:
        out.append(b)
        n += corpus.words(b)
        if n > limit:
            break
    while out and out[-1].startswith(("==", "'''")):
        out.pop()
    return out


def manuals(rng, pod_files, wanted):
    """[(manual, index blocks, [(subpage, heading, blocks), ...]), ...]"""
    files = {os.path.basename(p)[:-4]: p for p in pod_files if "delta" not in p}
    names = sorted(set(files) - NOT_PROSE)
    rng.shuffle(names)
    out, count = [], 0
    for name in names:
        intro, subs, used = [], [], set()
        for heading, blocks in corpus.pod_sections(files[name], set(names)):
            if heading in ("NAME", "AUTHOR", "AUTHORS", "COPYRIGHT"):
                continue
            size = sum(corpus.words(b) for b in blocks)
            if size < 45:
                intro += blocks
                continue
            # A long section with subheadings becomes one page for each of them.
            parts, at = [(heading, [])], 0
            for b in blocks:
                if size > 1500 and b.startswith("== "):
                    parts.append((b.strip("= "), []))
                else:
                    parts[-1][1].append(b)
            for title, body in parts:
                sub = "%s/%s" % (name, camel(title))
                body = cut(rng, body)
                if sum(map(corpus.words, body)) >= 40 and sub not in used and len(subs) < 22:
                    used.add(sub)
                    subs.append((sub, title, body))
        if len(subs) >= 3:
            out.append((name, intro, subs))
            count += len(subs) + 1
            if count >= wanted:
                break
    return out


def fill(env, rng, who, notes, pod_files, images, wanted, profiles, components):
    found, pages = manuals(rng, pod_files, wanted), []
    for name, intro, subs in found:
        when = people.day(rng, rng.random() * 0.8)
        listing = "\n".join(" * [wiki:%s %s]" % (sub, title.replace("]", ")")) for sub, title, _ in subs)
        save(env, rng, who, name, revisions(rng, intro or [notes.take(40)]), when,
             "= %s =\n\n" % name, "\n\n== Contents ==\n" + listing +
             "\n\nOpen tickets about this manual: [query:status=!closed&keywords=~%s list]\n" % name)
        for i, (sub, title, blocks) in enumerate(subs):
            tail = ""
            if i + 1 < len(subs):
                tail = "\n\n----\nNext: [wiki:%s]\n" % subs[i + 1][0]
            save(env, rng, who, sub, revisions(rng, blocks), people.later(rng, when, 90),
                 "= %s =\n[wiki:%s]\n\n" % (title, name), tail)
            pages.append(sub)
        pages.append(name)
    for i, path in enumerate(images):
        page = WikiPage(env, pages[(i * 37) % len(pages)])
        with open(path, "rb") as f:
            name = attach(env, "wiki", page.name, os.path.basename(path), f.read(), who.any(), page.time,
                          notes.take(8))
        page.text += "\n\n[[Image(%s)]]\n" % name
        page.save(who.any(), "picture", t=people.later(rng, page.time, 2))
    writers = who.names[:profiles * 2]
    for user in sorted(rng.sample(writers, min(profiles, len(writers)))):
        text = "= %s =\n\n%s\n" % (user, notes.take(people.length(rng, 22, high=60)))
        if rng.random() < 0.5:
            text += "\n[query:reporter=%s&order=id My tickets]\n" % user
        save(env, rng, who, "people/" + user, [text], people.day(rng, rng.random()))
    start = WikiPage(env, "WikiStart")
    start.text = ("= Language Manuals =\n\n%s\n\n== Manuals ==\n%s\n\n== Work ==\n"
                  " * [report:1 Active tickets], [report:9 who reports]\n"
                  " * [query:status=!closed&group=component By component], [milestone:4.0 the next release]\n"
                  " * [/newticket Report a problem]\n"
                  " * Components: %s\n\n== People ==\n[[TitleIndex(people/)]]\n\nTracGuide, RecentChanges, TitleIndex\n"
                  % (notes.take(80), "\n".join(" * [wiki:%s]" % name for name, _, _ in found),
                     ", ".join("[query:status=!closed&component=%s %s]" % (c, c) for c in components)))
    start.save(who.names[0], "our own start page", t=people.day(rng, 0.02))
    return pages
