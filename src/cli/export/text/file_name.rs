//! Names of files for URLs.

use harvestman_core::url::Fingerprint;

/// Maximum length of the readable part of a name, in bytes.
const READABLE_BYTES_MAX: usize = 80;

/// Returns a name that no other URL has: words of the URL for people, and a hash. It consists of lower-case letters,
/// digits and `-`, so that it is a file name on any system.
pub fn file_name(url: &str) -> String {
    let Fingerprint(hash) = Fingerprint::of(url);
    let hash = hash as u64;
    let readable = readable(url);
    if readable.is_empty() { format!("{hash:016x}.md") } else { format!("{readable}-{hash:016x}.md") }
}

/// Returns the letters and digits of a URL without its scheme, with one `-` in place of everything between them.
fn readable(url: &str) -> String {
    let text = url.split_once("://").map_or(url, |(_, rest)| rest);
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    // All of it is ASCII.
    name.truncate(READABLE_BYTES_MAX);
    name.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_bounded_and_different() {
        let name = file_name("https://h.example/2024/A_b/?p=1#x");
        assert!(name.starts_with("h-example-2024-a-b-p-1-x-") && name.ends_with(".md"), "{name}");
        let long = "a/".repeat(5_000);
        let urls = [
            "http://h/../../etc/passwd",
            "http://h/con",
            "http://h/%00%2F",
            "http://h/ä",
            "-",
            "http://",
            &long,
            "http://h/A",
        ];
        let names: std::collections::BTreeSet<String> = urls.iter().map(|url| file_name(url)).collect();
        assert_eq!(names.len(), urls.len());
        for name in names {
            let stem = name.strip_suffix(".md").unwrap();
            assert!(
                stem.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte == b'-'),
                "{name}"
            );
            assert!(name.len() <= READABLE_BYTES_MAX + 20 && !name.starts_with('-'), "{name}");
        }
    }

    #[test]
    fn letter_case_parts_urls_only_by_the_hash() {
        let (upper, lower) = (file_name("http://h/A"), file_name("http://h/a"));
        assert!(upper != lower && upper[..4] == lower[..4]);
    }
}
