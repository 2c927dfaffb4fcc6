//! Records whose elements users named: nothing about them is learned but their fields.

use url::Url;

use super::record_fields::{FieldNodes, post};
use super::sample::SamplePage;
use super::template::TemplateMatch;
use crate::anchors::Anchor;
use crate::details::IdRules;
use crate::fields::{Fields, PageParts, Places};
use crate::maps::HashSet;
use crate::segments::Record;
use crate::tree::{NodeIndex, Tree};

/// What is in the same place of all records.
#[derive(Debug, Clone, Default)]
pub struct TaughtTemplate {
    /// Where their fields are.
    pub fields: Fields,
    /// What tells them apart.
    ids: IdRules,
}

impl TaughtTemplate {
    /// Learns from the records of some pages, of each of which the elements are given; `None` if there are none.
    pub fn learn(pages: &[(SamplePage<'_>, Vec<NodeIndex>)]) -> Option<Self> {
        let with_records = || pages.iter().filter(|(_, elements)| !elements.is_empty());
        let parts = with_records().map(|(page, elements)| PageParts {
            tree: page.tree,
            dates: page.anchors.iter().map(|anchor| anchor.node).collect(),
            records: records(page.tree, page.anchors, elements),
        });
        let parts: Vec<PageParts<'_>> = parts.collect();
        let urls: Vec<&Url> = with_records().map(|(page, _)| page.url).collect();
        let anchors: Vec<&[Anchor]> = with_records().map(|(page, _)| page.anchors).collect();
        let (fields, _) = Places::of(&parts).fields();
        // The links in records are not those of a list.
        let fields = Fields { target: None, ..fields };
        (!parts.is_empty()).then(|| Self { ids: IdRules::learn(&parts, &urls, &anchors), fields })
    }

    /// Returns the records in these elements.
    pub fn extract(&self, tree: &Tree, anchors: &[Anchor], elements: &[NodeIndex]) -> TemplateMatch {
        let records = records(tree, anchors, elements);
        let of_record = |record: &Record| post(tree, anchors, record, &FieldNodes::of(&self.fields, tree, record));
        let posts = records.iter().map(of_record).collect();
        TemplateMatch { posts, records, ids: self.ids.clone(), is_taught: true, ..TemplateMatch::default() }
    }
}

/// Returns the records in elements that are in document order. One with others in it has only those of its children
/// that have none.
fn records(tree: &Tree, anchors: &[Anchor], elements: &[NodeIndex]) -> Vec<Record> {
    let around: HashSet<NodeIndex> = elements.iter().flat_map(|node| tree.upwards(*node)).collect();
    let record = |(number, element): (usize, &NodeIndex)| {
        let has_others = elements.get(number + 1).is_some_and(|next| tree.range(*element).contains(next));
        let parts: Vec<NodeIndex> = if has_others {
            tree.children(*element).filter(|child| !around.contains(child)).collect()
        } else {
            vec![*element]
        };
        let first = parts.first()?;
        let from = anchors.partition_point(|anchor| anchor.node < *first);
        let inside = anchors[from..].iter().take_while(|anchor| anchor.node < tree.node(*element).end);
        let is_own = |anchor: &Anchor| parts.iter().any(|part| tree.range(*part).contains(&anchor.node));
        let anchor = inside.enumerate().find(|(_, anchor)| is_own(anchor)).map(|(at, _)| from + at);
        Some(Record::new(anchor, parts))
    };
    elements.iter().enumerate().filter_map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_within_others_are_apart() {
        let tree = Tree::parse("<li><p>a</p><ul><li><b>b</b></li></ul><i>c</i></li><li>d</li>").unwrap();
        let find = |name: &str| -> Vec<NodeIndex> { tree.all().filter(|node| tree.name(*node) == name).collect() };
        let records = records(&tree, &[], &find("li"));
        let texts = records.iter().map(|record| record.parts.iter().map(|part| tree.text(*part)).collect::<Vec<_>>());
        assert_eq!(texts.collect::<Vec<_>>(), [vec!["a", "c"], vec!["b"], vec!["d"]]);
    }
}
