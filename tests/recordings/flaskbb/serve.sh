#!/bin/sh
# Serves the forum in the foreground on 127.0.0.1:$PORT.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME PYTHONPATH="$HERE" PYTHONDONTWRITEBYTECODE=1 TZ=UTC
cd "$SITE_HOME"
exec venv/bin/gunicorn --workers "${WORKERS:-2}" --bind "127.0.0.1:${PORT:-8131}" --timeout 120 \
    --log-level warning 'forum_app:make()'
