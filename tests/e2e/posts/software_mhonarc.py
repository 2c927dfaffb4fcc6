"""MHonArc: a mailing list as static pages, one for each message, with an index of threads and one by date. Several languages and zones."""

import email.message
import email.utils
import os
import re
import shutil
import subprocess
import sys
from datetime import timedelta, timezone

from content import NAMES, SIGNATURES, Content
from truth_file import Post, Shown

PORT = 8317
POSTS_AT_SCALE_1 = 1000
PACKAGES = ["mhonarc"]
ZONES = (0, 1, 2, -5, -8, 3, 5.5, 9)
LAYOUT = ["-multipg", "-idxsize", "100", "-spammode", "-nomailto", "-quiet", "-mhpattern", "^[0-9]+$"]


def set_up(site):
    pages = os.path.join(site.home, "pages")
    if os.path.exists(pages):
        return
    if not shutil.which("mhonarc"):
        subprocess.run(["apt-get", "-qq", "update"], check=True, timeout=300)
        subprocess.run(["apt-get", "-o", "DPkg::Lock::Timeout=120", "install", "--no-install-recommends", "-y", "-qq", *PACKAGES], check=True, timeout=600)
    mails = os.path.join(site.home, "mails")
    os.makedirs(mails, exist_ok=True)
    for number, (_, _, mail) in enumerate(messages(site), 1):
        with open(os.path.join(mails, str(number)), "wb") as file:
            file.write(bytes(mail))
    os.makedirs(pages + ".new", exist_ok=True)
    subprocess.run(["mhonarc", *LAYOUT, "-outdir", pages + ".new", mails], check=True, timeout=300, env={**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"})
    os.rename(pages + ".new", pages)


def messages(site):
    """Yields the threads with their messages, and these as mails."""
    for thread in Content(site.posts, seed=2).threads():
        first = thread.messages[0]
        for message in thread.messages:
            mail = email.message.EmailMessage()
            zone = timezone(timedelta(hours=ZONES[NAMES.index(message.author) % len(ZONES)]))
            mail["From"] = email.utils.formataddr((message.author, f"user{NAMES.index(message.author)}@example.com"), "utf-8")
            mail["To"], mail["Message-ID"] = "talk@lists.example.org", f"<{message.number}@example.com>"
            mail["Subject"] = thread.title if message is first else f"Re: {thread.title}"
            mail["Date"] = email.utils.format_datetime(message.time.astimezone(zone))
            if message is not first:
                mail["In-Reply-To"] = f"<{(message.parent or first).number}@example.com>"
                mail["References"] = mail["In-Reply-To"]
            mail.set_content(body(message), cte="8bit")
            yield thread, message, mail


def body(message):
    quote = message.quote and f"{message.parent.author} wrote:\n> {message.quote}\n\n"
    signature = SIGNATURES.get(message.author)
    return (quote or "") + own(message) + (f"\n\n-- \n{signature}" if signature else "") + "\n"


def own(message):
    forms = {"p": str, "ul": lambda items: "\n".join(f" * {item}" for item in items), "code": lambda text: re.sub("^", "    ", text, flags=re.M), "link": str}
    return "\n\n".join(forms[kind](text) for kind, text in message.blocks)


def server(site):
    return [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", os.path.join(site.home, "pages"), str(site.port)], None


def posts(site):
    for thread, message, mail in messages(site):
        zone = email.utils.parsedate_to_datetime(mail["Date"])
        first = thread.messages[0]
        parents = [] if message is first else [str((message.parent or first).number)]
        yield Post(str(message.number), own(message), str(thread.number), message.author, zone.isoformat(),
                   variants=[body(message).replace("> ", ""), body(message).split("\n-- \n")[0].replace("> ", ""),
                             re.sub(r"^.* wrote:\n>.*\n", "", body(message))], parents=parents)


def shown(site, known):
    by_id = {post.id: post for post in known}

    def on_page(url, html):
        # MHonArc notes the identifier of a message in a comment. There are no pages of threads.
        number = re.search(r"<!--X-Message-Id: (\d+)", html)
        if number:
            by_id[number[1]].url = url
            yield Shown(number[1], html, lacks=("thread",))

    return on_page
