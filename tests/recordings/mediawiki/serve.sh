#!/bin/sh
# Serves the wiki in the foreground on 127.0.0.1:$PORT with PHP's built-in server and 4 workers.
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$HERE/run}
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME PORT="${PORT:-8111}"
export MW_CONFIG_FILE="$SITE_HOME/LocalSettings.php"
export PHP_CLI_SERVER_WORKERS="${WORKERS:-4}"
php -d opcache.enable=1 -d opcache.enable_cli=1 -d opcache.validate_timestamps=0 -d display_errors=0 -d opcache.memory_consumption=192 -d opcache.max_accelerated_files=20000 \
    -d memory_limit=256M -S "127.0.0.1:$PORT" -t "$SITE_HOME/docroot" "$HERE/router.php" 2>"$SITE_HOME/server.log" &
SERVER=$!
# The workers do not end with the server that started them, so they are ended here.
stop() {
    WORKERS=$(ps -o pid= --ppid "$SERVER" || true)
    kill "$SERVER" $WORKERS 2>/dev/null || true
}
trap 'stop; exit 0' INT TERM
wait "$SERVER"
