import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
application = get_wsgi_application()

from project import fixedclock  # noqa: E402  (needs the loaded applications)

fixedclock.install()
