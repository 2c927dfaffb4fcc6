//! The checks of the fuzz targets, run on their seeds and on variants of them: bytes changed, cut out, repeated, and
//! joined to other seeds. A fuzzer finds more, but needs a nightly toolchain and hours.
#![allow(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

#[path = "../fuzz/checks/mod.rs"]
mod checks;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;

/// Number of variants of each seed.
const VARIANTS: usize = 300;
/// What is put into variants: what ends, nests or counts in the formats.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r",
    b"\r\n",
    b"\"",
    b"'",
    b"<",
    b">",
    b"</",
    b"<!--",
    b"]]>",
    b"&",
    b"&#x0;",
    b"%",
    b"%00",
    b";",
    b",",
    b"=",
    b"{",
    b"[[[[",
    b"(",
    b"\\u0000",
    b"\xff\xfe",
    b"\xc2\x9b",
    b"\xe2\x80\xae",
    b"-1",
    b"18446744073709551616",
    b"1e999",
    b"*",
    b"$",
    b"\t",
];

fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{} is empty", folder.display());
    seeds
}

/// A position in `bytes`, and one behind it.
fn span(bytes: &[u8], random: &mut StdRng) -> (usize, usize) {
    let from = random.random_range(0..=bytes.len());
    let to = random.random_range(from..=bytes.len().min(from + 40));
    (from, to)
}

/// One to four changes.
fn variant(seed: &[u8], others: &[(PathBuf, Vec<u8>)], random: &mut StdRng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.random_range(1..=4) {
        let (from, to) = span(&bytes, random);
        match random.random_range(0..6) {
            0 => bytes.truncate(from),
            1 => drop(bytes.drain(from..to)),
            2 => {
                let piece = PIECES[random.random_range(0..PIECES.len())];
                bytes.splice(from..from, piece.iter().copied());
            }
            3 => {
                let again = bytes[from..to].repeat(random.random_range(2..20));
                bytes.splice(from..to, again);
            }
            4 => {
                let other = &others[random.random_range(0..others.len())].1;
                let (start, end) = span(other, random);
                bytes.splice(from..from, other[start..end].iter().copied());
            }
            _ => bytes[from..to].iter_mut().for_each(|byte| *byte = byte.wrapping_add(random.random())),
        }
    }
    bytes
}

#[test]
fn every_check_holds_for_its_seeds_and_for_variants_of_them() {
    for (target, check) in checks::CHECKS {
        let seeds = seeds(target);
        let mut random = StdRng::seed_from_u64(1);
        for (path, seed) in &seeds {
            let run = |bytes: &[u8]| {
                let result = std::panic::catch_unwind(|| check(bytes));
                assert!(result.is_ok(), "{target} fails for a variant of {}: {}", path.display(), bytes.escape_ascii());
            };
            run(seed);
            for _ in 0..VARIANTS {
                run(&variant(seed, &seeds, &mut random));
            }
        }
    }
}

/// The targets of the fuzz package.
fn targets(fuzz: &Path) -> Vec<String> {
    let package = packages(&fuzz.join("Cargo.toml")).remove(0);
    package["targets"].as_array().unwrap().iter().map(|target| target["name"].as_str().unwrap().to_owned()).collect()
}

fn names(folder: PathBuf) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_check_has_a_target_and_seeds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let mut checks: Vec<_> = checks::CHECKS.iter().map(|&(target, _)| target.to_owned()).collect();
    checks.sort();
    assert_eq!(targets(&fuzz), checks);
    assert_eq!(names(fuzz.join("fuzz_targets")), checks);
    assert_eq!(names(fuzz.join("seeds")), checks);
    assert!(std::panic::catch_unwind(|| checks::run("nothing", b"")).is_err());
}

/// The packages of a manifest, as cargo reads it.
fn packages(manifest: &Path) -> Vec<Value> {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1", "--manifest-path"])
        .arg(manifest)
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// What the crates of a lock file depend on that come from no registry.
fn locked(lock: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let lock: toml::Table = fs::read_to_string(lock).unwrap().parse().unwrap();
    // A name of which there are several versions has one behind it.
    let name = |value: &toml::Value| value.as_str().unwrap().split(' ').next().unwrap().to_owned();
    let own = lock["package"].as_array().unwrap().iter().filter(|package| package.get("source").is_none());
    let dependencies = |package: &toml::Value| {
        let all = package.get("dependencies").and_then(toml::Value::as_array);
        all.into_iter().flatten().map(name).collect()
    };
    own.map(|package| (name(&package["name"]), dependencies(package))).collect()
}

#[test]
fn the_lock_file_of_the_targets_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let locked = locked(&root.join("fuzz/Cargo.lock"));
    let mut checked = 0;
    for package in packages(&root.join("Cargo.toml")) {
        let Some(locked) = locked.get(package["name"].as_str().unwrap()) else { continue };
        let all = package["dependencies"].as_array().unwrap().iter().filter(|one| one["kind"] != "dev");
        let named = |only_needed: bool| -> BTreeSet<String> {
            let some = all.clone().filter(|one| !only_needed || one["optional"] == false && one["target"].is_null());
            some.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
        };
        let is_current = locked.is_subset(&named(false)) && named(true).is_subset(locked);
        assert!(is_current, "run `cargo fetch` in fuzz/: the dependencies of {} have changed", package["name"]);
        checked += 1;
    }
    assert!(checked > 15, "{checked}");
}
