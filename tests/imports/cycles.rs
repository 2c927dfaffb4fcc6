//! The files of a crate do not import from each other in cycles. Cargo excludes cycles between crates.

use std::collections::BTreeSet;

use crate::exceptions::{Exception, Violations, check};
use crate::sources::{CRATES, Crate};
use crate::uses::Imports;

/// The cycles that are excused: the files of each, in alphabetical order.
const EXCEPTIONS: &[Exception] = &[];

/// The files that can be reached from each file.
fn reachable<'a>(graph: &Imports<'a>) -> Imports<'a> {
    let from = |start: &str| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![start]);
        while let Some(file) = next.pop() {
            let new = graph.get(file).into_iter().flatten().filter(|to| reached.insert((*to).clone()));
            next.extend(new.map(String::as_str));
        }
        reached
    };
    graph.keys().map(|file| (*file, from(file))).collect()
}

/// The strongly connected components of more than one file, each with the imports within it.
fn cycles(graph: &Imports) -> Violations {
    let reached = reachable(graph);
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|files| files.contains(to));
    let mut found = Violations::new();
    for file in graph.keys().filter(|file| reaches(file, file)) {
        let members: Vec<&str> = graph.keys().copied().filter(|to| reaches(file, to) && reaches(to, file)).collect();
        let inner = |from: &&str| {
            let to: Vec<&str> = graph[from].iter().map(String::as_str).filter(|to| members.contains(to)).collect();
            format!("\n    {from} imports from {}", to.join(", "))
        };
        found.entry(members.join(" ")).or_insert_with(|| members.iter().map(inner).collect());
    }
    found
}

#[test]
fn files_of_a_crate_import_in_no_cycle() {
    check(EXCEPTIONS, CRATES.iter().map(|of| (of, cycles(&of.imports()))));
    assert!(
        EXCEPTIONS.iter().all(|(name, ..)| *name != "pipeline"),
        "a cycle in the crate of the wiring is not excused"
    );
}

#[test]
fn cycles_are_found() {
    let sample = Crate::sample(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; mod apart; use d::D; pub use a::A;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "pub struct B; fn f() { mod inner { use super::super::c::{self}; } }"),
        ("c.rs", "const A: crate::A = crate::A; use crate::d::D;"),
        ("d.rs", "pub struct D; use std::fmt::A;"),
        ("apart/mod.rs", "pub mod one; pub mod two;"),
        ("apart/one.rs", "fn f() { assert!(matches!(super::two::F, F)) }"),
        (
            "apart/two.rs",
            "pub const F: u8 = 1; #[serde(with = \"ignored\")] struct S { #[attribute(super::one::f)] f: u8 }",
        ),
    ]);
    let found: Vec<String> = cycles(&sample.imports()).into_keys().collect();
    assert_eq!(found, ["a.rs b.rs c.rs", "apart/one.rs apart/two.rs"]);
}

#[test]
fn details_name_the_imports_within_a_cycle() {
    let sample = Crate::sample(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use super::b::*; use super::c::C;"),
        ("b.rs", "use super::a; use super::c::C;"),
        ("c.rs", "pub struct C;"),
    ]);
    let details: Vec<String> = cycles(&sample.imports()).into_values().collect();
    assert_eq!(details, ["\n    a.rs imports from b.rs\n    b.rs imports from a.rs"]);
}
