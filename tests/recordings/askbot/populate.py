"""Fills the forum by playing the plan through the methods of Askbot's users.

Usage: populate.py TEXT_DIR, with DJANGO_SETTINGS_MODULE set and the database migrated.
"""
import os
import random
import sys

import django

django.setup()

from django.contrib.auth.models import User          # noqa: E402
from django.contrib.sites.models import Site         # noqa: E402
from django.db import transaction                    # noqa: E402
from django.utils import timezone, translation       # noqa: E402
from askbot.conf import settings as askbot_settings  # noqa: E402
from askbot.models import Post                       # noqa: E402
from askbot.models.question import Thread            # noqa: E402
from livesettings.models import Setting              # noqa: E402

import corpus                                        # noqa: E402
from plan import plan, sentences                     # noqa: E402

# Limits that would refuse the acts of members who are new at that time.  They are lifted
# while filling only; the forum is served with the values that Askbot comes with.
LIFT = {k: 1 for k in (
    "MIN_REP_TO_ANSWER_OWN_QUESTION", "MIN_REP_TO_ACCEPT_OWN_ANSWER", "MIN_REP_TO_ACCEPT_ANY_ANSWER",
    "MIN_REP_TO_EDIT_WIKI", "MIN_REP_TO_EDIT_OTHERS_POSTS", "MIN_REP_TO_CLOSE_OTHERS_QUESTIONS")}
NO_MAIL = ("Q_ASK", "Q_ANS", "Q_ALL", "Q_SEL", "M_AND_C")


def make_user(u):
    timezone.now = lambda: u["joined"]
    user = User.objects.create_user(u["name"], "u%d@example.org" % (User.objects.count() + 1))
    user.date_joined = u["joined"]
    user.last_login = u["joined"]
    user.last_seen = u["joined"]
    user.real_name = u.get("real_name", "")
    user.website = u.get("website", "")
    if "city" in u:
        user.location, user.country, user.show_country = u["city"], u["country"], True
    user.save()
    if "about" in u:
        user.update_localized_profile(about=u["about"])
    return user


def first_version(text, n):
    """The text before an edit: without its last sentence, or with an unfinished ending."""
    parts = sentences(text)
    if len(parts) > 1 and n % 3 != 2:
        return text[:text.rindex(parts[-1])].rstrip() if parts[-1] in text else text
    words = text.split(" ")
    return " ".join(words[:-max(1, len(words) // 6)])


class Player:
    def __init__(self, users, threads, events, rng):
        self.users, self.threads, self.events, self.rng = users, threads, events, rng
        self.post, self.full, self.failed = {}, {}, {}
        self.edits = {}
        for _, _, kind, d in events:
            if kind == "edit":
                self.edits[d["to"]] = self.edits.get(d["to"], 0) + 1

    def start_text(self, key, text):
        """Posts that will be edited start shorter; each edit adds a part back."""
        versions = [text]
        for n in range(self.edits.get(key, 0)):
            versions.append(first_version(versions[-1], n))
        versions = [v for v in versions if len(v.split()) >= 5] or [text]
        self.full[key] = versions[:-1]
        return versions[-1]

    def fresh(self, key):
        return Post.objects.select_related("thread").get(pk=self.post[key])

    def play(self):
        for n, (when, _, kind, d) in enumerate(self.events):
            try:
                # Awards and records of activity take the time of the clock, so the clock is set.
                timezone.now = lambda now=when: now
                with transaction.atomic():
                    user = User.objects.get(pk=self.users[d["user"]].pk)
                    getattr(self, kind)(when, user, d)
            except Exception as e:  # a refused act is left out, as on a real forum
                name = "%s: %s" % (kind, type(e).__name__)
                self.failed.setdefault(name, [0, str(e)[:120]])[0] += 1
            if n % 1000 == 0:
                print("event", n, "of", len(self.events), flush=True)

    def question(self, when, user, d):
        t = self.threads[d["thread"]]
        q = user.post_question(title=t["title"], body_text=self.start_text(d["key"], t["body"]),
                               tags=" ".join(t["tags"]), wiki=d["wiki"], timestamp=when)
        self.post[d["key"]] = q.pk
        t["url"] = q.get_absolute_url()

    def answer(self, when, user, d):
        t, q = self.threads[d["thread"]], self.fresh(d["to"])
        text = t["answers"][d["index"]]
        if d["quote"]:
            text = "> " + sentences(t["body"].split("\n\n")[0])[0] + "\n\n" + text
        other = self.threads[d["link"]] if d["link"] is not None else None
        if other and "url" in other:
            # Some members copy the permalink of an answer, most the address of the question.
            url = other.get("answer_url", other["url"]) if self.rng.random() < 0.3 else other["url"]
            text += "\n\nSee also [%s](%s)." % (other["title"].replace("[", "(").replace("]", ")"), url)
        a = user.post_answer(question=q, body_text=self.start_text(d["key"], text), timestamp=when)
        self.post[d["key"]] = a.pk
        t["answer_url"] = a.get_absolute_url()

    def comment(self, when, user, d):
        c = user.post_comment(parent_post=self.fresh(d["to"]), body_text=d["text"], timestamp=when)
        self.post[d["key"]] = c.pk
        if self.rng.random() < 0.15:
            self.users[self.rng.randrange(len(self.users))].upvote(c, timestamp=when)

    def edit(self, when, user, d):
        post = self.fresh(d["to"])
        if not self.full[d["to"]]:
            return
        text = self.full[d["to"]].pop()
        note = self.rng.choice(["", "", "", "spelling", "more detail", "formatting", "fixed the example"])
        if post.post_type == "question":
            user.edit_question(question=post, body_text=text, revision_comment=note or None, timestamp=when, force=True)
        else:
            user.edit_answer(answer=post, body_text=text, revision_comment=note or None, timestamp=when, force=True)

    def vote(self, when, user, d):
        (user.upvote if d["up"] else user.downvote)(self.fresh(d["to"]), timestamp=when)

    def follow(self, when, user, d):
        post = self.fresh(d["to"])
        if not post.thread.is_followed_by(user):
            user.toggle_favorite_question(post, timestamp=when)

    def accept(self, when, user, d):
        user.accept_best_answer(answer=self.fresh(d["to"]), timestamp=when, force=True)

    def close(self, when, user, d):
        user.close_question(question=self.fresh(d["to"]), reason="duplicate question", timestamp=when)


def main():
    seed, scale = int(os.environ.get("SEED", "1")), float(os.environ.get("SCALE", "1"))
    translation.activate("en")
    random.seed(seed)
    sections = corpus.sections(sys.argv[1])
    users, threads, events, used = plan(sections, seed, scale)
    print("plan: %d users, %d threads, %d events, %.0f %% of the text" %
          (len(users), len(threads), len(events), 100 * used))
    with transaction.atomic():
        for k in NO_MAIL:
            askbot_settings.update("DEFAULT_NOTIFICATION_DELIVERY_SCHEDULE_" + k, "n")
        address = "127.0.0.1:" + os.environ.get("PORT", "8112")
        Site.objects.update(domain=address)
        askbot_settings.update("APP_URL", "http://" + address)
        askbot_settings.update("APP_TITLE", "Questions about Debian")
        # Only members can send feedback.  Otherwise each page has a link to a feedback form of its
        # own (?next=), which doubles the site.
        askbot_settings.update("FEEDBACK_MODE", "auth-only")
        for k, v in LIFT.items():
            askbot_settings.update(k, v)
        # The first account becomes the administrator by itself.
        accounts = [make_user(u) for u in users]
        player = Player(accounts, threads, events, random.Random(seed + 1))
        player.play()
        rng = random.Random(seed + 2)
        for u in accounts:
            for other in rng.sample(accounts, min(len(accounts), int(rng.paretovariate(0.9)) - 1, 25)):
                if other != u:
                    u.follow_user(other)
        for key, pk in player.post.items():
            if "c" not in key and "a" not in key:
                t = Post.objects.get(pk=pk).thread
                Thread.objects.filter(pk=t.pk).update(view_count=threads[int(key[1:])]["views"])
        Setting.objects.filter(key__in=list(LIFT)).delete()
    print("users", User.objects.count(), "posts", Post.objects.count(), "refused:", player.failed)


main()
