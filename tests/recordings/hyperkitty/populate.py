"""Fills HyperKitty's database by its own importer, then adds what only logged-in members do.

Usage: populate.py DIRECTORY-OF-MBOX-FILES   (environment: SITE_HOME, SITE_DB, SEED)
"""
import datetime as dt
import io
import json
import os
import random
import sys
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
django.setup()

from allauth.account.models import EmailAddress  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.sites.models import Site  # noqa: E402
from django.core.management import call_command  # noqa: E402
from hyperkitty.models import Email, MailingList, Sender, Tag, Tagging, Thread, Vote  # noqa: E402

from project import fixedclock  # noqa: E402

TAGS = ("documentation", "portability", "bug", "question", "security", "performance", "history", "solved")


def main(folder):
    rng = random.Random(int(os.environ.get("SEED", "1")))
    fixedclock.install()
    call_command("migrate", verbosity=0)
    Site.objects.update_or_create(id=1, defaults={"domain": "lists.example.org", "name": "Example lists"})
    plan = json.loads((folder / "plan.json").read_text())
    for spec in plan["lists"]:
        # Mailman core would tell these properties.
        MailingList.objects.create(
            name=spec["address"], list_id=spec["address"].replace("@", "."), display_name=spec["title"],
            description=spec["description"], subject_prefix="", archive_policy=1 if spec["private"] else 2,
            archive_rendering_mode="text", created_at=fixedclock.NOW - dt.timedelta(days=31 * spec["months"]))
        call_command("hyperkitty_import", str(folder / (spec["address"] + ".mbox")),
                     list_address=spec["address"], no_sync_mailman=True, verbosity=0, stdout=io.StringIO())
        print(spec["address"], Email.objects.filter(mailinglist__name=spec["address"]).count(), flush=True)
    # A sender has a profile page only if Mailman core knows an account of this address.
    for address, user_id in plan["senders"].items():
        Sender.objects.filter(address=address).update(mailman_id=user_id)

    senders = list(Sender.objects.order_by("address"))
    users = []
    for sender in rng.sample(senders, min(60, len(senders))):
        user = User.objects.create(username=sender.address.split("@")[0], email=sender.address)
        EmailAddress.objects.create(user=user, email=sender.address, verified=True, primary=True)
        users.append(user)
    emails = list(Email.objects.order_by("date", "id"))
    # bulk_create: the signals only refresh caches, and nothing is cached before the server runs
    votes = []
    for email in emails:
        if rng.random() < 0.3:
            for user in rng.sample(users, min(len(users), int(rng.paretovariate(1.1)))):
                votes.append(Vote(email=email, user=user, value=1 if rng.random() < 0.85 else -1))
    Vote.objects.bulk_create(votes)
    tags = [Tag.objects.create(name=t) for t in TAGS]
    for thread in Thread.objects.order_by("id"):
        for tag in rng.sample(tags, rng.choice((0, 0, 1, 1, 2))):
            Tagging.objects.create(thread=thread, user=rng.choice(users), tag=tag)
    print(len(emails), "messages", Thread.objects.count(), "threads", len(senders), "senders", len(votes), "votes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
