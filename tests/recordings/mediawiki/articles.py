"""Chooses linked dictionary entries and turns them into wikitext."""
import re

import texts

LINK = re.compile(r"\{([^{}]+)\}")


class Entry:
    """One entry of the dictionary: headword, subject tags, outgoing links, paragraphs, date."""

    def __init__(self, head, body):
        self.head = head
        parts = texts.paragraphs(body)
        self.tags, self.date = [], ""
        if parts:
            m = re.match(r"\s*<([^<>]+)>\s*", "\n".join(parts[0][0]))
            if m:
                self.tags = [" ".join(t.split()) for t in m.group(1).split(",")]
                parts[0] = ("\n".join(parts[0][0])[m.end():].split("\n"), False)
            m = re.fullmatch(r"\((\d{4}-\d\d-\d\d)\)", " ".join(parts[-1][0]).strip())
            if m:
                self.date = m.group(1)
                parts.pop()
        self.parts = [p for p in parts if any(x.strip() for x in p[0])]
        text = " ".join(" ".join(lines) for lines, _ in self.parts)
        self.size = texts.words(text)
        self.links = [" ".join(x.split()) for x in LINK.findall(text) if not x.startswith("(")]


def usable(head):
    """True for headwords that are page titles without rewriting."""
    return bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9 '-]{1,40}", head)) and not head.lower().startswith(("category", "file"))


def title(head):
    return head[0].upper() + head[1:]


def choose(rng, count):
    """Returns (chosen entries by title, aliases title -> title), found by following the links."""
    full, alias = {}, {}
    for head, body in texts.entries("foldoc"):
        # Entries taken over from the Jargon File are left out: its text is used for the discussions.
        if not usable(head) or "Jargon File" in body:
            continue
        m = re.fullmatch(r"\s*\{([^{}]+)\}\.?\s*", body)
        if m:
            alias[title(head)] = title(" ".join(m.group(1).split()))
            continue
        e = Entry(head, body)
        if e.tags and 25 <= e.size <= 900 and title(head) not in full:
            full[title(head)] = e
    # Some entries that have another name, so that the wiki has redirects.
    named = sorted(a for a, t in alias.items() if t in full and a not in full)
    named = [alias[a] for a in rng.sample(named, min(len(named), count // 14))]
    chosen, queue, front = {}, [], named + ["Unix", "Local area network", "Compiler", "Relational database", "Algorithm"]
    while len(chosen) < count:
        if not front:
            queue = [t for t in queue if t not in chosen]
            if not queue:
                queue = [t for t in sorted(full) if t not in chosen]
            front = [queue.pop(rng.randrange(len(queue)))]
        t = front.pop(0)
        if t in chosen or t not in full:
            continue
        chosen[t] = full[t]
        onward = [title(x) for x in full[t].links if title(x) in full]
        # Follow at most two links of each entry, so that many subjects are reached.
        rng.shuffle(onward)
        front += onward[:2]
        queue += onward[2:]
    alias = {a: t for a, t in sorted(alias.items()) if t in chosen and a not in chosen}
    return chosen, alias


def wikitext(entry, known, red):
    """List of paragraphs in wikitext. Links go to known pages and to the titles in red only."""
    def link(m):
        text = " ".join(m.group(1).split())
        if text.startswith("("):
            return "\x01" + text[1:].rstrip(")") + "\x02" if text.startswith("(http") else text
        t = title(text) if text else ""
        if t in known or t in red:
            return "\x03" + (text if t == text or t[1:] == text[1:] else t + "\x04" + text) + "\x05"
        return text

    out, first = [], True
    for lines, pre in entry.parts:
        if pre:
            body = "\n".join(" " + texts.escape(LINK.sub(r"\1", x)) for x in lines)
        else:
            body = texts.escape(" ".join(LINK.sub(link, "\n".join(lines)).split()))
            for a, b in (("\x01", "["), ("\x02", "]"), ("\x03", "[["), ("\x04", "|"), ("\x05", "]]")):
                body = body.replace(a, b)
        if first and not pre:
            body = "'''%s''': %s" % (texts.escape(entry.head), body)
            first = False
        if body.strip():
            out.append(body)
    return out
