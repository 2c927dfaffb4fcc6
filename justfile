# What the project is worked on with; `just` lists the recipes.

_default:
    @just --list

# The gate, whole: formatting, lints, documentation, tests, and the program end to end (needs what .ci/run says)
check:
    bash .ci/run

# Formatting
fmt:
    cargo fmt --check

# Lints
lint:
    cargo clippy --all-targets -- -D warnings

# Tests
test:
    cargo test

# A simulated site, crawled
demo:
    cargo run --release -- demo

# A bench of benches/, by the name of its file
bench NAME:
    cargo bench --bench {{NAME}}

# Every fuzz target for that many seconds (needs a nightly toolchain)
fuzz SECONDS:
    fuzz/run.sh {{SECONDS}}

# A crawl of a million simulated pages must stay below 1 GiB
memory:
    cargo build --release
    python3 tests/e2e/memory.py target/release/harvestman 1000000 1024 target/memory-crawl

# PYTHON has warcio; the gate makes one.
# A live forum crawled for what users wrote, compared with a replay of its recording (needs port 8101 and what .ci/run says)
learned PYTHON="target/ci/venv/bin/python" BEDS="../shared/beds" CORPORA="../shared/corpora":
    cargo build --release
    {{PYTHON}} tests/e2e/bed.py setup --bed machina --beds {{BEDS}} --work target/ci/beds
    {{PYTHON}} tests/e2e/learned_crawl.py --bed machina --beds {{BEDS}} --work target/ci/beds --corpora {{CORPORA}} \
        --harvestman target/release/harvestman

# The figures of the default policies and clusters on recorded forums, and their floors
figures CORPORA="../shared/corpora":
    cargo build --release
    python3 tests/e2e/lab_figures.py target/release/harvestman {{CORPORA}}

# The generated pages of docs/
docs:
    HARVESTMAN_BLESS=1 cargo test --test cli documentation

# The book of docs/, built (needs mdBook: cargo install mdbook)
book:
    python3 tests/e2e/book.py mdbook target/book

# Licences, advisories, sources of dependencies (needs cargo-deny)
deny:
    cargo deny check

# The API's documentation
doc:
    cargo doc --no-deps --open
