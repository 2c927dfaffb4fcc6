//! The header of a run file, and its file name.
//!
//! A file consists of a header of 4 KiB and the fingerprints in ascending order, 16 bytes each. All numbers, including
//! the fingerprints, are little-endian. The header:
//!
//! | bytes | field |
//! |---|---|
//! | 0..8 | magic |
//! | 8..12 | version |
//! | 12..16 | zero |
//! | 16..24, 24..32 | first and last of the span |
//! | 32..40 | count of fingerprints |
//! | 40..48 | xxh3-64 of the bytes of the fingerprints |
//! | 48..56 | xxh3-64 of the preceding bytes |
//! | 56..4096 | zero |

use xxhash_rust::xxh3::xxh3_64;

/// Bytes before the first fingerprint: one system page, so that the pages of the run are aligned with system pages.
pub(super) const HEADER_BYTES: usize = 4096;
/// Bytes per fingerprint in a file.
pub(super) const FINGERPRINT_BYTES: usize = 16;
const MAGIC: &[u8; 8] = b"HvstSeen";
const VERSION: u32 = 1;
const FIELDS: usize = 48;

/// The range of writes that a run covers: the numbers of the first and the last write. Merging consecutive runs joins
/// their spans, so a run whose span is within the span of another was merged into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub first: u64,
    pub last: u64,
}

impl Span {
    pub fn is_within(self, other: Self) -> bool {
        other.first <= self.first && self.last <= other.last
    }

    /// Returns the file name of the run.
    pub fn name(self) -> String {
        format!("{:010}-{:010}.run", self.first, self.last)
    }

    /// Parses the span from the file name of a run. Returns `None` if it is not the name of a run, or if no span could
    /// follow it.
    pub fn of_name(name: &str) -> Option<Self> {
        let (first, last) = name.strip_suffix(".run")?.split_once('-')?;
        let span = Self { first: first.parse().ok()?, last: last.parse().ok()? };
        (span.first <= span.last && span.last < u64::MAX && span.name() == name).then_some(span)
    }
}

/// The contents of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunHeader {
    pub span: Span,
    pub count: u64,
    pub checksum: u64,
}

impl RunHeader {
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 4]);
        for field in [self.span.first, self.span.last, self.count, self.checksum] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes.resize(HEADER_BYTES, 0);
        bytes
    }

    /// Parses a header.
    ///
    /// # Errors
    /// Returns what is wrong with the file.
    pub fn of_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Self, &'static str> {
        if !bytes.starts_with(MAGIC) {
            return Err("is not a run of fingerprints");
        }
        if bytes[8..12] != VERSION.to_le_bytes() {
            return Err("was written by another version of this program");
        }
        if number(bytes, FIELDS) != xxh3_64(&bytes[..FIELDS]) {
            return Err("has a damaged header");
        }
        let span = Span { first: number(bytes, 16), last: number(bytes, 24) };
        Ok(Self { span, count: number(bytes, 32), checksum: number(bytes, 40) })
    }

    /// Returns the size of the whole file in bytes, or `None` if it overflows.
    pub fn file_bytes(self) -> Option<u64> {
        self.count.checked_mul(FINGERPRINT_BYTES as u64)?.checked_add(HEADER_BYTES as u64)
    }
}

fn number(bytes: &[u8; HEADER_BYTES], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_vec(bytes: &[u8]) -> Result<RunHeader, &'static str> {
        RunHeader::of_bytes(bytes.try_into().unwrap())
    }

    proptest! {
        #[test]
        fn a_header_survives_a_round_trip_and_any_changed_byte_is_detected(
            fields in any::<[u64; 4]>(), at in 0..FIELDS + 8, flip in 1..=u8::MAX,
        ) {
            let span = Span { first: fields[0], last: fields[1] };
            let header = RunHeader { span, count: fields[2], checksum: fields[3] };
            let mut bytes = header.to_bytes();
            prop_assert_eq!(of_vec(&bytes), Ok(header));
            bytes[at] ^= flip;
            prop_assert!(of_vec(&bytes).is_err());
        }

        #[test]
        fn a_name_contains_its_span(first in 0..u64::MAX / 2, more in 0..u64::MAX / 2) {
            let span = Span { first, last: first + more };
            prop_assert_eq!(Span::of_name(&span.name()), Some(span));
        }
    }

    #[test]
    fn foreign_file_names_have_no_span() {
        let endless = format!("0000000000-{}.run", u64::MAX);
        let swapped = "0000000002-0000000001.run";
        for name in ["", ".run", "1-2.run", swapped, "0000000001-0000000002.run.torn", "lock", &endless] {
            assert_eq!(Span::of_name(name), None, "{name}");
        }
    }
}
