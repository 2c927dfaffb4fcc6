//! Topics that a file lists.

use std::fs;

use harvestman_core::lines::lines;

use super::text_file::decode;

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
