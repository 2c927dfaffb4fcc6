//! Several validators, all of which must accept.

use crate::{PageView, Validator};

/// Accepts a page if all of several validators do. Without validators it accepts every page.
#[derive(Default)]
pub struct All(pub Vec<Box<dyn Validator>>);

impl Validator for All {
    /// One rejection decides; otherwise, one that cannot tell does (the conjunction of Kleene's logic).
    fn accepts(&self, page: &PageView<'_>) -> Option<bool> {
        let mut known = true;
        for validator in &self.0 {
            match validator.accepts(page) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => known = false,
            }
        }
        known.then_some(true)
    }

    fn name(&self) -> String {
        self.0.iter().map(|validator| validator.name()).collect::<Vec<_>>().join(" and ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(Option<bool>);

    impl Validator for Fixed {
        fn accepts(&self, _: &PageView<'_>) -> Option<bool> {
            self.0
        }

        fn name(&self) -> String {
            format!("{:?}", self.0)
        }
    }

    fn all(answers: &[Option<bool>]) -> All {
        All(answers.iter().map(|answer| Box::new(Fixed(*answer)) as Box<dyn Validator>).collect())
    }

    #[test]
    fn one_rejection_decides_whatever_the_others_say() {
        let page = PageView::new("http://a/", b"");
        let accepts = |answers: &[Option<bool>]| all(answers).accepts(&page);
        assert_eq!(accepts(&[]), Some(true));
        assert_eq!(accepts(&[Some(true), Some(true)]), Some(true));
        assert_eq!(accepts(&[Some(true), None]), None);
        assert_eq!(accepts(&[None, Some(false)]), Some(false));
        assert_eq!(accepts(&[Some(false), Some(true)]), Some(false));
    }

    #[test]
    fn the_name_lists_all() {
        assert_eq!(all(&[Some(true), None]).name(), "Some(true) and None");
    }
}
