#!/usr/bin/env bash
# Measures what a crawl executes most, for profile-guided optimisation of the packaged program.
#
#   packaging/train.sh [CARGO ARGUMENT…]       e.g. --all-features --target x86_64-unknown-linux-gnu
#
# Compiles an instrumented program, crawls two simulated sites with it on loopback, breadth-first and by what it learns, with an archive
# and without, and writes target/train/harvestman.profdata. A build takes the profile with
#
#   RUSTFLAGS=-Cprofile-use=$PWD/target/train/harvestman.profdata cargo build --profile dist [CARGO ARGUMENT…]
#
# Needs the toolchain's component llvm-tools: rustup component add llvm-tools
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

OUT=${CARGO_TARGET_DIR:-$PWD/target}/train
WORK=$OUT/work
MERGE=$(rustc --print sysroot)/lib/rustlib/$(rustc --print host-tuple)/bin/llvm-profdata
REQUESTS=12000
SECONDS_MAX=600
[ -x "$MERGE" ] || { echo "$MERGE is missing: run 'rustup component add llvm-tools'" >&2; exit 1; }

server=""
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true' EXIT
rm -rf "$WORK"
mkdir -p "$WORK/raw"

# Not in the target directory of other builds: with other flags, cargo would compile these again.
RUSTFLAGS=-Cprofile-generate=$WORK/raw CARGO_TARGET_DIR=$WORK/target cargo build --locked --profile dist --bin harvestman "$@"
PROGRAM=$(find "$WORK/target" -path '*/dist/harvestman' -type f -print -quit)
# Procedural macros and build scripts were instrumented too.
rm -f "$WORK"/raw/*.profraw

# crawl ARGUMENT…: crawls the site that is served, within bounds.
crawl() {
    rm -rf "$WORK/crawl"
    timeout "$SECONDS_MAX" "$PROGRAM" crawl "$site" --out "$WORK/crawl" --delay 0s --per-host 64 --requests "$REQUESTS" --quiet \
        --set scope.hosts='*.localhost' --set fetch.private_addresses=true "$@"
}

# train ARGUMENT…: crawls the site that `harvestman sim ARGUMENT…` serves. What the server itself executes does not count.
train() {
    LLVM_PROFILE_FILE=$WORK/server.profraw "$PROGRAM" sim --for "${SECONDS_MAX}s" "$@" >"$WORK/server.log" &
    server=$!
    local waited=0
    until site=$(grep -m 1 -o '^http://[^ ]*' "$WORK/server.log"); do
        if [ $((waited += 1)) -gt 100 ] || ! kill -0 "$server"; then
            echo "the simulated site was not served: $WORK/server.log" >&2
            exit 1
        fi
        sleep 0.1
    done
    crawl --policy bfs
    crawl --policy bfs --set archive.enabled=false --set state.enabled=false
    crawl --policy ucc
    kill "$server"
    wait "$server" || true
    server=""
}

train --static --pages "$REQUESTS"
train --pages "$REQUESTS" --hosts 20
"$MERGE" merge --output "$OUT/harvestman.profdata" "$WORK"/raw/*.profraw
rm -rf "$WORK"
echo "$OUT/harvestman.profdata"
