//! Words too frequent to say anything about a document.

use std::collections::HashSet;

use foldhash::fast::FixedState;

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
    use super::*;

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
        let parts = ["don't", "couldn't", "l'on", "qu'il"].map(|text| super::super::tokens(text).collect::<Vec<_>>());
        assert!(parts.iter().flatten().all(|part| words.contains(part)), "{parts:?}");
    }
}
