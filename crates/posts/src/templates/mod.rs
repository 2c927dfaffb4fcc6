//! Templates: where the records of a kind of page are, and where their fields are in them. They are learned from
//! several pages of a site at once, because more pages tell better what repeats.

mod corrected;
mod explain;
mod learn;
mod opener;
mod record_fields;
mod sample;
mod single;
mod taught;
mod template;

use crate::anchors::Anchor;
use crate::tree::{NodeIndex, Tree};

pub use corrected::CorrectedFields;
pub use explain::{RecordNodes, TemplatePlace};
use learn::learn_lists;
use opener::Opener;
use record_fields::{FieldNodes, post, worth_of};
use sample::dates_by_place;
pub use sample::{DatePlace, SampleKinds, SamplePage};
use single::learn_singles;
use taught::TaughtTemplate;
use template::Template;
pub use template::TemplateMatch;

/// The templates of a site.
#[derive(Debug, Clone, Default)]
pub struct Templates {
    /// Those of pages with several records, those of the most worth first.
    lists: Vec<Template>,
    /// Those of pages with one post.
    singles: Vec<Opener>,
    /// That of the records whose elements users named.
    taught: Option<TaughtTemplate>,
}

impl Templates {
    /// Learns them from a sample of the pages of a site.
    pub fn learn(sample: &[SamplePage<'_>]) -> Self {
        let (lists, others) = learn_lists(sample);
        Self { lists, singles: learn_singles(sample, others), taught: None }
    }

    /// Learns what the records have in common whose elements users named, on each page of a sample.
    pub fn learn_taught(&mut self, pages: &[(SamplePage<'_>, Vec<NodeIndex>)]) {
        self.taught = TaughtTemplate::learn(pages);
    }

    /// Returns the records of a page in the elements that users named; `None` if they named none of it.
    pub fn extract_taught(&self, tree: &Tree, anchors: &[Anchor], elements: &[NodeIndex]) -> Option<TemplateMatch> {
        let taught = self.taught.as_ref().filter(|_| !elements.is_empty())?;
        Some(taught.extract(tree, anchors, elements))
    }

    /// Returns what the template finds that fits a page best.
    pub fn extract(&self, tree: &Tree, anchors: &[Anchor]) -> TemplateMatch {
        let groups = dates_by_place(tree, anchors);
        let found = self.lists.iter().enumerate().filter_map(|(number, template)| {
            Some(TemplateMatch { template: number, ..template.extract(tree, anchors, &groups)? })
        });
        // The first of equals: that of the most worth on the sample.
        let best = found.reduce(|best, next| if next.worth > best.worth { next } else { best }).unwrap_or_default();
        if best.posts.is_empty() { self.single(tree, anchors) } else { best }
    }

    fn single(&self, tree: &Tree, anchors: &[Anchor]) -> TemplateMatch {
        let found = self.singles.iter().enumerate().filter_map(|(number, single)| {
            let record = single.find(tree, anchors, None)?;
            let fields = FieldNodes::of(&single.fields, tree, &record);
            let (worth, post) = (worth_of(fields.words), post(tree, anchors, &record, &fields));
            let is_post = post.author.is_some() && !post.text.is_empty();
            is_post.then(|| TemplateMatch {
                posts: vec![post],
                records: vec![record],
                worth,
                is_single: true,
                template: number,
                ..TemplateMatch::default()
            })
        });
        found.reduce(|best, next| if next.worth > best.worth { next } else { best }).unwrap_or_default()
    }
}
