# What the project is worked on with; `just` lists the recipes.

_default:
    @just --list

# Everything that must be green before a commit
check: fmt lint test

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

# The generated pages of docs/
docs:
    HARVESTMAN_BLESS=1 cargo test --test cli documentation

# Licences, advisories, sources of dependencies (needs cargo-deny)
deny:
    cargo deny check

# The API's documentation
doc:
    cargo doc --no-deps --open
