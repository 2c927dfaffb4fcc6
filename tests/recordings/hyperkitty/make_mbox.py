"""Writes one mbox file per mailing list: threads whose messages are paragraphs of one document.

Usage: make_mbox.py DIRECTORY   (environment: SEED, SCALE, BASE_URL)
"""
import base64
import datetime as dt
import hashlib
import html
import json
import mailbox
import os
import random
import re
import sys
import textwrap
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from pathlib import Path

import texts

SEED = int(os.environ.get("SEED", "1"))
SCALE = float(os.environ.get("SCALE", "1"))
BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:8113")
DOMAIN = "lists.example.org"
END = dt.datetime(2025, 6, 20, 16, 0, tzinfo=dt.timezone.utc)

# name, title, description, threads, exponent of the thread sizes, months of history, private
LISTS = [
    ("kernel-api", "Kernel API", "System calls and devices, for those who call them", 72, 0.85, 20, False),
    ("libc-users", "C library users", "Questions about the functions of the C library", 58, 0.95, 18, False),
    ("shell", "Shell talk", "Interactive use and scripts", 52, 0.85, 14, False),
    ("package-news", "Package news", "What changed in new versions of packages", 62, 2.2, 15, False),
    ("moderators", "Moderators", "For those who look after the lists", 6, 1.5, 6, True),
]
GIVEN = ("Ada Amir Anke Asha Beatriz Bruno Carla Chidi Dagny Dmitri Elena Emre Farah Felix Greta Hana Ines Ivo "
         "Jonas Kaito Lars Leila Mateo Mina Nils Noor Olga Pavel Priya Quentin Rosa Samir Tessa Uma Viktor "
         "Wanda Xenia Yusuf Zoe Tomas").split()
FAMILY = ("Abara Bergmann Castell Dvorak Eriksen Falk Greco Haddad Ibsen Jansen Kowal Lindqvist Marek Nakata "
          "Okafor Petit Quist Rossi Sato Tanaka Ulrich Vargas Weiss Yilmaz Zeman Brandt Costa Diaz Ferrer Holm").split()
ROLES = ("maintainer of too many scripts", "writes drivers, reads specifications", "system administration",
         "embedded systems", "teaching operating systems", "packaging and releases", "speaking only for myself")
ZONES = [dt.timezone(dt.timedelta(hours=h)) for h in (0, 1, 1, 2, -5, -8, 3, 5.5, 9)]
GREETINGS = ("Hi,", "Hello,", "Hi all,", "Hello {0},", "Hi {0},")


def people(rng, count):
    pairs = rng.sample([(g, f) for g in GIVEN for f in FAMILY], count)
    out = []
    for i, (given, family) in enumerate(pairs):
        host = rng.choice(("example.com", "example.net", "mail.example.org", "users.example.com"))
        address = "%s.%s@%s" % (given.lower(), family.lower(), host)
        out.append({"name": "%s %s" % (given, family), "given": given, "address": address,
                    "id": hashlib.md5(("%d %s" % (SEED, address)).encode()).hexdigest(),
                    "zone": rng.choice(ZONES), "weight": 1 / (i + 2) ** 0.85, "html": rng.random() < 0.12,
                    "signature": rng.choice(ROLES) if rng.random() < 0.3 else "",
                    "top": rng.random() < 0.25, "full": rng.random() < 0.2})
    return out


def cut(paragraphs, words):
    """Takes paragraphs of about this many words from the front of the list (whole sentences)."""
    taken, have = [], 0
    while paragraphs and have < words:
        text = paragraphs.pop(0)
        n = len(text.split())
        if have + n > 1.5 * words and n > 12:
            sentences, part = re.split(r"(?<=[a-z)][.!?]) (?=[A-Z])", text), []
            while sentences and (not part or have + len(" ".join(part).split()) < words):
                part.append(sentences.pop(0))
            if sentences:
                paragraphs.insert(0, " ".join(sentences))
            text = " ".join(part)
            n = len(text.split())
        taken.append(text)
        have += n
    return taken


def wrap(text, prefix=""):
    return textwrap.fill(text, 72, initial_indent=prefix, subsequent_indent=prefix,
                         break_long_words=False, break_on_hyphens=False)


def permalink(address, message_id):
    digest = base64.b32encode(hashlib.sha1(message_id.encode()).digest()).decode()
    return "%s/list/%s/message/%s/" % (BASE_URL, address, digest)


def body(rng, m, parent, old_links):
    who, parts, quote = m["who"], [wrap(t) for t in m["text"]], []
    if parent and rng.random() < 0.8:
        when = parent["date"].astimezone(who["zone"]).strftime("%a, %d %b %Y at %H:%M")
        kept = parent["text"] if who["full"] else [rng.choice(parent["text"])]
        quote = ["On %s, %s wrote:" % (when, parent["who"]["name"])]
        if who["full"] and parent["quoted"]:
            quote.append("\n".join(wrap(t, "> > ") for t in parent["quoted"]) + "\n>")
        quote.append("\n>\n".join(wrap(t, "> ") for t in kept))
        m["quoted"] = kept
    if rng.random() < 0.35:
        parts.insert(0, rng.choice(GREETINGS).format(parent["who"]["given"] if parent else "all"))
    if old_links and rng.random() < 0.06:
        parts.append("See also " + rng.choice(old_links))
    parts.append(who["given"] if rng.random() < 0.5 else "")
    if who["signature"]:
        parts.append("-- \n%s\n%s" % (who["name"], who["signature"]))
    own = "\n\n".join(p for p in parts if p)
    quoted = "\n".join(quote)
    return own + "\n\n" + quoted if who["top"] else (quoted + "\n\n" if quoted else "") + own


def build(rng, m, parent, address, old_links):
    msg = EmailMessage()
    msg["From"] = formataddr((m["who"]["name"], m["who"]["address"]))
    msg["To"] = address
    msg["Subject"] = m["subject"]
    msg["Date"] = format_datetime(m["date"].astimezone(m["who"]["zone"]))
    msg["Message-ID"] = "<%s>" % m["id"]
    if parent:
        msg["In-Reply-To"] = msg["References"] = "<%s>" % parent["id"]
    text = body(rng, m, parent, old_links)
    msg.set_content(text)
    if m["who"]["html"]:  # such senders' messages get an "attachment.html" in the archive
        page = "".join("<p>%s</p>\n" % html.escape(p).replace("\n", "<br>\n") for p in text.split("\n\n"))
        msg.add_alternative("<html><body>\n%s</body></html>" % page, subtype="html")
    if m["file"]:
        text, suffix = m["file"]
        name = re.sub(r"\W+", "_", re.sub("^Re: ", "", m["subject"]).split(":")[0])[:30].lower()
        subtype = {".c": "x-csrc", ".sh": "x-sh"}.get(suffix, "plain")
        msg.add_attachment(text + "\n", subtype=subtype, filename=name + suffix)
    return msg


def thread_dates(rng, months, size):
    # activity grows slowly; a tenth of the threads lies in the last month
    back = rng.uniform(0, 28) if rng.random() < 0.1 else 30.4 * months * (1 - rng.random() ** 0.75)
    at = END - dt.timedelta(days=back, seconds=rng.uniform(0, 3600))
    dates = [at]
    for _ in range(size - 1):
        at += dt.timedelta(hours=min(rng.lognormvariate(1.8, 1.5), 400))
        dates.append(at)
    late = max(dt.timedelta(0), dates[-1] - END)
    return [d - late for d in dates]


def make_list(rng, spec, topics, members, links):
    name, _, _, threads, alpha, months, _ = spec
    address, out = "%s@%s" % (name, DOMAIN), []
    weights = [p["weight"] for p in members]
    for number in range(max(4, round(threads * SCALE))):
        if not topics:
            break
        size = min(40, int(rng.paretovariate(alpha)) if rng.random() < 0.85 else 1)
        rich = [i for i, t in enumerate(topics) if sum(len(p.split()) for p in t[1]) > 75 * size]
        title, paragraphs, code = topics.pop(rich[0] if rich else 0)
        here = []
        for date in thread_dates(rng, months, size):
            text = cut(paragraphs, min(300, max(5, rng.lognormvariate(4.05, 0.8))))
            if not text:
                break
            parent = None
            if here:
                parent = here[-1] if rng.random() < 0.5 else here[0] if rng.random() < 0.4 else rng.choice(here)
            if len(here) > 1 and rng.random() < 0.45:
                who = rng.choice(here)["who"]
            else:
                who = rng.choices(members, weights)[0]
            subject = "Re: " + re.sub("^Re: ", "", parent["subject"]) if parent else title
            if parent and len(here) > 4 and rng.random() < 0.04:
                subject = wrap(text[0]).split("\n")[0].rstrip(".,:;") + " (was: %s)" % title
            here.append({"who": who, "date": date, "text": text, "subject": subject, "parent": parent, "quoted": [],
                         "id": "%s.%d.%d@%s" % (date.strftime("%Y%m%d%H%M%S"), number, len(here),
                                                who["address"].split("@")[1]),
                         "file": None})
            if code and rng.random() < 0.5:
                whole = "\n\n".join(code)
                here[-1]["file"], code = (whole, ".c" if "#include" in whole else ".sh" if "$ " in whole else ".txt"), []
            elif len(paragraphs) > 12 and rng.random() < 0.08:
                here[-1]["file"] = ("\n\n".join(wrap(t) for t in cut(paragraphs, rng.randint(120, 300))), ".txt")
        out += here
    out.sort(key=lambda m: m["date"])  # a reply must come after its parent
    box = []
    for m in out:
        msg = build(rng, m, m["parent"], address, links)
        record = mailbox.mboxMessage(msg)
        record.set_from("%s %s" % (m["who"]["address"], m["date"].strftime("%a %b %d %H:%M:%S %Y")))
        box.append(record)
        links.append(permalink(address, m["id"]))
    if spec[-1]:
        del links[3:]  # few messages link to the private list
    return address, box


def main(folder):
    random.seed(SEED)  # MIME boundaries come from the shared generator
    folder.mkdir(parents=True, exist_ok=True)
    reader = texts.Reader()
    source = {"kernel-api": reader.man("manpages-dev", "2") + reader.man("manpages", "4"),
              "libc-users": reader.man("manpages-dev", "3"),
              "shell": reader.info("/usr/share/info/bash.info.gz") + reader.man("manpages", "7"),
              "package-news": reader.changelogs(), "moderators": reader.man("manpages", "5")}
    everyone = people(random.Random(SEED), min(1100, max(40, round(210 * SCALE))))
    links, senders = [], {p["address"]: p["id"] for p in everyone}
    for number, spec in enumerate(sorted(LISTS, key=lambda s: not s[-1])):  # the private list first
        rng = random.Random("%d %s" % (SEED, spec[0]))
        topics = source[spec[0]]
        rng.shuffle(topics)
        # every list has its own regulars, and some people write to several lists
        members = sorted(everyone, key=lambda p: (rng.random() ** 1.5) / p["weight"] ** 0.3)[:len(everyone) * 2 // 3]
        address, records = make_list(rng, spec, topics, members, links)
        path = folder / (address + ".mbox")
        path.unlink(missing_ok=True)
        box = mailbox.mbox(path)
        for record in records:
            box.add(record)
        box.close()
        print(address, len(records), "messages")
    (folder / "plan.json").write_text(json.dumps({"senders": senders, "lists": [
        {"address": "%s@%s" % (s[0], DOMAIN), "title": s[1], "description": s[2], "months": s[5],
         "private": s[6]} for s in LISTS]}, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
