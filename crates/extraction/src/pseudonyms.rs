//! Replaces the names of authors by keyed hashes.

use std::io;
use std::path::Path;

use harvestman_posts::site::{Post, User};
use ring::hmac::{HMAC_SHA256, Key, sign};

/// Minimum length of a key in bytes.
const KEY_BYTES_MIN: usize = 16;
/// Maximum length of a key in bytes.
const KEY_BYTES_MAX: usize = 1 << 20;
/// Number of bytes of a hash that are used.
const HASH_BYTES: usize = 16;

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the key: {0}")]
    Read(#[from] io::Error),
    /// The length is wrong.
    #[error(
        "the key has {0} bytes: it must have {KEY_BYTES_MIN} to {KEY_BYTES_MAX}, for example those of `openssl rand -hex 32`"
    )]
    Length(usize),
}

/// Replaces names and addresses of authors by HMAC-SHA-256 of them, the same for the same key. Texts are left alone.
pub struct Pseudonyms {
    key: Key,
}

impl Pseudonyms {
    /// Uses the content of a file as the key, without blanks around it.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or its length is wrong.
    pub fn with_key_of(file: &Path) -> Result<Self, KeyError> {
        Self::with_key(std::fs::read(file)?.trim_ascii())
    }

    /// Uses a key.
    ///
    /// # Errors
    ///
    /// Its length is wrong.
    pub fn with_key(key: &[u8]) -> Result<Self, KeyError> {
        if !(KEY_BYTES_MIN..=KEY_BYTES_MAX).contains(&key.len()) {
            return Err(KeyError::Length(key.len()));
        }
        Ok(Self { key: Key::new(HMAC_SHA256, key) })
    }

    /// Returns the pseudonym of a text.
    pub fn of(&self, text: &str) -> String {
        let tag = sign(&self.key, text.as_bytes());
        tag.as_ref().iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Replaces the author of a post.
    pub fn apply(&self, post: &mut Post) {
        for text in [&mut post.author, &mut post.author_url].into_iter().flatten() {
            *text = self.of(text);
        }
    }

    /// Replaces the name and the address of a user.
    pub fn apply_to_user(&self, user: &mut User) {
        for text in [&mut user.name, &mut user.url].into_iter().flatten() {
            *text = self.of(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_by_hmac_and_texts_are_left() {
        let names = Pseudonyms::with_key(&[0x0b; 20]).unwrap();
        // RFC 4231, test case 1.
        assert_eq!(names.of("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b");
        let mut post = Post { author: Some("Hi There".to_owned()), text: "Hi There".to_owned(), ..Post::default() };
        names.apply(&mut post);
        assert_eq!(
            (post.author.as_deref(), post.text.as_str()),
            (Some("b0344c61d8db38535ca8afceaf0bf12b"), "Hi There")
        );
        assert!(matches!(Pseudonyms::with_key(b"short"), Err(KeyError::Length(5))));
    }
}
