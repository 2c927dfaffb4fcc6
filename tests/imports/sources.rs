//! The crates of the workspace, and the source files of each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::reader::{Declared, Module, read};

/// The crates of the workspace, which are parsed once for all tests.
pub static CRATES: LazyLock<Vec<Crate>> = LazyLock::new(|| {
    let library = |name: String| Crate::on_disk(&name, &format!("crates/{name}/src"), "lib.rs");
    let root = [("harvestman", "lib.rs"), ("main", "main.rs")].map(|(name, root)| Crate::on_disk(name, "src", root));
    root.into_iter().chain(libraries().into_iter().map(library)).collect()
});

/// A crate without its test code.
#[derive(Default)]
pub struct Crate {
    /// The name of its folder below `crates`; for the root package, `harvestman` is the library and `main` the binary.
    pub name: String,
    /// The folder of its files, below the workspace.
    pub folder: String,
    /// Its files by their path below the folder.
    /// The modules of a file are the one that is the file, then those that are declared in it with their content.
    pub files: BTreeMap<String, Vec<Module>>,
    /// The files that hold test code only.
    tests: BTreeSet<String>,
    /// The file that holds each module, and the module's place in it.
    modules: BTreeMap<Vec<String>, (String, usize)>,
}

impl Crate {
    fn on_disk(name: &str, folder: &str, root: &str) -> Self {
        let text = |file: &str| fs::read_to_string(workspace().join(folder).join(file)).ok();
        Self::read([name, folder, root], &text)
    }

    /// A crate of files that a test provides.
    pub fn sample(files: &[(&str, &str)]) -> Self {
        let text = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned());
        Self::read(["sample", "", "lib.rs"], &text)
    }

    /// Reads the root file and, from there, every file that is declared by `mod`.
    fn read([name, folder, root]: [&str; 3], text_of: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut result = Self { name: name.into(), folder: folder.into(), ..Self::default() };
        let mut unread = vec![Declared::root(root)];
        while let Some(declared) = unread.pop() {
            let found = declared.files.iter().find_map(|file| Some((file.clone(), text_of(file)?)));
            let (file, text) = found.unwrap_or_else(|| panic!("{name}: {} has no file", declared.module.join("::")));
            let is_test = declared.is_test;
            let (modules, more) =
                read(declared, &file, &text).unwrap_or_else(|error| panic!("{name}, {file}: {error}"));
            unread.extend(more);
            if is_test {
                result.tests.insert(file);
                continue;
            }
            for (place, module) in modules.iter().enumerate() {
                result.modules.insert(module.path.clone(), (file.clone(), place));
            }
            result.files.insert(file, modules);
        }
        result
    }

    /// The module of this path.
    pub fn module(&self, path: &[String]) -> Option<&Module> {
        let (file, place) = self.modules.get(path)?;
        self.files.get(file)?.get(*place)
    }

    /// The file that holds the module of this path.
    pub fn file_of(&self, path: &[String]) -> Option<&str> {
        self.modules.get(path).map(|(file, _)| file.as_str())
    }

    /// Every module together with the name of its file.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &Module)> {
        self.files.iter().flat_map(|(name, file)| file.iter().map(move |module| (name.as_str(), module)))
    }
}

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of the folders below `crates`.
pub fn libraries() -> BTreeSet<String> {
    let folders = fs::read_dir(workspace().join("crates")).expect("a folder");
    folders.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn every_file_belongs_to_a_crate() {
    let folders: BTreeSet<&str> = CRATES.iter().map(|of| of.folder.as_str()).collect();
    let mut paths = Vec::new();
    folders.iter().for_each(|folder| rust_files(&workspace().join(folder), &mut paths));
    assert!(paths.len() > 500, "{} files", paths.len());
    for path in paths {
        let name = path.strip_prefix(workspace()).expect("below the workspace").to_string_lossy().replace('\\', "/");
        let has = |of: &Crate| {
            let below = name.strip_prefix(&format!("{}/", of.folder));
            below.is_some_and(|file| of.files.contains_key(file) || of.tests.contains(file))
        };
        // A program's own file calls its library.
        let is_program = name == "crates/lab/src/main.rs";
        assert!(is_program || CRATES.iter().any(has), "{name} is declared by no `mod`");
    }
}

#[test]
fn modules_are_found_where_rust_looks_for_them() {
    let sample = Crate::sample(&[
        ("lib.rs", "mod a; mod b { mod inner; #[path = \"far.rs\"] mod moved; } #[cfg(test)] mod tests { mod deep; }"),
        ("tests/deep.rs", "mod deeper;"),
        ("tests/deep/deeper.rs", ""),
        ("a/mod.rs", "mod below; #[cfg(all(test, unix))] #[path = \"x_tests.rs\"] mod tests;"),
        ("a/x_tests.rs", "use super::*;"),
        ("a/below.rs", "#[path = \"elsewhere.rs\"] mod odd; #[cfg(not(test))] mod real;"),
        ("a/elsewhere.rs", "mod next;"),
        ("a/next.rs", ""),
        (
            "a/below/real.rs",
            "#[cfg(any(test, feature = \"x\"))] mod either; fn f() { /* mod no; */ \"mod no;\"; r#\"mod no;\"#; }",
        ),
        ("a/below/real/either.rs", ""),
        ("b/inner.rs", ""),
        ("b/far.rs", ""),
    ]);
    let files: Vec<&str> = sample.files.keys().map(String::as_str).collect();
    let expected = [
        "a/below.rs",
        "a/below/real.rs",
        "a/below/real/either.rs",
        "a/elsewhere.rs",
        "a/mod.rs",
        "a/next.rs",
        "b/far.rs",
        "b/inner.rs",
        "lib.rs",
    ];
    assert_eq!(files, expected);
    assert_eq!(sample.tests.iter().collect::<Vec<_>>(), ["a/x_tests.rs", "tests/deep.rs", "tests/deep/deeper.rs"]);
    let odd: Vec<String> = ["a", "below", "odd", "next"].map(String::from).into();
    assert_eq!(sample.file_of(&odd), Some("a/next.rs"));
}

#[test]
#[should_panic(expected = "a::missing has no file")]
fn a_module_without_a_file_is_reported() {
    Crate::sample(&[("lib.rs", "mod a { mod missing; }")]);
}
