//! Single pages of a crawl, by their places in its WARC files.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};
use std::path::Path;

use harvestman_storage::archive::OPEN_SUFFIX;

use super::page::RecordedPage;
use super::warc_pages::{WarcInput, read_page};

/// Reads the response or revisit at an offset of a WARC file of a crawl, which may still be written. `name` is that of
/// the page log, within `directory`. Returns `None` if there is no complete record.
///
/// # Errors
///
/// The file cannot be read.
pub fn read_recorded(directory: &Path, name: &str, offset: u64) -> io::Result<Option<RecordedPage>> {
    let path = directory.join(name);
    let open = || File::open(&path).or_else(|_| File::open(directory.join(format!("{name}{OPEN_SUFFIX}"))));
    // It may be renamed in between.
    let mut file = open().or_else(|_| File::open(&path))?;
    file.seek(SeekFrom::Start(offset))?;
    let page = read_page(WarcInput { name: name.to_owned(), reader: file });
    Ok(page.map(|page| RecordedPage { offset, ..page }))
}
