//! Whether the pages of a form say things of their own.

use super::content::{AnswerContent, TextSketch};

/// Different texts from which on the pages of a form have texts of their own.
const TEXTS_MIN: usize = 4;

/// The texts of a form's pages. A log-in form says the same at every address that leads to it: it hides nothing if it
/// changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Variety {
    /// Those that were met, [`TEXTS_MIN`] - 1 at most.
    texts: Vec<TextSketch>,
    is_varied: bool,
}

impl Variety {
    /// Returns whether enough different texts were met.
    pub(super) const fn is_varied(&self) -> bool {
        self.is_varied
    }

    /// Takes in what a page shows; `None` if it says too much to be compared. Nothing is left to learn once the texts
    /// are varied.
    pub(super) fn take(&mut self, shown: Option<&AnswerContent>) {
        let Some(sketch) = shown.map(AnswerContent::sketch) else { return self.end() };
        if self.texts.iter().any(|text| text.is_same(&sketch)) {
            return;
        }
        if self.texts.len() + 1 >= TEXTS_MIN {
            return self.end();
        }
        self.texts.push(sketch);
    }

    fn end(&mut self) {
        (self.is_varied, self.texts) = (true, Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::super::PathSet;
    use super::*;

    fn page(words: std::ops::Range<u32>) -> Option<AnswerContent> {
        AnswerContent::from_words(200, PathSet::default(), words.map(|word| word.wrapping_mul(0x9e37_79b1)).collect())
    }

    #[test]
    fn four_different_texts_are_variety_and_one_text_with_another_word_is_none() {
        let mut variety = Variety::default();
        for number in 0..3 {
            variety.take(page(100 * number..100 * number + 50).as_ref());
        }
        assert!(!variety.is_varied());
        variety.take(page(300..350).as_ref());
        assert!(variety.is_varied() && variety.texts.is_empty());

        let mut variety = Variety::default();
        (0..40)
            .for_each(|number| variety.take(page(number..50).filter(|_| number < 2).or_else(|| page(0..50)).as_ref()));
        assert!(!variety.is_varied() && variety.texts.len() == 1);
    }

    #[test]
    fn pages_of_few_words_are_told_by_their_links() {
        let mut variety = Variety::default();
        for number in 0..4 {
            let links: Vec<String> = (0..9).map(|photo| format!("/photo/{}", 9 * number + photo)).collect();
            let page = page(0..3).map(|page| page.leading_to(links.iter().map(String::as_str)));
            variety.take(page.as_ref());
        }
        assert!(variety.is_varied());
    }

    #[test]
    fn a_page_that_says_much_is_variety() {
        let mut variety = Variety::default();
        variety.take(None);
        assert!(variety.is_varied());
    }
}
