//! The author of records: a link with a short text, or an element, that is the same wherever the person is.

use std::collections::{HashMap, HashSet};

use super::hints::{is_quoted, names_person};
use super::{Place, Placed, Places};
use crate::tree::{Content, NodeIndex};

/// Maximum number of words of a name.
const WORDS_MAX: usize = 6;
/// Maximum length of a name, in bytes.
const BYTES_MAX: usize = 80;
/// Share of the elements of a place that have a short text.
const SHORT_MIN: f64 = 0.7;
/// Maximum number of places, and their score relative to the best.
const PLACES_MAX: usize = 6;
const SCORE_MIN: f64 = 0.3;
/// The factors of an element that is no link, of one that does not say that it names a person, and of one in the text.
const NO_LINK: f64 = 0.7;
const NO_PERSON: f64 = 0.5;
const IN_TEXT: f64 = 0.6;
/// The score of names that stand nowhere else.
const NOWHERE_ELSE: f64 = 0.3;
/// Attributes that name the author: of a picture, for example.
const LABELS: [&str; 3] = ["alt", "title", "data-author"];
/// Words between the name of a quoted person and the quote.
const WROTE: [&str; 4] = ["wrote", "said", "schrieb", "escribió"];

impl Places<'_> {
    /// Returns the places of the author, the best first. `text` is the place of the text.
    pub(super) fn authors(&self, text: Option<Place>) -> Vec<Place> {
        let texts = text.and_then(|place| self.by_place.get(&place)).map_or(&[][..], Vec::as_slice);
        let in_text: HashSet<NodeIndex> = texts.iter().flat_map(|(_, node)| self.tree.range(*node)).collect();
        let with_date: HashSet<NodeIndex> = self.dates.iter().flat_map(|node| self.tree.upwards(*node)).collect();
        let times = self.times();
        let mut found: Vec<(f64, Place)> = Vec::new();
        for (place, nodes) in self.by_place.iter().filter(|(_, nodes)| !is_quoted(self.tree, nodes[0].1)) {
            let names = self.names(nodes, &with_date);
            let Some(score) = names.and_then(|names| self.author_score(nodes, &names, &times)) else { continue };
            let factor = if in_text.contains(&nodes[0].1) { IN_TEXT } else { 1.0 };
            found.push((score * self.share(nodes) * factor, *place));
        }
        found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let least = found.first().map_or(0.0, |(best, _)| *best * SCORE_MIN);
        found.into_iter().take_while(|(score, _)| *score >= least).take(PLACES_MAX).map(|(_, place)| place).collect()
    }

    /// Returns how often each short text stands in the records: as a text, as a label of an element, before a quote.
    fn times(&self) -> HashMap<String, u32> {
        let mut times: HashMap<String, u32> = HashMap::new();
        let mut see = |name: &str| {
            if name.len() <= BYTES_MAX {
                *times.entry(name.trim().to_owned()).or_default() += 1;
            }
        };
        for node in self.by_place.values().flatten().map(|(_, node)| *node) {
            match &self.tree.node(node).content {
                Content::Text(text) if self.tree.node(node).words <= WORDS_MAX => see(text),
                Content::Text(text) => {
                    WROTE.iter().filter_map(|wrote| text.split_once(wrote)).for_each(|(name, _)| see(name));
                }
                Content::Element(..) => {
                    LABELS.iter().filter_map(|name| self.tree.attribute(node, name)).for_each(&mut see)
                }
            }
        }
        times
    }

    /// Returns the texts of the first element of each record at a place; `None` if they are no names.
    fn names(&self, nodes: &Placed, with_date: &HashSet<NodeIndex>) -> Option<Names> {
        if !self.is_element_at(nodes[0].1) {
            return None;
        }
        let mut names = Names::default();
        for (_, node) in nodes.chunk_by(|(one, _), (other, _)| one == other).map(|of_record| of_record[0]) {
            names.records += 1;
            let words = self.tree.node(node).words;
            if (1..=WORDS_MAX).contains(&words) && !with_date.contains(&node) {
                let link = self.tree.attribute(node, "href").unwrap_or_default().to_owned();
                let of_name = names.by_text.entry(self.tree.text(node)).or_default();
                of_name.0 += 1;
                of_name.1.insert(link);
                names.shown += 1;
            }
        }
        names.are_names().then_some(names)
    }

    fn author_score(&self, nodes: &Placed, names: &Names, times: &HashMap<String, u32>) -> Option<f64> {
        let first = nodes[0].1;
        let (is_link, is_person) = (self.tree.name(first) == "a", names_person(self.tree, first));
        // A label is the same everywhere; a person may have written all of a page.
        let is_label = names.by_text.len() == 1 && names.shown > 2;
        if is_label && !(is_link && is_person) {
            return None;
        }
        let kind = if is_link { 1.0 } else { NO_LINK } * if is_person { 1.0 } else { NO_PERSON };
        let extra = nodes.len() as f64 / f64::from(names.records);
        Some(kind * names.constancy() * (NOWHERE_ELSE + names.elsewhere(times)) / extra * names.share_shown())
    }
}

/// The texts at a place.
#[derive(Debug, Default)]
struct Names {
    /// Number of records that have the place.
    records: u32,
    /// Number of them with a short text there.
    shown: u32,
    /// How often each text stands there, and where its links lead.
    by_text: HashMap<String, (u32, HashSet<String>)>,
}

impl Names {
    fn are_names(&self) -> bool {
        let numbers = self.by_text.keys().filter(|text| !may_be_name(text)).count();
        self.shown > 0 && self.share_shown() >= SHORT_MIN && numbers * 2 <= self.by_text.len()
    }

    fn share_shown(&self) -> f64 {
        f64::from(self.shown) / f64::from(self.records)
    }

    /// Returns how far all links of one text lead to one page.
    fn constancy(&self) -> f64 {
        let links: usize = self.by_text.values().map(|(_, links)| links.len()).sum();
        self.by_text.len() as f64 / links as f64
    }

    /// Returns the share of the texts that stand elsewhere in the records too.
    fn elsewhere(&self, times: &HashMap<String, u32>) -> f64 {
        let is_elsewhere = |(text, (here, _)): &(&String, &(u32, _))| times.get(*text).is_some_and(|all| all > here);
        self.by_text.iter().filter(is_elsewhere).count() as f64 / self.by_text.len() as f64
    }
}

fn may_be_name(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    letters > 0 && !(digits >= 4 && text.contains(' ')) && !text.starts_with('&')
}
