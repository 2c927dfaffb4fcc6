//! What learning reads of a page besides paths and links: its texts, its class names, its forms.

/// A text that a page shows, without the text: enough to tell what a page repeats from what it alone says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentUnit {
    /// 64-bit hash of the text's words: the same however the page writes it (charset, entities, white space), and on every
    /// platform.
    pub hash: u64,
    /// How many words, separated by white space, the text has; at most 65,535.
    pub words: u16,
    /// Whether it stands in an `a`.
    pub in_anchor: bool,
    /// Whether it stands in a `form`.
    pub in_form: bool,
}

/// Which controls a page has, as far as they tell what a form is for. What stands in a `template` does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FormFacts {
    /// `<input type=password>`: one signs in, two or more register or change a password.
    pub password_fields: u16,
    /// `<textarea>`.
    pub text_areas: u16,
    /// `<form method=post>`.
    pub post_forms: u16,
}
