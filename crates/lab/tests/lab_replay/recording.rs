//! A simulated forum as a WARC file with its labels, and the binary.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use harvestman::seed::Seed;
use harvestman::sim::{Family, World, WorldOptions};
use harvestman_lab::corpus::{Corpus, PageId};
use tempfile::TempDir;

/// A simulated forum.
pub fn forum() -> &'static Corpus {
    static FORUM: OnceLock<Corpus> = OnceLock::new();
    FORUM.get_or_init(|| {
        let families = vec![Family::Forum];
        let options =
            WorldOptions { pages: 150, hosts: 1, families, page_bytes: 200, links: 12, ..WorldOptions::default() };
        Corpus::from_world(&World::new(&options, Seed(11)).unwrap()).unwrap()
    })
}

/// A simulated photo site, whose items have tags.
pub fn gallery() -> &'static Corpus {
    static GALLERY: OnceLock<Corpus> = OnceLock::new();
    GALLERY.get_or_init(|| {
        let families = vec![Family::Media];
        let options = WorldOptions { pages: 900, hosts: 1, families, page_bytes: 200, ..WorldOptions::default() };
        Corpus::from_world(&World::new(&options, Seed(5)).unwrap()).unwrap()
    })
}

/// A folder with a recording.
pub struct Recording {
    folder: TempDir,
}

impl Recording {
    /// The forum as `forum.warc`, with `forum.labels.csv` beside it.
    pub fn labelled() -> Self {
        let recording = Self::unlabelled();
        recording.write("forum.labels.csv", &labels());
        recording
    }

    /// The forum as `forum.warc`, alone.
    pub fn unlabelled() -> Self {
        let recording = Self { folder: tempfile::tempdir().unwrap() };
        recording.write("forum.warc", &warc(forum()));
        recording
    }

    /// The photo site as `gallery.warc`, with `gallery.labels.csv` beside it.
    pub fn gallery() -> Self {
        let recording = Self::empty();
        recording.write("gallery.warc", &warc(gallery()));
        let truth = gallery().truth().unwrap();
        let mut text = "url,page_type,is_duplicate_view,role,tags\n".to_owned();
        for (id, label) in gallery().ids().filter_map(|id| Some((id, truth.label(id)?))) {
            let (view, role, tags) = (u8::from(label.is_duplicate_view), label.role.name(), label.tags().join("|"));
            let _ = writeln!(text, "\"{}\",{},{view},{role},{tags}", gallery().url(id).as_str(), label.page_type);
        }
        recording.write("gallery.labels.csv", &text);
        recording
    }

    /// Nothing.
    pub fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A file of the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file of the folder.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Runs the binary in the folder.
    pub fn run(&self, args: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman-lab"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("HARVESTMAN_") {
                command.env_remove(name);
            }
        }
        let output = command.current_dir(self.folder.path()).args(args).output().unwrap();
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// What the binary said.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// The rows on standard output, of a run that went well.
    pub fn rows(&self) -> Vec<serde_json::Value> {
        assert_eq!(self.code, Some(0), "{}", self.err);
        let mut value: serde_json::Value = serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"));
        serde_json::from_value(value["rows"].take()).unwrap()
    }

    /// That the run ended with this code and said all of this on standard error.
    pub fn failed(&self, code: i32, said: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        for part in said {
            assert!(self.err.contains(part), "{part}\nis not in\n{}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
    }
}

/// The records, the seed's first.
fn warc(corpus: &Corpus) -> String {
    let others = corpus.ids().filter(|id| *id != corpus.seed());
    std::iter::once(corpus.seed()).chain(others).map(|id| record(corpus, id)).collect()
}

fn record(corpus: &Corpus, id: PageId) -> String {
    let (url, page) = (corpus.url(id), corpus.page(id));
    let mut head = format!("HTTP/1.1 {} Whatever\r\n", page.status);
    for (name, value) in &page.headers {
        let _ = write!(head, "{name}: {}\r\n", value.to_str().unwrap());
    }
    let message = format!("{head}\r\n{}", std::str::from_utf8(&page.body).unwrap());
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: \
        <urn:uuid:00000000-0000-4000-8000-{:012}>\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: \
        {}\r\n\r\n{message}\r\n\r\n",
        url.as_str(),
        id.0,
        message.len()
    )
}

/// The labels as CSV.
pub fn labels() -> String {
    let truth = forum().truth().unwrap();
    let mut text = "url,page_type,is_ucc,is_duplicate_view\n".to_owned();
    for id in forum().ids() {
        let Some(label) = truth.label(id) else { continue };
        let (ucc, view) = (u8::from(label.is_ucc), u8::from(label.is_duplicate_view));
        let _ = writeln!(text, "\"{}\",{},{ucc},{view}", forum().url(id).as_str(), label.page_type);
    }
    text
}

/// The type that most pages are of.
pub fn largest_type() -> String {
    let types = forum().truth().unwrap().types();
    types.iter().max_by_key(|(_, counts)| counts.pages).unwrap().0.to_string()
}
