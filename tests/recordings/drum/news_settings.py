"""Settings as in Drum's own template of a project, with the names that Mezzanine 6 and Django 4 use."""
import os

HOME = os.environ["SITE_HOME"]
PROJECT_APP_PATH = PROJECT_ROOT = BASE_DIR = HOME
PROJECT_APP = CACHE_MIDDLEWARE_KEY_PREFIX = "news"
SECRET_KEY = NEVERCACHE_KEY = "only for recordings"
ALLOWED_HOSTS = ["*"]
TIME_ZONE = "UTC"
USE_TZ = True
LANGUAGE_CODE = "en"
LANGUAGES = (("en", "English"),)
USE_I18N = USE_MODELTRANSLATION = DEBUG = False
SITE_ID = 1
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
AUTHENTICATION_BACKENDS = ("mezzanine.core.auth_backends.MezzanineBackend",)
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": HOME + "/news.sqlite"}}
STATIC_URL, STATIC_ROOT = "/static/", HOME + "/static"
MEDIA_URL, MEDIA_ROOT = "/static/media/", HOME + "/static/media"
ROOT_URLCONF = "news_urls"
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "APP_DIRS": True,
    "OPTIONS": {
        "context_processors": [
            "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages",
            "django.template.context_processors.static",
            "django.template.context_processors.media",
            "django.template.context_processors.request",
            "mezzanine.conf.context_processors.settings",
        ],
    },
}]
INSTALLED_APPS = (
    "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.redirects",
    "django.contrib.sessions", "django.contrib.sites", "django.contrib.sitemaps", "django.contrib.messages",
    "django.contrib.staticfiles", "drum.links", "mezzanine.boot", "mezzanine.conf", "mezzanine.core",
    "mezzanine.generic", "mezzanine.accounts", "django_comments", "filebrowser_safe", "grappelli_safe",
)
MIDDLEWARE = (
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "mezzanine.core.request.CurrentRequestMiddleware",
    "mezzanine.core.middleware.SitePermissionMiddleware",
)
PACKAGE_NAME_FILEBROWSER, PACKAGE_NAME_GRAPPELLI = "filebrowser_safe", "grappelli_safe"
OPTIONAL_APPS = ()
COMMENTS_APP = "mezzanine.generic"
ACCOUNTS_PROFILE_MODEL = "links.Profile"
ACCOUNTS_PROFILE_VIEWS_ENABLED = RATINGS_ACCOUNT_REQUIRED = COMMENTS_ACCOUNT_REQUIRED = True
SITE_TITLE = "Row Level News"
RATINGS_RANGE = (-1, 1)
SEARCH_MODEL_CHOICES = ("links.Link",)
ITEMS_PER_PAGE = 20

from mezzanine.utils.conf import set_dynamic_settings  # noqa: E402

set_dynamic_settings(globals())
