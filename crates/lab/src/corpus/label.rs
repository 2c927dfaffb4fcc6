//! The label of a URL: what a recording knows about its page.

use std::sync::Arc;

use serde::Deserialize;

/// Maximum number of tags of a page; further ones are left out.
pub const TAGS_MAX: usize = 64;
/// Maximum number of characters of a tag or of the name of an author; the rest is cut off.
pub const TEXT_CHARS_MAX: usize = 200;
/// The text between tags in a file; no tag contains it.
pub(crate) const TAG_SEPARATOR: &str = "|";

/// The truth about a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Label {
    /// The template of its page, for example `forum:thread`.
    pub page_type: Arc<str>,
    /// Whether it shows user-created content.
    pub is_ucc: bool,
    /// Whether it is another address or another order of a page that has an address of its own.
    pub is_duplicate_view: bool,
    /// The part that its page plays on a site whose members publish items.
    pub role: Role,
    /// The name of the member who published the item, or whose profile it is; never empty.
    pub author: Option<Box<str>>,
    /// Set by [`with_tags`](Self::with_tags).
    pub(crate) tags: Box<[Box<str>]>,
}

/// The part that a page plays on a site whose members publish items: questions, posts, pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Links to items of any tag.
    List,
    /// Shows one item with its tags and its author.
    Detail,
    /// Shows a member.
    Profile,
    /// Links to the items of one tag.
    Tag,
    /// Any other page, or unknown.
    #[default]
    Other,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 5] = [Self::List, Self::Detail, Self::Profile, Self::Tag, Self::Other];

    /// Returns the name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Detail => "detail",
            Self::Profile => "profile",
            Self::Tag => "tag",
            Self::Other => "other",
        }
    }

    /// Returns the role with this name; that of the empty name is [`Other`](Self::Other).
    pub fn of_name(name: &str) -> Option<Self> {
        if name.is_empty() { Some(Self::Other) } else { Self::ALL.into_iter().find(|role| role.name() == name) }
    }
}

impl Label {
    /// Returns the label with these tags: in lower case, without white space around them, empty ones and duplicates,
    /// in the order of their first occurrence, [`TAGS_MAX`] at most.
    #[must_use]
    pub fn with_tags<'a>(self, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut tags: Vec<Box<str>> = Vec::new();
        for text in texts {
            let tag = one_line(&text.to_lowercase().replace(TAG_SEPARATOR, " "));
            if tags.len() < TAGS_MAX && !tag.is_empty() && !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        Self { tags: tags.into(), ..self }
    }

    /// Returns the label with this author; a name without characters is none.
    #[must_use]
    pub fn with_author(self, name: &str) -> Self {
        Self { author: Some(one_line(name)).filter(|name| !name.is_empty()), ..self }
    }

    /// Returns the tags of the item: in lower case, without duplicates, in the order of the page.
    pub const fn tags(&self) -> &[Box<str>] {
        &self.tags
    }
}

/// Returns the words of `text` with single spaces between them, [`TEXT_CHARS_MAX`] characters at most.
fn one_line(text: &str) -> Box<str> {
    let words: Vec<_> = text.split_whitespace().collect();
    let cut: String = words.join(" ").chars().take(TEXT_CHARS_MAX).collect();
    cut.trim_end().into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn tags(texts: &[&str]) -> Vec<String> {
        Label::default().with_tags(texts.iter().copied()).tags().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn tags_are_lower_case_trimmed_and_without_duplicates() {
        assert_eq!(tags(&[" Night\n Sky ", "night sky", "", "a|B", "Ärger"]), ["night sky", "a b", "ärger"]);
        let many: Vec<_> = (0..100).map(|number| number.to_string()).collect();
        assert_eq!(tags(&many.iter().map(String::as_str).collect::<Vec<_>>()).len(), TAGS_MAX);
        assert_eq!(tags(&[&"x".repeat(999)])[0].len(), TEXT_CHARS_MAX);
    }

    #[test]
    fn an_author_keeps_its_spelling_and_is_never_empty() {
        assert_eq!(Label::default().with_author(" Ada\n  B. ").author.as_deref(), Some("Ada B."));
        assert_eq!(Label::default().with_author(" \n").author, None);
    }

    #[test]
    fn roles_are_read_by_the_names_that_they_are_written_with() {
        for role in Role::ALL {
            assert_eq!(Role::of_name(role.name()), Some(role));
        }
        assert_eq!((Role::of_name(""), Role::of_name("Detail")), (Some(Role::Other), None));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn tags_of_any_texts_can_be_joined_and_split_again(texts in prop::collection::vec("\\PC{0,12}", 0..80)) {
            let label = Label::default().with_tags(texts.iter().map(String::as_str));
            let again = Label::default().with_tags(label.tags().join(TAG_SEPARATOR).split(TAG_SEPARATOR));
            prop_assert_eq!(&again, &label);
            let distinct: BTreeSet<_> = label.tags().iter().collect();
            prop_assert_eq!(distinct.len(), label.tags().len());
            prop_assert!(label.tags().len() <= TAGS_MAX);
        }
    }
}
