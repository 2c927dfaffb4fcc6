"""The forum as a WSGI application. SITE_HOME holds its database."""
import os

from flaskbb import create_app
from flaskbb.configs.default import DefaultConfig

HOME = os.environ["SITE_HOME"]


class Config(DefaultConfig):
    SQLALCHEMY_DATABASE_URI = "sqlite:///" + HOME + "/forum.sqlite"
    SECRET_KEY = WTF_CSRF_SECRET_KEY = "only for recordings"
    USE_DEFAULT_LOGGING = False
    LOG_PATH = HOME + "/logs"
    EMOJI_BASE_URL = None             # pictures of another host
    RATELIMIT_ENABLED = False


def make():
    return create_app(Config, HOME + "/instance")
