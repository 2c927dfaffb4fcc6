#!/bin/sh
# Makes Drum and its content under $SITE_HOME. SEED and SCALE change the content.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
mkdir -p "$SITE_HOME"
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME SEED="${SEED:-1}" SCALE="${SCALE:-1.0}" PYTHONPATH="$HERE" PYTHONDONTWRITEBYTECODE=1 TZ=UTC
export PYTHONHASHSEED=0 DJANGO_SETTINGS_MODULE=news_settings
cd "$SITE_HOME"
[ -x venv/bin/python ] || "${PYTHON:-python3}" -m venv venv
venv/bin/python -m pip install -q --disable-pip-version-check -r "$HERE/requirements.txt"

# Drum 0.4 was written for Django 1: a few names of its imports changed since, nothing that a page shows.
DRUM=$(venv/bin/python -c 'import importlib.util as u; print(u.find_spec("drum").submodule_search_locations[0])')/links
sed -i -e 's/django.core.urlresolvers/django.urls/' -e '/import python_2_unicode_compatible/d' \
    -e '/^@python_2_unicode_compatible/d' -e 's/OneToOneField(USER_MODEL)/OneToOneField(USER_MODEL, models.CASCADE)/' \
    "$DRUM/models.py"
sed -i -e "s/to='sites.Site')/to='sites.Site', on_delete=models.CASCADE)/" \
    -e 's/to=settings.AUTH_USER_MODEL)/to=settings.AUTH_USER_MODEL, on_delete=models.CASCADE)/' \
    "$DRUM/migrations/0001_initial.py"
sed -i -e 's/from django.conf.urls import url/from django.urls import re_path as url/' "$DRUM/urls.py"
sed -i -e 's/i18n staticfiles/i18n static/' -e 's/{% *\(end\)\{0,1\}compress[^%]*%}//' \
    -e 's/{% *\(end\)\{0,1\}nevercache *%}//' "$DRUM/templates/base.html"

# The text: the documents of one package, unpacked here and not installed.
if [ ! -f text/.done ]; then
    rm -rf text deb
    mkdir -p text deb
    (cd deb && { apt-get download -q postgresql-doc-15 2>/dev/null ||
        { apt-get update -q && apt-get download -q postgresql-doc-15; }; })
    for d in deb/*.deb; do dpkg-deb -x "$d" text; done
    rm -rf deb
    touch text/.done
fi

STAMP="seed $SEED scale $SCALE $(cat "$HERE"/*.py "$HERE"/requirements.txt | cksum)"
if [ "$(cat done 2>/dev/null || true)" = "$STAMP" ]; then
    echo "already made"
    exit 0
fi
rm -f done news.sqlite
venv/bin/python -m django migrate -v 0
venv/bin/python "$HERE/populate.py" text/usr/share/doc/postgresql-doc-15/html
echo "$STAMP" > done
