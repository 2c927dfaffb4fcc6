//! Looks for secrets in everything that was written: as they are, percent-encoded, in base64, within gzip, zstd and
//! ZIP.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, BASE64URL_NOPAD};
use memchr::memmem;

/// Most bytes of one compressed file that are looked at.
const UNPACKED_MAX: u64 = 64 << 20;

/// Values that must not be found, with their names.
pub struct Secrets(Vec<(&'static str, Vec<String>)>);

impl Secrets {
    /// Each with all its encodings.
    pub fn new(secrets: &[(&'static str, &str)]) -> Self {
        Self(secrets.iter().map(|(name, value)| (*name, encodings(value))).collect())
    }

    /// The names of those that are in these bytes, or in what they are compressed from.
    pub fn found_in(&self, bytes: &[u8]) -> Vec<&'static str> {
        let mut all = vec![bytes.to_vec()];
        all.extend(unpacked(bytes));
        let holds = |text: &String| all.iter().any(|bytes| memmem::find(bytes, text.as_bytes()).is_some());
        self.0.iter().filter(|(_, texts)| texts.iter().any(holds)).map(|(name, _)| *name).collect()
    }

    /// None is in a text.
    pub fn assert_not_in(&self, what: &str, bytes: &[u8]) {
        let found = self.found_in(bytes);
        assert!(found.is_empty(), "{what} has {found:?}");
    }

    /// None is in the files below a directory. Returns how many these are.
    pub fn assert_not_below(&self, directory: &Path) -> usize {
        let files = files_below(directory);
        let leaks = files.iter().map(|file| (file, self.found_in(&std::fs::read(file).unwrap())));
        let leaks: Vec<_> = leaks.filter(|(_, found)| !found.is_empty()).collect();
        assert!(leaks.is_empty(), "{leaks:#?}");
        files.len()
    }
}

fn encodings(value: &str) -> Vec<String> {
    let percent = |kept: &str| -> String {
        let bytes = value.bytes().map(|byte| {
            let is_kept = byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte);
            if is_kept { char::from(byte).to_string() } else { format!("%{byte:02X}") }
        });
        bytes.collect()
    };
    let form: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let json = serde_json::to_string(value).unwrap().trim_matches('"').to_owned();
    let mut all = vec![value.to_owned(), percent("-_.~"), percent(""), form, json];
    // Within other text, base64 of a value begins at one of three places: its middle is the same.
    for before in ["", "x", "xy"] {
        let text = format!("{before}{value}");
        let whole = BASE64.encode(text.as_bytes());
        let (start, end) = (before.len() * 2, whole.len().saturating_sub(4));
        all.extend(whole.get(start..end).filter(|part| part.len() > 8).map(str::to_owned));
    }
    all.push(BASE64URL_NOPAD.encode(value.as_bytes()));
    all
}

fn unpacked(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut text = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        // What is before a damaged end counts too.
        let _ = flate2::read::MultiGzDecoder::new(bytes).take(UNPACKED_MAX).read_to_end(&mut text);
    } else if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let _ = zstd::Decoder::new(bytes).unwrap().take(UNPACKED_MAX).read_to_end(&mut text);
    } else if bytes.starts_with(b"PK") {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut all = Vec::new();
        for at in 0..archive.len() {
            let mut entry = Vec::new();
            archive.by_index(at).unwrap().take(UNPACKED_MAX).read_to_end(&mut entry).unwrap();
            all.extend(unpacked(&entry));
            all.push(entry);
        }
        return all;
    }
    if text.is_empty() { Vec::new() } else { vec![text] }
}

pub fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let files = entries.flat_map(|entry| match entry.file_type().unwrap() {
        kind if kind.is_dir() => files_below(&entry.path()),
        kind if kind.is_file() => vec![entry.path()],
        _ => Vec::new(),
    });
    files.collect()
}

#[test]
fn a_secret_is_found_however_it_is_written() {
    let secrets = Secrets::new(&[("one", "s3cret pass&word"), ("other", "0123456789")]);
    let pair = |text: &str| BASE64.encode(text.as_bytes());
    for text in [
        "a s3cret pass&word b".to_owned(),
        "s3cret%20pass%26word".to_owned(),
        "s3cret+pass%26word".to_owned(),
        format!("Basic {}", pair("user:s3cret pass&word")),
        format!("Basic {}", pair("users:s3cret pass&word")),
        format!("Basic {}", pair("person:s3cret pass&word")),
    ] {
        assert_eq!(secrets.found_in(text.as_bytes()), ["one"], "{text}");
        let mut gzip = flate2::read::GzEncoder::new(text.as_bytes(), flate2::Compression::best());
        let mut packed = Vec::new();
        gzip.read_to_end(&mut packed).unwrap();
        assert_eq!(secrets.found_in(&packed), ["one"], "{text}");
    }
    assert!(secrets.found_in(b"s3cret password 012345678").is_empty());
}
