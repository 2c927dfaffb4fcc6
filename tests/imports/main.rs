//! Checks the structure of the source code: which crate may depend on which, which modules may import from which, which
//! files must be pure, and the shape of functions and types.
//!
//! Test code is not checked.

mod cycles;
mod exceptions;
mod handles;
mod items;
mod names;
mod reader;
mod signatures;
mod sources;
mod tokens;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use reader::Module;
use sources::{CRATES, Crate, libraries, workspace};

/// The modules of a crate that are stages: a stage does not import from another stage of its crate.
const STAGES: &[(&str, &[&str])] = &[
    ("stages", &["fetch", "filter", "frontier", "host", "revisit"]),
    ("storage", &["archive", "dedup", "store"]),
    ("structure", &["classify", "parse", "site"]),
];
/// The stages that may import from another one: a classifier uses the model of a site's structure.
const ALLOWED: &[(&str, &str)] = &[("classify", "site")];
/// The crates of the workspace that each crate may depend on.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("domains", &[]),
    ("core", &["domains"]),
    ("consent", &["core"]),
    ("metrics", &["core"]),
    ("structure", &["core"]),
    ("document", &["core", "structure"]),
    ("identity", &[]),
    ("login", &["core", "document"]),
    ("validators", &["core", "document", "posts"]),
    ("posts", &["core", "structure"]),
    ("text", &["document"]),
    ("render", &["core"]),
    ("policy", &["core", "structure"]),
    ("papers", &["core", "policy", "structure"]),
    ("storage", &["core", "metrics"]),
    ("extraction", &["core", "document", "posts", "storage"]),
    ("stages", &["consent", "core", "identity", "metrics"]),
    ("fleet", &["core", "metrics"]),
    ("report", &["core", "fleet", "metrics", "policy", "stages", "storage", "structure"]),
    ("admin", &["core", "metrics", "report"]),
    ("sim", &["core"]),
    (
        "pipeline",
        &[
            "consent",
            "core",
            "fleet",
            "login",
            "metrics",
            "policy",
            "posts",
            "render",
            "report",
            "stages",
            "storage",
            "structure",
            "validators",
        ],
    ),
    ("library", &["core", "pipeline", "policy", "report", "stages", "structure"]),
    (
        "lab",
        &[
            "admin",
            "core",
            "document",
            "library",
            "papers",
            "pipeline",
            "policy",
            "posts",
            "report",
            "sim",
            "stages",
            "storage",
            "structure",
        ],
    ),
];
/// Words that must not occur in a pure file: actors, runtimes, sockets, files, metrics, and clocks that read the time
/// themselves.
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
/// Names that read the time or a source of randomness of the process.
const AMBIENT: &[&str] = &["Instant::now", "SystemTime::now", "thread_rng", "rand::rng", "from_os_rng"];
/// Files and folders that are pure, except for the shells within them.
const PURE: &[&str] = &[
    "core/src/model/",
    "core/src/url/",
    "consent/src/",
    "structure/src/",
    "document/src/",
    "identity/src/",
    "login/src/",
    "validators/src/",
    "posts/src/",
    "text/src/",
    "render/src/",
    "papers/src/",
    "policy/src/",
    "stages/src/",
    "storage/src/",
    "fleet/src/wire/",
    "fleet/src/rebuild.rs",
];
/// The shells: the only files in pure folders that perform I/O or run actors.
const SHELLS: &[&str] = &[
    "identity/src/file.rs", // reads and writes key files
    "render/src/browser/",  // a browser
    "stages/src/frontier/actor/",
    "stages/src/frontier/messages.rs",
    "stages/src/host/actor/",
    "stages/src/host/ports.rs", // the messages of an actor, and the traits that it calls, which hand over permits
    "stages/src/fetch/",        // the HTTP client
    "storage/src/archive/",     // writes files; the encoder receives everything that it encodes
    "storage/src/dedup/disk/",  // the set on disk
    "storage/src/store/",       // the database
];

/// The files below `crates`, by their path from there, each with the names in its code.
fn names_below_crates() -> BTreeMap<String, BTreeSet<String>> {
    let crates = CRATES.iter().filter_map(|of| Some((of.folder.strip_prefix("crates/")?, of)));
    let files = crates.flat_map(|(folder, of)| of.files.iter().map(move |file| (folder, file)));
    files.map(|(folder, (name, modules))| (format!("{folder}/{name}"), names(modules))).collect()
}

/// The words and the paths in the code of modules: `now` and `Instant::now`.
fn names(modules: &[Module]) -> BTreeSet<String> {
    let paths = |module: &Module| {
        let used = module.uses.iter().map(|used| used.path.join("::"));
        used.chain(module.paths.iter().map(|path| path.join("::"))).collect::<Vec<_>>()
    };
    modules.iter().flat_map(|module| module.words.iter().cloned().chain(paths(module))).collect()
}

/// The first of the names that contains one of the words.
fn containing<'a>(names: &'a BTreeSet<String>, words: &[&str]) -> Option<&'a String> {
    names.iter().find(|name| words.iter().any(|word| name.contains(word)))
}

fn is_below(name: &str, folders: &[&str]) -> bool {
    folders.iter().any(|folder| name.starts_with(folder))
}

/// The crates of the workspace that a manifest depends on outside tests.
fn dependencies(manifest: &str) -> Vec<&str> {
    let section = manifest.split("[dependencies]").nth(1).expect("dependencies");
    let section = section.split("\n[").next().unwrap_or_default();
    let crates = section.lines().filter_map(|line| line.strip_prefix("harvestman-"));
    crates.map(|name| name.split(['.', ' ']).next().unwrap_or_default()).collect()
}

#[test]
fn dependencies_are_found() {
    let manifest = "[package]\nname = \"harvestman-x\"\n\n[dependencies]\nharvestman-a.workspace = true\nb = \"1\"\n\
        harvestman-c = { path = \"../c\" }\n\n[dev-dependencies]\nharvestman-d.workspace = true\n";
    assert_eq!(dependencies(manifest), ["a", "c"]);
}

#[test]
fn crates_depend_on_allowed_crates_only() {
    for name in libraries() {
        let manifest = workspace().join("crates").join(&name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("a manifest");
        let allowed = DEPENDENCIES.iter().find(|(of, _)| *of == name).map(|(_, on)| *on);
        let allowed = allowed.unwrap_or_else(|| panic!("crates/{name} is not in the list"));
        for on in dependencies(&manifest) {
            assert!(allowed.contains(&on), "crates/{name} depends on crates/{on}");
        }
    }
    assert_eq!(libraries().len(), DEPENDENCIES.len(), "every crate in the list exists");
}

/// The imports of one stage from another: file, stage, and the stage that it imports from.
fn imports_between_stages(of: &Crate, stages: &[&str]) -> Vec<(String, String, String)> {
    let stage = |file: &str| file.split('/').next().filter(|folder| stages.contains(folder)).map(str::to_owned);
    let imports = of.imports_and_reexports();
    let pairs = imports.into_iter().flat_map(|(file, on)| on.into_iter().map(move |on| (file, on)));
    let between = pairs.filter_map(|(file, on)| Some((file.to_owned(), stage(file)?, stage(&on)?)));
    between.filter(|(_, from, to)| from != to).collect()
}

#[test]
fn no_stage_imports_from_another() {
    for (name, stages) in STAGES {
        let of = CRATES.iter().find(|of| of.name == *name).expect("a crate");
        for (file, from, to) in imports_between_stages(of, stages) {
            assert!(ALLOWED.contains(&(from.as_str(), to.as_str())), "{name}: {file} imports from {to}");
        }
    }
}

#[test]
fn imports_between_stages_are_found() {
    let sample = Crate::sample(&[
        ("lib.rs", "mod fetch; mod filter; mod shared; pub use filter::Filter;"),
        ("fetch/mod.rs", "mod client; use crate::shared::Shared;"),
        ("fetch/client.rs", "use super::super::Filter; pub use crate::shared::X;"),
        ("filter/mod.rs", "pub use crate::fetch; pub struct Filter;"),
        ("shared.rs", "pub struct Shared; use crate::Filter;"),
    ]);
    let found = imports_between_stages(&sample, &["fetch", "filter"]);
    let expected = [("fetch/client.rs", "fetch", "filter"), ("filter/mod.rs", "filter", "fetch")];
    assert_eq!(found, expected.map(|(file, from, to)| (file.to_owned(), from.to_owned(), to.to_owned())));
}

#[test]
fn pure_files_use_no_actor_socket_clock_or_metric() {
    let files = names_below_crates();
    for (file, names) in files.iter().filter(|(file, _)| is_below(file, PURE) && !is_below(file, SHELLS)) {
        assert_eq!(containing(names, IMPURE), None, "crates/{file} is not pure");
    }
    for folder in PURE.iter().chain(SHELLS) {
        assert!(files.keys().any(|file| is_below(file, &[folder])), "{folder} does not exist");
    }
}

#[test]
fn time_and_randomness_come_through_their_modules_only() {
    let sources = ["core/src/clock.rs", "core/src/seed.rs"];
    for (file, names) in names_below_crates() {
        if !sources.contains(&file.as_str()) {
            assert_eq!(containing(&names, AMBIENT), None, "crates/{file} bypasses `clock` or `seed`");
        }
    }
}

#[test]
fn forbidden_names_are_found_in_code_only() {
    let found = |code: &str| {
        let sample = Crate::sample(&[("lib.rs", code)]);
        let names = names(&sample.files["lib.rs"]);
        containing(&names, &[IMPURE, AMBIENT].concat()).cloned()
    };
    for (code, name) in [
        ("use std::{collections::BTreeMap, fs};", "std::fs"),
        ("fn f() { let socket = std::net::TcpStream::connect(); }", "std::net::TcpStream::connect"),
        ("mod inner { fn f(clock: &ManualClock) {} }", "ManualClock"),
        ("fn f() { let url = \"http://a/\"; tracing::info!(\"x\"); }", "tracing::info"),
        ("fn f() { assert!(Instant::now() > start); }", "Instant::now"),
        ("fn f() { vec![std::time::SystemTime::now()]; }", "std::time::SystemTime::now"),
        ("fn f() -> Option<rand::rng::Rng> { None }", "rand::rng::Rng"),
    ] {
        assert_eq!(found(code).as_deref(), Some(name), "{code}");
    }
    for code in [
        "/// A [`Clock`] of tokio.\nfn f() { \"tokio::spawn\"; /* actix */ }",
        "#[cfg(test)] mod tests { use tokio::spawn; }",
        "use std::collections::BTreeMap; fn now(instant: Instant) { instant.now }",
    ] {
        assert_eq!(found(code), None, "{code}");
    }
}
