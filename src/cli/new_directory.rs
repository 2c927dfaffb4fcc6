//! The crawl directory of a crawl that is given none, and those of crawls of which nothing is kept.

use std::path::{Path, PathBuf};

use url::Url;

/// Maximum number of names that are tried.
const NAMES_MAX: u32 = 1_000;

/// Returns the name of a new directory in the current one, after the host of the first of `seeds`: the host, or the
/// next free of `HOST-2`, `HOST-3` and so on.
///
/// # Errors
/// No name is free.
pub(super) fn named_after(seeds: &[String]) -> Result<String, String> {
    let host = seeds.first().and_then(|seed| Url::parse(seed).ok()?.host_str().map(str::to_owned));
    let host = host.as_deref().map_or_else(|| "crawl".to_owned(), as_name);
    // A link that leads nowhere takes its name too.
    free(&host, |name| Path::new(name).symlink_metadata().is_ok())
        .ok_or_else(|| format!("{host} and all names up to {host}-{NAMES_MAX} exist: name a directory with --out DIR"))
}

/// Returns the host with what has a meaning in paths, shells or command lines replaced.
fn as_name(host: &str) -> String {
    let name = host.trim_matches(['[', ']']).replace(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-', "_");
    if name.starts_with(['.', '-']) { format!("_{name}") } else { name }
}

fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> Option<String> {
    let others = (2..=NAMES_MAX).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(others).find(|name| !is_taken(name))
}

/// A directory below the system's directory for temporary files. It is removed when this is dropped.
#[derive(Debug)]
pub(super) struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    /// Names a directory for this process and purpose. The crawl creates it.
    pub(super) fn new(purpose: &str) -> Self {
        Self(std::env::temp_dir().join(format!("harvestman-{purpose}-{}", std::process::id())))
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        // Remains in the temporary directory do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_become_names_without_a_meaning_in_paths() {
        for (host, name) in [
            ("forum.example.org", "forum.example.org"),
            ("127.0.0.1", "127.0.0.1"),
            ("[2001:db8::1]", "2001_db8__1"),
            ("-x.example", "_-x.example"),
            ("..", "_.."),
            ("a$b.example", "a_b.example"),
        ] {
            assert_eq!(as_name(host), name);
        }
    }

    #[test]
    fn the_next_free_name_is_taken_and_the_search_ends() {
        let taken = ["a", "a-2", "a-4"];
        assert_eq!(free("a", |name| taken.contains(&name)).as_deref(), Some("a-3"));
        assert_eq!(free("b", |name| taken.contains(&name)).as_deref(), Some("b"));
        assert_eq!(free("a", |_| true), None);
    }
}
