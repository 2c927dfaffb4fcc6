//! What is wrong with the posts found on a page, for those who improve the rules.

use super::truth::PostTruth;

/// Number of characters of a text that a flaw shows.
const TEXT_SHOWN: usize = 60;

/// The flaws of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageFlaws {
    /// The address.
    pub url: String,
    /// Number of posts of which it shows the whole.
    pub expected: usize,
    /// Number of posts found, without excerpts.
    pub found: usize,
    /// Number of posts that were not found.
    pub missed: usize,
    /// Number of found posts that are none.
    pub wrong: usize,
    /// Number of fields that are missing or wrong.
    pub fields: usize,
    /// The first flaw.
    pub first: String,
}

/// A field that is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    text: String,
}

impl Flaw {
    /// Creates a flaw from a name, the found value and the true one.
    pub fn of(name: &str, found: Option<&str>, truth: Option<&str>) -> Self {
        let found = found.map_or_else(|| "nothing".to_owned(), |found| format!("`{}`", shortened(found)));
        Self { text: format!("{name} is {found}, not `{}`", shortened(truth.unwrap_or_default())) }
    }
}

impl PageFlaws {
    pub(super) fn new(url: &str, expected: usize) -> Self {
        Self { url: url.to_owned(), expected, ..Self::default() }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.weight() == 0
    }

    /// Returns how bad the page is: a field counts a tenth of a post.
    pub const fn weight(&self) -> usize {
        10 * (self.missed + self.wrong) + self.fields
    }

    pub(super) fn add_missed(&mut self, post: &PostTruth) {
        self.missed += 1;
        self.note(|| format!("post {} is missing: {}", post.id, shortened(&post.text)));
    }

    pub(super) fn add_wrong(&mut self, text: &str) {
        self.wrong += 1;
        self.note(|| format!("this is no post of the page: {}", shortened(text)));
    }

    pub(super) fn add_field(&mut self, is_right: bool, post: &str, flaw: impl FnOnce() -> Flaw) {
        if !is_right {
            self.fields += 1;
            self.note(|| format!("post {post}: {}", flaw().text));
        }
    }

    fn note(&mut self, text: impl FnOnce() -> String) {
        if self.first.is_empty() {
            self.first = text();
        }
    }
}

/// Returns the beginning of a text on one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TEXT_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_flaw_is_told_and_posts_weigh_more_than_fields() {
        let mut page = PageFlaws::new("http://h/", 2);
        page.add_field(true, "1", || Flaw::of("author", None, None));
        assert!(page.is_empty());
        page.add_field(false, "1", || Flaw::of("author", None, Some("Ada")));
        page.add_wrong("Log  in\nto reply");
        assert_eq!((page.weight(), page.first.as_str()), (11, "post 1: author is nothing, not `Ada`"));
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(shortened(&"é".repeat(99)).chars().count(), TEXT_SHOWN + 1);
        assert_eq!(Flaw::of("time", Some("a\n b"), Some("c")).text, "time is `a b`, not `c`");
    }
}
