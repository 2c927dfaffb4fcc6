//! Writes the texts of all pages to a file or a directory.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::markdown::{MarkdownDirectory, TextRecord};
use super::{TextArgs, TextFormat};
use crate::cli::exit::{Exit, Failure};
use crate::cli::export::output::{Output, WriteError};
use crate::cli::export::pages::{RecordedPage, read_pages};
use crate::cli::progress::ExportProgress;
use crate::cli::warcs;
use harvestman_report::figures;
use harvestman_storage::archive::WARC_DIRECTORY;
use harvestman_text::{Unreadable, read};

/// Runs the command.
pub fn run(args: &TextArgs) -> Result<Exit, Failure> {
    let files = files(&args.inputs)?;
    let (name, counts) = match args.format {
        TextFormat::Jsonl => {
            let output = Output::create(&args.output, || default_path(args))?;
            let name = output.name();
            let written = output.write(|out| {
                export(args, &files, &mut |record| {
                    serde_json::to_writer(&mut *out, &record).map_err(io::Error::from)?;
                    out.write_all(b"\n")
                })
            })?;
            let Some(counts) = written else { return Ok(Exit::Done) };
            (name, counts)
        }
        TextFormat::Markdown => {
            let path = args.output.out.clone().map_or_else(|| default_path(args), Ok)?;
            let mut directory = MarkdownDirectory::create(&path, args.output.force)?;
            let written = export(args, &files, &mut |record| directory.add(&record));
            (path.display().to_string(), written.map_err(|error| failure(error, &path))?)
        }
    };
    args.output.say(&format!("{name}: {}", counts.text()));
    if counts.damaged == 0 {
        return Ok(Exit::Done);
    }
    let what = "the pages before the damage are exported";
    Err(Failure::new(
        Exit::Failed,
        format!("{} of {} files could not be read completely; {what}", counts.damaged, files.len()),
    ))
}

fn failure(error: WriteError, directory: &Path) -> Failure {
    match error {
        WriteError::Output(error) => {
            Failure::new(Exit::Output, format!("cannot write to {}: {error}", directory.display()))
        }
        WriteError::Other(failure) => failure,
    }
}

/// Finds the closed WARC files that the arguments name.
fn files(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    // Their names do not matter here, and with whole paths all are different.
    let found = warcs::find(inputs, Some(Path::new("/")))?;
    for path in &found.open {
        tell!("note: {} is still being written, or its crawl was killed: skipped", path.display());
    }
    if found.files.is_empty() {
        let named: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
        return Err(Failure::new(Exit::Failed, format!("{}: no closed WARC file found", named.join(", "))));
    }
    Ok(found.files.into_values().collect())
}

fn default_path(args: &TextArgs) -> Result<PathBuf, Failure> {
    match args.inputs.as_slice() {
        [directory] if directory.is_dir() => Ok(directory.join(args.format.default_name())),
        _ if args.format == TextFormat::Markdown => Err(Failure::usage("name the output directory with --out DIR")),
        _ => Err(Failure::usage("name the output with --out FILE (- for standard output)")),
    }
}

/// Returns the name of a WARC file in records: as in the page log, or as it was given.
fn name_of(path: &Path) -> String {
    let is_of_crawl = path.parent().and_then(Path::file_name).is_some_and(|name| name == WARC_DIRECTORY);
    match path.file_name().filter(|_| is_of_crawl) {
        Some(name) => format!("{WARC_DIRECTORY}/{}", name.to_string_lossy()),
        None => path.display().to_string(),
    }
}

/// Numbers of pages.
#[derive(Default)]
struct Counts {
    pages: u64,
    without_text: u64,
    too_large: u64,
    /// Files that could not be read completely.
    damaged: u64,
}

impl Counts {
    fn seen(&self) -> u64 {
        self.pages + self.without_text + self.too_large
    }

    fn text(&self) -> String {
        let pages = if self.pages == 1 { "1 page".to_owned() } else { format!("{} pages", figures::count(self.pages)) };
        let skipped = [(self.without_text, "without main text"), (self.too_large, "too large or nested too deep")];
        let skipped = skipped.into_iter().filter(|(count, _)| *count > 0);
        let skipped: Vec<String> = skipped.map(|(count, what)| format!("{} {what}", figures::count(count))).collect();
        if skipped.is_empty() { pages } else { format!("{pages}; skipped: {}", skipped.join(", ")) }
    }
}

/// Passes the texts of all pages to `write`.
fn export(
    args: &TextArgs,
    files: &[PathBuf],
    write: &mut dyn FnMut(TextRecord<'_>) -> io::Result<()>,
) -> Result<Counts, WriteError> {
    let mut progress = ExportProgress::new("pages", args.output.quiet);
    let mut counts = Counts::default();
    for path in files {
        let file = File::open(path).map_err(|error| {
            WriteError::Other(Failure::new(Exit::Failed, format!("cannot read {}: {error}", path.display())))
        })?;
        let name = name_of(path);
        let end = read_pages(file, &mut |page| {
            add(&page, &name, &mut counts, write)?;
            progress.show(counts.seen());
            Ok::<_, io::Error>(())
        })?;
        if let Some(error) = end {
            tell!("warning: {}: {error}; the pages before it are exported", path.display());
            counts.damaged += 1;
        }
    }
    progress.finish();
    Ok(counts)
}

fn add(
    page: &RecordedPage,
    file: &str,
    counts: &mut Counts,
    write: &mut dyn FnMut(TextRecord<'_>) -> io::Result<()>,
) -> io::Result<()> {
    match read(&page.url, &page.html) {
        Ok(text) => {
            counts.pages += 1;
            write(TextRecord::new(page, file, &text))
        }
        Err(Unreadable::NoMainText) => {
            counts.without_text += 1;
            Ok(())
        }
        Err(Unreadable::TooLarge) => {
            counts.too_large += 1;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_in_the_page_log_or_as_they_were_given() {
        assert_eq!(name_of(Path::new("/a/forum/warc/x.warc.gz")), "warc/x.warc.gz");
        assert_eq!(name_of(Path::new("a/x.warc.gz")), "a/x.warc.gz");
        assert_eq!(name_of(Path::new("x.warc")), "x.warc");
    }

    #[test]
    fn what_was_skipped_is_told() {
        let counts = Counts { pages: 1, ..Counts::default() };
        assert_eq!(counts.text(), "1 page");
        let counts = Counts { pages: 2_000, without_text: 3, too_large: 1, damaged: 0 };
        let text = counts.text();
        assert!(text.ends_with(" pages; skipped: 3 without main text, 1 too large or nested too deep"), "{text}");
    }
}
