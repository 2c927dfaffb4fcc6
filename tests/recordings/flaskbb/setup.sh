#!/bin/sh
# Makes FlaskBB and its content under $SITE_HOME. SEED and SCALE change the content.
# FlaskBB 3 needs Python 3.12 or newer: PYTHON names it, if the default one is older.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
mkdir -p "$SITE_HOME"
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME SEED="${SEED:-1}" SCALE="${SCALE:-1.0}" PYTHONPATH="$HERE" PYTHONDONTWRITEBYTECODE=1 TZ=UTC
cd "$SITE_HOME"
[ -x venv/bin/python ] || "${PYTHON:-python3}" -m venv venv
venv/bin/python -m pip install -q --disable-pip-version-check -r "$HERE/requirements.txt"

# The text: the documents of one package, unpacked here and not installed.
if [ ! -f text/.done ]; then
    rm -rf text deb
    mkdir -p text deb
    (cd deb && { apt-get download -q anarchism 2>/dev/null ||
        { apt-get update -q && apt-get download -q anarchism; }; })
    for d in deb/*.deb; do dpkg-deb -x "$d" text; done
    rm -rf deb
    touch text/.done
fi

STAMP="seed $SEED scale $SCALE $(cat "$HERE"/*.py "$HERE"/requirements.txt | cksum)"
if [ "$(cat done 2>/dev/null || true)" = "$STAMP" ]; then
    echo "already made"
    exit 0
fi
rm -f done forum.sqlite
mkdir -p logs instance
venv/bin/python "$HERE/populate.py" text/usr/share/doc/anarchism/markdown
# The first start registers plugins, which fails in several server processes at the same time.
venv/bin/python -c 'import forum_app; forum_app.make()'
echo "$STAMP" > done
