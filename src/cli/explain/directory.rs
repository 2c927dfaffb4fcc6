//! What a crawl directory holds.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::bufread::MultiGzDecoder;

use crate::config::{self, Config, Layers};
use crate::page::PageRecord;

/// A directory that a crawl wrote.
#[derive(Debug)]
pub(super) struct CrawlDirectory {
    path: PathBuf,
    /// What the crawl was told.
    pub config: Config,
}

impl CrawlDirectory {
    /// Opens a directory, or says why it is none of a crawl.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let file = path.join("config.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if path.is_dir() => {
                format!("{shown} is no crawl directory: it has no config.toml; name the one that was given as --out")
            }
            io::ErrorKind::NotFound => format!("there is no directory {shown}; name the one that was given as --out"),
            _ => format!("cannot read {}: {error}", file.display()),
        })?;
        let layers = Layers { file: Some((&file, &text)), ..Layers::default() };
        let config = config::load(&layers).map_err(|mistakes| mistakes.to_string())?;
        Ok(Self { path: path.to_owned(), config })
    }

    /// The lines of a log, decompressed; none where it was not kept. An unfinished end, of a crawl that runs, is passed over.
    pub fn lines(&self, name: &str) -> anyhow::Result<Option<Lines>> {
        for suffix in ["", ".gz", ".zst"] {
            let path = self.path.join(format!("{name}{suffix}"));
            let file = match File::open(&path) {
                Ok(file) => BufReader::new(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
            };
            let plain: Box<dyn Read> = match suffix {
                "" => Box::new(file),
                ".gz" => Box::new(MultiGzDecoder::new(file)),
                _ => Box::new(zstd::Decoder::with_buffer(file)?),
            };
            return Ok(Some(Lines { reader: BufReader::new(plain), line: Vec::new() }));
        }
        Ok(None)
    }

    /// The line of a URL in the page log.
    pub fn page(&self, url: &str) -> anyhow::Result<Option<PageRecord>> {
        let start = format!("{{\"url\":{},", serde_json::to_string(url)?);
        let Some(mut lines) = self.lines("pages.jsonl")? else { return Ok(None) };
        while let Some(line) = lines.next_line()? {
            if line.starts_with(start.as_bytes()) {
                return Ok(Some(serde_json::from_slice(line).context("a line of pages.jsonl cannot be read")?));
            }
        }
        Ok(None)
    }

    /// The closing report; none where the crawl has not ended.
    pub fn report(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&std::fs::read(self.path.join("report.json")).ok()?).ok()
    }
}

/// Lines of a log, one after the other.
pub(super) struct Lines {
    reader: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
}

impl Lines {
    /// The next line that is whole.
    pub fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        match self.reader.read_until(b'\n', &mut self.line) {
            Ok(_) => Ok(self.line.strip_suffix(b"\n")),
            // A compressed log whose crawl still runs, or was killed, ends in the middle of a batch.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}
