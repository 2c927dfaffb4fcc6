//! The WARC files of a WACZ file, their names in it, and the list of their pages.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::cli::exit::{Exit, Failure};
use crate::cli::export::output::WriteError;
use crate::cli::export::pages::{RecordedPage, read_pages};
use crate::cli::progress::ExportProgress;
use crate::cli::warcs;
use harvestman_core::config::ParseOptions;
use harvestman_storage::archive::reader::WarcError;
use harvestman_storage::archive::wacz::{PageList, WaczPage};
use harvestman_structure::parse::{Parser, Spelling};

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A WARC file to export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Archive {
    /// Its name in the WACZ file.
    pub name: String,
    pub path: PathBuf,
}

/// Finds the closed WARC files that the arguments name.
///
/// # Errors
/// There is none, a file is missing or given twice, or cannot be read.
pub(super) fn find(inputs: &[PathBuf]) -> Result<Vec<Archive>, Failure> {
    // Files of the same name get different ones here, so they are told apart by their whole paths.
    let found = warcs::find(inputs, Some(Path::new("/")))?;
    for path in &found.open {
        tell!("note: {} is still being written, or its crawl was killed: skipped", path.display());
    }
    if found.files.is_empty() {
        let named: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
        let what = "no closed WARC file found; name a crawl directory or WARC files";
        return Err(Failure::new(Exit::Failed, format!("{}: {what}", named.join(", "))));
    }
    let mut taken = BTreeSet::new();
    found.files.into_values().map(|path| named(path, &mut taken)).collect()
}

/// A WARC file cannot be read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> WriteError {
    WriteError::Other(Failure::new(Exit::Failed, format!("cannot read {}: {error}", path.display())))
}

fn named(path: PathBuf, taken: &mut BTreeSet<String>) -> Result<Archive, Failure> {
    let gzip = is_gzip(&path)
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot read {}: {error}", path.display())))?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let name = free_name(&file, gzip, taken);
    taken.insert(name.clone());
    Ok(Archive { name, path })
}

fn is_gzip(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(GZIP.len() as u64).read_to_end(&mut start)?;
    Ok(start == GZIP)
}

/// Returns the name of a file with the ending that the format prescribes for its content, and a number if it is taken.
fn free_name(file: &str, gzip: bool, taken: &BTreeSet<String>) -> String {
    let stem = file.strip_suffix(".gz").unwrap_or(file);
    let stem = stem.strip_suffix(".warc").unwrap_or(stem);
    let ending = if gzip { ".warc.gz" } else { ".warc" };
    let name = |number: usize| match number {
        0 => format!("{stem}{ending}"),
        _ => format!("{stem}-{number}{ending}"),
    };
    // One of more names than there are files is free.
    (0..=taken.len()).map(name).find(|name| !taken.contains(name)).unwrap_or_default()
}

/// What a page is once it is decoded.
const CONTENT_TYPE: &str = "text/html; charset=utf-8";

/// Reads titles and texts of pages, and adds them to a list.
pub(super) struct PageLister {
    parser: Parser,
    has_text: bool,
    progress: ExportProgress,
    /// Number of pages in the list.
    pub pages: u64,
}

impl PageLister {
    /// Creates one that takes the texts too if `has_text`.
    pub fn new(has_text: bool, quiet: bool) -> Self {
        let options = ParseOptions::default();
        let parser = if has_text {
            Parser::with_spelling(&options, Spelling::On).with_words()
        } else {
            Parser::with_spelling(&options, Spelling::Off)
        };
        Self { parser, has_text, progress: ExportProgress::new("pages", quiet), pages: 0 }
    }

    /// Adds the pages of a WARC file, up to a damage. Pages without a time are not in the index either.
    pub fn add_file(&mut self, path: &Path, list: &mut PageList<'_>) -> Result<(), WriteError> {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let end = read_pages(file, &mut |page| self.add(&page, list))?;
        match end {
            Some(WarcError::Io(error)) => Err(unreadable(path, &error)),
            Some(WarcError::Torn { .. } | WarcError::Broken { .. }) | None => Ok(()),
        }
    }

    fn add(&mut self, page: &RecordedPage, list: &mut PageList<'_>) -> io::Result<()> {
        let Some(time) = page.time else { return Ok(()) };
        let parsed = self.parser.parse(page.html.as_bytes(), Some(CONTENT_TYPE));
        let text = self.has_text.then(|| parsed.words.join(" "));
        let title = parsed.title.as_deref().filter(|title| !title.is_empty());
        list.add(&WaczPage { url: page.url.as_str(), time, title, text: text.as_deref() })?;
        self.pages += 1;
        self.progress.show(self.pages);
        Ok(())
    }

    /// Removes the line that shows the progress, and returns the number of pages.
    pub fn finish(self) -> u64 {
        self.progress.finish();
        self.pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_as_the_content_is_and_differ() {
        let mut taken = BTreeSet::new();
        let mut named = |file: &str, gzip| {
            let name = free_name(file, gzip, &taken);
            taken.insert(name.clone());
            name
        };
        assert_eq!(named("a.warc.gz", true), "a.warc.gz");
        assert_eq!(named("a.warc.gz", true), "a-1.warc.gz");
        assert_eq!(named("a.warc", true), "a-2.warc.gz");
        assert_eq!(named("a.warc.gz", false), "a.warc");
        assert_eq!(named("recording", false), "recording.warc");
    }

    #[test]
    fn files_of_one_name_are_all_found_and_missing_ones_are_reported() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for (path, bytes) in [("a/warc/x.warc.gz", &b"\x1f\x8b\x08"[..]), ("b/warc/x.warc.gz", b"WARC/1.1")] {
            std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            std::fs::write(at(path), bytes).unwrap();
        }
        let found = find(&[at("a"), at("b")]).unwrap();
        let names: Vec<&str> = found.iter().map(|archive| archive.name.as_str()).collect();
        assert_eq!(names, ["x.warc.gz", "x.warc"]);
        assert!(find(&[at("a"), at("c")]).unwrap_err().text.contains("does not exist"));
        std::fs::create_dir(at("empty")).unwrap();
        assert!(find(&[at("empty")]).unwrap_err().text.contains("no closed WARC file found"));
    }
}
