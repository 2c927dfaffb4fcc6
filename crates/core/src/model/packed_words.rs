//! Hashes of words as one string of bytes: as a sequence, each of them would be encoded by itself, in five bytes.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

pub fn serialize<S: Serializer>(words: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = vec![0; 4 * words.len()];
    bytes.as_chunks_mut::<4>().0.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    serializer.serialize_bytes(&bytes)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    struct Words;

    impl Visitor<'_> for Words {
        type Value = Vec<u32>;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str("bytes, four for each word")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
            let (words, rest) = bytes.as_chunks::<4>();
            if rest.is_empty() {
                Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
            } else {
                Err(E::invalid_length(bytes.len(), &self))
            }
        }
    }

    deserializer.deserialize_bytes(Words)
}

#[cfg(test)]
mod tests {
    use crate::model::PageText;

    #[test]
    fn words_are_read_as_they_were_written_and_half_a_word_is_an_error() {
        let mut text = PageText::default();
        text.push(&[1, u32::MAX, 0x0102_0304], false, true);
        let bytes = postcard::to_allocvec(&text).unwrap();
        assert_eq!(postcard::from_bytes::<PageText>(&bytes).unwrap(), text);
        assert_eq!(bytes[..5], [12, 1, 0, 0, 0]);
        let half = [&[2, 1, 0], &bytes[13..]].concat();
        assert!(postcard::from_bytes::<PageText>(&half).is_err());
    }
}
