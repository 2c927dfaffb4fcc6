"""Takes the text of the Debian handbook apart: text.py HTML_DIR LANGUAGE ORIGINAL OUT

OUT is JSON: {"chapters": [{"title", "blocks": [markdown text], "titles": [heading], "code": [listing]}]}.
Blocks that are the same in ORIGINAL (not translated) are left out, and so is every block met before.
"""
import json
import os
import re
import sys
from html.parser import HTMLParser

VOID = {"img", "br", "hr", "meta", "link", "input", "col"}


class Page(HTMLParser):
    """Collects paragraphs as Markdown, headings and listings of one page."""

    def __init__(self):
        super().__init__()
        self.stack, self.out, self.text, self.links = [], [], [], []

    def flush(self, kind):
        s = "".join(self.text)
        self.text = []
        s = s.strip("\n") if kind == "code" else re.sub(r"\s+", " ", s).strip()
        if s:
            self.out.append((kind, s))

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        cls = a.get("class") or ""
        if tag in VOID:
            return
        if tag in ("div", "pre", "ul", "ol", "dl", "dd", "dt", "li", "p", "table", "h1", "h2", "h3", "h4"):
            self.flush("para")
        self.stack.append((tag, cls, a.get("href")))
        if not self.inside("pre"):
            if tag == "code":
                self.text.append("`")
            if tag in ("em", "strong") and not self.inside("code"):
                self.text.append("*")
            if tag == "a" and (a.get("href") or "").startswith("http"):
                self.text.append("[")

    def inside(self, tag):
        return any(t == tag for t, _, _ in self.stack)

    def handle_endtag(self, tag):
        if tag in VOID or not self.inside(tag):
            return
        while self.stack:
            t, cls, href = self.stack.pop()
            if not self.inside("pre") and t != "pre":
                if t == "code":
                    self.text.append("`")
                if t in ("em", "strong") and not self.inside("code"):
                    self.text.append("*")
                if t == "a" and (href or "").startswith("http"):
                    self.text.append("](%s)" % href)
            if t == "pre":
                self.flush("code")
            elif t in ("h1", "h2", "h3", "h4") or (t == "p" and cls == "title"):
                self.flush("title")
            elif t in ("div", "dd", "dt", "li", "p", "td", "table"):
                self.flush("para")
            if t == tag:
                return

    def handle_data(self, data):
        if self.inside("head") or any("docnav" in c or c == "toc" for _, c, _ in self.stack):
            return
        self.text.append(data)


def read(path):
    p = Page()
    p.feed(open(path, encoding="utf-8").read())
    p.flush("para")
    return p.out


def main():
    root, lang, original, out = sys.argv[1:5]
    d, o = os.path.join(root, lang), os.path.join(root, original)
    names = [n for n in sorted(os.listdir(d)) if n.endswith(".html") and n != "index.html"]
    known = {s for n in os.listdir(o) if n.endswith(".html") for k, s in read(os.path.join(o, n)) if k == "para"}
    # The order of the pages and their chapters, as in the table of contents.
    toc = open(os.path.join(d, "index.html"), encoding="utf-8").read()
    order = list(dict.fromkeys(re.findall(r'href="([\w.-]+\.html)"', toc)))
    order = [n for n in order if n in names]
    chapters, seen = [], set()
    for n in order:
        if not n.startswith("sect.") or not chapters:
            chapters.append({"title": "", "blocks": [], "titles": [], "code": []})
        c = chapters[-1]
        for kind, s in read(os.path.join(d, n)):
            if kind == "title":
                s = re.sub(r"^[\w.]*\d[\d.]*\.?\s+|[*`]", "", re.sub(r"^(Capítulo|Apéndice)\s+\w+\.\s*", "", s)).strip()
                s = re.sub(r"^[A-ZÁÉÍÓÚÑ ]{4,}\s+(?=\w)", "", s).strip()
                if not c["title"]:
                    c["title"] = s
                if s in seen or not 2 <= len(s.split()) <= 14:
                    continue
                seen.add(s)
                c["titles"].append(s)
            elif s not in seen and s not in known:
                seen.add(s)
                if kind == "code":
                    c["code"].append(s)
                elif len(s.split()) >= 5:
                    c["blocks"].append(s)
    json.dump({"chapters": chapters}, open(out, "w", encoding="utf-8"), ensure_ascii=False, indent=0)
    for c in chapters:
        print("%-60s %5d blocks %6d words %4d titles %4d listings" % (
            c["title"], len(c["blocks"]), sum(len(b.split()) for b in c["blocks"]), len(c["titles"]), len(c["code"])))


main()
