#!/bin/sh
# Serves the site in the foreground on 127.0.0.1:$PORT.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export SITE_HOME="${SITE_HOME:-$here/run}" PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1
export PATH="$SITE_HOME/venv/bin:$PATH"
exec gunicorn --bind "127.0.0.1:${PORT:-8113}" --workers "${WORKERS:-3}" --timeout 120 \
    --worker-tmp-dir "$SITE_HOME" --log-level warning project.wsgi:application
