"""Askbot's addresses, and its style sheets and scripts served by Django itself."""
from django.conf import settings
from django.urls import re_path
from django.views.static import serve

from forum.urls import handler404, handler500, urlpatterns as forum_patterns  # noqa: F401

urlpatterns = [re_path(r"^m/(?P<path>.*)$", serve, {"document_root": settings.STATIC_ROOT})] + forum_patterns
