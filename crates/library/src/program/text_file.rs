//! Text files that users write: their encodings, and the topics that one lists.

use std::fs;

use harvestman_core::lines::lines;

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

/// Maximum size of a file of terms, in bytes.
const BYTES_MAX: u64 = 16 << 20;

/// Replaces each topic `@FILE` by the lines of the file; empty lines and those that begin with `#` say nothing.
///
/// # Errors
/// A file cannot be read, is too large, or has no term.
pub fn read_topics(topics: Vec<String>) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for topic in topics {
        match topic.strip_prefix('@') {
            Some(path) => all.extend(terms(path)?),
            None => all.push(topic),
        }
    }
    Ok(all)
}

fn terms(path: &str) -> Result<Vec<String>, String> {
    let unread = |error: std::io::Error| format!("cannot read the topic from {path}: {error}");
    let size = fs::metadata(path).map_err(unread)?.len();
    if size > BYTES_MAX {
        return Err(format!(
            "{path} has {size} bytes; a topic is a file of words, one term a line, of at most {BYTES_MAX}"
        ));
    }
    let text = decode(fs::read(path).map_err(unread)?);
    let text = text.map_err(|why| format!("cannot read the topic from {path}: {why}"))?;
    let text = text.trim_start_matches('\u{feff}');
    let lines = lines(text).map(str::trim).filter(|line| !line.starts_with('#'));
    let terms: Vec<String> = lines.filter(|line| line.chars().any(char::is_alphanumeric)).map(str::to_owned).collect();
    if terms.is_empty() {
        return Err(format!("{path} names no topic: write one tag or phrase a line"));
    }
    Ok(terms)
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

    #[test]
    fn the_lines_of_a_file_take_its_place_and_bad_files_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::write(&path, text).unwrap();
            format!("@{}", path.display())
        };
        let good = file("good", "\u{feff}# birds\r\r  wader \rGreat Egret\r\n--\n");
        let all = read_topics(vec!["macro".to_owned(), good]).unwrap();
        assert_eq!(all, ["macro", "wader", "Great Egret"]);
        for (topic, says) in [
            (file("empty", "# nothing\n"), "names no topic"),
            (format!("@{}", dir.path().join("none").display()), "cannot read the topic"),
        ] {
            let error = read_topics(vec![topic]).unwrap_err();
            assert!(format!("{error:?}").contains(says), "{error:?}");
        }
    }
}
