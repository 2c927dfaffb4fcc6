//! The texts of a page, each with what it was taken as.

use serde::Serialize;

use super::types::{ExplainedPage, PostPlaces, RecordField};
use crate::parsed_page::Page;
use crate::tree::{NodeIndex, Tree};

/// Maximum number of parts of an outline, and of bytes of their texts.
const PARTS_MAX: usize = 20_000;
const BYTES_MAX: usize = 1 << 20;

/// The texts of a page in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PageOutline {
    /// Texts that follow each other in one block and were taken as the same are one part.
    pub parts: Vec<OutlinePart>,
    /// Whether the page has more.
    pub is_cut: bool,
}

/// A text of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OutlinePart {
    /// The number of the post that it is in, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post: Option<usize>,
    /// What it was taken as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_as: Option<RecordField>,
    /// Whether it begins a block.
    pub begins_line: bool,
    /// The text, with its white space collapsed.
    pub text: String,
}

/// What a node was taken as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Mark {
    post: Option<usize>,
    field: Option<RecordField>,
}

impl ExplainedPage {
    /// Returns the texts of the page that was explained.
    pub fn outline(&self, page: &Page) -> PageOutline {
        page.tree.begin_reading();
        let (tree, marks) = (&page.tree, self.marks(&page.tree));
        let (mut outline, mut bytes, mut block) = (PageOutline::default(), 0, None);
        for node in tree.all().skip(1).filter(|node| tree.name(*node).is_empty()) {
            let text = tree.text(node);
            if outline.parts.len() >= PARTS_MAX || bytes + text.len() > BYTES_MAX {
                outline.is_cut = true;
                break;
            }
            bytes += text.len();
            let begins_line = block.replace(block_of(tree, node)) != block;
            let Mark { post, field } = marks[node];
            match outline.parts.last_mut() {
                Some(last) if !begins_line && last.post == post && last.taken_as == field => {
                    last.text.push(' ');
                    last.text.push_str(&text);
                }
                _ => outline.parts.push(OutlinePart { post, taken_as: field, begins_line, text }),
            }
        }
        outline
    }

    /// Returns what each node was taken as.
    fn marks(&self, tree: &Tree) -> Vec<Mark> {
        let mut marks = vec![Mark::default(); tree.nodes().len()];
        for (number, PostPlaces { nodes, fields, left_out, .. }) in self.posts.iter().enumerate() {
            let post = Some(number + 1);
            let mut mark = |nodes: &[NodeIndex], field| {
                for node in nodes {
                    marks[tree.range(*node)].fill(Mark { post, field });
                }
            };
            mark(nodes, None);
            let of = |field: RecordField| fields.iter().filter(move |place| place.field == field);
            of(RecordField::Text).for_each(|place| mark(&place.nodes, Some(RecordField::Text)));
            mark(left_out, None);
            for field in [RecordField::Title, RecordField::Time, RecordField::Author] {
                // A title may be the beginning of the text.
                let is_own = |place: &&super::types::FieldPlace| {
                    field != RecordField::Title || of(RecordField::Text).all(|text| text.nodes != place.nodes)
                };
                of(field).filter(is_own).for_each(|place| mark(&place.nodes, Some(field)));
            }
        }
        let title = self.thread.iter().filter(|place| place.field == RecordField::Title);
        for node in title.flat_map(|place| &place.nodes) {
            marks[tree.range(*node)].fill(Mark { post: None, field: Some(RecordField::Title) });
        }
        marks
    }
}

/// Returns the innermost element around a text that is no part of a line.
fn block_of(tree: &Tree, node: NodeIndex) -> NodeIndex {
    tree.upwards(node).skip(1).find(|above| !tree.is_inline(*above)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::extractor::Extractor;

    #[test]
    fn texts_are_told_with_what_they_were_taken_as() {
        let post = |name: &str, day: u32, text: &str| {
            format!(
                "<li><a class=user href=/u/{name}>{name}</a> <time>{day} Apr 2020</time><p class=body>{text}</p>reply</li>"
            )
        };
        let source = format!(
            "<h1>A lens</h1><ul>{}{}</ul>some <b>more</b>",
            post("ann", 3, "how do I clean an old lens"),
            post("bob", 4, "with a soft brush and patience")
        );
        let page =
            Page::parse(&"http://h.test/1".parse().unwrap(), &source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap();
        let outline = Extractor::default().explain(&page).outline(&page);
        let part = |post, taken_as, begins_line, text: &str| OutlinePart {
            post,
            taken_as,
            begins_line,
            text: text.to_owned(),
        };
        use RecordField::{Author, Text, Time, Title};
        let wanted = [
            part(None, Some(Title), true, "A lens"),
            part(Some(1), Some(Author), true, "ann"),
            part(Some(1), Some(Time), false, "3 Apr 2020"),
            part(Some(1), Some(Text), true, "how do I clean an old lens"),
            part(Some(1), None, true, "reply"),
            part(Some(2), Some(Author), true, "bob"),
        ];
        assert_eq!(outline.parts[..wanted.len()], wanted);
        assert_eq!(outline.parts.last(), Some(&part(None, None, true, "some more")));
        assert!(!outline.is_cut);
    }

    #[test]
    fn the_outline_of_any_page_is_bounded() {
        let page = Page::parse(
            &"http://h.test/1".parse().unwrap(),
            &"<p>a<p>b".repeat(PARTS_MAX),
            date(2020, 4, 25).at(12, 0, 0, 0),
        );
        let page = page.unwrap();
        let outline = Extractor::default().explain(&page).outline(&page);
        assert_eq!((outline.parts.len(), outline.is_cut), (PARTS_MAX, true));
    }
}
