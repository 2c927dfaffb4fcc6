"""Reads prose out of the documentation of installed Debian packages.

topics(kind) gives [(title, [paragraph, ...], [code, ...]), ...]; a paragraph is one line of
plain text. No paragraph is given twice by one Reader.
"""
import gzip
import re
import subprocess
from pathlib import Path

SKIP_SECTIONS = ("NAME", "LIBRARY", "SYNOPSIS", "SEE ALSO", "COLOPHON", "ATTRIBUTES", "STANDARDS",
                 "CONFORMING TO", "AUTHOR", "AUTHORS", "COPYRIGHT", "REPORTING BUGS", "RETURN VALUE")
CHANGELOGS = ("apt", "base-files", "bash", "bsdutils", "coreutils", "dash", "debconf", "debianutils",
              "diffutils", "dpkg", "e2fsprogs", "findutils", "gcc-12-base", "gpgv", "grep", "gzip",
              "hostname", "init-system-helpers", "libc-bin", "login", "mawk", "mount", "ncurses-base",
              "passwd", "perl-base", "sed", "sysvinit-utils", "tar", "tzdata", "util-linux")


def package_files(package, pattern):
    out = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=True).stdout
    rx = re.compile(pattern)
    return sorted(p for p in out.split("\n") if rx.search(p) and not Path(p).is_symlink() and Path(p).is_file())


def read(path):
    raw = Path(path).read_bytes()
    return (gzip.decompress(raw) if str(path).endswith(".gz") else raw).decode("utf-8", "replace")


def is_prose(text):
    words = text.split()
    if len(words) < 6 or "@" in text or text.count(";") > 3 or text.count("{") > 1:
        return False
    letters = sum(c.isalpha() or c == " " for c in text)
    plain = sum(bool(re.fullmatch(r"[\"'(]?[A-Za-z][a-z]*[-a-z]*[\"').,:;]*", w)) for w in words)
    return letters > 0.82 * len(text) and plain > 0.62 * len(words)


def join(lines):
    text = re.sub(r"\s+", " ", " ".join(x.strip() for x in lines))
    return text.replace("\u2010 ", "").replace("\u2010", "-").replace("\u2212", "-").strip()


class Reader:
    def __init__(self):
        self.used = set()

    def take(self, text):
        """True the first time a text comes, whatever its digits and spaces are."""
        key = re.sub(r"[^a-z]+", "", text.lower())
        if key in self.used:
            return False
        self.used.add(key)
        return True

    def man_page(self, path):
        source = read(path)
        if source.startswith(".so "):
            return None
        done = subprocess.run(["groff", "-mandoc", "-t", "-Tutf8", "-P-cbou", "-rHY=0", "-rLL=100n"],
                              input=source, capture_output=True, text=True)
        section, blocks, block, title = "", [], [], ""
        for line in done.stdout.split("\n") + [""]:
            if line and not line.startswith(" "):
                section, line = line.strip(), ""
            if line.strip() and not re.match(r"   ?\S", line):
                block.append(line)
                continue
            if block and section == "NAME" and not title:
                title = join(block)
            elif block and section not in SKIP_SECTIONS:
                blocks.append((section, block))
            block = []
        paragraphs, code = [], []
        for section, block in blocks:
            text = join(block)
            if is_prose(text):
                if self.take(text):
                    paragraphs.append(text)
            elif section.startswith("EXAMPLE") and len(block) > 3:
                indent = min(len(x) - len(x.lstrip()) for x in block)
                code.append("\n".join(x[indent:] for x in block))
        name, _, what = title.partition(" - ")
        names = name.split(",")
        return ("%s: %s" % (names[0].strip(), what.strip()), paragraphs, code) if what else None

    def man(self, package, sections):
        pages = package_files(package, r"/usr/share/man/man[%s]/[^/]*$" % sections)
        return [p for p in map(self.man_page, pages) if p]

    def info(self, path):
        out = []
        for node in read(path).split("\x1f")[1:]:
            lines = node.split("\n")
            heading = [re.sub(r"^[\d.]+ ", "", a) for a, b in zip(lines, lines[1:]) if re.match(r"[-=.*]{4,}$", b)]
            paragraphs = []
            for part in "\n".join(lines).split("\n\n"):
                if part.startswith("* ") or "Node:" in part:
                    continue
                text = re.sub(r"\*[Nn]ote ([^:]*)::", r'"\1"', join(part.split("\n")))
                if is_prose(text) and self.take(text):
                    paragraphs.append(text)
            if heading and paragraphs:
                out.append((heading[0], paragraphs, []))
        return out

    def changelogs(self):
        out = []
        for package in CHANGELOGS:
            path = Path("/usr/share/doc", package, "changelog.Debian.gz")
            if not path.exists():
                continue
            for entry in re.split(r"\n -- [^\n]*\n", read(path)):
                head = re.match(r"\s*(\S+) \(([^)]+)\)", entry)
                items = [join(x.split("\n")) for x in re.split(r"\n\s+[*+-] ", entry)[1:]]
                items = [re.sub(r"\[ [^]]* \]|\(?(Closes|LP):? ?[^)]*\)?", "", x).strip() for x in items]
                items = ["* " + x for x in items if 4 <= len(x.split()) < 80 and "@" not in x
                         and "hank" not in x and self.take(x)]
                if head and items:
                    out.append(("%s %s" % head.groups(), items, []))
        return out
