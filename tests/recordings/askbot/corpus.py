"""Paragraphs of Debian's English documentation, in document order, each used once.

The Debian packages are unpacked (not installed) below TEXT_DIR by setup.sh.  A section
is a run of paragraphs below one heading; its paragraphs speak of one matter, so that a
question and its answers share words as they do on a real site.
"""
import glob
import os
import re

import lxml.html

# One entry per manual: (glob below usr/share, general tag of the manual)
MANUALS = [
    ("doc/debian-handbook/html/en-US/*.html", "administration"),
    ("doc/harden-doc/html/en-US/*.html", "security"),
    ("debian-reference/*.en.html", "shell"),
    ("developers-reference/*.en.html", "packaging"),
    ("doc/debian/FAQ/*.en.html", "faq"),
]
SKIP_FILES = re.compile(r"(genindex|search|index|ix01|upgrading-checklist|copyright)[^/]*$")
SKIP_BOXES = ("nav", "footer", "toc", "docnav", "navheader", "navfooter", "related",
              "sphinxsidebar", "footnotes", "navigation")
HEADINGS = ("h1", "h2", "h3", "h4", "h5")
TAG_RE = re.compile(r"[a-z][a-z0-9.+-]{2,17}$")


def squeeze(text):
    return re.sub(r"\s+", " ", text).replace("\u00b6", "").strip()


def boxes(el):
    return set((el.get("class") or "").split()) | {el.get("id") or ""}


def to_markdown(el):
    """Inline text with `code` marks; nested blocks are left to their own turn."""
    out = [el.text or ""]
    for c in el:
        if isinstance(c.tag, str) and c.tag not in ("pre", "ul", "ol", "table", "dl", "p", "div", "sup"):
            t = squeeze(c.text_content())
            is_code = c.tag in ("code", "tt", "kbd") and t and "`" not in t
            out.append("`%s`" % t if is_code else c.text_content())
        out.append(c.tail or "")
    return squeeze("".join(out)).replace("<", "&lt;")


def walk(el):
    """Yields ("head", text), ("para", markdown), ("code", text) in document order."""
    for c in el:
        if not isinstance(c.tag, str) or c.tag in ("script", "style", "nav", "footer", "table"):
            continue
        if boxes(c) & set(SKIP_BOXES):
            continue
        if c.tag in HEADINGS:
            yield "head", re.sub(r"^(Chapter|Appendix)?\s*[0-9A-Z]*[0-9.]+\.?\s+", "", squeeze(c.text_content()))
        elif c.tag == "pre":
            yield "code", c.text_content().strip("\n")
        elif c.tag == "p" or (c.tag in ("div", "li", "dd") and
                              ("para" in boxes(c) or (c.text or "").strip())):
            yield "para", to_markdown(c)
            yield from (x for x in walk(c) if x[0] != "head")
        else:
            yield from walk(c)


def names(el_text):
    return re.findall(r"`([^`]+)`", el_text)


def sections(text_dir):
    """[{title, manual, paras: [markdown]}], every paragraph at most once overall."""
    seen, out = set(), []
    for pattern, manual in MANUALS:
        for path in sorted(glob.glob(os.path.join(text_dir, "usr/share", pattern))):
            if SKIP_FILES.search(os.path.basename(path)):
                continue
            doc = lxml.html.parse(path, lxml.html.HTMLParser(encoding="utf-8")).getroot()
            cur = None
            for kind, text in walk(doc.find("body")):
                if kind == "head":
                    cur = {"title": text, "manual": manual, "paras": []}
                    out.append(cur)
                    continue
                if cur is None:
                    continue
                key = re.sub(r"\W+", " ", text.lower())[:120]
                if key in seen or not text.strip():
                    continue
                seen.add(key)
                if kind == "code":
                    # Code belongs to the paragraph before it (four blanks make a code block).
                    if cur["paras"] and len(text) < 1200:
                        cur["paras"][-1] += "\n\n" + "\n".join("    " + l for l in text.splitlines()) + "\n"
                elif len(text.split()) >= 5:
                    cur["paras"].append(text)
    return [s for s in out if s["paras"]]


if __name__ == "__main__":
    import sys
    secs = sections(sys.argv[1])
    paras = [p for s in secs for p in s["paras"]]
    words = [len(p.split()) for p in paras]
    print(len(secs), "sections", len(paras), "paragraphs", sum(words), "words")
    print(sorted(words)[::max(1, len(words) // 20)])
    import collections
    tags = collections.Counter(n for p in paras for n in set(names(p)) if TAG_RE.match(n))
    print(tags.most_common(150))
    for s in secs[::150]:
        print("==", s["manual"], "|", s["title"], "|", s["paras"][0][:200])
