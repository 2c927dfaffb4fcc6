#!/usr/bin/env python3
"""Fills a new Spirit forum with users, topics and comments: the same ones each time.

Usage: fill.py PROJECT [TOPICS]        (PROJECT: the folder that `spirit startproject` made; 240 topics unless said otherwise)
       fill.py PROJECT --later         (some days later: new topics, and replies to the latest ones)
"""

import datetime
import os
import random
import sys

START = datetime.datetime(2025, 3, 1, 8, 0, tzinfo=datetime.timezone.utc)
USERS = 60
CATEGORIES = ["Beekeeping", "Bicycles", "Bread", "Local history", "Night sky"]
WHO = "ada ben cem dora eli fay gus hana ivo jun kira leo mia ned olga pau quin ruth sam tess ugo vera wim xena yara zoe".split()
WHAT = """harvest hive saddle chain dough oven archive letter map comet lens tripod frame brake starter flour queen swarm parish
mill bridge canal ledger meteor filter eyepiece spoke tyre crust rye honey wax census portrait orbit shadow pedal basket
yeast barley smoker veil tithe quarry nebula dew tube rim yield record""".split()
HOW = """old small careful broken early late strange simple heavy bright narrow warm patient loose quiet stubborn cheap local
dusty borrowed spare faint steady unexpected sour fresh worn forgotten""".split()
DOES = """found repaired compared measured lost borrowed weighed photographed asked-about wrote-down misread replaced cleaned
sketched counted heated dried traced sold kept warned-about tried""".split()
WHERE = """in the shed|by the river|at the market|behind the church|on the roof|after the frost|before sunrise|last winter|near the
station|under the bench|during the storm|at my aunt's|in the valley|over the weekend""".replace("\n", " ").split("|")


def sentence(draw):
    """A sentence that hardly ever comes twice."""
    verb = draw.choice(DOES).replace("-", " ")
    first, second = draw.sample(WHAT, 2)
    text = f"{draw.choice(WHO)} {verb} the {draw.choice(HOW)} {first} {draw.choice(WHERE)}"
    if draw.random() < 0.6:
        text += f" and the {draw.choice(HOW)} {second} was {draw.choice(HOW)} {draw.choice(WHERE)}"
    return text[0].upper() + text[1:] + "."


def paragraphs(draw):
    return "\n\n".join(" ".join(sentence(draw) for _ in range(draw.randint(1, 4))) for _ in range(draw.randint(1, 3)))


def title(draw):
    return f"{draw.choice(HOW)} {draw.choice(WHAT)} {draw.choice(WHERE)}".capitalize()


class Forum:
    """What is written to the forum's database."""

    def __init__(self, draw):
        from django.contrib.auth import get_user_model
        from spirit.category.models import Category
        from spirit.comment.models import Comment
        from spirit.core.utils.markdown import Markdown
        from spirit.topic.models import Topic
        self.user, self.category, self.comment, self.topic, self.markdown = get_user_model(), Category, Comment, Topic, Markdown
        self.draw = draw

    def fill(self, topics):
        """Users, categories, and topics with some comments each; one topic in twelve has a lot of them."""
        people = [self.user.objects.create_user(f"{self.draw.choice(WHO)}{at}", f"user{at}@example.org") for at in range(1, USERS + 1)]
        places = [self.category.objects.create(title=title) for title in CATEGORIES]
        for _ in range(topics):
            begun = START + datetime.timedelta(minutes=self.draw.randint(0, 90 * 24 * 60))
            topic = self.begin(people, self.draw.choice(places), begun)
            busy = self.draw.random() < 1 / 12
            self.reply(topic, people, self.draw.randint(20, 60) if busy else self.draw.randint(0, 8))

    def later(self):
        """New topics, and replies to those that were active last."""
        people, places = list(self.user.objects.all()), list(self.category.objects.filter(title__in=CATEGORIES))
        lately = list(self.topic.objects.filter(category__in=places).order_by("-last_active")[:12])
        begun = lately[0].last_active + datetime.timedelta(days=3)
        for topic in lately:
            topic.last_active = begun
            self.reply(topic, people, self.draw.randint(1, 4))
        for _ in range(8):
            self.reply(self.begin(people, self.draw.choice(places), begun), people, 2)

    def begin(self, people, place, begun):
        topic = self.topic.objects.create(user=self.draw.choice(people), category=place, title=title(self.draw), date=begun, last_active=begun)
        self.say(topic, topic.user, begun)
        return topic

    def reply(self, topic, people, count):
        for _ in range(count):
            topic.last_active += datetime.timedelta(minutes=self.draw.randint(3, 2000))
            self.say(topic, self.draw.choice(people), topic.last_active)
        topic.comment_count += count
        topic.save()

    def say(self, topic, user, at):
        text = paragraphs(self.draw)
        html = self.markdown().render(text)
        self.comment.objects.create(user=user, topic=topic, comment=text, comment_html=html, date=at)


def main():
    project, *more = sys.argv[1:] or sys.exit(__doc__)
    sys.path.insert(0, os.path.abspath(project))
    os.chdir(project)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forum.settings.dev")
    import django
    from django.conf import settings
    django.setup()
    # The index of the forum's own search is nothing to crawl, and slow to write.
    settings.HAYSTACK_CONNECTIONS["default"]["ENGINE"] = "haystack.backends.simple_backend.SimpleEngine"
    from django.db import transaction
    later = more == ["--later"]
    with transaction.atomic():
        forum = Forum(random.Random(2 if later else 1))
        forum.later() if later else forum.fill(int(more[0]) if more else 240)
    print(f"{forum.topic.objects.count()} topics, {forum.comment.objects.count()} comments, {forum.user.objects.count()} users")


if __name__ == "__main__":
    main()
