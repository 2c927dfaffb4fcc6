"""Readers for the text sources: FOLDOC and the Jargon File (dictd databases) and the fortunes."""
import gzip
import os
import re

DICT = "/usr/share/dictd"
FORTUNES = "/usr/share/games/fortunes"
B64 = {c: i for i, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}


def number(s):
    n = 0
    for c in s:
        n = n * 64 + B64[c]
    return n


def entries(name):
    """Yields (headword, text) once for each place in the database."""
    with gzip.open(os.path.join(DICT, name + ".dict.dz")) as f:
        data = f.read()
    seen = set()
    with open(os.path.join(DICT, name + ".index"), encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t")[:3] for line in f]
    for word, at, size in sorted(rows, key=lambda r: (number(r[1]), r[0])):
        at, size = number(at), number(size)
        if word.startswith("00database") or at in seen:
            continue
        seen.add(at)
        head, _, body = data[at:at + size].decode("utf-8", "replace").partition("\n")
        yield head.strip(), body


def paragraphs(body):
    """Splits at blank lines; returns (lines, is_preformatted) without the common indent."""
    out = []
    for part in re.split(r"\n\s*\n", body.strip("\n")):
        lines = [x.expandtabs(8).rstrip() for x in part.split("\n") if x.strip()]
        if not lines:
            continue
        indent = min(len(x) - len(x.lstrip()) for x in lines)
        out.append(([x[min(indent, 3):] for x in lines], indent > 3))
    return out


def words(s):
    return len(s.split())


def fortunes(names, low, high):
    """Short texts, one paragraph each, of low to high words."""
    seen = set()
    for name in names:
        with open(os.path.join(FORTUNES, name), encoding="utf-8", errors="replace") as f:
            for item in f.read().split("\n%\n"):
                text = re.sub(r".\x08", "", item)
                text = re.sub(r"\s+", " ", text).strip()
                if low <= words(text) <= high and text not in seen and text.isprintable():
                    seen.add(text)
                    yield text


def jargon(low, high):
    """Definitions of the Jargon File as plain paragraphs."""
    for head, body in entries("jargon"):
        parts = [" ".join(" ".join(lines).split()) for lines, _ in paragraphs(body)]
        parts = [re.sub(r"^(/.{1,30}?/, )?(n|v|vt|vi|adj|adv|interj|excl)\.(,\S+)* *", "", p) for p in parts]
        text = re.sub(r"[{}]", "", " ".join(p for p in parts if words(p) > 3))
        if low <= words(text) <= high:
            yield head, text


def escape(s):
    """Plain text for use in wikitext: nothing in it is taken as markup."""
    s = s.replace("&", "&amp;").replace("<", "&lt;").replace("[", "&#91;").replace("]", "&#93;")
    s = s.replace("{", "&#123;").replace("}", "&#125;").replace("~~~", "&#126;~~").replace("''", "&#39;'")
    s = s.replace("|", "&#124;").replace("__", "&#95;_")
    return re.sub(r"^([*#:;=-])", lambda m: "&#%d;" % ord(m.group(1)), s)
