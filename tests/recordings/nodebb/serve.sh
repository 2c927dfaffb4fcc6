#!/usr/bin/env bash
# Serves the forum on 127.0.0.1:$PORT (default 8116) in the foreground, with its database. WORKERS (default 2) processes.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
export SITE_HOME=${SITE_HOME:-$HERE/run}
. "$HERE/common.sh"
start_redis
export url="http://127.0.0.1:$PORT" port="$PORT" bind_address=127.0.0.1
cd "$APP"
"$NODE" "$HERE/serve.js" &
SERVER=$!
trap 'kill "$SERVER" 2>/dev/null || true; wait "$SERVER" || true; stop_redis' EXIT
trap 'exit 0' TERM INT
wait "$SERVER"
