# Settings that setup.sh and serve.sh share. Sourced, not run.
here=$(cd "$(dirname "$0")" && pwd)
SITE_HOME=${SITE_HOME:-$here/run}
PORT=${PORT:-8115}
SEED=${SEED:-1}
SCALE=${SCALE:-1.0}
mkdir -p "$SITE_HOME"
SITE_HOME=$(cd "$SITE_HOME" && pwd)
export SITE_HOME PORT SEED SCALE
sock=$SITE_HOME/db/mysql.sock

# MariaDB and PHP refuse or should not run as root: use an unprivileged user then.
# A command prefix, not a function: $! must be the process itself, so that it can be stopped.
if [ "$(id -u)" = 0 ]; then
    site_user=nobody
    as_user="setpriv --reuid=nobody --regid=nogroup --clear-groups"
else
    site_user=
    as_user=
fi

db_pid=
start_db() {
    $as_user mariadbd --no-defaults --datadir="$SITE_HOME/db/data" --socket="$sock" \
        --pid-file="$SITE_HOME/db/mariadbd.pid" --log-error="$SITE_HOME/db/error.log" \
        --skip-networking --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=128M \
        --character-set-server=utf8mb4 &
    db_pid=$!
    for _ in $(seq 120); do
        $as_user mariadb-admin --no-defaults --socket="$sock" -u root ping >/dev/null 2>&1 && return 0
        kill -0 "$db_pid" 2>/dev/null || break
        sleep 0.5
    done
    echo "MariaDB did not start; see $SITE_HOME/db/error.log" >&2
    return 1
}

stop_db() {
    [ -n "$db_pid" ] || return 0
    kill "$db_pid" 2>/dev/null || true
    wait "$db_pid" 2>/dev/null || true
    db_pid=
}
