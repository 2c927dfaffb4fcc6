//! Validators by a regular expression.

use std::fmt;

use regex::{Error, Regex, RegexBuilder};

use crate::{InvalidWant, PageView, Validator};

/// Maximum memory of a compiled regular expression, in bytes; the same again for the cache of its automaton.
const PATTERN_MEMORY_MAX: usize = 1 << 20;

/// What a regular expression is applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The text that the page shows, with its white space collapsed; each block is a line. The first MiB.
    Text,
    /// The source of the page.
    Source,
}

/// Accepts pages in which a regular expression matches anywhere.
#[derive(Debug, Clone)]
pub struct Pattern {
    over: Over,
    regex: Regex,
}

impl Pattern {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// The expression is malformed, empty, or compiles to more than 1 MiB.
    pub fn new(over: Over, expression: &str) -> Result<Self, InvalidWant> {
        if expression.is_empty() {
            return Err(InvalidWant::Pattern("the expression is empty".to_owned()));
        }
        let mut builder = RegexBuilder::new(expression);
        let built = builder.size_limit(PATTERN_MEMORY_MAX).dfa_size_limit(PATTERN_MEMORY_MAX).build();
        built.map(|regex| Self { over, regex }).map_err(|error| InvalidWant::Pattern(problem(&error)))
    }
}

fn problem(error: &Error) -> String {
    match error {
        Error::CompiledTooBig(limit) => format!("the expression compiles to more than {limit} bytes; simplify it"),
        error => error.to_string(),
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.over == other.over && self.regex.as_str() == other.regex.as_str()
    }
}

impl Eq for Pattern {}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.over {
            Over::Text => "regex",
            Over::Source => "regex-html",
        };
        write!(f, "{kind}:{}", self.regex)
    }
}

impl Validator for Pattern {
    fn accepts(&self, page: &PageView<'_>) -> Option<bool> {
        let text = match self.over {
            Over::Text => page.visible_text()?,
            Over::Source => page.source()?,
        };
        Some(self.regex.is_match(text))
    }

    fn name(&self) -> String {
        self.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(over: Over, expression: &str, page: &str) -> Option<bool> {
        Pattern::new(over, expression).unwrap().accepts(&PageView::new("http://a/", page.as_bytes()))
    }

    #[test]
    fn an_expression_matches_the_text_shown_or_the_source() {
        let page = "<p class=price>Price:\n <b>12</b> EUR</p><script>var secret</script>";
        assert_eq!(accepts(Over::Text, r"Price: \d+ EUR", page), Some(true));
        assert_eq!(accepts(Over::Text, "(?i)price: 12 eur$", page), Some(true));
        assert_eq!(accepts(Over::Text, "secret|class", page), Some(false));
        assert_eq!(accepts(Over::Source, "class=price", page), Some(true));
        assert_eq!(accepts(Over::Source, r"Price: \d+ EUR", page), Some(false));
    }

    #[test]
    fn a_page_that_is_not_html_cannot_be_decided() {
        let page = PageView::new("http://a/", b"text").with_content_type(Some("image/png"));
        assert_eq!(Pattern::new(Over::Source, "text").unwrap().accepts(&page), None);
    }

    #[test]
    fn expressions_are_bounded() {
        let error = |expression| Pattern::new(Over::Text, expression).unwrap_err().to_string();
        assert!(error("").contains("empty"));
        assert!(error("(a").contains("unclosed group"), "{}", error("(a"));
        assert!(error(r"\w{1000}{100}").contains("more than 1048576 bytes"));
    }
}
