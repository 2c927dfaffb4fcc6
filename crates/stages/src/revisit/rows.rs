//! The content around the links of a list: enough to tell, when the list is visited again, around which links it has
//! changed.
//!
//! The links at one place of a page (one Apath) divide it into rows: the content after a link up to the next link at
//! that place, and the content before it. A forum's list shows how many replies a topic has; if that number has
//! changed, so has the topic. Which of the two sides is the row, and whether it is informative, is learned
//! ([`super::traits::Trait::Row`]).

pub use harvestman_core::model::RowChange;
use harvestman_core::url::Fingerprint;

/// A link on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLink {
    /// The place of the link.
    pub apath: u64,
    /// Where it leads.
    pub page: Fingerprint,
    /// How many texts begin before it.
    pub text: u32,
}

/// A link with the content around it, as hashes of 16 bits; 0 if it is not in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowMark {
    /// The place of the link.
    pub apath: u64,
    /// Where it leads.
    pub page: Fingerprint,
    /// The hash of the texts after it, up to the next link at the place.
    pub behind: u16,
    /// The hash of the texts before it.
    pub before: u16,
}

/// The minimum number of links at a place that make it a list.
const LIST_MIN: usize = 3;
/// The maximum number of stored rows per page.
const ROWS_MAX: usize = 128;
/// Bytes of a stored row: four that identify the link, two per side.
const ROW_BYTES: usize = 8;

/// Returns the rows of a page. `links` are in the order of their places and then of the page; `texts` each have their
/// number and hash.
pub fn rows(links: &[RowLink], texts: &[(u32, u64)]) -> Vec<RowMark> {
    let mut rows = Vec::with_capacity(links.len());
    for list in links.chunk_by(|one, other| one.apath == other.apath) {
        let said = |from: u32, to: u32| {
            let start = texts.partition_point(|(number, _)| *number < from);
            let end = texts.partition_point(|(number, _)| *number < to).max(start);
            let all = texts[start..end]
                .iter()
                .fold(0, |all: u64, (_, text)| (all ^ text).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
            // 0 means unknown.
            (all >> 48) as u16 | 1
        };
        // The first row begins, and the last one ends, at the usual distance from its link.
        let usual = list.windows(2).map(|pair| pair[1].text.saturating_sub(pair[0].text)).max().unwrap_or(0);
        for (at, link) in list.iter().enumerate() {
            let (behind, before) = if list.len() < LIST_MIN {
                (0, 0)
            } else {
                let next = list.get(at + 1).map_or(link.text.saturating_add(usual), |next| next.text);
                let previous = at.checked_sub(1).map_or(link.text.saturating_sub(usual), |at| list[at].text);
                (said(link.text, next), said(previous, link.text))
            };
            rows.push(RowMark { apath: link.apath, page: link.page, behind, before });
        }
    }
    rows
}

/// Encodes the rows as they are stored.
pub fn encode(rows: &[RowMark]) -> Box<[u8]> {
    let stored = rows.iter().filter(|row| row.behind != 0).take(ROWS_MAX);
    let bytes = |row: &RowMark| {
        let mut bytes = [0; ROW_BYTES];
        bytes[..4].copy_from_slice(&key(row).to_le_bytes());
        bytes[4..6].copy_from_slice(&row.behind.to_le_bytes());
        bytes[6..].copy_from_slice(&row.before.to_le_bytes());
        bytes
    };
    stored.flat_map(bytes).collect()
}

/// Returns how each row differs from the stored rows of the previous visit.
pub fn signs(before: &[u8], now: &[RowMark]) -> Vec<RowChange> {
    let mut known: Vec<(u32, u16, u16)> = before.chunks_exact(ROW_BYTES).map(read).collect();
    known.sort_unstable();
    let full = known.len() >= ROWS_MAX;
    let sign = |row: &RowMark| {
        if known.is_empty() || row.behind == 0 {
            return RowChange::Unknown;
        }
        let at = known.partition_point(|(key_before, ..)| *key_before < key(row));
        match known.get(at).filter(|(key_before, ..)| *key_before == key(row)) {
            None if full => RowChange::Unknown,
            None => RowChange::Fresh,
            Some((_, behind, before)) => match (*behind == row.behind, *before == row.before) {
                (true, true) => RowChange::Same,
                (false, true) => RowChange::Behind,
                (true, false) => RowChange::Before,
                (false, false) => RowChange::Both,
            },
        }
    };
    now.iter().map(sign).collect()
}

fn key(row: &RowMark) -> u32 {
    (row.page.0 as u64 ^ row.apath.rotate_left(17)) as u32
}

fn read(bytes: &[u8]) -> (u32, u16, u16) {
    let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    (u32::from(half(0)) | u32::from(half(2)) << 16, half(4), half(6))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of topics: the number of replies before each link, the author after it.
    fn list(topics: &[(u32, u64)]) -> Vec<RowMark> {
        let (mut links, mut texts) = (Vec::new(), Vec::new());
        for (at, (topic, replies)) in (0_u32..).zip(topics) {
            texts.extend([(3 * at, 1_000 + replies), (3 * at + 1, u64::from(*topic)), (3 * at + 2, 77)]);
            links.push(RowLink { apath: 5, page: Fingerprint(u128::from(*topic)), text: 3 * at + 1 });
        }
        rows(&links, &texts)
    }

    #[test]
    fn a_changed_row_is_detected_and_the_others_are_unchanged() {
        let before = encode(&list(&[(1, 4), (2, 9), (3, 2), (4, 0)]));
        let now = list(&[(1, 4), (2, 9), (3, 3), (4, 0)]);
        // The number is before the link of its own row, and after that of the row above.
        assert_eq!(signs(&before, &now), [RowChange::Same, RowChange::Behind, RowChange::Before, RowChange::Same]);
    }

    #[test]
    fn a_new_row_is_fresh() {
        let before = encode(&list(&[(1, 4), (2, 9), (3, 2)]));
        let now = list(&[(9, 0), (1, 4), (2, 9), (3, 2)]);
        assert_eq!(signs(&before, &now)[0], RowChange::Fresh);
        assert_eq!(signs(&before, &now)[2..], [RowChange::Same, RowChange::Same]);
    }

    #[test]
    fn rows_without_a_stored_state_are_unknown() {
        let now = list(&[(1, 4), (2, 9), (3, 2)]);
        assert_eq!(signs(&[], &now), [RowChange::Unknown; 3]);
        // Two links are not a list.
        assert_eq!(encode(&list(&[(1, 4), (2, 9)])).len(), 0);
        assert_eq!(rows(&[], &[]), []);
        let many: Vec<(u32, u64)> = (0..500).map(|topic| (topic, 1)).collect();
        assert_eq!(encode(&list(&many)).len(), ROWS_MAX * ROW_BYTES);
    }
}
