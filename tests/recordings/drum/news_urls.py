"""Addresses as in Drum's own template of a project, and the static files, which have no server of their own here."""
from django.contrib.staticfiles.views import serve
from django.urls import include, re_path

urlpatterns = [
    re_path("^static/(?P<path>.*)$", serve, {"insecure": True}),
    re_path("^", include("drum.links.urls")),
    re_path("^", include("mezzanine.urls")),
]
handler404 = "mezzanine.core.views.page_not_found"
handler500 = "mezzanine.core.views.server_error"
