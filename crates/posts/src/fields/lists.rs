//! Lists: records that tell of other pages, each with a link whose text is the title of what it leads to.

use super::{PageNode, PageParts, Place, Placed, Places};
use crate::maps::HashSet;
use crate::tree::NodeIndex;

/// Names of headings: a link in one is the title of its record, even where it is within its text.
const HEADINGS: [&str; 5] = ["h1", "h2", "h3", "h4", "h5"];
/// Share of the records that have the link.
const SHARE_MIN: f64 = 0.8;
/// Share of the titles, and of the addresses, that are those of one record.
const DISTINCT_MIN: f64 = 0.8;
/// Maximum number of words beside a date in a link that shows it.
const DATE_WORDS_BESIDE: usize = 2;
/// Minimum number of words of a title on average.
const WORDS_MIN: f64 = 1.5;

impl Places<'_> {
    /// Returns the place of the links to what records are about, if they are those of a list. Links in the text, to
    /// authors, and within the page are none.
    pub(super) fn target(&self, authors: &[Place], text: Option<Place>) -> Option<Place> {
        let texts = text.and_then(|place| self.by_place.get(&place)).map_or(&[][..], Vec::as_slice);
        let in_text: HashSet<PageNode> = texts
            .iter()
            .flat_map(|(record, node)| self.tree(*record).inside(*node).map(|at| (self.page_of[*record], at)))
            .collect();
        let worth = |(place, nodes): (&Place, &Placed)| {
            let (record, node) = nodes[0];
            let may_be_target = (!authors.contains(place) || self.lead_on(nodes))
                && self.tree(record).name(node) == "a"
                && (!in_text.contains(&(self.page_of[record], node)) || self.is_in(*place, &HEADINGS));
            let words_min = if self.is_in(*place, &HEADINGS) { 1.0 } else { WORDS_MIN };
            let worth = || self.titles(nodes).worth(self.number(), words_min);
            may_be_target.then(worth).flatten().map(|worth| (worth, *place))
        };
        // Records may have links to tags too, which fewer have, and which several have in common.
        self.by_place.iter().filter_map(worth).max().map(|(_, place)| place)
    }

    /// Returns whether most links lead to what other links of their records are below: a forum before the last of its
    /// threads.
    fn lead_on(&self, nodes: &Placed) -> bool {
        let leads = |(record, node): &&(usize, NodeIndex)| {
            let link = self.tree(*record).attribute(*node, "href").unwrap_or_default().trim_end_matches('/');
            let is_below =
                |other: &str| other.strip_prefix(link).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'));
            link.len() > 1 && self.links(*record).any(is_below)
        };
        2 * nodes.iter().filter(leads).count() >= nodes.len()
    }

    /// Returns the links of a record.
    fn links(&self, record: usize) -> impl Iterator<Item = &str> {
        let page = &self.pages[self.page_of[record]];
        let first = self.page_of.partition_point(|of| *of < self.page_of[record]);
        let of_page = page.records.get(record - first);
        of_page
            .into_iter()
            .flat_map(|record| record.nodes(page.tree))
            .filter_map(|(node, _)| page.tree.attribute(node, "href"))
    }

    /// Returns whether a link shows a date, with little else: it leads to the versions of its record, or to the record
    /// itself.
    fn shows_date(&self, record: usize, link: NodeIndex) -> bool {
        let PageParts { tree, dates, .. } = &self.pages[self.page_of[record]];
        let mut inside = tree.inside(link);
        inside.any(|node| dates.contains(&node) && tree.node(node).words + DATE_WORDS_BESIDE >= tree.node(link).words)
    }

    /// Counts the texts of the links at a place, and the pages that they lead to.
    fn titles(&self, nodes: &Placed) -> Titles {
        let firsts: Vec<(usize, NodeIndex)> =
            nodes.chunk_by(|(one, _), (other, _)| one == other).map(|of_record| of_record[0]).collect();
        let (mut counts, mut titles, mut links) = (Titles::default(), HashSet::default(), HashSet::default());
        counts.records = firsts.len();
        // A single link of a page does not tell whether they differ.
        let pages = firsts.chunk_by(|(one, _), (other, _)| self.page_of[*one] == self.page_of[*other]);
        for (record, node) in pages.filter(|of_page| of_page.len() > 1).flatten() {
            let tree = self.tree(*record);
            if self.shows_date(*record, *node) {
                continue;
            }
            let link = tree.attribute(*node, "href").unwrap_or_default();
            let path = link.split(['#', '?']).next().unwrap_or_default();
            if !path.is_empty() {
                links.insert((self.page_of[*record], path));
            }
            counts.links += 1;
            counts.words += tree.node(*node).words;
            // What differs in numbers only is a label: `Answer 7`.
            let is_letter = |c: &char| !c.is_ascii_digit();
            titles.insert((self.page_of[*record], tree.text(*node).chars().filter(is_letter).collect::<String>()));
        }
        (counts.titles, counts.targets) = (titles.len(), links.len());
        counts
    }
}

/// Counts of the links at a place.
#[derive(Debug, Clone, Copy, Default)]
struct Titles {
    /// Records with such a link.
    records: usize,
    /// Links of pages with several.
    links: usize,
    /// Words of these, the texts that differ, and the pages that they lead to.
    words: usize,
    titles: usize,
    targets: usize,
}

impl Titles {
    /// Returns how well links fit titles, if they have texts and lead to pages that differ from record to record.
    fn worth(self, records: usize, words_min: f64) -> Option<(usize, usize)> {
        let links = self.links as f64;
        let are_titles = self.links > 0
            && self.records as f64 >= SHARE_MIN * records as f64
            && self.words as f64 >= words_min * links
            && self.titles as f64 >= DISTINCT_MIN * links
            && self.targets as f64 >= DISTINCT_MIN * links;
        are_titles.then_some((self.titles.min(self.targets), self.words))
    }
}
