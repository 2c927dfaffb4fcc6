//! What corrections change in the records of a page.

use super::Templates;
use super::record_fields::{FieldNodes, post};
use super::template::TemplateMatch;
use crate::anchors::Anchor;
use crate::corrections::{Taught, TaughtField};
use crate::fields::Fields;
use crate::records::PagePost;
use crate::segments::Record;
use crate::tree::{NodeIndex, Tree};

/// Which fields of a record are as corrections have them, so that nothing else counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CorrectedFields {
    /// Those that an element was named for.
    right: Vec<TaughtField>,
    /// The texts of the elements that are not its author.
    wrong_authors: Vec<String>,
}

impl CorrectedFields {
    /// Sets the fields of a post that are corrected as the template has them.
    pub fn set(&self, post: &mut PagePost, of_template: &PagePost) {
        for field in &self.right {
            match field {
                TaughtField::Author => {
                    (post.author, post.author_url) = (of_template.author.clone(), of_template.author_url.clone());
                }
                TaughtField::Time => post.date.clone_from(&of_template.date),
                TaughtField::Text => {
                    (post.text, post.html) = (of_template.text.clone(), of_template.html.clone());
                    post.is_excerpt = of_template.is_excerpt;
                }
                TaughtField::Title => post.title.clone_from(&of_template.title),
                TaughtField::Record => {}
            }
        }
        if post.author.as_ref().is_some_and(|author| self.wrong_authors.contains(author)) {
            (post.author, post.author_url) = (of_template.author.clone(), of_template.author_url.clone());
        }
    }
}

impl Templates {
    /// Corrects the posts of a page. Returns what was corrected of each.
    pub fn correct(
        &self,
        tree: &Tree,
        anchors: &[Anchor],
        found: &mut TemplateMatch,
        taught: &Taught,
    ) -> Vec<CorrectedFields> {
        drop_wrong_records(tree, found, taught);
        let fields = found.records.iter().map(|record| self.fields_of(tree, anchors, found, record).cloned());
        let fields: Vec<Fields> = fields.map(Option::unwrap_or_default).collect();
        let mut corrected = Vec::new();
        for ((post, record), fields) in found.posts.iter_mut().zip(&mut found.records).zip(&fields) {
            record.anchor = taught.time_of(tree, record, anchors).or(record.anchor);
            let of_record = FieldNodes::corrected(fields, tree, anchors, record, taught);
            *post = self::post(tree, anchors, record, &of_record);
            corrected.push(corrected_fields(tree, record, taught));
        }
        corrected
    }
}

/// Drops the records that are said to be none.
fn drop_wrong_records(tree: &Tree, found: &mut TemplateMatch, taught: &Taught) {
    let is_wrong = |record: &Record| {
        record.parts.iter().any(|part| {
            let wrong = taught.wrong(TaughtField::Record);
            tree.upwards(*part).any(|above| wrong.binary_search(&above).is_ok())
        })
    };
    let stays: Vec<bool> = found.records.iter().map(|record| !is_wrong(record)).collect();
    found.keep(&stays);
}

fn corrected_fields(tree: &Tree, record: &Record, taught: &Taught) -> CorrectedFields {
    let fields = [TaughtField::Author, TaughtField::Time, TaughtField::Text, TaughtField::Title];
    let is_named = |field: &TaughtField| !taught.right_in(tree, record, *field).is_empty();
    let wrong = record.nodes(tree).map(|(node, _)| node);
    let wrong = wrong.filter(|node| taught.wrong(TaughtField::Author).binary_search(node).is_ok());
    CorrectedFields {
        right: fields.into_iter().filter(is_named).collect(),
        wrong_authors: wrong.map(|node| tree.text(node)).collect(),
    }
}

impl FieldNodes {
    /// Finds the fields of a record: where corrections name elements, these.
    pub fn corrected(fields: &Fields, tree: &Tree, anchors: &[Anchor], record: &Record, taught: &Taught) -> Self {
        let mut found = Self::of(fields, tree, record);
        let is_wrong = |node: NodeIndex, field| taught.is_wrong(tree, node, field);
        found
            .authors
            .iter_mut()
            .for_each(|author| *author = author.filter(|node| !is_wrong(*node, TaughtField::Author)));
        found.target = found.target.filter(|node| !is_wrong(*node, TaughtField::Title));
        found.texts.retain(|node| !is_wrong(*node, TaughtField::Text));
        let named = |field| taught.right_in(tree, record, field);
        if let texts @ [_, ..] = named(TaughtField::Text).as_slice() {
            (found.texts, found.asides) = (texts.to_vec(), Default::default());
        }
        found.asides.extend(taught.wrong(TaughtField::Text));
        found.title = named(TaughtField::Title).first().copied();
        let is_name = |node: &NodeIndex| tree.node(*node).words > 0;
        if let Some(author) = named(TaughtField::Author).into_iter().find(is_name) {
            (found.authors, found.is_author_sure) = (vec![Some(author)], true);
        }
        let line = record.anchor.map(|anchor| anchors[anchor].node);
        found.is_line_wrong = line.is_some_and(|node| is_wrong(node, TaughtField::Author));
        found
    }
}
