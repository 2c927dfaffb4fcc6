"""The operator of a forum of the test beds: makes a member and pages for members only, and ends the sessions of the member.

Run by the Python environment of the bed, with its settings. Reads commands from standard input, one a line, and answers each with a
line of JSON:
  prepare USER PASSWORD   makes the member and the pages for members. Answers with the seeds, patterns of the addresses that belong to a
                          small crawl, and the paths and titles of the pages that only the member sees
  lose                    ends all sessions of the member on the side of the server. Answers with null
"""

import json
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402

IS_MACHINA = "machina" in settings.INSTALLED_APPS
PRIVATE_TOPICS = 45
COMMENTS = 3


def prepare_machina(user):
    """Closes a board of middle size to guests."""
    from django.urls import reverse
    from machina.apps.forum.models import Forum
    from machina.apps.forum_conversation.models import Topic
    from machina.apps.forum_member.models import ForumProfile
    from machina.apps.forum_permission.models import ForumPermission, UserForumPermission
    ForumProfile.objects.get_or_create(user=user)
    boards = [board for board in Forum.objects.filter(type=Forum.FORUM_POST) if not board.get_children()]
    boards.sort(key=lambda board: (abs(board.direct_topics_count - 40), board.pk))
    closed, open_to_all = boards[0], boards[1]
    for code in ("can_see_forum", "can_read_forum"):
        permission = ForumPermission.objects.get(codename=code)
        UserForumPermission.objects.create(forum=closed, permission=permission, anonymous_user=True, has_perm=False)
    path = lambda board: reverse("forum:forum", kwargs={"slug": board.slug, "pk": board.pk})  # noqa: E731
    pages = {path(closed): closed.name}
    for topic in Topic.objects.filter(forum=closed):
        kwargs = {"forum_slug": closed.slug, "forum_pk": closed.pk, "slug": topic.slug, "pk": topic.pk}
        first = reverse("forum_conversation:topic", kwargs=kwargs)
        count = topic.posts.filter(approved=True).count()
        pages[first] = topic.subject
        for number in range(2, -(-count // settings.MACHINA_TOPIC_POSTS_NUMBER_PER_PAGE) + 1):
            pages[f"{first}?page={number}"] = topic.subject
    belongs = [f"{path(closed)}(topic/[^/]*/)?([?]page=[0-9]+)?$", f"{path(open_to_all)}(topic/[^/]*/)?$"]
    belongs.append("/forum/[^/]*/$")
    return {"seeds": ["/"], "belongs": belongs, "pages": pages, "login": "/accounts/login/"}


def prepare_spirit(user):
    """Invites the member to private topics."""
    from spirit.category.models import Category
    from spirit.comment.models import Comment
    from spirit.topic.models import Topic
    from spirit.topic.private.models import TopicPrivate
    from spirit.user.models import UserProfile
    profile, _ = UserProfile.objects.get_or_create(user=user)
    profile.is_verified, profile.nickname = True, user.username
    profile.save()
    category = Category.objects.get(is_private=True)
    pages = {}
    for number in range(PRIVATE_TOPICS):
        topic = Topic.objects.create(user=user, category=category, title=f"Between ourselves {number}")
        TopicPrivate.objects.create(user=user, topic=topic)
        for comment in range(COMMENTS):
            Comment.objects.create(user=user, topic=topic, comment="x", comment_html=f"<p>Hush {number} {comment}</p>")
        Topic.objects.filter(pk=topic.pk).update(comment_count=COMMENTS)
        pages[topic.get_absolute_url()] = topic.title
    public = Topic.objects.filter(category__is_private=False, is_removed=False).order_by("pk")[:15]
    belongs = ["/topic/private/([0-9]+/[^/]*/)?([?]page=[0-9]+)?$", "/topic/private/author/.*$"]
    belongs += [f"{topic.get_absolute_url()}$" for topic in public] + ["/category/.*$", "/user/logout/.*$"]
    return {"seeds": ["/"], "belongs": belongs, "pages": pages, "login": "/user/login/"}


def lose(user, password):
    if settings.SESSION_ENGINE.endswith("signed_cookies"):
        # Such sessions end when the stored password changes: here to the same one, with another salt.
        user.set_password(password)
        user.save()
    else:
        from django.contrib.sessions.models import Session
        Session.objects.all().delete()


def main():
    user = password = None
    for line in sys.stdin:
        command, *words = line.split()
        answer = None
        if command == "prepare":
            name, password = words
            user = User.objects.create_user(name, f"{name}@example.net", password)
            answer = prepare_machina(user) if IS_MACHINA else prepare_spirit(user)
        elif command == "lose":
            lose(user, password)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
