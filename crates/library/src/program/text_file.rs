//! The encodings of text files that users write.

/// Returns the text of a file in UTF-8, or in UTF-16 that begins with a byte order mark, as editors and spreadsheets on
/// Windows write it.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, String> {
    const HOW: &str = "save it as UTF-8, or as UTF-16 with a byte order mark";
    let text = match bytes.as_slice() {
        [0xff, 0xfe, units @ ..] => from_utf16(units, u16::from_le_bytes),
        [0xfe, 0xff, units @ ..] => from_utf16(units, u16::from_be_bytes),
        _ => match String::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) => {
                let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
                let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
                return Err(format!("line {line} is not UTF-8: {HOW}"));
            }
        },
    };
    // Other encodings of two or four bytes for each character leave zeros.
    let text = text.filter(|text| !text.contains('\0'));
    text.ok_or_else(|| format!("it is neither UTF-8 nor UTF-16: {HOW}"))
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().copied().map(unit).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_8_and_marked_utf_16_are_read_and_other_encodings_are_refused() {
        let text = "# größe 😀\r\nexample.org\r\n";
        let units: Vec<u16> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).collect();
        let little: Vec<u8> = units.iter().copied().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units.iter().copied().flat_map(u16::to_be_bytes).collect();
        let without_mark = little[2..].to_vec();
        let halved = little[..little.len() - 1].to_vec();
        let lone: Vec<u8> = [0xfeff, 0xd800, 0x61].into_iter().flat_map(u16::to_le_bytes).collect();
        let wide: Vec<u8> = "\u{feff}a.example".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        for bytes in [little, big, text.as_bytes().to_vec()] {
            assert_eq!(decode(bytes).as_deref(), Ok(text));
        }
        for (bytes, why) in [
            (without_mark, "is not UTF-8"),
            (b"a.example\nb.example # gr\xf6\xdfe\n".to_vec(), "line 2 is not UTF-8: save it as UTF-8"),
            (b"a\0.\0e\0".to_vec(), "neither UTF-8 nor UTF-16"),
            (halved, "neither UTF-8 nor UTF-16"),
            (lone, "neither UTF-8 nor UTF-16"),
            (wide, "neither UTF-8 nor UTF-16"),
        ] {
            let error = decode(bytes).unwrap_err();
            assert!(error.contains(why) && error.contains("save it as UTF-8"), "{error}");
        }
    }
}
