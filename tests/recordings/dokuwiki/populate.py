"""Writes the pages, their old revisions, the pictures and the accounts as DokuWiki's own files.

Usage: populate.py TEXT_DIR (SITE_HOME, SEED and SCALE from the environment)
"""
import datetime as dt
import gzip
import os
import random
import re
import shutil
import sys
from pathlib import Path

import corpus

HOME = Path(os.environ["SITE_HOME"])
DATA = HOME / "data"
START = int(dt.datetime(2018, 9, 3, 8, 0, tzinfo=dt.timezone.utc).timestamp())
SPAN = 2000 * 86400
FIRST = """anja bernd carsten doris edgar frieda gerd heike ingo jutta karin lars maren norbert ortrud peer quirin ralf
silke thilo ulf volker wiebke xaver yvonne zita arne birte claas dagmar enno frauke gesa holger imke jost kerstin lutz
meike nils olaf piet ruth sven tanja uwe vroni wolf""".split()
LAST = """albers brandt claasen dirks ehlers fehr gerdes harms iversen jansen kruse lorenz meinert nissen ohlsen
petersen quast ruhnke schmidt thomsen ullrich voss wendt zander""".split()
SUMMARIES = ["", "", "", "Tippfehler", "ergänzt", "Abschnitt hinzugefügt", "Link korrigiert", "umformuliert", "Bild",
             "gekürzt", "Beispiel", "Rechtschreibung", "aktualisiert", "Gliederung", "Hinweis ergänzt"]
TOWNS = "Husum Jena Passau Linz Bern Aachen Görlitz Emden Kassel Trier Graz Wismar Celle Lindau".split()


def power(rng, alpha, top):
    """0, 1, 2 ... with a heavy tail: P(at least n) = 1 / (n + 1) ** alpha."""
    return min(top, int(rng.random() ** (-1 / alpha)) - 1)


class Wiki:
    def __init__(self):
        self.recent, self.media_recent = [], []

    def save(self, page, revisions):
        """revisions: [(time, user, summary, text), ...], the oldest first."""
        path, old = page.replace(":", "/"), 0
        (DATA / "pages" / path).parent.mkdir(parents=True, exist_ok=True)
        (DATA / "attic" / path).parent.mkdir(parents=True, exist_ok=True)
        (DATA / "meta" / path).parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for number, (when, user, summary, text) in enumerate(revisions):
            size = len(text.encode())
            kind = "C" if number == 0 else "e" if summary in ("Tippfehler", "Rechtschreibung") else "E"
            lines.append("\t".join((str(when), "127.0.0.1", kind, page, user,
                                    summary or ("angelegt" if number == 0 else ""), "", str(size - old))))
            old = size
            with gzip.open(DATA / "attic" / ("%s.%d.txt.gz" % (path, when)), "wb") as f:
                f.write(text.encode())
        current = DATA / "pages" / (path + ".txt")
        current.write_text(text, encoding="utf-8")
        os.utime(current, (when, when))
        (DATA / "meta" / (path + ".changes")).write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.recent += lines

    def upload(self, source, name, user, when):
        path = name.replace(":", "/")
        (DATA / "media" / path).parent.mkdir(parents=True, exist_ok=True)
        (DATA / "media_meta" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, DATA / "media" / path)
        os.utime(DATA / "media" / path, (when, when))
        line = "\t".join((str(when), "127.0.0.1", "C", name, user, "angelegt", "", str(Path(source).stat().st_size)))
        (DATA / "media_meta" / (path + ".changes")).write_text(line + "\n", encoding="utf-8")
        self.media_recent.append(line)

    def close(self):
        for name, lines in (("_dokuwiki.changes", self.recent), ("_media.changes", self.media_recent)):
            lines.sort(key=lambda line: int(line.split("\t")[0]))
            (DATA / "meta" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def history(rng, texts, people, weights, first):
    when, out = first, []
    for number, text in enumerate(texts):
        out.append((when, rng.choices(people, weights)[0], rng.choice(SUMMARIES) if number else "", text))
        when += 600 + int(rng.expovariate(1 / (25 * 86400)))
    return out


def discussion(rng, page, title, paragraphs, people, weights, first):
    """Threads with replies that are indented by quotation marks, and signed."""
    texts, text, when, revisions = [], "====== Diskussion: %s ======\n\n[[:%s|Zur Seite]]\n" % (title, page), first, []
    while paragraphs:
        take = 1 + power(rng, 1.0, 12)
        part, paragraphs = paragraphs[:take], paragraphs[take:]
        head = re.sub(r"[\[\]*/|:]", "", re.split(r"[.,;:(]", part[0])[0])[:60].strip()
        text += "\n===== %s =====\n" % (head or "Frage")
        for depth, paragraph in enumerate(part):
            who = rng.choices(people, weights)[0]
            stamp = dt.datetime.fromtimestamp(when, dt.timezone.utc).strftime("%Y/%m/%d %H:%M")
            mark = ">" * min(depth, 3) + (" " if depth else "")
            text += "\n%s%s --- //[[user:%s]] %s//\n" % (mark, paragraph, who, stamp)
            revisions.append((when, who, "Antwort" if depth else "Neue Frage", text))
            when += 900 + int(rng.expovariate(1 / (3 * 86400)))
    if len(revisions) > 6:            # several comments in one save keep the number of old revisions small
        keep = sorted(rng.sample(range(len(revisions) - 1), 4)) + [len(revisions) - 1]
        revisions = [revisions[k] for k in keep]
    return revisions


def main(folder):
    rng = random.Random(int(os.environ.get("SEED", "1")))
    scale = float(os.environ.get("SCALE", "1"))
    pages, ids = corpus.load(folder)
    people = []
    while len(people) < min(700, max(20, round(210 * scale))):
        name = rng.choice(FIRST) + rng.choice(["", "", "_"]) + rng.choice(LAST + [""])
        if name.strip("._") == name and name not in people:
            people.append(name)
    weights = [1 / (i + 1) ** 0.8 for i in range(len(people))]
    blocks = {page: corpus.blocks_of(body, ids) for page, title, body in pages}
    words = {p: sum(len(b[1].split()) for b in bs if b[0] in "pl") for p, bs in blocks.items()}
    rich = [(page, title) for page, title, _ in pages if words[page] > 60 and blocks[page][0][0] != "i"
            and corpus.is_german(title)]
    chosen = rng.sample(rich, min(len(rich), round(310 * scale)))
    kept, left = {p for p, _ in chosen}, []
    for page, _ in rich:
        if page not in kept:
            left += [b[1] for b in blocks[page] if b[0] == "p" and 12 < len(b[1].split()) < 90]
    rng.shuffle(left)

    def resolve(text):
        """Links to pages that nobody has written stay as plain text, but for a few."""
        return re.sub(r"\[\[:([^|\]]+)\|([^\]]*)\]\]",
                      lambda m: m[0] if m[1] in kept or rng.random() < 0.02 else m[2], text)

    wiki, pictures, spaces = Wiki(), 0, {}
    for page, title in chosen:
        first = START + int(SPAN * rng.random())
        uploader, parts = rng.choices(people, weights)[0], []
        for block in blocks[page]:
            if block[0] != "i":
                parts.append(resolve(block[1]))
                continue
            source = Path(folder, block[1])
            if source.exists() and source.stat().st_size > 6000 and block[2] and pictures < 90 * scale:
                name = page.split(":")[0] + ":" + source.name.lower()
                pictures += 1
                wiki.upload(source, name, uploader, first)
                parts.append("{{ :%s?300 |%s}}" % (name, re.sub(r"[|{}]", "", block[2])))
        if not parts[0].startswith("======"):
            parts.insert(0, "====== %s ======" % title)
        count = min(len(parts) - 1, 1 + power(rng, 0.95, 14))
        cuts = sorted(rng.sample(range(2, len(parts)), min(count - 1, len(parts) - 2))) if len(parts) > 2 else []
        wiki.save(page, history(rng, ["\n\n".join(parts[:c]) + "\n" for c in cuts + [len(parts)]],
                                people, weights, first))
        spaces.setdefault(page.split(":")[0], []).append((page, title))
        if rng.random() < 0.3 and left:
            take = 1 + power(rng, 0.8, 30)
            talk, left = [resolve(t) for t in left[:take]], left[take:]
            wiki.save("diskussion:" + page, discussion(rng, page, title, talk, people, weights, first + 86400 * 9))
            path = DATA / "pages" / (page.replace(":", "/") + ".txt")
            stamp = path.stat().st_mtime
            path.write_text(path.read_text() + "\n----\n[[:diskussion:%s|Diskussion zu dieser Seite]]\n" % page)
            os.utime(path, (stamp, stamp))
    for name in people:
        about = [resolve(left.pop()) for _ in range(1 + power(rng, 1.2, 4)) if left]
        best = rng.sample(chosen, min(4, len(chosen)))
        text = "====== %s ======\n\nWohnt in %s, dabei seit %d.\n\n%s\n\n===== Lieblingsseiten =====\n\n%s\n" % (
            name.replace(".", " ").replace("_", " ").title(), rng.choice(TOWNS), rng.randint(2018, 2023),
            "\n\n".join(about), "\n".join("  * [[:%s|%s]]" % b for b in best))
        wiki.save("user:" + name, [(START + int(SPAN * rng.random()), name, "", text)])
    for space, entries in spaces.items():
        text = "====== %s ======\n\n" % space.title() + "\n".join("  * [[:%s|%s]]" % e for e in sorted(entries))
        wiki.save(space + ":start", [(START + 3600, people[0], "", text + "\n")])
    text = "\n".join("  * [[:%s:start|%s]] (%d Seiten)" % (s, s.title(), len(e)) for s, e in sorted(spaces.items()))
    hello = "====== Bildwerkstatt ======\n\nEin Wiki über Bildbearbeitung, von allen für alle.\n\n%s\n" % text
    users = "===== Mitglieder =====\n\n" + "\n".join("  * [[user:%s]]" % p for p in sorted(people)) + "\n"
    wiki.save("start", [(START + 60, people[0], "", hello), (START + 7200, people[1], "Mitglieder", hello +
                                                             "\n[[mitglieder|Wer hier schreibt]]\n")])
    wiki.save("mitglieder", [(START + 7300, people[1], "", users)])
    wiki.save("sidebar", [(START + 90, people[0], "", "**Bereiche**\n\n" + "\n".join(
        "  * [[:%s:start|%s]]" % (s, s.title()) for s in sorted(spaces)) + "\n")])
    wiki.close()
    (HOME / "conf" / "users.auth.php").write_text("# <?php exit()?>\n" + "".join(
        "%s:!:%s:%s@example.org:user\n" % (p, p.replace(".", " ").replace("_", " ").title(), p) for p in people))
    print(len(chosen), "pages", len(people), "members", pictures, "pictures", len(wiki.recent), "revisions")


if __name__ == "__main__":
    main(sys.argv[1])
