//! No two types of a crate that are visible outside their modules have one name.

use std::collections::BTreeMap;

use crate::exceptions::{Exception, Violations, check};
use crate::sources::{CRATES, Crate};

/// The names that several types of a crate have.
const EXCEPTIONS: &[Exception] = &[];

fn violations(of: &Crate) -> Violations {
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, module) in of.modules() {
        module.public_types.iter().for_each(|name| files.entry(name).or_default().push(file));
    }
    let repeated = files.into_iter().filter(|(_, files)| files.len() > 1);
    repeated.map(|(name, files)| (name.to_owned(), files.join(", "))).collect()
}

#[test]
fn public_types_of_a_crate_have_different_names() {
    check(EXCEPTIONS, CRATES.iter().map(|of| (of, violations(of))));
}

#[test]
fn types_of_one_name_are_found() {
    let sample = Crate::sample(&[
        ("lib.rs", "mod a; mod b; pub struct One; struct Private; pub mod inline { pub(super) union Three { a: u8 } }"),
        (
            "a.rs",
            r##"
            pub(crate) enum One {} pub struct Private; pub type Two = u8; pub use crate::b::Four; pub fn Two() {}
            impl T for One { type Two = u8; } trait Own { type Two; } pub(in crate::a) struct Three;
            // pub struct Four;
            const TEXT: &str = "
            pub struct Four;
            ";
            #[cfg(test)] pub struct Four;
            macro_rules! make { ($name:ident) => { pub struct $name; } }
            "##,
        ),
        (
            "b.rs",
            "pub(self) struct Private; pub trait Two {} pub enum Four {} make! { pub struct Five; } pub type Five = A;",
        ),
    ]);
    let found: Vec<(String, String)> = violations(&sample).into_iter().collect();
    let expected = [("Five", "b.rs, b.rs"), ("One", "a.rs, lib.rs"), ("Three", "a.rs, lib.rs"), ("Two", "a.rs, b.rs")];
    assert_eq!(found, expected.map(|(name, files)| (name.to_owned(), files.to_owned())));
}
