#!/bin/sh
# Serves the site in the foreground on 127.0.0.1:$PORT.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
SITE_HOME=$(cd "$SITE_HOME" && pwd)
PORT=${PORT:-8134}
export PYTHONDONTWRITEBYTECODE=1 TZ=UTC
cd "$SITE_HOME/app"
exec ../venv/bin/python epicyon.py --domain 127.0.0.1 --port "$PORT" --proxy "$PORT" --http --path "$SITE_HOME/app" \
    --language it >../server.log 2>&1
