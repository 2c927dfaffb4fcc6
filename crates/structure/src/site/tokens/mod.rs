//! The tokens of sample documents and their weights (xCrawl 2009, section 4, `GetTokens`): documents are cut into
//! tokens, [`StopWords`] are left out, and the others are ordered by TF-IDF.

mod weights;

use std::collections::HashSet;

use foldhash::fast::FixedState;

pub use weights::{Background, TokenWeight, preselected_tokens, token_weights};

/// Minimum length of a token, in characters.
const CHARACTERS_MIN: usize = 2;
/// Maximum length of a token, in characters. Longer ones are identifiers, or text of a script without spaces.
const CHARACTERS_MAX: usize = 40;
/// Maximum number of tokens of a document that are used: a book of 200 pages.
pub const TOKENS_MAX: usize = 100_000;

/// Returns the tokens of `text` in lower case, at most [`TOKENS_MAX`]: runs of letters and digits of any script, which
/// a hyphen may connect (`hot-shoe`). An apostrophe ends a token, so that stop words are recognised in `don't` and
/// `l'image`. Left out are numbers and what is shorter than 2 or longer than 40 characters. Scripts without spaces are
/// not segmented.
pub fn tokens(text: &str) -> impl Iterator<Item = String> {
    text.split(|c| !is_of_token(c))
        .flat_map(|run| run.split("--"))
        .map(|run| run.trim_matches('-'))
        .filter(|run| is_token(run))
        .map(str::to_lowercase)
        .take(TOKENS_MAX)
}

/// Combining accents belong to the letter before them.
fn is_of_token(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || ('\u{300}'..='\u{36f}').contains(&c)
}

fn is_token(run: &str) -> bool {
    let characters = run.chars().take(CHARACTERS_MAX + 1).count();
    (CHARACTERS_MIN..=CHARACTERS_MAX).contains(&characters) && run.chars().any(char::is_alphabetic)
}

/// A language with a list of stop words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Portuguese.
    Portuguese,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 6] =
        [Self::English, Self::German, Self::French, Self::Spanish, Self::Italian, Self::Portuguese];

    /// Returns the ISO 639-1 code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Italian => "it",
            Self::Portuguese => "pt",
        }
    }
}

/// The stop words of some languages: the lists of the NLTK, which contain articles, prepositions, pronouns and
/// auxiliary verbs and no words of subjects.
#[derive(Debug, Clone, Default)]
pub struct StopWords {
    words: HashSet<&'static str, FixedState>,
}

impl StopWords {
    /// Creates the set of the stop words of `languages`.
    pub fn new(languages: &[Language]) -> Self {
        let lists = languages.iter().filter_map(|language| stop_words::lookup(language.code()));
        Self { words: lists.flatten().copied().collect() }
    }

    /// Returns whether a token in lower case is a stop word.
    pub fn contains(&self, token: &str) -> bool {
        self.words.contains(token)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Vec<String> {
        tokens(text).collect()
    }

    #[test]
    fn words_of_any_script_are_tokens_in_lower_case() {
        assert_eq!(of("Größe, ΑΘΗΝΑΣ (Москва)…e\u{301}te\u{301}"), ["größe", "αθηνας", "москва", "e\u{301}te\u{301}"]);
    }

    #[test]
    fn hyphens_connect_and_apostrophes_separate() {
        assert_eq!(
            of("hot-shoe -- don't l’image end- -start a--b two--parts"),
            ["hot-shoe", "don", "image", "end", "start", "two", "parts"]
        );
    }

    #[test]
    fn numbers_alone_and_single_characters_are_left_out() {
        assert_eq!(of("2008 10-12 3.5 a x7 12mp ½ ٣٤"), ["x7", "12mp"]);
    }

    #[test]
    fn forty_characters_are_a_token_and_one_more_are_not() {
        assert_eq!(of(&"é".repeat(40)).len(), 1);
        assert_eq!(of(&"é".repeat(41)).len(), 0);
    }

    #[test]
    fn the_tokens_of_a_document_are_bounded() {
        assert_eq!(of(&"ab ".repeat(TOKENS_MAX + 1)).len(), TOKENS_MAX);
    }

    /// The reference implementation: one character after the other.
    fn one_by_one(text: &str) -> Vec<String> {
        let mut runs = vec![String::new()];
        for c in text.chars() {
            let is_letter = c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c);
            let ends =
                if c == '-' { runs.last().is_some_and(|run| run.is_empty() || run.ends_with('-')) } else { !is_letter };
            if ends { runs.push(String::new()) } else { runs.last_mut().unwrap().push(c) }
        }
        let trimmed = runs.iter().map(|run| run.trim_end_matches('-'));
        let kept = trimmed.filter(|run| (2..=40).contains(&run.chars().count()));
        kept.filter(|run| run.chars().any(char::is_alphabetic)).map(str::to_lowercase).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn tokens_are_those_found_character_by_character(text in "[a-cÄß0-9 .'’-]{0,60}|\\PC{0,60}|[ab-]{30,60}") {
            prop_assert_eq!(of(&text), one_by_one(&text));
        }
    }

    #[test]
    fn each_language_has_its_frequent_words_and_only_those() {
        let frequent = ["the", "und", "avec", "pero", "della", "uma"];
        for (language, word) in Language::ALL.into_iter().zip(frequent) {
            let words = StopWords::new(&[language]);
            assert!(words.contains(word), "{word}");
            assert!(!words.contains("camera") && !words.contains("review"), "{language:?}");
        }
        assert!(!StopWords::new(&[Language::English]).contains("und"));
        assert!(frequent.iter().all(|word| StopWords::new(&Language::ALL).contains(word)));
    }

    #[test]
    fn parts_of_contractions_are_stop_words() {
        let words = StopWords::new(&Language::ALL);
        let parts = ["don't", "couldn't", "l'on", "qu'il"].map(|text| super::tokens(text).collect::<Vec<_>>());
        assert!(parts.iter().flatten().all(|part| words.contains(part)), "{parts:?}");
    }
}
