//! An element that can be clicked.

use serde::Deserialize;

use super::harm::is_harmful;

/// Maximum length of a label that is a name of what a click does, in characters. Longer ones are content.
const NAME_MAX: usize = 40;
/// Words of labels that promise more of the same.
const MORE: [&str; 20] = [
    "more",
    "next",
    "show",
    "load",
    "expand",
    "older",
    "newer",
    "all",
    "view",
    "mehr",
    "weitere",
    "plus",
    "suivant",
    "más",
    "siguiente",
    "mais",
    "altri",
    "meer",
    "еще",
    "ещё",
];

/// An element of a page that may react to a click and is no link to another page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Control {
    /// Number of the element in its page. Another element never has it, also if it takes the place of this one.
    pub(crate) id: u64,
    /// Its tag and class names with those of its nearest ancestors, outermost first.
    pub(crate) path: String,
    /// The text that it shows.
    pub(crate) label: String,
    /// What its attributes call it.
    pub(crate) names: String,
}

/// What is to be expected of a control by its look, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Look {
    /// It promises more of the same.
    More,
    /// It is a link, a tab or a button by name.
    Named,
    /// Nothing is known.
    Plain,
}

impl Control {
    /// Returns whether a click may change something on the server or end the visit, by its names.
    pub(super) fn is_harmful(&self) -> bool {
        is_harmful(&self.names) || (self.label.chars().count() <= NAME_MAX && is_harmful(&self.label))
    }

    pub(super) fn look(&self) -> Look {
        let element = self.path.rsplit('/').next().unwrap_or_default();
        let label = self.label.to_lowercase();
        let is_word = |word: &str| MORE.contains(&word);
        let promises = |text: &str| text.split(|symbol: char| !symbol.is_alphanumeric()).any(is_word);
        if promises(&label) || promises(&self.names.to_lowercase()) {
            Look::More
        } else if element.starts_with("a.") || element.contains("tab") || element.contains("link") {
            Look::Named
        } else {
            Look::Plain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(path: &str, label: &str, names: &str) -> Control {
        Control { id: 0, path: path.to_owned(), label: label.to_owned(), names: names.to_owned() }
    }

    #[test]
    fn a_look_is_that_of_the_label_and_the_element() {
        assert_eq!(control("main/button", "Load 20 more", "").look(), Look::More);
        assert_eq!(control("main/a.isso", "", "isso-load-more").look(), Look::More);
        assert_eq!(control("div/a.tab", "Topics", "tab").look(), Look::Named);
        assert_eq!(control("a.tab/div", "Moreover", "").look(), Look::Plain);
    }

    #[test]
    fn the_text_of_content_says_nothing_of_what_a_click_does() {
        assert!(control("div", "Report", "").is_harmful());
        assert!(!control("div", "Report of the committee on the state of the roads", "card").is_harmful());
        assert!(control("div", "Report of the committee on the state of the roads", "delete-card").is_harmful());
    }
}
