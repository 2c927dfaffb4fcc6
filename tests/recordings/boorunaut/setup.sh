#!/bin/sh
# Makes the picture board below $SITE_HOME: software, text source, database, content.
# Variables: SITE_HOME, SEED (1), SCALE (1.0), PYTHON.  Run again to do only what is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$here/run}
SEED=${SEED:-1}
SCALE=${SCALE:-1.0}
PYTHON=${PYTHON:-python3}
mkdir -p "$SITE_HOME"
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME SEED SCALE PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
cd "$SITE_HOME"

if [ ! -e venv/.done ]; then
    "$PYTHON" -m venv venv
    venv/bin/pip install -q --disable-pip-version-check -r "$here/requirements.txt"
    touch venv/.done
fi

# The text: WordNet, unpacked and not installed.
if [ ! -e text/.done ]; then
    rm -rf deb text
    mkdir -p deb text
    (cd deb && { apt-get download -q wordnet-base 2>/dev/null || { apt-get update -q && apt-get download -q wordnet-base; }; })
    dpkg-deb -x deb/wordnet-base_*.deb text
    rm -rf deb
    touch text/.done
fi

if [ ! -e project/manage.py ]; then
    mkdir -p project
    PATH="$SITE_HOME/venv/bin:$PATH" venv/bin/boorunaut startproject board --path project > setup.log
fi
# This folder has the settings in use and the URL file; the project has Boorunaut's own.
export PYTHONPATH="$here:$SITE_HOME/project" DJANGO_SETTINGS_MODULE=board_settings

stamp="seed $SEED scale $SCALE $(cat "$here"/*.py "$here"/members/*.py | cksum)"
if [ "$(cat content.done 2>/dev/null)" != "$stamp" ]; then
    rm -rf board.db media content.done
    venv/bin/django-admin migrate -v 0
    venv/bin/django-admin collectstatic --noinput -v 0
    venv/bin/python "$here/populate.py" "$SITE_HOME/text/usr/share/wordnet"
    echo "$stamp" > content.done
fi
echo "ready: $SITE_HOME"
