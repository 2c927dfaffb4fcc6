"""Fills the board with the plan through Boorunaut's own models.

Usage: populate.py WORDNET_DIR, with DJANGO_SETTINGS_MODULE set and the database migrated.
"""
import datetime
import io
import os
import random
import sys
import uuid

import django

django.setup()

from django.core.files.base import ContentFile          # noqa: E402
from django.db import transaction                       # noqa: E402
from PIL import Image, ImageDraw                        # noqa: E402
import booru.models                                     # noqa: E402
from booru.account.models import Account                # noqa: E402
from booru.models import (Comment, Configuration, Favorite, Gallery, Implication, Post, PostTag,  # noqa: E402
                          ScoreVote)
from members.models import Contact, Set                 # noqa: E402

import plan                                             # noqa: E402
import wordnet                                          # noqa: E402


def draw(rng):
    """A small picture of a few figures on a plain ground, as PNG."""
    image = Image.new("RGB", (96, 72), tuple(rng.randrange(256) for _ in range(3)))
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(1, 3)):
        x, y, size = rng.randrange(80), rng.randrange(56), rng.randint(8, 40)
        shape = rng.choice([pen.rectangle, pen.ellipse])
        shape((x, y, x + size, y + size), fill=tuple(rng.randrange(256) for _ in range(3)))
    out = io.BytesIO()
    image.save(out, "PNG")
    return ContentFile(out.getvalue(), "picture.png")


def make_post(rng, picture, accounts):
    """Adds the picture as the upload form does, with its edits; a tag is added by each edit."""
    start = picture["tags"][:max(1, len(picture["tags"]) - picture["edits"])]
    post = Post(uploader=accounts[picture["who"]], description=picture["text"], media=draw(rng), rating=Post.SAFE,
                status=Post.APPROVED)
    post.save_without_historical_record()
    for step in range(picture["edits"] + 1):
        post.tags.add(*(start if step == 0 else picture["tags"]))
        post.tags_mirror = " ".join(post.tags.names())
        post._history_date = picture["time"] + datetime.timedelta(days=3 * step)
        post.save()
    Post.objects.filter(pk=post.pk).update(timestamp=picture["time"], update_timestamp=post._history_date)
    for n, (who, text) in enumerate(picture["comments"]):
        comment = Comment.objects.create(author=accounts[who], content=text, content_object=post)
        Comment.objects.filter(pk=comment.pk).update(timestamp=picture["time"] + datetime.timedelta(hours=7 * n + 1))
    return post


def make_relations(rng, people, shown, accounts, posts, texts):
    for who, others in plan.contacts(rng, people).items():
        Contact.objects.bulk_create([Contact(owner=accounts[who], other=accounts[o]) for o in others])
    for made in plan.sets(rng, people, shown, texts):
        gallery = Gallery.objects.create(name=made["name"], description=made["text"])
        gallery.posts.set([posts[number] for number in made["pictures"]])
        Set.objects.create(owner=accounts[made["who"]], gallery=gallery)
    for who, number in plan.favourites(rng, people, shown):
        Favorite.objects.create(account=accounts[who], post=posts[number])
        ScoreVote.objects.create(account=accounts[who], post=posts[number], point=1)
    for account in accounts:
        Account.objects.filter(pk=account.pk).update(avatar=account.get_posts().first())


def make_tags(vocabulary, accounts, rng):
    """Descriptions of tags, and the implications of kinds that members asked for."""
    authors = accounts[:10]
    for topic in vocabulary:
        for middle, leaves in vocabulary[topic]:
            for synset in [middle] + leaves:
                PostTag.objects.filter(name=synset.tag).update(description=synset.text[:100], author=rng.choice(authors))
            pair = [PostTag.objects.filter(name=name).first() for name in (middle.tag, topic)]
            if all(pair):
                Implication.objects.create(from_tag=pair[0], to_tag=pair[1], author=rng.choice(authors))


@transaction.atomic
def main():
    seed, scale = int(os.environ.get("SEED", "1")), float(os.environ.get("SCALE", "1"))
    rng = random.Random(seed)
    # Names of files and posts are random numbers: drawn from the seed.
    booru.models.uuid.uuid4 = lambda: uuid.UUID(int=rng.getrandbits(128), version=4)
    vocabulary = wordnet.topics(sys.argv[1], rng)
    texts = wordnet.remarks(sys.argv[1], rng)
    people = plan.members(rng, max(12, int(110 * scale)), texts)
    shown = plan.pictures(rng, max(40, int(1200 * scale)), people, vocabulary, texts)
    Configuration.objects.filter(code_name="site_title").update(value="Picture Board")
    accounts = []
    for person in people:
        account = Account.objects.create_user(person["name"], "%s@example.org" % person["name"])
        Account.objects.filter(pk=account.pk).update(date_joined=person["joined"], about=person["about"])
        accounts.append(account)
    posts = [make_post(rng, picture, accounts) for picture in shown]
    make_relations(rng, people, shown, accounts, posts, texts)
    make_tags(vocabulary, accounts, rng)
    own = sum(picture["topic"] in people[picture["who"]]["topics"] for picture in shown)
    print("members %d, pictures %d (%.0f %% of own topics), tags %d, sets %d, comments %d" % (
        len(accounts), len(posts), 100 * own / len(shown), PostTag.objects.count(), Gallery.objects.count(),
        Comment.objects.count()))


main()
