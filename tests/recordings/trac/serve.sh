#!/bin/sh
# Serves the site in the foreground on 127.0.0.1:$PORT.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
PORT=${PORT:-8114}
export TRAC_ENV="$SITE_HOME/env" PYTHONDONTWRITEBYTECODE=1 TZ=UTC
cd "$SITE_HOME"
exec venv/bin/gunicorn --chdir "$HERE" --workers 2 --bind "127.0.0.1:$PORT" --timeout 120 --log-level warning wsgi:application
