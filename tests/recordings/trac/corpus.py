"""Real prose for the site, read from the Perl (POD) and Python (reST) documentation.

Everything is returned in Trac wiki markup.  A paragraph that occurs twice in the
sources is returned once only.
"""
import os
import re

SEEN = set()


def fresh(text):
    key = re.sub(r"\W+", " ", text.lower()).strip()
    if key in SEEN:
        return False
    SEEN.add(key)
    return True


def words(text):
    return len(text.split())


# ---- POD -------------------------------------------------------------------

ENTITY = {"lt": "<", "gt": ">", "verbar": "|", "sol": "/", "nbsp": " ", "amp": "&", "quot": '"'}


def pod_inline(text, names):
    def link(m):
        label, target = "", m.group(1)
        if "|" in target:
            label, target = target.split("|", 1)
        if re.match(r"https?://", target):
            return "[%s %s]" % (target, label) if label else target
        page = target.split("/")[0].strip('" ')
        if page in names:
            return "[wiki:%s %s]" % (page, label or target)
        return label or target.strip("/").replace('"', "")

    def plain(code):
        code = code.strip()
        return "`%s`" % code if "`" not in code and code else code

    text = " ".join(text.split())
    text = re.sub(r"[A-Z]<<+ (.*?) >>+", lambda m: plain(m.group(1)), text)
    for _ in range(3):           # codes may be nested
        text = re.sub(r"E<(\w+)>", lambda m: ENTITY.get(m.group(1), " "), text)
        text = re.sub(r"[XZ]<[^<>]*>", "", text)
        text = re.sub(r"L<([^<>]*)>", link, text)
        text = re.sub(r"[CF]<([^<>]*)>", lambda m: plain(m.group(1)), text)
        text = re.sub(r"B<([^<>]*)>", r"'''\1'''", text)
        text = re.sub(r"I<([^<>]*)>", r"''\1''", text)
        text = re.sub(r"S<([^<>]*)>", r"\1", text)
    return text.strip()


def pod_sections(path, names):
    """[(heading, [block, ...]), ...], one entry for every =head1."""
    with open(path, encoding="utf-8", errors="replace") as f:
        raw = f.read()
    out, skip = [], False
    for para in re.split(r"\n\s*\n", raw):
        if not para.strip():
            continue
        if para.startswith("="):
            cmd, _, rest = para[1:].partition(" ")
            cmd = cmd.strip()
            if cmd in ("begin", "for"):
                skip = cmd == "begin"
            elif cmd == "end":
                skip = False
            elif cmd == "head1":
                out.append((pod_inline(rest, names), []))
            elif out and cmd in ("head2", "head3"):
                out[-1][1].append("== %s ==" % pod_inline(rest, names))
            elif out and cmd == "item":
                item = pod_inline(re.sub(r"^[*\d.]+\s*", "", rest.strip()), names)
                if words(item) > 3 and fresh(item):
                    out[-1][1].append(" * " + item)
                elif item:
                    out[-1][1].append("'''%s'''" % item.replace("'''", ""))
            continue
        if skip or not out:
            continue
        if para[0] in " \t":
            if "}}}" not in para and fresh(para):
                out[-1][1].append("{{{\n%s\n}}}" % para.rstrip())
        else:
            text = pod_inline(para, names)
            if words(text) >= 5 and fresh(text):
                out[-1][1].append(text)
    return out


# ---- reST ------------------------------------------------------------------

def rst_inline(text):
    text = " ".join(text.split())
    text = re.sub(r":[\w:+-]+:`!?~?([^`<]*?)\s*(?:<[^`>]*>)?`", lambda m: m.group(1) or "it", text)
    text = re.sub(r"`([^`<]+?)\s*<(https?://[^`>]+)>`__?", r"[\2 \1]", text)
    text = re.sub(r"`([^`]+)`__?", r"\1", text)
    text = re.sub(r"``([^`]+)``", r"`\1`", text)
    parts = text.split("`")
    for i in range(0, len(parts), 2):      # not inside of code
        t = re.sub(r"\*\*([^*]+)\*\*", r"'''\1'''", parts[i])
        t = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?!\w)", r"''\1''", t)
        parts[i] = re.sub(r"\|(\w+)\|", r"\1", t).replace("\\", "")
    return "`".join(parts).strip()


def rst_file(path):
    """(title, [prose paragraph, ...], [code block, ...]) of one file."""
    with open(path, encoding="utf-8") as f:
        paras = [p for p in re.split(r"\n\s*\n", f.read()) if p.strip()]
    title, prose, code, after_colons = "", [], [], False
    for p in paras:
        lines = p.strip("\n").split("\n")
        indent = len(lines[0]) - len(lines[0].lstrip())
        first = lines[0].strip()
        if len(lines) >= 2 and re.match(r"^([=\-~^*#\"'+])\1{2,}\s*$", lines[1]):
            title = title or rst_inline(lines[0])
            after_colons = False
            continue
        is_code = first.startswith((">>>", "$ ", "#include")) or (after_colons and indent)
        if is_code:
            text = "\n".join(line[indent:] for line in lines)
            if "}}}" not in text and fresh(text):
                code.append(text)
            continue
        after_colons = first.startswith((".. code-block", "::")) or p.rstrip().endswith("::")
        if first.startswith((".. ", ":", "|", "+-", "==", "__", "--")) or "|  " in p or ":: " in p:
            continue
        text = re.sub(r"^([*+-]|#\.|\d+\.|\(\d+\))\s+", "", " ".join(line.strip() for line in lines))
        text = re.sub(r"::$", ":", rst_inline(text))
        if sum(line.lstrip().startswith(("* ", "- ")) for line in lines) > 1:
            items = re.split(r"\n\s*[*-] ", "\n" + p.strip("\n"))
            text = "\n".join(" * " + rst_inline(i) for i in items if i.strip())
        if words(text) >= 6 and text.strip(" *'`\"(")[:1].isalnum() and text[-1] in ".?!:" and fresh(text):
            prose.append(text)
    return title, prose, code


def rst_streams(root):
    """{top folder: [(title, prose, code), ...]} of all files with some prose."""
    out = {}
    for folder, dirs, files in os.walk(root):
        dirs.sort()
        for name in sorted(files):
            rel = os.path.relpath(os.path.join(folder, name), root)
            if not name.endswith(".rst.txt") or "/" not in rel:
                continue
            title, prose, code = rst_file(os.path.join(folder, name))
            if len(prose) >= 12:
                out.setdefault(rel.split("/")[0], []).append((title, prose, code))
    return out


class Stream:
    """Hands out the prose of one file in order, in pieces of about n words."""

    def __init__(self, title, prose, code):
        self.title, self.prose, self.code = title, list(prose), list(code)

    def left(self):
        return len(self.prose)

    def take(self, n):
        got, count = [], 0
        while self.prose and count < n:
            p = self.prose[0]
            if words(p) <= 1.4 * (n - count) + 8:
                self.prose.pop(0)
            else:                # cut a long paragraph after a sentence
                parts = re.split(r"(?<=[a-z)`][.?!]) (?=[A-Z])", p)
                k = 1
                while k < len(parts) and words(" ".join(parts[:k + 1])) <= n - count:
                    k += 1
                p = " ".join(parts[:k])
                if k < len(parts):
                    self.prose[0] = " ".join(parts[k:])
                else:
                    self.prose.pop(0)
            got.append(p)
            count += words(p)
        return "\n\n".join(got)

    def headline(self):
        """A short sentence for a summary line."""
        text = re.sub(r"['`\[\]]", "", self.take(8)).replace("\n", " ")
        text = re.split(r"(?<=[a-z])[.;:](?:\s|$)", text)[0]
        if len(text) > 78:
            text = text[:78].rsplit(" ", 1)[0].rstrip(",;:(")
        return text[:1].upper() + text[1:]
