//! What a correction changes on the page that it is tried on.

use harvestman_posts::{Correction, ExplainedPage, NodeIndex, Page, PagePost, RecordField, TaughtField};

use super::fields::{name, value};
use crate::cli::posts::reasons::counted;

/// Number of characters of a value that are shown.
const VALUE_SHOWN: usize = 40;

/// A page before and after a correction.
pub(super) struct Effect<'e> {
    pub page: &'e Page,
    pub correction: &'e Correction,
    /// The elements that it matches.
    pub elements: &'e [NodeIndex],
    pub before: &'e ExplainedPage,
    pub after: &'e ExplainedPage,
}

impl Effect<'_> {
    /// Tells what changes, or why the correction is of no use.
    pub fn told(&self) -> Result<String, String> {
        let Correction { field, path, is_wrong, .. } = self.correction;
        let count = self.elements.len();
        if count == 0 {
            return Err(format!("`{path}` matches no element of the page"));
        }
        let (before, after) = (&self.before.records.posts, &self.after.records.posts);
        let matched = format!("`{path}` matches {}", counted(count, "element"));
        if *field == TaughtField::Record || (*field == TaughtField::Time && *is_wrong) {
            if after.is_empty() && !before.is_empty() {
                return Err(format!("{matched}, but then none of the {} is left", counted(before.len(), "post")));
            }
            return Ok(format!("{matched}; {}, {} before", counted(after.len(), "post"), before.len()));
        }
        let inside = self.posts_with_match();
        if inside == 0 {
            let what = "teach first where whole posts are, with --field record";
            return Err(format!("{matched}, but none of them is in one of {}: {what}", counted(after.len(), "post")));
        }
        if *field == TaughtField::Time && !*is_wrong && !self.has_taught_time() {
            let text = self.elements.first().map(|node| self.page.tree.text(*node)).unwrap_or_default();
            return Err(format!("{matched}, but no date can be read in `{}`", shortened(&text)));
        }
        Ok(format!("{matched} in {inside} of {}; {}", counted(after.len(), "post"), changes(before, after, *field)))
    }

    fn posts_with_match(&self) -> usize {
        let tree = &self.page.tree;
        let has = |nodes: &Vec<NodeIndex>| {
            nodes.iter().any(|part| self.elements.iter().any(|element| tree.range(*part).contains(element)))
        };
        self.after.posts.iter().filter(|post| has(&post.nodes)).count()
    }

    /// Whether the time of a post is from one of the elements, or a part of one.
    fn has_taught_time(&self) -> bool {
        let tree = &self.page.tree;
        let is_one = |node: &NodeIndex| {
            self.elements
                .iter()
                .any(|element| tree.range(*element).contains(node) || tree.range(*node).contains(element))
        };
        let times = self.after.posts.iter().flat_map(|post| &post.fields);
        times.filter(|place| place.field == RecordField::Time).flat_map(|place| &place.nodes).any(is_one)
    }
}

fn changes(before: &[PagePost], after: &[PagePost], field: TaughtField) -> String {
    if before.len() != after.len() {
        return format!("{}, {} before", counted(after.len(), "post"), before.len());
    }
    let values = before.iter().zip(after).map(|(one, two)| (value(one, field), value(two, field)));
    let changed: Vec<_> = values.filter(|(one, two)| one != two).collect();
    let words = |value: &str| match field {
        TaughtField::Text => format!(" ({})", counted(value.split_whitespace().count(), "word")),
        _ => String::new(),
    };
    let shown = |value: Option<&str>| {
        value.map_or_else(|| "nothing".to_owned(), |value| format!("`{}`{}", shortened(value), words(value)))
    };
    match changed.first() {
        None => format!("no {} changes: it was taken from there already", name(field)),
        Some((one, two)) => {
            let count = counted(changed.len(), "post");
            format!("the {} of {count} changes, such as {} to {}", name(field), shown(*one), shown(*two))
        }
    }
}

fn shortened(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    match text.char_indices().nth(VALUE_SHOWN) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
