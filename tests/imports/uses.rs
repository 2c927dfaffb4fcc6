//! `use` declarations, and the file that defines what a path names.

use std::collections::{BTreeMap, BTreeSet};

use syn::{ItemUse, UseTree};

use crate::items::is_visible;
use crate::sources::Crate;

/// A name that a `use` declaration brings into a module.
#[derive(Debug, PartialEq)]
pub struct Use {
    pub path: Vec<String>,
    /// Its name in the module: none if the path ends in `*`.
    pub name: Option<String>,
    /// Whether other modules can import the name from here.
    pub is_reexport: bool,
}

/// The names of a declaration; none if it names another crate by `::`.
pub fn uses(item: &ItemUse) -> Vec<Use> {
    let mut found = Vec::new();
    if item.leading_colon.is_none() {
        add(&item.tree, &[], &mut found);
    }
    let is_reexport = is_visible(&item.vis);
    found.into_iter().map(|(path, name)| Use { path, name, is_reexport }).collect()
}

fn add(tree: &UseTree, before: &[String], found: &mut Vec<(Vec<String>, Option<String>)>) {
    let with = |name: &syn::Ident| {
        let name = Some(name.to_string()).filter(|name| name != "self" || before.is_empty());
        before.iter().cloned().chain(name).collect::<Vec<_>>()
    };
    match tree {
        UseTree::Path(tree) => add(&tree.tree, &with(&tree.ident), found),
        UseTree::Group(tree) => tree.items.iter().for_each(|tree| add(tree, before, found)),
        UseTree::Glob(_) => found.push((before.to_vec(), None)),
        UseTree::Rename(tree) => found.push((with(&tree.ident), Some(tree.rename.to_string()))),
        UseTree::Name(tree) => {
            let path = with(&tree.ident);
            let name = path.last().cloned();
            found.push((path, name));
        }
    }
}

/// Files by the file that imports from them.
pub type Imports<'a> = BTreeMap<&'a str, BTreeSet<String>>;

/// What a path names.
enum Target {
    Module(Vec<String>),
    /// An item, or a part of one, that is defined in this file.
    Item(String),
    /// Something in another crate.
    Foreign,
}

impl Crate {
    /// The file that defines what `path` names in the module `from`; `use` declarations are followed. None if another
    /// crate defines it.
    fn definer(&self, from: &[String], path: &[String]) -> Option<String> {
        let mut search = Search { of: self, open: BTreeSet::new() };
        match search.path(from, path)? {
            Target::Module(path) => self.file_of(&path).map(str::to_owned),
            Target::Item(file) => Some(file),
            Target::Foreign => None,
        }
    }

    /// The files from which each file imports: by `use` declarations that are no re-exports, and by the paths in its
    /// code that begin with `crate`, `self` or `super`. A call of `child::f()` does not import from the child.
    pub fn imports(&self) -> Imports<'_> {
        self.definers(|used| !used.is_reexport)
    }

    /// The files from which each file imports or re-exports.
    pub fn imports_and_reexports(&self) -> Imports<'_> {
        self.definers(|_| true)
    }

    fn definers(&self, counts: impl Fn(&Use) -> bool) -> Imports<'_> {
        let mut imports = Imports::new();
        for (file, module) in self.modules() {
            let used = module.uses.iter().filter(|used| counts(used)).map(|used| &used.path);
            let named = module.paths.iter().filter(|path| ["crate", "self", "super"].contains(&path[0].as_str()));
            let definers = used.chain(named).filter_map(|path| self.definer(&module.path, path));
            imports.entry(file).or_default().extend(definers.filter(|definer| definer != file));
        }
        imports
    }
}

/// A search for what a path names.
struct Search<'a> {
    of: &'a Crate,
    /// The names that are being looked up, each with its module: a name that is imported from itself is not found.
    open: BTreeSet<(Vec<String>, String)>,
}

impl Search<'_> {
    fn path(&mut self, from: &[String], path: &[String]) -> Option<Target> {
        let up = path.iter().take_while(|name| *name == "super").count();
        let (mut target, rest) = match path.first()?.as_str() {
            "crate" => (Target::Module(Vec::new()), &path[1..]),
            "self" => (Target::Module(from.to_vec()), &path[1..]),
            "super" => (Target::Module(from[..from.len().checked_sub(up)?].to_vec()), &path[up..]),
            first => (self.name(from, first)?, &path[1..]),
        };
        for name in rest {
            let Target::Module(module) = &target else { break };
            let module = module.clone();
            // What is not found is defined by a macro call.
            target =
                self.name(&module, name).or_else(|| self.of.file_of(&module).map(|file| Target::Item(file.into())))?;
        }
        Some(target)
    }

    fn name(&mut self, path: &[String], name: &str) -> Option<Target> {
        let key = (path.to_vec(), name.to_owned());
        if !self.open.insert(key.clone()) {
            return None;
        }
        let target = self.named(path, name);
        self.open.remove(&key);
        target
    }

    fn named(&mut self, path: &[String], name: &str) -> Option<Target> {
        let module = self.of.module(path)?;
        let inner = [path, &[name.to_owned()]].concat();
        if self.of.module(&inner).is_some() {
            return Some(Target::Module(inner));
        }
        if module.definitions.contains(name) {
            return self.of.file_of(path).map(|file| Target::Item(file.into()));
        }
        if let Some(used) = module.uses.iter().find(|used| used.name.as_deref() == Some(name)) {
            return Some(self.path(path, &used.path).unwrap_or(Target::Foreign));
        }
        module.uses.iter().filter(|used| used.name.is_none()).find_map(|glob| match self.path(path, &glob.path)? {
            Target::Module(module) => self.name(&module, name),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(declaration: &str) -> Vec<String> {
        let item = syn::parse_str::<ItemUse>(declaration).expect("a declaration");
        let text = |used: Use| {
            let name = used.name.unwrap_or_else(|| "*".into());
            format!("{} {name}{}", used.path.join("::"), if used.is_reexport { " again" } else { "" })
        };
        uses(&item).into_iter().map(text).collect()
    }

    #[test]
    fn declarations_are_split_into_names() {
        let nested = "use super::{a::{self, B as C, d::{self as e, *}}, crate_name, self};";
        let expected = [
            "super::a a",
            "super::a::B C",
            "super::a::d e",
            "super::a::d *",
            "super::crate_name crate_name",
            "super super",
        ];
        assert_eq!(texts(nested), expected);
        assert_eq!(texts("pub(crate) use self::x::Y as _;"), ["self::x::Y _ again"]);
        assert_eq!(texts("pub(self) use r#match::Z;"), ["r#match::Z Z"]);
        assert_eq!(texts("use {a, b::c};"), ["a a", "b::c c"]);
        assert!(texts("use ::a::b;").is_empty());
    }

    /// Asserts what the file `a.rs` imports in a crate of some modules.
    fn assert_imports(code: &str, expected: &[&str]) {
        let sample = Crate::sample(&[
            (
                "lib.rs",
                "mod a; mod b; mod c; mod looped;
                 pub use b::{Old as New, *}; use c::Hidden; pub use std::fmt; macro_rules! m { () => {} }
                 pub mod inline { pub use crate::c::Third; pub struct Inner; }",
            ),
            ("a.rs", code),
            (
                "b/mod.rs",
                "pub mod deep; pub struct Old; pub enum Kind { One } make! { Made }
                 pub use deep::*; pub use crate::b::deep::Deep as Through;",
            ),
            ("b/deep.rs", "pub struct Deep; pub fn deep() {} pub use super::super::c as renamed;"),
            ("c.rs", "pub struct Hidden; pub struct Third; mod private {}"),
            ("looped.rs", "pub use crate::looped::Looped; pub use self::*; pub use super::looped::Other as Looped2;"),
        ]);
        let imports = sample.imports();
        assert_eq!(imports["a.rs"].iter().map(String::as_str).collect::<Vec<_>>(), expected, "{code}");
    }

    #[test]
    fn names_are_followed_to_the_file_that_defines_them() {
        assert_imports("use crate::New;", &["b/mod.rs"]);
        assert_imports("use super::{Kind::One, Hidden, fmt};", &["b/mod.rs", "c.rs"]);
        assert_imports("use crate::Deep;", &["b/deep.rs"]);
        assert_imports("use crate::b::deep::renamed::Third;", &["c.rs"]);
        assert_imports("use crate::renamed; fn f(x: renamed::Hidden) {}", &["c.rs"]);
        assert_imports("use crate::b::Made;", &["b/mod.rs"]);
        assert_imports("use crate::inline::Third;", &["c.rs"]);
        assert_imports("use crate::inline::{Inner, Unknown};", &["lib.rs"]);
        assert_imports("use crate::b; use b::deep::deep;", &["b/deep.rs", "b/mod.rs"]);
        assert_imports("use super::*;", &["lib.rs"]);
        assert_imports("use crate::looped::{Looped, Looped2};", &["looped.rs"]);
        assert_imports("use crate::b::Through;", &["b/deep.rs"]);
    }

    #[test]
    fn imports_are_found_wherever_they_are() {
        assert_imports("mod x { mod y { use super::super::super::c::Hidden; } }", &["c.rs"]);
        assert_imports("fn f() { use crate::b::Old; }", &["b/mod.rs"]);
        assert_imports(
            "impl crate::b::Old { fn f(&self) -> Vec<crate::Deep> { super::c::x::<crate::inline::Inner>() } }",
            &["b/deep.rs", "b/mod.rs", "c.rs", "lib.rs"],
        );
        assert_imports("fn f() { vec![1, crate::c::x()]; }", &["c.rs"]);
        assert_imports("macro_rules! n { () => { $crate::c::x() } }", &["c.rs"]);
        assert_imports("fn f() { crate::m!(super::c::X); }", &["c.rs", "lib.rs"]);
        assert_imports("#[derive(crate::c::Derive)] struct S;", &["c.rs"]);
    }

    #[test]
    fn other_text_imports_nothing() {
        assert_imports("// use crate::b::Old;\n/* crate::c::x() /* use crate::c; */ */", &[]);
        assert_imports(
            "/// [`crate::c::Hidden`]\nfn f() { \"use crate::c::Hidden;\"; r##\"\"#use crate::c;\"##; b\"crate::c\"; }",
            &[],
        );
        assert_imports("pub(in crate::a) fn f() {} mod b { pub(in super::super::a) struct X; }", &[]);
        assert_imports("pub use crate::b::Old; pub(super) use crate::c::*;", &[]);
        assert_imports("use std::{b, c}; use ::c::Hidden; use c::Third; fn f() { b::Old::new(); ::b::x() }", &[]);
        assert_imports("#[cfg(test)] mod tests { use crate::c::Hidden; } #[cfg(test)] use crate::c::Third;", &[]);
        assert_imports("impl A { #[cfg(test)] fn f() { crate::c::x() } }", &[]);
        assert_imports("struct A; fn f(a: A, s: &str) { self::A; let b = 1; let c = b; }", &[]);
    }
}
