//! Variable-length integers: seven bits per byte, the lowest first; the eighth bit means that more follow (LEB128).

/// Appends a number.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads what [`put`] wrote at `at`, and advances `at`.
pub(super) fn get(bytes: &[u8], at: &mut usize) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_at_the_bounds_of_each_length() {
        let numbers: Vec<u64> = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit]).chain([u64::MAX]).collect();
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| put(&mut bytes, *number));
        let mut at = 0;
        assert!(numbers.iter().all(|number| get(&bytes, &mut at) == *number));
        assert_eq!(at, bytes.len());
        bytes.clear();
        put(&mut bytes, 300);
        assert_eq!(bytes, [0xac, 0x02]);
    }
}
