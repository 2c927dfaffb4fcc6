//! Files and folders that documents name are there.

use std::path::PathBuf;

use super::markdown::Page;
use super::{found, nothing, root};

/// Folders of the repository that a path can start with.
const TOP: &[&str] = &["crates/", "src/", "tests/", "docs/", "benches/", "fuzz/", "grafana/", "packaging/", ".ci/"];
/// Folders of docs/ with documents on the code.
const ON_CODE: &[&str] = &["docs/internals", "docs/decisions"];
/// Endings of source files. A name with one of them is a path in every document.
const SOURCES: &[&str] = &[".rs", ".py", ".js"];

/// How a document names files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Documents on the code: every word that ends like a source file or a folder is a path.
    OfCode,
    /// Documents for users, which also name folders of a crawl directory.
    OfUse,
}

impl Names {
    fn of(page: &Page) -> Self {
        let is_on_code = ON_CODE.iter().any(|folder| page.path.starts_with(root().join(folder)));
        let is_for_users = page.path.starts_with(root().join("docs")) || page.path == root().join("README.md");
        if is_for_users && !is_on_code { Self::OfUse } else { Self::OfCode }
    }

    fn is_path(self, code: &str) -> bool {
        let is_plain = code.chars().all(|char| char.is_ascii_alphanumeric() || "_-./".contains(char));
        let starts = TOP.iter().any(|top| code.starts_with(top));
        let is_source = SOURCES.iter().any(|ending| code.len() > ending.len() && code.ends_with(ending));
        let is_folder = self == Self::OfCode && code.ends_with('/') && !code.starts_with('/');
        is_plain && (starts || is_source || is_folder)
    }
}

/// A path as a document names it.
pub struct Named {
    pub name: String,
    /// `None` where nothing is there.
    pub path: Option<PathBuf>,
}

/// The paths among words that are set as code, in their order. A path that does not start at the root of the repository
/// is relative to the folder of the path before it, or to `folder`.
pub fn paths(code: &[String], names: Names, folder: PathBuf) -> Vec<Named> {
    let mut folder = folder;
    let mut all = Vec::new();
    for name in code.iter().filter(|code| names.is_path(code)) {
        let path = [root().join(name), folder.join(name)].into_iter().find(|path| path.exists());
        if let Some(path) = path.as_ref().filter(|_| TOP.iter().any(|top| name.starts_with(top))) {
            folder = if path.is_dir() { path.clone() } else { path.parent().unwrap().to_owned() };
        }
        all.push(Named { name: name.clone(), path });
    }
    all
}

/// The folder that the paths of a document are relative to at its beginning.
fn start(page: &Page) -> PathBuf {
    let folder = page.path.parent().unwrap();
    if folder.join("src").is_dir() && folder.join("Cargo.toml").exists() {
        folder.join("src")
    } else {
        folder.to_owned()
    }
}

fn missing(page: &Page) -> Vec<String> {
    let all = paths(&page.code, Names::of(page), start(page));
    all.into_iter().filter(|named| named.path.is_none()).map(|named| format!("`{}` is not there", named.name)).collect()
}

#[test]
fn every_file_and_folder_that_is_named_is_there() {
    nothing(&found(missing));
}

#[test]
fn paths_that_are_not_there_are_found() {
    let text = "`crates/core/src/url/scope.rs` `fast.rs` `slow.rs` `crates/gone/` `surt/` `src/cli/` `keeper.rs` `/topic/N/` `warc/` \
                `a b.rs` `tests/docs/main.rs` `shell.rs`";
    let of = |file: &str| missing(&Page::parse(&root().join(file), text));
    for file in ["ARCHITECTURE.md", "docs/internals/sample.md"] {
        assert_eq!(
            of(file),
            ["slow.rs", "crates/gone/", "keeper.rs", "warc/"].map(|name| format!("`{name}` is not there"))
        );
    }
    assert_eq!(
        of("docs/sample.md"),
        ["slow.rs", "crates/gone/", "keeper.rs"].map(|name| format!("`{name}` is not there"))
    );
}
