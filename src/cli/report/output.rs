//! Writes a report atomically, and never over a file of the crawl.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Returns why a report may not be written to a path: it would replace a file of the crawl.
pub(super) fn check(directory: &Path, path: &Path) -> Result<(), String> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let of_the_crawl = match (fs::canonicalize(directory), fs::canonicalize(parent)) {
        (Ok(directory), Ok(parent)) => parent.starts_with(&directory) && path.exists(),
        _ => false,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let report = name == "full-report.json" || name.ends_with(".html") || name.ends_with(".md");
    if of_the_crawl && !report {
        return Err(format!("{} belongs to the crawl; name another file with --out", path.display()));
    }
    Ok(())
}

/// Writes the file atomically.
pub(super) fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        // Pipes and devices are written in place.
        return File::options().write(true).open(path)?.write_all(text);
    }
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let written = File::create(&new).and_then(|mut file| file.write_all(text)).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // Remove the partial report.
        let _ = fs::remove_file(&new);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_crawl_are_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["report.json", "pages.jsonl", "report.html"] {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        let checked = |name: &str| check(dir.path(), &dir.path().join(name)).is_ok();
        assert!(!checked("report.json") && !checked("pages.jsonl") && !checked("./pages.jsonl"));
        assert!(checked("report.html") && checked("report.md") && checked("new.txt"));
        assert!(check(dir.path(), Path::new("elsewhere.json")).is_ok());
    }

    #[test]
    fn a_report_is_written_atomically() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.html");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        fs::create_dir(dir.path().join("d")).unwrap();
        assert!(write(&dir.path().join("d"), b"x").is_err() && write(&dir.path().join("no/r.html"), b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left behind");
        write(Path::new("/dev/null"), b"x").unwrap();
    }
}
