//! Decodes a body that is exactly one gzip member (RFC 1952) in one call.
//!
//! libdeflate takes two thirds of the time of a stream decoder, but needs a buffer for all of the output. A member ends
//! with the length of its content, so the buffer has the right size from the beginning; a wrong length makes the call
//! fail and cannot make it write more than the limit.

use libdeflater::{Decompressor, crc32};
use memchr::memmem;

/// ID1, ID2, CM = 8 (deflate), and FLG = 0: no optional fields.
const HEADER: &[u8] = &[0x1f, 0x8b, 8, 0];
/// The length of a header without optional fields.
const HEADER_BYTES: usize = 10;
/// CRC32 and ISIZE.
const TRAILER_BYTES: usize = 8;
/// The maximum number of decoded bytes per coded byte: a match of 258 bytes takes at least two bits.
const RATIO_MAX: usize = 258 * 4;

/// Decodes `data` if it is one whole member without optional fields, whose content has one to `max` bytes. Returns
/// `None` for anything else, including members or padding behind the first one.
///
/// Allocates at most `max` bytes, and only as many as `data` can decode to.
pub(super) fn whole_member(data: &[u8], max: usize) -> Option<Vec<u8>> {
    if data.len() < HEADER_BYTES + TRAILER_BYTES || !data.starts_with(HEADER) {
        return None;
    }
    let trailer = data.last_chunk::<TRAILER_BYTES>()?;
    let length = u32::from_le_bytes(*trailer.last_chunk()?) as usize;
    if !(1..=max.min(data.len().saturating_mul(RATIO_MAX))).contains(&length) {
        return None;
    }
    let mut content = vec![0; length];
    let decoded = Decompressor::new().gzip_decompress(data, &mut content).ok()?;
    // The decoder does not report where the first member ends, but it ends with a trailer that fits the content. If
    // that is the trailer at the end, and there is no other one like it, nothing follows the member.
    let fits = decoded == length && crc32(&content).to_le_bytes() == trailer[..4];
    (fits && memmem::find(data, trailer) == Some(data.len() - TRAILER_BYTES)).then_some(content)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use flate2::bufread::MultiGzDecoder;
    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use proptest::prelude::*;

    use super::*;

    fn gzip(content: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_member_of_another_encoder_is_decoded() {
        // `printf 'Hello, world' | gzip -n`
        let member = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0x28, 0xcf, 0x2f, 0xca, 0x49,
            1, 0, 0xc2, 0xa9, 0x9a, 0xe7, 12, 0, 0, 0,
        ];
        let mut expected = String::new();
        MultiGzDecoder::new(member.as_slice()).read_to_string(&mut expected).unwrap();
        assert_eq!(expected, "Hello, world");
        assert_eq!(whole_member(&member, 12).as_deref(), Some(expected.as_bytes()));
        assert_eq!(whole_member(&member, 11), None, "longer than the limit");
    }

    #[test]
    fn what_is_not_exactly_one_member_is_left_to_the_stream_decoder() {
        let member = gzip(b"content", 6);
        assert!(whole_member(&member, 100).is_some());
        assert_eq!(whole_member(&member.repeat(2), 100), None, "the same member twice: the trailers are equal");
        assert_eq!(whole_member(&[member.clone(), gzip(b"more", 6)].concat(), 100), None);
        assert_eq!(whole_member(&[member.as_slice(), &[0; 64]].concat(), 100), None);
        let trailer_again = [&member[..], &member[member.len() - TRAILER_BYTES..]].concat();
        assert_eq!(whole_member(&trailer_again, 100), None, "padding that looks like the trailer");
        assert_eq!(whole_member(&gzip(b"", 6), 100), None);
        let named = GzBuilder::new().filename("page").write(Vec::new(), Compression::best()).finish().unwrap();
        assert_eq!(whole_member(&named, 100), None);
        (0..member.len()).for_each(|end| assert_eq!(whole_member(&member[..end], 100), None, "{end}"));
    }

    #[test]
    fn a_bomb_that_lies_about_its_length_is_refused() {
        let zeros = vec![0; 4 << 20];
        let mut bomb = gzip(&zeros, 9);
        assert_eq!(whole_member(&bomb, zeros.len()), Some(zeros.clone()));
        assert_eq!(whole_member(&bomb, zeros.len() - 1), None);
        let length = bomb.len() - 4;
        bomb[length..].copy_from_slice(&1_000_u32.to_le_bytes());
        assert_eq!(whole_member(&bomb, 1 << 20), None);
        bomb[length..].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(whole_member(&bomb, usize::MAX), None, "more than deflate can hold");
    }

    proptest! {
        #[test]
        fn members_decode_to_what_was_encoded(
            words in proptest::collection::vec("[a-z<>/ ]{0,9}", 1..900),
            level in 0..=9_u32,
        ) {
            let content = words.concat();
            let decoded = whole_member(&gzip(content.as_bytes(), level), content.len());
            prop_assert_eq!(decoded.is_some(), !content.is_empty());
            prop_assert!(decoded.is_none_or(|decoded| decoded == content.as_bytes()));
        }

        #[test]
        fn whatever_is_decoded_is_what_the_stream_decoder_reads(
            content in proptest::collection::vec(0..4_u8, 1..600),
            parts in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..3),
            changed in proptest::option::of((any::<prop::sample::Index>(), any::<u8>())),
        ) {
            // A member, parts of it behind it, and one changed byte.
            let member = gzip(&content, 6);
            let mut data = member.clone();
            for (start, end) in parts {
                let (start, end) = (start.index(member.len()), end.index(member.len() + 1));
                data.extend_from_slice(member.get(start..end).unwrap_or(&member));
            }
            if let Some((at, byte)) = changed {
                let at = at.index(data.len());
                data[at] = byte;
            }
            if let Some(decoded) = whole_member(&data, 1 << 20) {
                let mut expected = Vec::new();
                prop_assert!(MultiGzDecoder::new(data.as_slice()).read_to_end(&mut expected).is_ok());
                prop_assert_eq!(decoded, expected);
            }
        }
    }
}
