"""Settings in use: those of a new Boorunaut project, with members' contacts and sets."""
import os

from PIL import Image

from board.settings import *  # noqa: F401,F403

# Boorunaut 0.5.0 uses the former name of this filter, which the Pillow that it asks for no longer has.
Image.ANTIALIAS = Image.LANCZOS

HOME = os.environ["SITE_HOME"]
HERE = os.path.dirname(os.path.abspath(__file__))
SECRET_KEY = "recording"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "board_urls"
INSTALLED_APPS = INSTALLED_APPS + ["members"]            # noqa: F405
TEMPLATES[0]["DIRS"] = [os.path.join(HERE, "templates")]  # noqa: F405
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(HOME, "board.db")}}
STATIC_ROOT = os.path.join(HOME, "static")
MEDIA_ROOT = os.path.join(HOME, "media")
