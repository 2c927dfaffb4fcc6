//! Explains from which places of a page its records were taken: pure. Extraction itself keeps none of this: it is
//! worked out again for the one page that is asked for.

mod fields;
mod outline;
mod types;

use std::collections::BTreeMap;

use crate::anchors::Anchor;
use crate::combine::PostOrigin;
use crate::corrections::{Taught, TaughtField};
use crate::page_details::SiteRules;
use crate::parsed_page::Page;
use crate::records::PageRecords;
use crate::templates::{DatePlace, RecordNodes, SamplePage, TemplateMatch, TemplatePlace, Templates};

use fields::{MarkupPlaces, PlacedPost};
pub use outline::{OutlinePart, PageOutline};
use types::element_path;
pub use types::{
    Evidence, ExplainedPage, FieldPlace, FieldSource, NoPosts, PlaceExactness, PostPlaces, RecordField, UsedTemplate,
};

/// A page, and what extraction knows to read it by.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'r> {
    /// The page.
    pub page: &'r Page,
    /// Its dates.
    pub anchors: &'r [Anchor],
    /// The templates.
    pub templates: &'r Templates,
    /// What addresses and links of its site mean.
    pub rules: &'r SiteRules,
    /// What they were learned from.
    pub sample: &'r [SamplePage<'r>],
    /// Whether that is the page itself, because nothing else is known of its host.
    pub is_alone: bool,
    /// What users say of it.
    pub taught: Option<&'r Taught>,
}

/// The records of a page.
pub(crate) struct Told {
    /// Those that the template shows.
    pub template: PageRecords,
    /// Those that markup describes.
    pub markup: PageRecords,
    /// Both combined.
    pub both: PageRecords,
    /// Where the posts of both come from.
    pub origins: Vec<PostOrigin>,
}

/// Explains the records of a page, which were made of what the templates find.
pub(crate) fn explain(reading: Reading<'_>, found: &TemplateMatch, told: Told) -> ExplainedPage {
    let Reading { page, anchors, templates, taught, .. } = reading;
    let nodes = templates.nodes(&page.tree, anchors, found, taught);
    let Told { template: records, markup, both: combined, origins } = told;
    let (markup_places, evidence) = (MarkupPlaces::of(page, &markup), evidence(reading, &records, &markup));
    let none = RecordNodes::default();
    let posts = combined.posts.iter().zip(&origins).map(|(post, (one, two))| {
        let ours = one.and_then(|one| Some((found.records.get(one)?, nodes.get(one).unwrap_or(&none))));
        let theirs = two.map(|two| (&markup.posts[two], markup_places.of_post(two)));
        let places = PlacedPost { page, post, theirs, taught };
        places.of_post(one.map(|one| &records.posts[one]).zip(ours))
    });
    let first = found.records.iter().map(|record| record.parts[0]).min();
    ExplainedPage {
        posts: posts.collect(),
        thread: combined.thread.as_ref().map_or_else(Vec::new, |thread| fields::of_thread(page, thread, first)),
        template: templates.place(found, reading.sample).map(|place| used(reading, found, place)),
        records: combined,
        evidence,
    }
}

fn used(reading: Reading<'_>, found: &TemplateMatch, place: TemplatePlace) -> UsedTemplate {
    let Reading { page, anchors, .. } = reading;
    let is_there = |anchor: &&Anchor| DatePlace::of(&page.tree, anchor.node).contains(&place.dates);
    let first = anchors.iter().find(is_there).map(|anchor| element_path(&page.tree, anchor.node, 0));
    UsedTemplate {
        dates: first.unwrap_or_default(),
        exactness: match place.dates {
            DatePlace::Path(_) => PlaceExactness::Classes,
            DatePlace::Tags(_) => PlaceExactness::Elements,
            DatePlace::Near(_) => PlaceExactness::Near,
        },
        number: place.number + 1,
        templates: place.templates,
        is_single: found.is_single,
        pages: place.pages,
    }
}

fn evidence(reading: Reading<'_>, records: &PageRecords, markup: &PageRecords) -> Evidence {
    let Reading { page, anchors, templates, sample, is_alone, taught, .. } = reading;
    let mut places: BTreeMap<DatePlace, (usize, usize)> = BTreeMap::new();
    for anchor in anchors {
        // The one in the middle: the same elements.
        let [_, place, _] = DatePlace::of(&page.tree, anchor.node);
        places.entry(place).or_insert((0, anchor.node)).0 += 1;
    }
    let most = places.values().max_by_key(|(count, node)| (*count, std::cmp::Reverse(*node)));
    Evidence {
        learned_from: if is_alone { 0 } else { sample.len() },
        templates: templates.len(),
        dates: anchors.len(),
        dates_at_one_place: most.map_or(0, |(count, _)| *count),
        place: most.map(|(_, node)| element_path(&page.tree, *node, 0)),
        is_taught: taught.is_some_and(|taught| !taught.right(TaughtField::Record).is_empty()),
        template_posts: records.posts.len(),
        markup_posts: markup.posts.len(),
    }
}

#[cfg(test)]
mod tests;
