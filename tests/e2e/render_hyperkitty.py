"""Crawls a live HyperKitty, whose threads show one post until scripts request the others.

Usage: render_hyperkitty.py HARVESTMAN WORK [--size N] [--delay TIME] [--cpu SHARE] [--python PYTHON]

The site has N (60) threads of 1 to 25 posts. It is set up in WORK, in an environment with tests/recordings/hyperkitty/requirements.txt,
which is made there unless PYTHON is the interpreter of one. The replies come by a chain of requests, six at a time. Pages of single posts
and the view for browsers without scripts, which hold the replies too, are left out. Exits with 0 if all checks of render_bed.py pass.
"""

import datetime
import email.message
import email.utils
import mailbox
import os
import random
import shutil
import subprocess

import render_bed
from sim import end_on_sigterm

PROJECT = os.path.join(render_bed.HERE, "..", "recordings", "hyperkitty")
LIST = "talk@lists.example.org"
END = datetime.datetime(2025, 6, 20, 16, 0, tzinfo=datetime.timezone.utc)
POSTS_MAX = 25
NAMES = ("ada", "bruno", "carla", "dmitri", "emre", "farah", "greta", "hana", "ines", "jonas")
# Other ways to the posts, and what only members may see.
LEFT_OUT = ["/message/", r"\?noscript", r"[?&]sort=", "/export/", "/feed/", "/accounts/", "/search", "/users/", "/profile/", "/api/"]


def posts(rng, threads):
    """Yields the messages of all threads, the first of each first."""
    number, texts = 0, render_bed.Texts(rng)
    for thread in range(threads):
        subject = f"{texts.title()} {thread}"
        date = END - datetime.timedelta(days=2 + thread * 300 / threads)
        known = []
        for index in range(1 + thread * 7 % POSTS_MAX):
            message = email.message.EmailMessage()
            name = rng.choice(NAMES)
            message["From"] = f"{name.title()} <{name}@example.com>"
            message["To"], message["Message-ID"] = LIST, f"<{number}@example.com>"
            message["Subject"] = f"Re: {subject}" if index else subject
            message["Date"] = email.utils.format_datetime(date + datetime.timedelta(minutes=10 * index))
            if known:
                message["In-Reply-To"] = rng.choice(known)
            rest = [texts.paragraph() for _ in range(rng.randint(0, 3))]
            message.set_content("\n\n".join([texts.paragraph(), render_bed.word(number), *rest]))
            known.append(message["Message-ID"])
            number += 1
            yield message


def write_mbox(path, threads):
    """Writes the archive of the list. Returns the words of its posts."""
    box = mailbox.mbox(path, create=True)
    for message in posts(random.Random(1), threads):
        entry = mailbox.mboxMessage(message)
        entry.set_from("gate", email.utils.parsedate(message["Date"]))
        box.add(entry)
    count = len(box)
    box.close()
    return {render_bed.word(number) for number in range(count)}


def set_up(python, home, threads):
    """Makes the site. Returns its environment and the words of its posts."""
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    folder = os.path.dirname(python)
    environment = {**os.environ, "SITE_HOME": home, "PYTHONPATH": PROJECT, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore",
                   "DJANGO_SETTINGS_MODULE": "project.settings", "PATH": f"{folder}:{os.environ['PATH']}"}
    box = os.path.join(home, "talk.mbox")
    words = write_mbox(box, threads)
    create = f"import django; django.setup(); from hyperkitty.models import *; MailingList.objects.create(name={LIST!r}, archive_policy=2)"
    django = [python, "-m", "django"]
    for command in ([*django, "migrate", "-v", "0"], [python, "-c", create],
                    [*django, "hyperkitty_import", "--no-sync-mailman", "-l", LIST, "-v", "0", box],
                    [*django, "collectstatic", "--noinput", "-v", "0"], [*django, "compress", "--force", "-v", "0"]):
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=1_200)
    return environment, words


def run(arguments):
    work = os.path.abspath(arguments.work)
    os.makedirs(work, exist_ok=True)
    requirements = os.path.join(PROJECT, "requirements.txt")
    python = arguments.python or render_bed.new_environment(os.path.join(work, "venv"), "-r", requirements)
    home, port = os.path.join(work, "site"), render_bed.free_port()
    environment, words = set_up(os.path.abspath(python), home, arguments.size)
    print(f"{len(words)} posts in {arguments.size} threads", flush=True)
    server = [python, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--threads", "4", "--worker-tmp-dir", home,
              "project.wsgi:application"]
    start = f"http://127.0.0.1:{port}/list/{LIST}/"
    options = ["--delay", arguments.delay] + [part for pattern in LEFT_OUT for part in ("--exclude", pattern)]
    with render_bed.serving(server, start, environment, os.path.join(work, "server.log")):
        crawls = render_bed.crawl_all(arguments.harvestman, start, work, options, render_bed.modes(arguments))
    render_bed.show(crawls, words)
    render_bed.check(crawls, words, arguments.cpu)


def main():
    end_on_sigterm()
    run(render_bed.arguments("threads", 60))


if __name__ == "__main__":
    main()
