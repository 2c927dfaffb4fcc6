//! What learning reads of a page besides paths and links: its texts, its class names, its forms.

use serde::{Deserialize, Serialize};

/// A run of words of a text that a page shows, without the words: enough to tell what a page repeats from what it alone says.
///
/// Where a text is cut depends on its words alone (content-defined chunks, as in Muthitacharoen, Chen, Mazières 2001), so that
/// an excerpt or a quotation shares its units with the text that it is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentUnit {
    /// 64-bit hash of its words: the same however the page writes it (charset, entities, white space), and on every
    /// platform.
    pub hash: u64,
    /// How many words, separated by white space, it has.
    pub words: u16,
    /// How many words the whole text has; at most 65,535.
    pub text_words: u16,
    /// Whether it stands in an `a`.
    pub in_anchor: bool,
    /// Whether it stands in a `form`.
    pub in_form: bool,
}

/// Which controls a page has, as far as they tell what a form is for. What stands in a `template` does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FormFacts {
    /// `<input type=password>`: one signs in, two or more register or change a password.
    pub password_fields: u16,
    /// `<textarea>`.
    pub text_areas: u16,
    /// `<form method=post>`.
    pub post_forms: u16,
}

/// The class names that leaf paths are told apart by: hashes of those that a site's template has, as learnt from what
/// [`ParsedPage::class_tokens`](super::ParsedPage::class_tokens) lists. A name that is a page's own must not be among them,
/// or else every page has paths of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassTokens {
    /// In ascending order, each once.
    hashes: Box<[u64]>,
}

impl ClassTokens {
    /// Whether the name whose hash is `token` is one of them.
    pub fn contains(&self, token: u64) -> bool {
        self.hashes.binary_search(&token).is_ok()
    }

    /// Their hashes, in ascending order.
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
