"""Truth files: what the posts of a recorded site are, and on which of its pages they are shown. docs/how-to/posts-truth.md has the format."""

import dataclasses
import json

from texts import contained, text_of

# Share of the words of a post that must be in the part of the page that shows it: pages shorten addresses and number lists.
CONTAINED_MIN = 0.97


@dataclasses.dataclass
class Post:
    """A post of the database."""

    id: str
    text: str
    thread: str | None = None
    author: str | None = None
    time: str | None = None  # ISO 8601 with the offset of the zone in which the site shows it
    time_shown: bool = True  # with minutes
    url: str | None = None
    variants: list = dataclasses.field(default_factory=list)  # other right readings of its text, such as that with its quotes
    parents: list = dataclasses.field(default_factory=list)  # the ids of what it answers; several if the page leaves it open
    pages: list = dataclasses.field(default_factory=list)
    excerpts: list = dataclasses.field(default_factory=list)

    def line(self):
        known = {"id": self.id, "thread": self.thread, "url": self.url, "author": self.author, "time": self.time, "time_shown": self.time_shown,
                 "text": self.text, "variants": [text for text in self.variants if text != self.text],
                 "parent": self.parents[0] if len(self.parents) == 1 else self.parents, "pages": self.pages, "excerpts": self.excerpts}
        return json.dumps({key: value for key, value in known.items() if value not in (None, [], "") or key == "text"}, ensure_ascii=False)


@dataclasses.dataclass
class Shown:
    """A post on a page: the whole of it, or only its beginning."""

    id: str
    html: str = ""  # the part of the page, if it is known
    excerpt: bool = False
    lacks: tuple = ()  # fields that the page does not show


def write(path, posts, pages, shown):
    """Writes the posts that `shown(url, html)` finds on some of the pages. Returns the number of posts, and of pages that show any."""
    by_id, holders, suspects = {post.id: post for post in posts}, 0, []
    for url, html in pages:
        is_holder = False
        for part in shown(url, html):
            post = by_id.get(part.id)
            if post is None:
                continue
            is_holder = True
            if part.excerpt:
                if url not in post.excerpts:
                    post.excerpts.append(url)
                continue
            post.pages.append({"url": url, "lacks": list(part.lacks)} if part.lacks else url)
            if part.html and contained(post.text, text_of(part.html)) < CONTAINED_MIN:
                suspects.append((url, post.id))
        holders += is_holder
    # A post of which only lists show the beginning is an excerpt there, not nothing.
    kept = [post for post in by_id.values() if post.pages or post.excerpts]
    assert any(post.pages for post in kept), "no page shows a post"
    assert len(suspects) <= len(kept) // 100, f"{len(suspects)} posts are not on the pages that should show them: {suspects[:5]}"
    with open(path, "w", encoding="utf-8") as file:
        for post in kept:
            file.write(post.line() + "\n")
    return len(kept), holders

