//! A tagged picture.

/// Maximum number of tags of one picture; further ones are dropped.
pub const PICTURE_TAGS_MAX: usize = 256;

/// A picture's tags, and the user who uploaded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    uploader: u64,
    tags: Box<[u64]>,
}

impl Picture {
    /// Creates a picture with these tags, in any order.
    pub fn new(uploader: u64, tags: impl IntoIterator<Item = u64>) -> Self {
        let mut tags: Vec<u64> = tags.into_iter().take(PICTURE_TAGS_MAX).collect();
        tags.sort_unstable();
        tags.dedup();
        Self { uploader, tags: tags.into_boxed_slice() }
    }

    /// Returns the user who uploaded it.
    pub const fn uploader(&self) -> u64 {
        self.uploader
    }

    /// Returns its tags, each once, in ascending order.
    pub const fn tags(&self) -> &[u64] {
        &self.tags
    }
}
