#!/bin/sh
# Makes the Askbot forum below $SITE_HOME: software, text source, database, content.
# Variables: SITE_HOME, SEED (1), SCALE (1.0), PYTHON.  Run again to do only what is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$here/run}
SEED=${SEED:-1}
SCALE=${SCALE:-1.0}
PYTHON=${PYTHON:-python3}
mkdir -p "$SITE_HOME"
SITE_HOME=$(cd "$SITE_HOME" && pwd)
# A fixed PYTHONHASHSEED: the software goes through sets (tags, badges) in the order of hashes.
export SITE_HOME SEED SCALE PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
cd "$SITE_HOME"

if [ ! -e venv/.done ]; then
    "$PYTHON" -m venv venv
    venv/bin/pip install -q --disable-pip-version-check -r "$here/requirements.txt"
    touch venv/.done
fi

# The text: unpacked instead of installed, since some systems leave out /usr/share/doc
# when they install a package.
if [ ! -e text/.done ]; then
    rm -rf debs text
    mkdir -p debs text
    (cd debs && { apt-get download $(cat "$here/text-packages.txt") 2>/dev/null ||
        { apt-get update -q && apt-get download $(cat "$here/text-packages.txt"); }; })
    for d in debs/*.deb; do dpkg-deb -x "$d" text; done
    rm -rf debs
    touch text/.done
fi

if [ ! -e project/manage.py ]; then
    venv/bin/askbot-setup --noinput -r "$SITE_HOME/project" --proj-name forum -e sqlite \
        -d "$SITE_HOME/forum.db" --admin-name Admin --admin-email admin@example.org \
        --domain-name example.org > setup.log
fi
# This folder has the settings in use and the URL file; the project has Askbot's own.
export PYTHONPATH="$here:$SITE_HOME/project" DJANGO_SETTINGS_MODULE=forum_settings

stamp="seed $SEED scale $SCALE"
if [ "$(cat content.done 2>/dev/null)" != "$stamp" ]; then
    rm -f forum.db forum.db-* content.done
    venv/bin/django-admin migrate -v 0
    venv/bin/django-admin collectstatic --noinput -v 0
    venv/bin/python "$here/populate.py" "$SITE_HOME/text"
    echo "$stamp" > content.done
fi
echo "ready: $SITE_HOME"
