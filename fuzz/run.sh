#!/bin/sh
# Runs each fuzz target for SECONDS seconds: fuzz/run.sh SECONDS [TARGET…]
# Needs a nightly toolchain but not cargo-fuzz. Crashing inputs are written to fuzz/artifacts/TARGET. The corpus is kept in
# fuzz/corpus/TARGET and starts from fuzz/seeds/TARGET.
set -eu
[ $# -ge 1 ] || { echo "usage: $0 SECONDS [TARGET...]" >&2; exit 2; }
seconds=$1
shift
cd "$(dirname "$0")"

# The flags that cargo-fuzz would set. The sanitizer also catches leaks and overflows in C dependencies. With an explicit target, the
# flags do not apply to build scripts.
host=$(rustc +nightly -vV | sed -n 's/^host: //p')
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address -Ccodegen-units=1"

# libdeflate defines one table per compiled variant under the same name, which the sanitizer reports as an ODR violation.
export ASAN_OPTIONS=detect_odr_violation=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

[ $# -gt 0 ] || set -- $(sed -n 's/^path = "fuzz_targets\/\(.*\)\.rs"$/\1/p' Cargo.toml)
for target in "$@"; do
    cargo +nightly build --release --target "$host" --bin "$target"
done
for target in "$@"; do
    mkdir -p "corpus/$target" "artifacts/$target" "seeds/$target"
    echo "== $target: $seconds s"
    "target/$host/release/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="artifacts/$target/" -print_final_stats=1 "corpus/$target" "seeds/$target"
done
