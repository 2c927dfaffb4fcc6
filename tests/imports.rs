//! The import rules of ARCHITECTURE.md that Cargo cannot hold: between crates the manifests decide who may know whom; here stages of one
//! crate are kept apart, and what decides is kept pure.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates whose modules are stages, which know each other in no case but the listed ones.
const STAGES: &[(&str, &[&str])] = &[
    ("stages", &["fetch", "filter", "frontier", "host", "revisit"]),
    ("storage", &["archive", "dedup", "store"]),
    ("structure", &["classify", "parse", "site"]),
];
/// A classifier decides by what is known of a site's structure.
const ALLOWED: &[(&str, &str)] = &[("classify", "site")];
/// Which parts of the program each crate may depend on: the direction of ARCHITECTURE.md.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("metrics", &["core"]),
    ("structure", &["core"]),
    ("policy", &["core", "structure"]),
    ("storage", &["core", "metrics"]),
    ("stages", &["core", "metrics"]),
    ("fleet", &["core", "metrics"]),
    ("report", &["core", "fleet", "metrics", "policy", "stages", "storage", "structure"]),
    ("admin", &["core", "metrics", "report"]),
    ("sim", &["core"]),
    ("pipeline", &["core", "fleet", "metrics", "policy", "report", "stages", "storage", "structure"]),
    ("lab", &["core", "fleet", "pipeline", "policy", "report", "sim", "stages", "storage", "structure"]),
];
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
    "harvestman_metrics",
    "tracing::",
];
/// Folders of which every file is pure, but for the shells.
const PURE: &[&str] = &[
    "core/src/model/",
    "core/src/url/",
    "structure/src/",
    "policy/src/",
    "stages/src/",
    "storage/src/",
    "fleet/src/wire/",
    "fleet/src/rebuild.rs",
];
/// The shells: the only files of those folders that act.
const SHELLS: &[&str] = &[
    "stages/src/frontier/actor/",
    "stages/src/frontier/messages.rs",
    "stages/src/host/actor/",
    "stages/src/host/messages.rs",
    "stages/src/fetch/",       // the client: sockets are its subject
    "storage/src/archive/", // the writer: files are its subject; the encoder is pure by construction (it is handed all it writes)
    "storage/src/dedup/disk/", // the set on disk: files are its subject
    "storage/src/store/",   // the state: files are its subject
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")
}

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

/// Every source file: its path below `crates`, and its code without comments and test modules.
fn code() -> Vec<(String, String)> {
    let root = root();
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    assert!(paths.len() > 500, "the sources were found");
    let relative = |path: &Path| path.strip_prefix(&root).expect("below crates").to_string_lossy().replace('\\', "/");
    let is_test = |name: &str| name.ends_with("tests.rs") || name.contains("/tests/");
    let files = paths.iter().map(|path| (relative(path), fs::read_to_string(path).expect("text")));
    files.filter(|(name, _)| !is_test(name)).map(|(name, text)| (name, without_comments_and_tests(&text))).collect()
}

fn without_comments_and_tests(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules of its crate that `code` names as `crate::NAME`.
fn imports(code: &str) -> BTreeSet<&str> {
    let named = code.split("crate::").skip(1);
    named.map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()).collect()
}

#[test]
fn crates_depend_on_what_they_may_know_only() {
    let mut found = 0;
    for entry in fs::read_dir(root()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let manifest = fs::read_to_string(path.join("Cargo.toml")).expect("a manifest");
        let dependencies = manifest.split("[dependencies]").nth(1).expect("dependencies");
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        let allowed = DEPENDENCIES.iter().find(|(of, _)| *of == name).map(|(_, on)| *on);
        let allowed = allowed.unwrap_or_else(|| panic!("crates/{name} is not in the list"));
        for on in dependencies.lines().filter_map(|line| line.strip_prefix("harvestman-")) {
            let on = on.split(['.', ' ']).next().unwrap_or_default();
            assert!(allowed.contains(&on), "crates/{name} depends on crates/{on}");
        }
        found += 1;
    }
    assert_eq!(found, DEPENDENCIES.len(), "each crate of the list is there");
}

#[test]
fn no_stage_imports_another() {
    for (name, code) in code() {
        for (of, stages) in STAGES {
            let within = |stage: &&&str| name.starts_with(&format!("{of}/src/{stage}/"));
            let Some(stage) = stages.iter().find(within) else { continue };
            for import in imports(&code).into_iter().filter(|import| stages.contains(import)) {
                assert!(import == *stage || ALLOWED.contains(&(stage, import)), "crates/{name} imports {import}");
            }
        }
    }
}

#[test]
fn what_decides_knows_no_actor_socket_clock_or_metric() {
    for (name, code) in code() {
        let is_pure = PURE.iter().any(|folder| name.starts_with(folder));
        if !is_pure || SHELLS.iter().any(|shell| name.starts_with(shell)) {
            continue;
        }
        for word in IMPURE {
            assert!(!code.contains(word), "crates/{name} knows {word}");
        }
    }
}

#[test]
fn time_and_randomness_come_through_their_modules_only() {
    for (name, code) in code() {
        if ["core/src/clock.rs", "core/src/seed.rs"].contains(&name.as_str()) {
            continue;
        }
        for word in ["Instant::now()", "SystemTime::now()", "thread_rng", "rand::rng(", "from_os_rng"] {
            assert!(!code.contains(word), "crates/{name} bypasses `clock` or `seed`: {word}");
        }
    }
}
