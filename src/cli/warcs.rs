//! Finds the WARC files named by the arguments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::exit::Failure;
use harvestman_storage::archive::{OPEN_SUFFIX, WARC_DIRECTORY, is_warc};

/// WARC files by the names that an index uses for them.
#[derive(Debug, Default)]
pub struct Warcs {
    /// Paths by name.
    pub files: BTreeMap<String, PathBuf>,
    /// Files that are being written.
    pub open: Vec<PathBuf>,
}

/// Finds the files that `inputs` name: WARC files, directories that hold some, and crawl directories. Names are paths
/// below `root`, or bare file names without it.
pub fn find(inputs: &[PathBuf], root: Option<&Path>) -> Result<Warcs, Failure> {
    let mut warcs = Warcs::default();
    let root = root.map(|root| match std::fs::canonicalize(root) {
        Ok(root) => Ok(root),
        Err(error) => Err(Failure::usage(format!("cannot read the directory {}: {error}", root.display()))),
    });
    let root = root.transpose()?;
    let root = root.as_deref();
    for input in inputs {
        if input.is_dir() {
            add_directory(input, root, &mut warcs)?;
        } else if input.exists() {
            add(input, root, &mut warcs)?;
        } else {
            let what = "name a crawl directory or WARC files";
            return Err(Failure::usage(format!("{} does not exist: {what}", input.display())));
        }
    }
    Ok(warcs)
}

fn add_directory(directory: &Path, root: Option<&Path>, warcs: &mut Warcs) -> Result<(), Failure> {
    let inner = directory.join(WARC_DIRECTORY);
    let holder = if inner.is_dir() { inner } else { directory.to_owned() };
    let entries = std::fs::read_dir(&holder).with_context(|| format!("cannot read {}", holder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", holder.display()))?.path();
        let name = name_of(&path);
        if name.strip_suffix(OPEN_SUFFIX).is_some_and(is_warc) {
            warcs.open.push(path);
        } else if is_warc(&name) {
            add(&path, root, warcs)?;
        }
    }
    warcs.open.sort();
    Ok(())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the name of a file in an index.
fn known_as(path: &Path, root: Option<&Path>) -> Result<String, Failure> {
    let Some(root) = root else { return Ok(name_of(path)) };
    let real = std::fs::canonicalize(path).with_context(|| format!("cannot read {}", path.display()))?;
    let Ok(below) = real.strip_prefix(root) else {
        let (path, root) = (path.display(), root.display());
        return Err(Failure::usage(format!(
            "{path} is not below {root}: use --relative-to with a directory that contains all files"
        )));
    };
    let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    Ok(parts.join("/"))
}

fn add(path: &Path, root: Option<&Path>, warcs: &mut Warcs) -> Result<(), Failure> {
    let name = known_as(path, root)?;
    let Some(other) = warcs.files.insert(name.clone(), path.to_owned()) else { return Ok(()) };
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let is_same = real(path).is_some() && real(path) == real(&other);
    let (one, other) = (path.display(), other.display());
    if is_same {
        return Err(Failure::usage(format!(
            "{one} is given twice (also as {other}): its captures would be indexed twice"
        )));
    }
    let what = format!("{one} and {other} have the same name, and the index refers to files by name");
    let how = "use --relative-to with a directory that contains both, rename one, or make two indexes";
    Err(Failure::usage(format!("{what}: {how}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: PathBuf) -> PathBuf {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        path
    }

    #[test]
    fn files_are_found_in_a_crawl_directory_in_a_plain_one_and_by_name() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| touch(root.path().join(path));
        let open = at("crawl/warc/c.warc.gz.open");
        for path in ["crawl/warc/a.warc.gz", "crawl/warc/b.warc", "crawl/x.warc", "plain/d.warc.gz", "plain/d.txt"] {
            at(path);
        }
        let named = at("named");
        let found = find(&[root.path().join("crawl"), root.path().join("plain"), named], None).unwrap();
        let names: Vec<&String> = found.files.keys().collect();
        assert_eq!(names, ["a.warc.gz", "b.warc", "d.warc.gz", "named"]);
        assert_eq!(found.open, [open]);
    }

    #[test]
    fn duplicate_names_and_missing_files_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let (one, other) = (touch(root.path().join("1/a.warc")), touch(root.path().join("2/a.warc")));
        assert!(find(&[one.clone(), other], None).unwrap_err().text.contains("same name"));
        assert!(find(&[one.clone(), one], None).unwrap_err().text.contains("given twice"));
        assert!(find(&[root.path().join("b.warc")], None).unwrap_err().text.contains("does not exist"));
    }

    #[test]
    fn files_of_several_directories_are_named_by_their_paths_below_a_root() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for path in ["a/warc/x.warc.gz", "b/warc/x.warc.gz", "b/warc/y.warc.gz"] {
            touch(at(path));
        }
        let dirs = [at("a"), at("b/../b")];
        let names = |found: Warcs| found.files.into_keys().collect::<Vec<_>>();
        let found = find(&dirs, Some(root.path())).unwrap();
        assert!(
            found
                .files
                .iter()
                .all(|(name, path)| std::fs::canonicalize(at(name)).ok() == std::fs::canonicalize(path).ok())
        );
        assert_eq!(names(found), ["a/warc/x.warc.gz", "b/warc/x.warc.gz", "b/warc/y.warc.gz"]);
        assert_eq!(names(find(&[at("b")], Some(&at("b/warc"))).unwrap()), ["x.warc.gz", "y.warc.gz"]);
        assert!(find(&dirs, None).unwrap_err().text.contains("--relative-to"));
        assert!(find(&dirs, Some(&at("a"))).unwrap_err().text.contains("is not below"));
        assert!(find(&dirs, Some(&at("c"))).unwrap_err().text.contains("cannot read the directory"));
        assert!(find(&[at("a"), at("b/../a")], Some(root.path())).unwrap_err().text.contains("given twice"));
    }
}
