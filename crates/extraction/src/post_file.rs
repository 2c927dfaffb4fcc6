//! Keeps the posts of pages in a temporary file until it is known which are the same.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use harvestman_posts::PagePost;
use harvestman_posts::site::PostStore;

const BUFFER: usize = 256 << 10;
/// Number of bytes that the length of a post takes.
const LENGTH_BYTES: u64 = 4;

/// A file of posts, without a name, which vanishes with the process.
pub struct PostFile {
    file: BufWriter<File>,
    length: u64,
}

impl PostFile {
    /// Creates the file in a directory.
    ///
    /// # Errors
    ///
    /// It cannot be created.
    pub fn create(directory: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(directory)?);
        Ok(Self { file, length: 0 })
    }

    /// Adds a post. Returns its place.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn push(&mut self, post: &PagePost) -> io::Result<u64> {
        let bytes = serde_json::to_vec(post)?;
        let length = u32::try_from(bytes.len()).map_err(|_| io::Error::other("a post is too long"))?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&bytes)?;
        let place = self.length;
        self.length += LENGTH_BYTES + u64::from(length);
        Ok(place)
    }

    /// Returns the length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.length
    }
}

impl PostStore for PostFile {
    type Error = io::Error;

    fn post(&mut self, place: u64) -> io::Result<PagePost> {
        if !self.file.buffer().is_empty() {
            self.file.flush()?;
        }
        let mut length = [0; LENGTH_BYTES as usize];
        self.file.get_ref().read_exact_at(&mut length, place)?;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        self.file.get_ref().read_exact_at(&mut bytes, place + LENGTH_BYTES)?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_are_read_as_they_were_written() {
        let mut file = PostFile::create(&std::env::temp_dir()).unwrap();
        let posts =
            ["one", "two"].map(|text| PagePost { text: text.to_owned(), confidence: 0.1, ..PagePost::default() });
        let places: Vec<u64> = posts.iter().map(|post| file.push(post).unwrap()).collect();
        assert_eq!(file.post(places[1]).unwrap(), posts[1]);
        let third = file.push(&posts[0]).unwrap();
        assert_eq!((file.post(third).unwrap(), file.post(places[0]).unwrap()), (posts[0].clone(), posts[0].clone()));
        assert!(file.post(file.bytes()).is_err());
    }
}
