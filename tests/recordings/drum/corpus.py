"""Real prose for the site: the chapters of a manual in HTML."""
import html
import re
from pathlib import Path


def plain(text):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", text))).strip()


def load(folder):
    """[(chapter, title, [paragraph, ...]), ...]; no paragraph comes twice."""
    out, seen = [], set()
    for path in sorted(Path(folder).glob("*.html")):
        if path.name.startswith("release-"):          # lists of changes, no prose
            continue
        source = path.read_text(encoding="utf-8")
        title = plain(re.search(r"<title>(.*?)</title>", source)[1])
        title = re.sub(r"^(Chapter|Part|Appendix)?\s*(([A-Z]|\d+|[IVX]+)\.)+\s*", "", title).strip(" .")
        chapter = re.search(r'<th width="60%" align="center">(.*?)</th>', source)
        paragraphs = []
        for part in re.findall(r"(?s)<p>(.*?)</p>", source):
            text = plain(part)
            key = re.sub(r"\W+", "", text.lower())
            if len(text.split()) >= 10 and key not in seen and text[0].isalpha() and text[-1] in ".:?!":
                seen.add(key)
                paragraphs.append(text.rstrip(":") + ("." if text[-1] == ":" else ""))
        if title and len(paragraphs) >= 2:
            out.append((plain(chapter[1]) if chapter else "", title, paragraphs))
    return out


def sentences(text):
    return re.split(r"(?<=[a-z)][.?!]) (?=[A-Z])", text)


def headline(text):
    text = re.split(r"(?<=[a-z])[.;:,] ", sentences(text)[0].rstrip("."))[0]
    if len(text) > 85:
        text = text[:85].rsplit(" ", 1)[0].rstrip(",;:(")
    return text[:1].upper() + text[1:]
