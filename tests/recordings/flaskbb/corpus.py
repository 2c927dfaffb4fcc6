"""Real prose for the forum: the sections of a long list of questions and answers, in Markdown."""
import gzip
import re
from pathlib import Path


def read(path):
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "replace")


def plain(text):
    """One paragraph on one line: links to other files would lead nowhere here."""
    text = re.sub(r"\s*\n>? ?", " ", text.strip())
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\(see (also )?section[^)]*\)", "", text)
    text = re.sub(r"(\*\*|_)\s+", r"\1", text) if text.count("**") % 2 else text
    return re.sub(r"\s+", " ", text).replace("**", "").replace("_", "")


def load(folder):
    """[(part, heading, [post, ...]), ...] and [quotation, ...]; no paragraph comes twice."""
    out, quotes, seen = [], [], set()
    for path in sorted(Path(folder).glob("*.md*")):
        match = re.match(r"sec([A-J])\d|(append)\d", path.name)
        if not match:
            continue
        heading, blocks = None, []
        for para in re.split(r"\n\s*\n", read(path)):
            head = re.match(r"#+ (?:[A-J](?:\.\d+)+\.?|\d+\.?)?\s*(.+)", para.strip())
            if head:
                if heading and blocks:
                    out.append((match[1] or match[2], heading, blocks))
                heading, blocks = plain(head[1])[:180], []
                continue
            text = plain(para.lstrip("> "))
            key = re.sub(r"\W+", "", text.lower())
            if len(text.split()) < 12 or key in seen or text.startswith(("*", "|", "-", "[", "#")):
                continue
            seen.add(key)
            if para.startswith(">") and 60 < len(text) < 400:
                quotes.append(re.sub(r"\s*\[[^\]]*\]$", "", text))
            elif blocks and len(blocks[-1]) < 260 and len(blocks) > 1:
                blocks[-1] += "\n\n" + text      # short paragraphs belong together
            else:
                blocks.append(text)
        if heading and blocks:
            out.append((match[1] or match[2], heading, blocks))
    return out, quotes


def sentence(text):
    text = text.rsplit("\n\n", 1)[-1]
    return re.split(r"(?<=[a-z)\"'][.?!]) ", text)[0][:300]


def headline(text):
    text = re.split(r"(?<=[a-z])[.;:?]", re.sub(r"[\[\]*>\"]", "", text))[0]
    if len(text) > 90:
        text = text[:90].rsplit(" ", 1)[0].rstrip(",;:(")
    return text[:1].upper() + text[1:]
