//! Queries in the charset of their document ("percent-encode after encoding" of the URL standard).

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, UTF_8};

/// Returns the encoding of queries in documents of `charset`; `None` if that is UTF-8.
pub(super) fn encoding(charset: &str) -> Option<&'static Encoding> {
    if charset == UTF_8.name() {
        return None;
    }
    Encoding::for_label(charset.as_bytes()).map(Encoding::output_encoding).filter(|encoding| *encoding != UTF_8)
}

/// Returns `query` in `encoding`. A character that the encoding cannot represent becomes the escapes of `&#N;` with its
/// number N.
pub(super) fn encode<'q>(query: &'q str, encoding: &'static Encoding) -> Cow<'q, [u8]> {
    let (bytes, _, is_lossy) = encoding.encode(query);
    if !is_lossy {
        return bytes;
    }
    let (mut encoder, mut bytes, mut rest) = (encoding.new_encoder(), Vec::with_capacity(2 * query.len()), query);
    loop {
        bytes.reserve(encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap_or(rest.len()));
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Cow::Owned(bytes),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                bytes.extend_from_slice(format!("%26%23{}%3B", u32::from(character)).as_bytes());
            }
        }
    }
}
