#!/bin/sh
# Makes Epicyon and its content, in Italian, under $SITE_HOME. SEED and SCALE change the content.
# Posts hold their full address, so PORT must be the one that is served.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
mkdir -p "$SITE_HOME"
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME SEED="${SEED:-1}" SCALE="${SCALE:-1.0}" PORT="${PORT:-8134}"
export PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 TZ=UTC
cd "$SITE_HOME"
[ -x venv/bin/python ] || "${PYTHON:-python3}" -m venv venv
venv/bin/python -m pip install -q --disable-pip-version-check -r "$HERE/requirements.txt"

# The text: one package, unpacked here and not installed.
if [ ! -f text/.done ]; then
    rm -rf text deb
    mkdir -p text deb
    (cd deb && { apt-get download -q fortunes-it 2>/dev/null ||
        { apt-get update -q && apt-get download -q fortunes-it; }; })
    for d in deb/*.deb; do dpkg-deb -x "$d" text; done
    rm -rf deb
    touch text/.done
fi

STAMP="seed $SEED scale $SCALE port $PORT $(cat "$HERE"/*.py "$HERE"/requirements.txt | cksum)"
if [ "$(cat done 2>/dev/null || true)" = "$STAMP" ]; then
    echo "already made"
    exit 0
fi
rm -rf done app
# The server keeps its data beside its modules, and asks for older libraries than it needs.
venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --target app epicyon==1.3.0
# Without a domain the server listens on all interfaces.
sed -i "s/serverAddress = ('', proxyPort)/serverAddress = ('127.0.0.1', proxyPort)/" app/daemon.py
# It refuses a request that comes during another one, also its own ones for the profiles that a page shows.
sed -i 's/^        if self.server.GETbusy:$/        if False:/' app/daemon.py
# It asks robots to follow no link, whatever the operator sets.
sed -i "s/'X-Robots-Tag'/'X-Left-Out'/" app/daemon.py
venv/bin/python "$HERE/populate.py" text/usr/share/games/fortunes/it > populate.log
tail -n 1 populate.log
echo "$STAMP" > done
