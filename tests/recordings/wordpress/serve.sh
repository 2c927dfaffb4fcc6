#!/bin/sh
# Serves the site on 127.0.0.1:$PORT until it gets a signal; stops its own database then.
set -eu
. "$(dirname "$0")/env.sh"
php_pid=
finish() {
    trap - EXIT INT TERM
    if [ -n "$php_pid" ]; then
        # The workers of the PHP server do not end with their parent.
        workers=$(ps -o pid= --ppid "$php_pid" || true)
        # shellcheck disable=SC2086
        kill "$php_pid" $workers 2>/dev/null || true
        wait "$php_pid" 2>/dev/null || true
    fi
    stop_db
    exit 0
}
trap finish EXIT INT TERM
start_db
cd "$SITE_HOME/www"
export PHP_CLI_SERVER_WORKERS=4
$as_user php -d opcache.enable_cli=1 -d expose_php=0 -d display_errors=0 \
    -S "127.0.0.1:$PORT" -t "$SITE_HOME/www" "$SITE_HOME/router.php" > "$SITE_HOME/serve.log" 2>&1 &
php_pid=$!
wait "$php_pid"
