//! Where the fields of records were found, which is worked out again from the template when it is asked for.

use super::Templates;
use super::record_fields::{FieldNodes, PostNodes};
use super::sample::{DatePlace, SamplePage, dates_by_place};
use super::template::TemplateMatch;
use crate::anchors::Anchor;
use crate::corrections::Taught;
use crate::fields::Fields;
use crate::segments::Record;
use crate::tree::{NodeIndex, Tree};

/// The nodes of one record that its post was made from.
#[derive(Debug, Clone, Default)]
pub struct RecordNodes {
    /// The element with the name of the author.
    pub author: Option<NodeIndex>,
    /// The element with the date.
    pub date: Option<NodeIndex>,
    /// The elements with the text.
    pub texts: Vec<NodeIndex>,
    /// What of these is no part of the text.
    pub left_out: Vec<NodeIndex>,
    /// The element with the title, such as the link to what the record is about.
    pub title: Option<NodeIndex>,
}

/// The template that a page was read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TemplatePlace {
    /// Where its dates are.
    pub dates: DatePlace,
    /// Its number among the templates of its kind, those of the most worth first.
    pub number: usize,
    /// The number of templates of its kind.
    pub templates: usize,
    /// How many pages of the sample have dates there.
    pub pages: usize,
}

impl Templates {
    /// Returns the nodes of each record that was found on a page.
    pub fn nodes(
        &self,
        tree: &Tree,
        anchors: &[Anchor],
        found: &TemplateMatch,
        taught: Option<&Taught>,
    ) -> Vec<RecordNodes> {
        let nodes = |record: &Record| {
            let fields = self.fields_of(tree, anchors, found, record)?;
            let of_record = match taught {
                Some(taught) => FieldNodes::corrected(fields, tree, anchors, record, taught),
                None => FieldNodes::of(fields, tree, record),
            };
            Some(RecordNodes::of(tree, anchors, record, &of_record))
        };
        found.records.iter().map(|record| nodes(record).unwrap_or_default()).collect()
    }

    /// Returns the template that found these records; `None` if there are none.
    pub fn place(&self, found: &TemplateMatch, sample: &[SamplePage<'_>]) -> Option<TemplatePlace> {
        if found.records.is_empty() || found.is_taught {
            return None;
        }
        let number = found.template;
        let (dates, templates) = if found.is_single {
            (self.singles.get(number)?.dates, self.singles.len())
        } else {
            (self.lists.get(number)?.dates, self.lists.len())
        };
        let has_dates = |page: &&SamplePage<'_>| dates_by_place(page.tree, page.anchors).contains_key(&dates);
        Some(TemplatePlace { dates, number, templates, pages: sample.iter().filter(has_dates).count() })
    }

    /// Returns the number of templates, of both kinds.
    pub fn len(&self) -> usize {
        self.lists.len() + self.singles.len()
    }

    /// Returns the places of the fields of a record: those of the opening post if its date is where that of one is.
    pub(super) fn fields_of(
        &self,
        tree: &Tree,
        anchors: &[Anchor],
        found: &TemplateMatch,
        record: &Record,
    ) -> Option<&Fields> {
        if found.is_taught {
            return self.taught.as_ref().map(|taught| &taught.fields);
        }
        if found.is_single {
            return self.singles.get(found.template).map(|single| &single.fields);
        }
        let template = self.lists.get(found.template)?;
        if record.is_inner {
            return template.inner.as_deref().map(|inner| &inner.fields);
        }
        let places = record.anchor.map(|anchor| DatePlace::of(tree, anchors[anchor].node));
        let is_opener = places.is_some_and(|places| !places.contains(&template.dates));
        let opener = template.opener.as_ref().filter(|_| is_opener).map(|opener| &opener.fields);
        Some(opener.unwrap_or(&template.fields))
    }
}

impl RecordNodes {
    fn of(tree: &Tree, anchors: &[Anchor], record: &Record, found: &FieldNodes) -> Self {
        let PostNodes { author, line, texts } = PostNodes::of(tree, anchors, record, found);
        let date = record.anchor.map(|anchor| anchors[anchor].node);
        let is_in_text = |node: &NodeIndex| texts.iter().any(|text| tree.range(*text).contains(node));
        let mut left_out: Vec<NodeIndex> = found.asides.iter().copied().filter(is_in_text).collect();
        left_out.sort_unstable();
        // The name may be in the line with the date.
        let author = author.or_else(|| date.filter(|_| line.is_some()));
        Self { author, date, texts, left_out, title: found.title.or(found.target) }
    }
}
