//! The import rules of ARCHITECTURE.md: who may know whom. They keep the stages apart and what decides pure.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const STAGES: &[&str] =
    &["archive", "classify", "dedup", "fetch", "filter", "frontier", "host", "parse", "policy", "revisit", "store"];
/// What everything may know: values, settings, the types of time and randomness.
const GROUND: &[&str] = &["clock", "config", "page", "seed", "url", "options"];
/// The stages that decide by what is known of a site's structure.
const KNOW_THE_SITE: &[&str] = &["classify", "policy"];
/// A policy classifies the pages that it learns from by the classifier that the workers use.
const CLASSIFIER: &str = "classify";
/// What the fleet's formats and rules may know besides: how records of the state are written, and what people ban and pin.
const BESIDE_THE_FLEET: &[&str] = &["fleet", "metrics", "policy", "store"];
/// What the site model stands on: no settings, no time.
const BELOW_THE_SITE: &[&str] = &["page", "seed", "site", "url"];
/// What a pure file may not know: actors, runtimes, sockets, files, metrics, and clocks that tell the time by themselves.
const IMPURE: &[&str] = &[
    "actix",
    "tokio",
    "hyper",
    "crossbeam",
    "axum",
    "prometheus",
    "std::fs",
    "std::net::Tcp",
    "std::thread",
    "Clock",
    "crate::metrics",
    "tracing::",
];
/// The shells: the only files of the stages that act. Everything else in a stage's folder decides, or is listed with its reason.
const SHELLS: &[&str] = &[
    "frontier/actor/",
    "frontier/messages.rs",
    "host/actor/",
    "host/messages.rs",
    "fetch/",      // the client: sockets are its subject
    "archive/", // the writer: files are its subject; the encoder is pure by construction (it is handed all it writes)
    "dedup/disk/", // the set on disk: files are its subject
    "store/",   // the state: files are its subject
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// Every source file: its path below `src`, and its code without comments and test modules.
fn code() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    assert!(paths.len() > 50, "the sources were found");
    let relative = |path: &Path| path.strip_prefix(&root).expect("below src").to_string_lossy().replace('\\', "/");
    let is_test = |name: &str| name.ends_with("tests.rs") || name.contains("/tests/");
    let files = paths.iter().map(|path| (relative(path), fs::read_to_string(path).expect("text")));
    files.filter(|(name, _)| !is_test(name)).map(|(name, text)| (name, without_comments_and_tests(&text))).collect()
}

fn without_comments_and_tests(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules of this crate that `code` names as `crate::NAME`.
fn imports(code: &str) -> BTreeSet<&str> {
    let named = code.split("crate::").skip(1);
    named.map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()).collect()
}

#[test]
fn no_stage_imports_another() {
    for (name, code) in code() {
        let Some(stage) = STAGES.iter().find(|stage| name.starts_with(&format!("{stage}/"))) else { continue };
        for import in imports(&code) {
            let site = import == "site" && KNOW_THE_SITE.contains(stage);
            let classifier = *stage == "policy" && import == CLASSIFIER;
            let allowed = import == *stage || import == "metrics" || GROUND.contains(&import) || site || classifier;
            assert!(allowed, "src/{name} imports crate::{import}");
        }
    }
}

#[test]
fn the_ground_knows_nothing_above_it() {
    for (name, code) in code() {
        if !["url/", "page/", "site/"].iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let below = if name.starts_with("site/") { BELOW_THE_SITE } else { GROUND };
        for import in imports(&code) {
            assert!(below.contains(&import), "src/{name} imports crate::{import}");
        }
        for word in IMPURE {
            assert!(!code.contains(word), "src/{name} knows {word}");
        }
    }
}

#[test]
fn the_fleet_knows_no_stage_but_the_state_and_what_is_banned() {
    for (name, code) in code() {
        if !name.starts_with("fleet/") {
            continue;
        }
        for import in imports(&code) {
            assert!(
                GROUND.contains(&import) || BESIDE_THE_FLEET.contains(&import),
                "src/{name} imports crate::{import}"
            );
        }
        let pure = name.starts_with("fleet/wire/") || name == "fleet/rebuild.rs";
        for word in IMPURE.iter().filter(|_| pure) {
            assert!(!code.contains(word), "src/{name} knows {word}");
        }
    }
}

#[test]
fn what_decides_in_a_stage_knows_no_actor_socket_clock_or_metric() {
    for (name, code) in code() {
        let in_stage = STAGES.iter().any(|stage| name.starts_with(&format!("{stage}/")));
        if !in_stage || SHELLS.iter().any(|shell| name.starts_with(shell)) {
            continue;
        }
        for word in IMPURE {
            assert!(!code.contains(word), "src/{name} knows {word}");
        }
    }
}

#[test]
fn time_and_randomness_come_through_their_doors_only() {
    for (name, code) in code() {
        if ["clock.rs", "seed.rs"].contains(&name.as_str()) {
            continue;
        }
        for word in ["Instant::now()", "SystemTime::now()", "thread_rng", "rand::rng(", "from_os_rng"] {
            assert!(!code.contains(word), "src/{name} goes round the door: {word}");
        }
    }
}

#[test]
fn only_the_pipeline_knows_all_stages() {
    for (name, code) in code() {
        let classifier = |import: &str| name.starts_with("policy/") && import == CLASSIFIER;
        let stages = imports(&code).into_iter().filter(|import| STAGES.contains(import) && !classifier(import));
        let known = stages.count();
        let upper = ["pipeline/", "cli/", "lab/"].iter().any(|folder| name.starts_with(folder));
        assert!(upper || known <= 1, "src/{name} knows {known} stages");
    }
}
