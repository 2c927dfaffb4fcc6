//! The data of a page that learning uses besides paths and links: its texts, its class names, its forms.

use serde::{Deserialize, Serialize};

/// A run of words of a text that a page shows, without the words themselves: enough to distinguish what a page repeats
/// from what only this page says.
///
/// The cuts in a text depend on its words alone (content-defined chunks, as in Muthitacharoen, Chen, Mazières 2001), so
/// an excerpt or a quotation shares its units with the original text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentUnit {
    /// 64-bit hash of its words, independent of how the page writes them (charset, entities, white space) and of the
    /// platform.
    pub hash: u64,
    /// Number of words, separated by white space.
    pub words: u16,
    /// Number of words of the whole text; at most 65,535.
    pub text_words: u16,
    /// Whether it is inside an `a`.
    pub in_anchor: bool,
    /// Whether it is inside a `form`.
    pub in_form: bool,
}

/// The words that a page shows, in page order, as 32-bit hashes: independent of how the page writes them (charset,
/// entities, white space) and of the platform.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageText {
    #[serde(with = "super::packed_words")]
    words: Vec<u32>,
    runs: Vec<TextRun>,
}

/// A text of a page: words that no element of a block interrupts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TextRun {
    /// Number of words; a longer text is several runs.
    pub words: u16,
    /// Whether it is inside an `a`.
    pub in_anchor: bool,
    /// Whether it is inside a `form`.
    pub in_form: bool,
}

impl PageText {
    /// Creates an empty text with room for so many words in so many texts.
    pub fn with_capacity(words: usize, runs: usize) -> Self {
        Self { words: Vec::with_capacity(words), runs: Vec::with_capacity(runs) }
    }

    /// Appends a text.
    pub fn push(&mut self, words: &[u32], in_anchor: bool, in_form: bool) {
        for part in words.chunks(usize::from(u16::MAX)) {
            self.words.extend_from_slice(part);
            self.runs.push(TextRun { words: part.len() as u16, in_anchor, in_form });
        }
    }

    /// Returns the texts with their words.
    pub fn runs(&self) -> impl Iterator<Item = (TextRun, &[u32])> {
        let mut rest = self.words.as_slice();
        self.runs.iter().map(move |run| {
            let (words, more) = rest.split_at(usize::from(run.words).min(rest.len()));
            rest = more;
            (*run, words)
        })
    }

    /// Returns the number of texts, a long one counted as several.
    pub const fn run_count(&self) -> u32 {
        self.runs.len() as u32
    }

    /// Returns the number of words.
    pub const fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

/// The controls of a page that show the purpose of its forms. The content of a `template` does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FormFacts {
    /// `<input type=password>`: one is a log-in, two or more are a registration or a password change.
    pub password_fields: u16,
    /// `<textarea>`.
    pub text_areas: u16,
    /// `<form method=post>`.
    pub post_forms: u16,
}

/// Maximum number of class names of one page that are listed.
pub const CLASS_TOKENS_MAX: usize = 2_048;

/// The class names that distinguish leaf paths: hashes of those that belong to a site's template, as learned from
/// [`ParsedPage::class_tokens`](super::ParsedPage::class_tokens). Names of single pages must not be among them, or else
/// every page has paths of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassTokens {
    /// In ascending order, each once.
    hashes: Box<[u64]>,
}

impl ClassTokens {
    /// Returns whether the name with the hash `token` is one of them.
    pub fn contains(&self, token: u64) -> bool {
        self.hashes.binary_search(&token).is_ok()
    }

    /// Returns the hashes, in ascending order.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }
}

impl FromIterator<u64> for ClassTokens {
    fn from_iter<T: IntoIterator<Item = u64>>(tokens: T) -> Self {
        let mut hashes: Vec<u64> = tokens.into_iter().collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self { hashes: hashes.into_boxed_slice() }
    }
}

#[cfg(test)]
mod tests {
    use super::ClassTokens;

    #[test]
    fn a_set_of_class_tokens_has_each_once_whatever_the_order() {
        let set: ClassTokens = [7, 1, 7, 3].into_iter().collect();
        assert_eq!(set.hashes(), [1, 3, 7]);
        assert_eq!(set, [3, 7, 1].into_iter().collect());
        assert!(set.contains(3) && !set.contains(2) && !ClassTokens::default().contains(0));
    }
}
