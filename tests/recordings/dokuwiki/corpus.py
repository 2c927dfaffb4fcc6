"""Real prose for the wiki: a handbook in German, in DokuWiki's markup."""
import re
import xml.etree.ElementTree as ET
from pathlib import Path

SPACES = [
    ("werkzeuge", r"gimp-tool"), ("filter", r"(gimp-)?filters?\b|plug-in|gimp-filter|script-fu"),
    ("ebenen", r"gimp-layer|layer-mode|gimp-using-layers"), ("auswahl", r"gimp-selection|gimp-path"),
    ("farben", r"gimp-colors?|tone|gimp-.*color|gimp-palette|gimp-gradient"),
    ("bild", r"gimp-image|gimp-images|gimp-using-photo|gimp-photo"),
    ("dialoge", r"gimp-.*dialog|gimp-dialogs"),
    ("menues", r"gimp-(file|edit|view|help|windows|.*menu)"),
    ("anleitungen", r"gimp-using|gimp-tutorial|gimp-getting|gimp-fire|gimp-desktop"),
    ("grundlagen", r""),
]


def clean(title):
    """The id that the wiki gives to a title."""
    text = title.lower()
    for a, b in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("é", "e")):
        text = text.replace(a, b)
    return re.sub(r"[^a-z0-9]+", "_", text).strip("_")[:60].strip("_")


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def tag(node):
    return node.tag.rsplit("}", 1)[-1]


def inline(node, ids):
    out = node.text or ""
    for child in node:
        name, text = tag(child), ""
        if name == "a" and child.get("href"):
            target = ids.get(child.get("href").split("#")[0])
            text = squeeze(inline(child, ids))
            text = "[[:%s|%s]]" % (target, re.sub(r"[\[\]|]", "", text)) if target and text else text
        elif name in ("strong", "em") and not list(child):
            mark = "**" if name == "strong" else "//"
            text = squeeze(child.text or "")
            text = mark + text + mark if text else ""
        elif name not in ("img", "table", "ul", "ol", "dl", "div", "script"):
            text = inline(child, ids)
        out += text + (child.tail or "")
    return out


def blocks_of(body, ids):
    """[text block, ...]: headings, paragraphs, lists, pictures."""
    out = []

    def walk(node):
        for child in node:
            name, kind = tag(child), child.get("class") or ""
            if kind in ("navheader", "navfooter", "toc", "titlepage") and name != "div" or kind.startswith("nav"):
                continue
            if name in ("h2", "h3", "h4", "h5", "h6"):
                text = re.sub(r"^[\dA-Z.]+\.\s*", "", squeeze("".join(child.itertext())))
                level = {"h2": 6, "h3": 5, "h4": 4, "h5": 3, "h6": 2}[name]
                out.append(("h", "=" * level + " " + text + " " + "=" * level))
            elif name == "p" and kind != "title":
                text = squeeze(inline(child, ids))
                if len(text.split()) > 3:
                    out.append(("p", text))
            elif name in ("ul", "ol"):
                items = [squeeze(inline(li, ids)) for li in child]
                items = ["  %s %s" % ("*" if name == "ul" else "-", i) for i in items if i]
                if items:
                    out.append(("l", "\n".join(items)))
            elif name == "dt":
                out.append(("t", "**" + squeeze("".join(child.itertext())) + "**"))
            elif name == "img" and child.get("src", "").startswith("images/"):
                out.append(("i", child.get("src"), squeeze(child.get("alt") or "")))
            else:
                if name == "dd" and (child.text or "").strip():
                    out.append(("p", squeeze(inline(child, ids))))
                walk(child)

    walk(body)
    return [b for b in out if b[0] == "i" or is_german(b[1])]


def is_german(text):
    """The handbook has parts that nobody has translated yet."""
    words = re.findall(r"[a-zäöüß]+", text.lower())
    german = sum(w in ("der", "die", "das", "und", "ist", "sie", "ein", "eine", "mit", "zu", "den") for w in words)
    english = sum(w in ("the", "and", "is", "of", "to", "a", "you", "with", "in", "this", "can") for w in words)
    return german >= english


def load(folder):
    """[(id, title, [block, ...]), ...] of all pages with some prose."""
    trees, ids = [], {}
    for path in sorted(Path(folder).glob("*.html")):
        if re.match(r"gfdl|index|bibliography|glossary|go01|bi01|ix01|gimp-help", path.name):
            continue
        source = re.sub(r"(?s)<!DOCTYPE.*?>", "", path.read_text(encoding="utf-8")).replace("&nbsp;", " ")
        try:
            root = ET.fromstring(source)
        except ET.ParseError:
            continue
        title = next((n for n in root.iter() if tag(n) == "title"), None)
        title = re.sub(r"^(Kapitel|Teil|Anhang)?\s*[\dA-Z]+(\.[\dA-Z]+)*\.\s*", "", squeeze(title.text or ""))
        space = next(name for name, rx in SPACES if re.match(rx, path.name))
        if not clean(title):
            continue
        page = base = space + ":" + clean(title)
        number = 1
        while page in ids.values():
            number += 1
            page = "%s_%d" % (base, number)
        ids[path.name] = page
        trees.append((path.name, title, next(n for n in root.iter() if tag(n) == "body")))
    return [(ids[name], title, body) for name, title, body in trees], ids
