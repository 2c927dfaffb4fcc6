//! Several validators, all of which must accept; and whether they accept the examples of what is wanted.

use std::fmt;

use crate::{PageView, Validator};

/// Maximum number of examples that a message names.
const NAMED_MAX: usize = 5;

/// A validator does not accept all examples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleError {
    /// The name of the validator.
    pub validator: String,
    /// The URLs of the examples that it rejects, in their order.
    pub rejected: Vec<String>,
    /// The URLs of the examples about which it cannot tell, in their order.
    pub undecided: Vec<String>,
    /// The number of all examples.
    pub examples: usize,
}

/// Checks that a validator accepts all examples: one that rejects an example would reject all pages like it.
///
/// # Errors
///
/// Examples are rejected, or the validator cannot tell.
pub fn check_examples(validator: &dyn Validator, examples: &[PageView<'_>]) -> Result<(), ExampleError> {
    let (mut rejected, mut undecided) = (Vec::new(), Vec::new());
    for page in examples {
        match validator.accepts(page) {
            Some(true) => {}
            Some(false) => rejected.push(page.url.to_owned()),
            None => undecided.push(page.url.to_owned()),
        }
    }
    if rejected.is_empty() && undecided.is_empty() {
        return Ok(());
    }
    Err(ExampleError { validator: validator.name(), rejected, undecided, examples: examples.len() })
}

impl fmt::Display for ExampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = self.rejected.len() + self.undecided.len();
        write!(f, "`{}` does not accept {failed} of {} examples", self.validator, self.examples)?;
        let mut before = ": ";
        for (urls, what) in [(&self.rejected, "rejected"), (&self.undecided, "not readable or not HTML")] {
            if !urls.is_empty() {
                let more = if urls.len() > NAMED_MAX {
                    format!(" and {} more", urls.len() - NAMED_MAX)
                } else {
                    String::new()
                };
                let named = urls.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(" ");
                write!(f, "{before}{what}: {named}{more}")?;
                before = "; ";
            }
        }
        Ok(())
    }
}

impl std::error::Error for ExampleError {}

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
    use crate::Want;

    fn check(urls: &[(&str, &[u8], &str)]) -> Result<(), String> {
        let pages: Vec<PageView<'_>> =
            urls.iter().map(|(url, body, kind)| PageView::new(url, body).with_content_type(Some(kind))).collect();
        let validator =
            "selector:h1".parse::<Want>().unwrap().validator(&[], jiff::civil::DateTime::MAX).unwrap().unwrap();
        check_examples(&*validator, &pages).map_err(|error| error.to_string())
    }

    #[test]
    fn examples_that_fail_are_named() {
        let good = ("http://a/1", b"<h1>x</h1>" as &[u8], "text/html");
        let bad = ("http://a/2", b"<h2>x</h2>" as &[u8], "text/html");
        let image = ("http://a/3", b"<h1>" as &[u8], "image/png");
        assert_eq!(check(&[good, good]), Ok(()));
        assert_eq!(check(&[]), Ok(()));
        let error = check(&[good, bad, image]).unwrap_err();
        let expected = "`selector:h1` does not accept 2 of 3 examples: rejected: http://a/2; not readable or not HTML: \
            http://a/3";
        assert_eq!(error, expected);
        let error = check(&[bad; NAMED_MAX + 2]).unwrap_err();
        assert!(error.ends_with("http://a/2 http://a/2 and 2 more"), "{error}");
    }

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
