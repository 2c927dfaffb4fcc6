#!/bin/sh
# Serves the site in the foreground on 127.0.0.1:$PORT.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME PYTHONPATH="$HERE" PYTHONDONTWRITEBYTECODE=1 TZ=UTC DJANGO_SETTINGS_MODULE=news_settings
cd "$SITE_HOME"
exec venv/bin/gunicorn --workers "${WORKERS:-2}" --bind "127.0.0.1:${PORT:-8132}" --timeout 120 \
    --log-level warning 'django.core.wsgi:get_wsgi_application()'
