//! Why a value of `--want` is malformed.

/// A value of `--want` is malformed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWant {
    /// There is no such kind.
    #[error(
        "`{0}` is none of `like`, `regex:PATTERN`, `regex-html:PATTERN`, `selector:CSS`, `schema:TYPE`, \
         `table:HEADING,HEADING…`, `posts:NUMBER` and `words`"
    )]
    Kind(String),
    /// The regular expression is malformed or too large.
    #[error("not a regular expression as in `regex:Price: \\d+`: {0}")]
    Pattern(String),
    /// The selector is malformed.
    #[error("`{0}` is not a CSS selector for a static page as in `selector:article.post > h1`")]
    Selector(String),
    /// The type is not a name.
    #[error("`{0}` is not a schema.org type as in `schema:Product` or `schema:https://schema.org/Product`")]
    Schema(String),
    /// A heading is empty or too long, or there are too many.
    #[error("`{0}` is not a list of up to 32 headings of 1 to 256 bytes as in `table:weight,sensor type`")]
    Table(String),
    /// The number or the date is none.
    #[error("`{0}` is not a number of posts from 1 to 10,000 as in `posts:20` or `posts:20,since=2026-01-31`")]
    Posts(String),
    /// The threshold is no likeness.
    #[error("`{0}` is not a likeness from 0 to 1 as in `words:0.3`; without one, `words` learns it from the examples")]
    Threshold(String),
    /// There is too little to learn from.
    #[error(
        "`words` learns from at least 2 example pages in files, each with text of its own: {examples} given, {usable} of \
         them usable"
    )]
    Words {
        /// The number of examples at hand.
        examples: usize,
        /// The number of those with text of their own.
        usable: usize,
    },
}
