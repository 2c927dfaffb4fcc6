#!/bin/sh
# Serves the wiki in the foreground on 127.0.0.1:$PORT with PHP's built-in server.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME TZ=UTC PHP_CLI_SERVER_WORKERS="${WORKERS:-3}"
php -d display_errors=0 -d memory_limit=256M -d opcache.enable_cli=1 -d opcache.validate_timestamps=0 \
    -S "127.0.0.1:${PORT:-8133}" -t "$SITE_HOME/docroot" "$HERE/router.php" 2>"$SITE_HOME/server.log" &
SERVER=$!
# The workers do not end with the server that started them, so they are ended here.
stop() {
    WORKERS=$(ps -o pid= --ppid "$SERVER" || true)
    # shellcheck disable=SC2086  # a list of processes
    kill "$SERVER" $WORKERS 2>/dev/null || true
}
trap 'stop; exit 0' INT TERM
wait "$SERVER"
