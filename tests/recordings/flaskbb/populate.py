"""Fills the forum: python populate.py TEXT_DIR (SEED, SCALE and SITE_HOME from the environment)."""
import datetime as dt
import math
import os
import random
import sys

import sqlalchemy as sa
from flaskbb.extensions import db
from flaskbb.forum.models import Category, Forum, Post, Topic, forumgroups
from flaskbb.user.models import Group, GroupRole, User
from flaskbb.utils.populate import create_default_groups, create_default_settings, create_latest_db
from flaskbb.settings import Setting

import corpus
from forum_app import make

START = dt.datetime(2017, 3, 6, 7, 0, tzinfo=dt.timezone.utc)
DAYS = 2500
PARTS = {
    "First questions": {"A": ("What it is about", "Definitions, history and currents"),
                        "E": ("Ecology", "Causes of the crisis and what to do about them")},
    "Society today": {"B": ("Authority and hierarchy", "State, capital and culture"),
                      "C": ("Economics", "Value, profit, crises and the market"),
                      "D": ("State and wealth", "Influence, media, nationalism, technology")},
    "Disputes": {"F": ("Capitalism without a state?", "On a claim that comes up often"),
                 "G": ("Individualism", "Mutual banks, property and labour"),
                 "H": ("State socialism", "Parties, revolutions and their outcome")},
    "Practice": {"I": ("A free society", "How production and decisions might work"),
                 "J": ("What people do", "Struggles, unions, direct action, education"),
                 "append": ("Notes and replies", "Comments on articles and books")},
}
GIVEN = """ada aldo alma anton berta bruno carla cesar clara dora edda emil enzo fanny felix flora gino greta hugo
ida irma ivo jana jonas karl kira lea leo lotte lucia luis mara marc maya milo mina nadja nico nora olga oskar paula
pia rafa rita romy rosa sami selma sofia tea tilda tom ugo ute vera vito wanda yann zora""".split()
TAIL = ["", "", "_b", ".k", "77", "_red", "-n", "1871", "1936", "oak", "s", "_x", "lee", "mo", "-w", "fox", "3"]
PLACES = "Porto Leeds Turin Graz Lyon Basel Malmo Gdansk Ghent Cork Bilbao Trieste Tartu Bergen Brno".split()


def power(rng, alpha, top):
    """0, 1, 2 ... with a heavy tail: P(at least n) = 1 / (n + 1) ** alpha."""
    return min(top, int(rng.random() ** (-1 / alpha)) - 1)


def members(rng, count, quotes):
    names = []
    while len(names) < count:
        name = rng.choice(GIVEN) + rng.choice(TAIL)
        if name not in names:
            names.append(name)
    rows = []
    for number, name in enumerate(names, 1):
        joined = START + dt.timedelta(days=DAYS * rng.random() ** 1.6 * 0.9, seconds=rng.randrange(80000))
        rows.append(dict(
            id=number, username=name, email=name + "@example.org", _password="!", date_joined=joined,
            lastseen=joined + dt.timedelta(days=rng.expovariate(1 / 300)), activated=True, language="en",
            location=rng.choice(PLACES) if rng.random() < 0.4 else None,
            website="https://%s.example.org/" % name if rng.random() < 0.1 else None,
            notes=quotes.pop() if quotes and rng.random() < 0.8 else None,
            signature=quotes.pop()[:200].rsplit(" ", 1)[0] if quotes and rng.random() < 0.15 else None))
    return rows


def main(folder):
    seed, scale = int(os.environ.get("SEED", "1")), float(os.environ.get("SCALE", "1"))
    rng = random.Random(seed)
    sections, quotes = corpus.load(folder)
    rng.shuffle(quotes)
    app = make()
    with app.app_context():
        create_latest_db()
        create_default_groups()
        create_default_settings()
        Setting.update("general", {"PROJECT_TITLE": "Common Ground", "PROJECT_SUBTITLE": "Questions and answers"})
        member = db.session.execute(sa.select(Group).filter_by(role=GroupRole.MEMBER)).scalars().first()
        groups = [g.id for g in db.session.execute(sa.select(Group)).scalars()]
        people = members(rng, min(900, max(30, round(480 * scale))), quotes)
        weights = [1 / (i + 1) ** 0.85 for i in range(len(people))]

        categories, forums, forum_of = [], [], {}
        for position, (title, parts) in enumerate(PARTS.items(), 1):
            categories.append(dict(id=position, title=title, position=position))
            for prefix, (name, about) in parts.items():
                forum_of[prefix] = len(forums) + 1
                forums.append(dict(id=len(forums) + 1, category_id=position, title=name, description=about,
                                   position=len(forums) + 1))
        chosen = [s for s in sections if s[0] in forum_of]
        rng.shuffle(chosen)
        plan = []
        for prefix, title, blocks in chosen:
            while len(blocks) >= 2 and len(plan) < round(800 * scale):
                size = 1 + power(rng, 0.95, 80)
                plan.append((forum_of[prefix], title, blocks[:size]))
                blocks, title = blocks[size:], None
        plan = [(when, *p) for when, p in zip(sorted(rng.random() for _ in plan), rng.sample(plan, len(plan)))]

        topics, posts, seen = [], [], set()
        for number, (part, forum, title, blocks) in enumerate(plan, 1):
            when, here = START + dt.timedelta(days=DAYS * part, seconds=rng.randrange(86400)), []
            for place, block in enumerate(blocks):
                author = rng.choices(people, weights)[0]
                if place and rng.random() < 0.25:      # the person who asked answers
                    author = people[here[0]["user_id"] - 1]
                text = block
                if place and rng.random() < 0.2:
                    quoted = rng.choice(here)
                    text = "**[%s](/user/%s) wrote:**\n> %s\n\n%s" % (
                        quoted["username"], quoted["username"], corpus.sentence(quoted["content"]), block)
                here.append(dict(topic_id=number, user_id=author["id"], username=author["username"], content=text,
                                 date_created=when))
                author["date_joined"] = min(author["date_joined"], when - dt.timedelta(hours=1))
                author["lastseen"] = max(author["lastseen"], when)
                when += dt.timedelta(seconds=90 + rng.expovariate(1 / (1.5 * 86400)))
            title = title if title and title not in seen else corpus.headline(blocks[0])
            seen.add(title)
            topics.append(dict(id=number, forum_id=forum, title=title, user_id=here[0]["user_id"],
                               username=here[0]["username"], date_created=here[0]["date_created"],
                               last_updated=here[-1]["date_created"], locked=rng.random() < 0.03,
                               important=rng.random() < 0.01, views=len(here) * rng.randint(3, 90),
                               post_count=len(here)))
            posts += here
        posts.sort(key=lambda p: p["date_created"])
        for number, post in enumerate(posts, 1):
            post["id"] = number
            topic, author = topics[post["topic_id"] - 1], people[post["user_id"] - 1]
            topic.setdefault("first_post_id", number)
            topic["last_post_id"] = number
            author["post_count"] = author.get("post_count", 0) + 1
            forum = forums[topic["forum_id"] - 1]
            forum.update(last_post_id=number, last_post_user_id=author["id"], last_post_title=topic["title"],
                         last_post_username=author["username"], last_post_created=post["date_created"],
                         post_count=forum.get("post_count", 0) + 1)
        for topic in topics:
            forum = forums[topic["forum_id"] - 1]
            forum["topic_count"] = forum.get("topic_count", 0) + 1
        for person in people:
            person.setdefault("post_count", 0)
            person["primary_group_id"] = member.id
        # Statements of the core, since hooks of the models would count and check for each row.
        db.session.execute(sa.text("PRAGMA defer_foreign_keys = ON"))   # forums and topics name posts
        passwords = [dict(p, password=p.pop("_password")) for p in people]
        for table, rows in ((User, passwords), (Category, categories), (Forum, forums), (Topic, topics), (Post, posts)):
            db.session.execute(sa.insert(table.__table__), rows)
        db.session.execute(sa.insert(forumgroups), [dict(group_id=g, forum_id=f["id"]) for g in groups for f in forums])
        db.session.commit()
        print(len(people), "members", len(topics), "topics", len(posts), "posts",
              "mean", math.fsum(len(p["content"]) for p in posts) / len(posts))


if __name__ == "__main__":
    main(sys.argv[1])
