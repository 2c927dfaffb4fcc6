//! The words of a text.

/// Maximum number of words of a page that are read.
const WORDS_MAX: usize = 100_000;
/// Maximum length of a word, in bytes; longer runs of letters are no words.
const WORD_BYTES_MAX: usize = 64;

/// Returns the words of a text in lower case, in their order: runs of letters and digits with at least one letter.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !c.is_alphanumeric());
    let is_word = |run: &&str| run.len() <= WORD_BYTES_MAX && run.chars().any(char::is_alphabetic);
    runs.filter(is_word).take(WORDS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_letters_and_a_bounded_length() {
        let text = format!("the 2nd lens, f/2.8 – größe {} 1999 x", "a".repeat(WORD_BYTES_MAX + 1));
        assert_eq!(words(&text).collect::<Vec<_>>(), ["the", "2nd", "lens", "f", "größe", "x"]);
        assert_eq!(words(&"a ".repeat(WORDS_MAX + 9)).count(), WORDS_MAX);
    }
}
