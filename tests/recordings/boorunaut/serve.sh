#!/bin/sh
# Serves the board on 127.0.0.1:$PORT (8117) in the foreground.  WORKERS (3) processes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$here/run}
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$here:$SITE_HOME/project" DJANGO_SETTINGS_MODULE=board_settings
cd "$SITE_HOME"
exec venv/bin/gunicorn django.core.wsgi:get_wsgi_application\(\) --bind "127.0.0.1:${PORT:-8117}" \
    --workers "${WORKERS:-3}" --timeout 120 --log-level warning
