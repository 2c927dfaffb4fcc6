"""Fills the site: python populate.py TEXT_DIR (SEED and SCALE from the environment)."""
import datetime as dt
import os
import random
import re
import sys

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.contenttypes.models import ContentType  # noqa: E402
from django.contrib.sites.models import Site  # noqa: E402
from drum.links.models import Link, Profile  # noqa: E402
from mezzanine.generic.models import AssignedKeyword, Keyword, Rating, ThreadedComment  # noqa: E402
from mezzanine.utils.urls import slugify  # noqa: E402

import corpus  # noqa: E402

START = dt.datetime(2020, 1, 13, 6, 0, tzinfo=dt.timezone.utc)
DAYS = 1700
TOPICS = {
    "storage": "index table page tablespace vacuum toast disk btree hash partition",
    "queries": "select join aggregate subquery planner cursor view where order window",
    "types": "numeric text date timestamp array json interval enum range domain",
    "programming": "function trigger procedure cast operator extension hook callback macro parser",
    "operation": "backup recovery replication archive standby failover log checkpoint snapshot upgrade",
    "safety": "password role privilege policy encryption certificate superuser owner audit grant",
    "clients": "connection protocol message driver session libpq psql socket host buffer",
    "people": "locale encoding collation unicode language translation timezone calendar dictionary search",
}
SITES = """rowstore heaptuple dbnotes queryplan walblog colstore tuplespace setops thirdnormal joinlab bitmapscan
sqlstreet fsyncer planetdb deadlock-digest gistofit visibility lateral""".split()
FIRST = """ane bek cyd dov eli fay gus hal ivy jed kay lex mel ned ola pat ray sid tam una val wes xan yul zed ari bo
cam dee ewa fin gil hob ida jo kit lou max nia oz pim qi rex sky tev""".split()
LAST = """ash bell cole dunn east fry gray hart ives jute kemp lark moss nash oak pike quill reed stone teal umber
vane wolf yew zane""".split()


def power(rng, alpha, top):
    """0, 1, 2 ... with a heavy tail: P(at least n) = 1 / (n + 1) ** alpha."""
    return min(top, int(rng.random() ** (-1 / alpha)) - 1)


def make_people(rng, count, bios):
    names = []
    while len(names) < count:
        name = rng.choice(FIRST) + rng.choice(["", "_", "-"]) + rng.choice(LAST) + rng.choice(["", "", "", "9", "42"])
        if name not in names:
            names.append(name)
    joined = [START + dt.timedelta(days=rng.random() * 200, seconds=rng.randrange(86400)) for _ in names]
    User.objects.bulk_create(User(username=n, email=n + "@example.org", password="!", date_joined=j)
                             for n, j in zip(names, joined))
    users = list(User.objects.order_by("id"))
    Profile.objects.bulk_create(
        Profile(user=u, bio=bios.pop() if rng.random() < 0.85 else "",
                website="https://%s.example.com/" % u.username.replace("_", "-") if rng.random() < 0.25 else "")
        for u in users)
    for user in users:
        user.topics = rng.sample(sorted(TOPICS), rng.choice((1, 1, 2, 3)))
    return users


def tags_of(text):
    """Up to four tags: words that the text has more often than others."""
    words = re.findall(r"[a-z]+", text.lower())
    count = {w: words.count(w) + words.count(w + "s") for line in TOPICS.values() for w in line.split()}
    best = sorted((w for w in count if count[w] > 1), key=lambda w: (-count[w], w))[:4]
    return best or [max(count, key=count.get)]


def main(folder):
    rng = random.Random(int(os.environ.get("SEED", "1")))
    scale = float(os.environ.get("SCALE", "1"))
    Site.objects.update_or_create(id=1, defaults={"domain": "news.example.org", "name": "Row Level News"})
    chapters = corpus.load(folder)
    rng.shuffle(chapters)
    people_count = min(1200, max(30, round(420 * scale)))
    bios = [p for c in chapters[:900] for p in [c[2].pop()] if len(p) < 500][:people_count]
    bios += [" ".join(corpus.sentences(b)[:1]) for b in bios]
    people = make_people(rng, people_count, bios)
    weights = [1 / (i + 1) ** 0.8 for i in range(len(people))]
    topic_of = {w: t for t, line in TOPICS.items() for w in line.split()}
    rng.shuffle(people)

    drafts = []
    for chapter, title, paragraphs in chapters:
        while len(paragraphs) >= 2 and len(drafts) < round(900 * scale):
            size = 2 + power(rng, 0.85, 110)
            drafts.append((chapter, title, paragraphs[:size]))
            paragraphs, title = paragraphs[size:], None
    rng.shuffle(drafts)
    moments = sorted(rng.random() for _ in drafts)
    links, comments, tags, slugs = [], [], [], set()
    for part, (chapter, title, paragraphs) in zip(moments, drafts):
        when = START + dt.timedelta(days=DAYS * part, seconds=rng.randrange(40000))
        words = tags_of(" ".join(paragraphs))
        topics = {topic_of[w] for w in words}
        author = rng.choices(people, weights)[0]
        while not topics.intersection(author.topics) and rng.random() < 0.85:
            author = rng.choices(people, weights)[0]
        title = title if title and len(title) > 14 else corpus.headline(paragraphs[0])
        slug = base = slugify(title)
        number = 1
        while slug in slugs:
            number += 1
            slug = "%s-%d" % (base, number)
        slugs.add(slug)
        own = rng.random() < 0.18                        # a question or a note without a link
        links.append(Link(
            title=title, slug=slug, user=author, site_id=1, status=2, publish_date=when, created=when, updated=when,
            description=paragraphs[0] if own or rng.random() < 0.6 else corpus.sentences(paragraphs[0])[0],
            gen_description=False, keywords_string=" ".join(words),
            link=None if own else "https://%s.example.com/%d/%s" % (rng.choice(SITES), when.year, base[:40])))
        tags.append(words)
        here = []
        for text in paragraphs[1:]:
            when += dt.timedelta(seconds=60 + rng.expovariate(1 / 20000))
            parent = rng.choice(here[-6:]) if here and rng.random() < 0.6 else None
            who = author if rng.random() < 0.12 else rng.choices(people, weights)[0]
            here.append([who, when, text, parent])
        comments.append(here)
    Link.objects.bulk_create(links)
    links = list(Link.objects.order_by("id"))
    keywords = {w: Keyword.objects.create(title=w, slug=w, site_id=1) for w in sorted({w for t in tags for w in t})}
    link_type, comment_type = (ContentType.objects.get_for_model(m) for m in (Link, ThreadedComment))
    AssignedKeyword.objects.bulk_create(
        AssignedKeyword(keyword=keywords[w], content_type=link_type, object_pk=link.id, _order=n)
        for link, words in zip(links, tags) for n, w in enumerate(words))
    rated = []
    for link, here in zip(links, comments):
        made = {}
        for entry in here:
            who, when, text, parent = entry
            row = ThreadedComment(
                user=who, user_name=who.username, user_email=who.email, comment=text, submit_date=when, site_id=1,
                is_public=True, content_type=link_type, object_pk=str(link.id),
                replied_to=made[id(parent)] if parent else None, by_author=who == link.user)
            row.save()
            ThreadedComment.objects.filter(pk=row.pk).update(submit_date=when)
            made[id(entry)] = row
            rated.append((row, comment_type, power(rng, 1.1, 40)))
        Link.objects.filter(pk=link.pk).update(comments_count=len(here))
        rated.append((link, link_type, power(rng, 0.9, 150) + 1))
    votes, karma = [], {}
    for item, kind, count in rated:
        values = [1 if rng.random() < 0.9 else -1 for _ in range(min(count, len(people)))]
        votes += [Rating(value=v, content_type=kind, object_pk=item.pk, user=u)
                  for v, u in zip(values, rng.sample(people, len(values)))]
        karma[item.user_id] = karma.get(item.user_id, 0) + sum(values)
        type(item).objects.filter(pk=item.pk).update(
            rating_count=len(values), rating_sum=sum(values), rating_average=sum(values) / max(1, len(values)))
    Rating.objects.bulk_create(votes)
    for user_id, value in karma.items():
        Profile.objects.filter(user_id=user_id).update(karma=value)
    print(len(people), "members", len(links), "links", len(rated) - len(links), "comments", len(votes), "votes")


if __name__ == "__main__":
    from django.db import transaction
    with transaction.atomic():
        main(sys.argv[1])
