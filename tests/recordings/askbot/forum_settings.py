"""Settings of the recorded forum: those that Askbot's installer wrote, with a few changes."""
import os

from forum.settings import *  # noqa: F401,F403

HOME = os.environ["SITE_HOME"]
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "example.org"]
# A fixed key, so that two set-ups give the same site.  It guards nothing.
SECRET_KEY = "key-of-the-askbot-recording-not-a-secret"
ROOT_URLCONF = "forum_urls"
# Several processes read and count views in one SQLite file: wait for the lock.
DATABASES["default"]["OPTIONS"] = {"timeout": 60}  # noqa: F405
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
# The installer names no log-in page, and Django's own guess does not exist in Askbot.
LOGIN_URL = "/account/signin/"
# Sessions in the cookie: no row in the database for each request of a visitor without cookies.
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
# Each process has its own cache; nothing is written while the forum is read.
CACHES["default"]["BACKEND"] = "forum_cache.ForumCache"  # noqa: F405
SILENCED_SYSTEM_CHECKS += ["askbot.W002", "askbot.W003"]  # noqa: F405
# The style sheets do not change: look at their times once an hour, not for each page.
COMPRESS_MTIME_DELAY = 3600
