//! Titles as far as all pages of a thread have them.

use harvestman_core::model::path_hash::fold;

/// Words of titles that tell pages of one thread apart.
const PAGING: [&str; 5] = ["page", "pagina", "página", "seite", "pg"];
/// Maximum length of a word for replies before a title, in bytes.
const REPLY_BYTES_MAX: usize = 8;

/// Returns a hash of a title without numbers, words for pages, and words for replies before it; 0 if nothing else is in
/// it.
pub fn title_key(title: &str) -> u64 {
    let title = without_replies(title).to_lowercase();
    let words = title.split(|c: char| !c.is_alphabetic());
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && !PAGING.contains(word)).collect();
    if words.is_empty() { 0 } else { fold(words.join(" ").as_bytes()).max(1) }
}

/// Returns a title without short words with a colon at its beginning, such as `Re:`.
fn without_replies(title: &str) -> &str {
    let mut rest = title.trim_start();
    while let Some((word, behind)) = rest.split_once(':') {
        let is_word = word.len() <= REPLY_BYTES_MAX && word.chars().all(char::is_alphabetic);
        if !is_word || behind.trim().is_empty() {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_replies_have_the_title_of_their_thread() {
        let key = title_key("How to boil: an egg");
        for title in ["How to boil: an egg - Page 2", "RE: Aw: how to boil: an egg", "  How to boil an egg (3)"] {
            assert_eq!(title_key(title), key, "{title}");
        }
        assert_ne!(title_key("How to boil an egg twice"), key);
        assert_eq!((title_key("Page 2"), title_key("")), (0, 0));
        assert_ne!(title_key("Re:"), 0);
    }
}
