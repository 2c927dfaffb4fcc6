#!/bin/sh
# Makes Trac and its content under $SITE_HOME.  SEED and SCALE change the content.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
SEED=${SEED:-1}
SCALE=${SCALE:-1.0}
export SEED SCALE PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 TZ=UTC
mkdir -p "$SITE_HOME"
cd "$SITE_HOME"

[ -x venv/bin/python ] || python3 -m venv venv
# Trac 1.6 needs pkg_resources, which newer setuptools no longer have.
venv/bin/python -m pip install -q --disable-pip-version-check -r "$HERE/requirements.txt"

# The text: two packages with documentation, unpacked here and not installed.
if [ ! -f text/.done ]; then
    rm -rf text deb
    mkdir -p text deb
    (cd deb && apt-get download perl-doc python3.11-doc)
    for d in deb/*.deb; do dpkg-deb -x "$d" text; done
    rm -rf deb
    touch text/.done
fi

STAMP="seed $SEED scale $SCALE $(cat "$HERE"/*.py | cksum)"
if [ "$(cat env/.stamp 2>/dev/null || true)" = "$STAMP" ]; then
    echo "already made"
    exit 0
fi
rm -rf env
# Without synchronous writes: the time line stores a session for every anonymous visit.
venv/bin/trac-admin env initenv "Language Manuals" "sqlite:db/trac.db?synchronous=off" > initenv.log
venv/bin/trac-admin env config set project descr "Issues and notes about the manuals"
venv/bin/trac-admin env config set trac base_url ""
venv/bin/trac-admin env config set header_logo alt "Language Manuals"
venv/bin/trac-admin env config set header_logo link "/"
# An account that can log in; nobody uses it in a recording.
venv/bin/python -c 'import base64, hashlib, sys
print("admin:{SHA}" + base64.b64encode(hashlib.sha1(b"admin").digest()).decode())' > env/conf/htpasswd
venv/bin/python "$HERE/populate.py" env text/usr/share
echo "$STAMP" > env/.stamp
