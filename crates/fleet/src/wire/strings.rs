//! Front coding of texts: each is stored without the prefix that it shares with the previous one.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The texts.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Strings<'a> {
    /// The length of the prefix that each text shares with the previous one, in bytes.
    shared: Vec<u32>,
    /// The length of the rest of each text in bytes.
    own: Vec<u32>,
    /// The concatenated rests.
    #[serde(borrow)]
    text: Cow<'a, str>,
}

impl Strings<'_> {
    /// Encodes texts, in their order.
    pub(super) fn of<'b>(texts: impl Iterator<Item = &'b str>) -> Self {
        let (mut strings, mut last) = (Self::default(), "");
        for text in texts {
            let shared = common(last, text);
            strings.shared.push(shared as u32);
            strings.own.push((text.len() - shared) as u32);
            strings.text.to_mut().push_str(&text[shared..]);
            last = text;
        }
        strings
    }

    /// Returns the number of texts.
    pub(super) fn len(&self) -> usize {
        self.own.len()
    }

    /// Decodes the texts, or returns `None` if the columns are inconsistent or the texts exceed what is left of
    /// `budget` bytes: a text that equals the previous one takes two bytes, however long it is.
    pub(super) fn read(&self, budget: &mut usize) -> Option<Vec<String>> {
        let mut rest = &*self.text;
        let mut texts: Vec<String> = Vec::with_capacity(self.own.len());
        if self.shared.len() != self.own.len() {
            return None;
        }
        for (shared, own) in self.shared.iter().zip(&self.own) {
            let (own, after) = rest.split_at_checked(*own as usize)?;
            let before = texts.last().map_or("", String::as_str).get(..*shared as usize)?;
            *budget = budget.checked_sub(before.len() + own.len())?;
            texts.push([before, own].concat());
            rest = after;
        }
        rest.is_empty().then_some(texts)
    }
}

/// Returns the length of the common prefix of two texts in bytes, whole characters only.
fn common(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    (0..=same).rev().find(|at| other.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn again(texts: &[&str], budget: usize) -> Option<Vec<String>> {
        let bytes = postcard::to_allocvec(&Strings::of(texts.iter().copied())).unwrap();
        let strings: Strings<'_> = postcard::from_bytes(&bytes).unwrap();
        strings.read(&mut { budget })
    }

    #[test]
    fn characters_are_not_cut() {
        let texts = ["/zä", "/zö", "", "/zö", "/zö"];
        assert_eq!(again(&texts, 100).unwrap(), texts);
    }

    #[test]
    fn texts_stay_within_the_budget() {
        let texts = ["0123456789"; 10];
        assert!(again(&texts, 100).is_some());
        assert!(again(&texts, 99).is_none());
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let strings = |shared: &[u32], own: &[u32], text: &'static str| Strings {
            shared: shared.to_vec(),
            own: own.to_vec(),
            text: Cow::from(text),
        };
        for (shared, own, text) in [
            (&[1_u32][..], &[1_u32][..], "a"),
            (&[0], &[2], "a"),
            (&[0], &[0], "a"),
            (&[0, 0], &[1], "a"),
            (&[0], &[1], "ä"),
            (&[0, 1], &[2, 0], "ä"),
        ] {
            assert!(strings(shared, own, text).read(&mut 100).is_none(), "{shared:?} {own:?} {text}");
        }
    }

    proptest! {
        #[test]
        fn any_texts_come_back(texts in prop::collection::vec("[abä]{0,5}", 0..20)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            prop_assert_eq!(again(&texts, 1_000).unwrap(), texts);
        }
    }
}
