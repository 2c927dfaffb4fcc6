"""Texts of HTML fragments, and their words as `harvestman-lab lab posts` counts them."""

import collections
import re
from html.parser import HTMLParser

BLOCKS = set("address article aside blockquote br dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table td th tr ul".split())
HIDDEN = {"script", "style", "template", "title", "head", "textarea", "noscript"}
VOID = set("area base br col embed hr img input link meta source track wbr".split())
# Scripts without spaces: each letter counts as a word.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
WORD = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")


class _Text(HTMLParser):
    """Collects the text, without that of elements for which `is_left_out(tag, attributes)` holds."""

    def __init__(self, is_left_out):
        super().__init__(convert_charrefs=True)
        self.parts, self.is_left_out, self.skipped = [], is_left_out, []

    def handle_starttag(self, tag, attributes):
        if tag in BLOCKS:
            self.parts.append("\n")
        if tag in VOID:
            return
        if self.skipped:
            self.skipped.append(tag)
        elif tag in HIDDEN or self.is_left_out(tag, dict(attributes)):
            self.skipped = [tag]

    def handle_endtag(self, tag):
        if tag in BLOCKS:
            self.parts.append("\n")
        if tag in self.skipped:
            while self.skipped.pop() != tag:
                pass

    def handle_data(self, data):
        if not self.skipped:
            self.parts.append(data)


def text_of(html, is_left_out=lambda tag, attributes: False):
    """The text of HTML: a line for each block, without empty lines."""
    parser = _Text(is_left_out)
    parser.feed(html)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return "\n".join(line for line in lines if line)


def is_quote(tag, _attributes):
    return tag == "blockquote"


def words(text):
    return WORD.findall(text.lower())


def contained(part, whole):
    """The share of the words of `part` that are in `whole`, as bags."""
    part, whole = collections.Counter(words(part)), collections.Counter(words(whole))
    count = sum(part.values())
    return sum((part & whole).values()) / count if count else 1.0


def regions(html, start):
    """Splits a page at the matches of `start`. Yields (match, HTML up to the next match or the end)."""
    found = list(re.finditer(start, html))
    for match, after in zip(found, [*found[1:], None]):
        yield match, html[match.start():after.start() if after else len(html)]
