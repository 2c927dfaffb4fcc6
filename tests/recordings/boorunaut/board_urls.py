"""The addresses of the project, and the files, which a web server would serve."""
from django.conf import settings
from django.urls import re_path
from django.views.static import serve

from board.urls import urlpatterns

urlpatterns = urlpatterns + [
    re_path(r"^static/(?P<path>.*)$", serve, {"document_root": settings.STATIC_ROOT}),
    re_path(r"^media/(?P<path>.*)$", serve, {"document_root": settings.MEDIA_ROOT}),
]
