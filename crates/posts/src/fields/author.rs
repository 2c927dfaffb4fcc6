//! The author of records: a link with a short text, or an element, that is the same wherever the person is.

use super::hints::{is_for_navigation, is_quoted, leads_home, names_author, names_person};
use super::{PageNode, Place, Placed, Places, label_before, label_within};
use crate::maps::{HashMap, HashSet};
use crate::tree::{Content, NodeIndex, Tree};

/// Maximum number of words of a name.
const WORDS_MAX: usize = 6;
/// Maximum length of a name, in bytes.
const BYTES_MAX: usize = 80;
/// The factor of an element that says that it names the author.
const AUTHOR: f64 = 2.0;
/// The factor of texts with more words than this on average.
const LONG: f64 = 0.5;
const LONG_WORDS: usize = 4;
/// Share of the elements of a place that have a short text.
const SHORT_MIN: f64 = 0.7;
/// Maximum number of places, and their score relative to the best.
const PLACES_MAX: usize = 6;
const SCORE_MIN: f64 = 0.55;
/// The factors of an element that is no link, of one that does not say that it names a person, and of one in the text.
const NO_LINK: f64 = 0.7;
const NO_PERSON: f64 = 0.4;
const IN_TEXT: f64 = 0.6;
/// What it takes from names that none is there twice, and the elements with titles.
const ONCE: f64 = 0.25;
const TITLES: [&str; 2] = ["h1", "h2"];
/// Share of the texts of a place that are the same from which they are labels.
const LABEL_SHARE: f64 = 0.8;
/// The score of names that stand nowhere else.
const NOWHERE_ELSE: f64 = 0.5;
/// Attributes that name the author: of a picture, for example.
const LABELS: [&str; 3] = ["alt", "title", "data-author"];
/// Labels of authors.
const AUTHOR_LABELS: [&str; 20] = [
    "author",
    "from",
    "by",
    "posted by",
    "written by",
    "reported by",
    "reporter",
    "created by",
    "opened by",
    "submitted by",
    "autor",
    "von",
    "verfasser",
    "auteur",
    "autore",
    "de",
    "da",
    "auteur du message",
    "автор",
    "作者",
];
/// Words between the name of a quoted person and the quote.
const WROTE: [&str; 4] = ["wrote", "said", "schrieb", "escribió"];

impl Places<'_> {
    /// Returns the places of the author, the best first. `text` is the place of the text.
    pub(super) fn authors(&self, text: Option<Place>) -> Vec<Place> {
        let texts = text.and_then(|place| self.by_place.get(&place)).map_or(&[][..], Vec::as_slice);
        let in_text: HashSet<PageNode> = texts
            .iter()
            .flat_map(|(record, node)| self.tree(*record).inside(*node).map(|at| (self.page_of[*record], at)))
            .collect();
        let with_date = self.with_date();
        let times = self.times();
        let mut found: Vec<(f64, Place)> = Vec::new();
        for (place, nodes) in &self.by_place {
            let (record, node) = nodes[0];
            if is_quoted(self.tree(record), node) {
                continue;
            }
            let around = nodes.iter().filter(|(record, node)| is_for_navigation(self.tree(*record), *node)).count();
            if around * 2 > nodes.len() {
                continue;
            }
            let names = self.names(nodes, &with_date);
            let Some(score) = names.and_then(|names| self.author_score(nodes, &names, &times)) else { continue };
            let factor = if in_text.contains(&(self.page_of[record], node)) { IN_TEXT } else { 1.0 };
            found.push((score * self.share(nodes) * factor, *place));
        }
        found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let least = found.first().map_or(0.0, |(best, _)| *best * SCORE_MIN);
        found.into_iter().take_while(|(score, _)| *score >= least).take(PLACES_MAX).map(|(_, place)| place).collect()
    }

    /// Returns whether a place is that of links, or tells that it has names of persons: on pages with one post, all
    /// else that differs is a name as well.
    pub fn tells_person(&self, place: Place) -> bool {
        let Some((record, node)) = self.by_place.get(&place).and_then(|nodes| nodes.first().copied()) else {
            return false;
        };
        let tree = self.tree(record);
        tree.name(node) == "a" || names_person(tree, node) || is_labelled_author(tree, node)
    }

    /// Returns the elements that show a date, with those around them.
    fn with_date(&self) -> HashSet<PageNode> {
        let pages = self.pages.iter().enumerate();
        pages
            .flat_map(|(number, page)| {
                page.dates.iter().flat_map(|node| page.tree.upwards(*node)).map(move |node| (number, node))
            })
            .collect()
    }

    /// Returns how often each short text stands in the records: as a text, as a label of an element, before a quote.
    fn times(&self) -> HashMap<String, u32> {
        let mut times: HashMap<String, u32> = HashMap::default();
        let mut see = |name: &str| {
            if name.len() <= BYTES_MAX {
                *times.entry(name.trim().to_owned()).or_default() += 1;
            }
        };
        for (record, node) in self.by_place.values().flatten() {
            let tree = self.tree(*record);
            match tree.content(*node) {
                Content::Text(text) if tree.node(*node).words <= WORDS_MAX => see(text),
                Content::Text(text) => {
                    WROTE.iter().filter_map(|wrote| text.split_once(wrote)).for_each(|(name, _)| see(name));
                }
                Content::Element(..) => LABELS.iter().filter_map(|name| tree.attribute(*node, name)).for_each(&mut see),
            }
        }
        times
    }

    /// Returns the first short text of each record at a place; `None` if they are no names.
    fn names(&self, nodes: &Placed, with_date: &HashSet<PageNode>) -> Option<Names> {
        let mut names = Names::default();
        for of_record in nodes.chunk_by(|(one, _), (other, _)| one == other) {
            names.records += 1;
            let record = of_record[0].0;
            let tree = self.tree(record);
            let may_name = |(_, node): &&(usize, NodeIndex)| {
                (1..=WORDS_MAX).contains(&tree.node(*node).words) && may_be_alone(tree, *node)
            };
            let Some((_, node)) = of_record.iter().find(may_name) else { continue };
            if with_date.contains(&(self.page_of[record], *node)) {
                continue;
            }
            let link = tree.attribute(*node, "href").unwrap_or_default().to_owned();
            let of_name = names.by_text.entry(tree.text(*node)).or_default();
            of_name.0 += 1;
            of_name.1.insert(link);
            names.shown += 1;
        }
        names.are_names().then_some(names)
    }

    fn author_score(&self, nodes: &Placed, names: &Names, times: &HashMap<String, u32>) -> Option<f64> {
        let (record, first) = nodes[0];
        let tree = self.tree(record);
        let is_labelled = is_labelled_author(tree, first);
        let (is_link, is_person) = (tree.name(first) == "a", is_labelled || names_person(tree, first));
        if tree.upwards(first).take(2).any(|node| TITLES.contains(&tree.name(node))) {
            return None;
        }
        if names.are_labels() && (!(is_link && is_person) || leads_home(tree, first)) {
            return None;
        }
        let kind = if is_link { 1.0 } else { NO_LINK } * if is_person { 1.0 } else { NO_PERSON };
        let kind = if is_labelled || names_author(tree, first) { AUTHOR * kind } else { kind };
        let kind = if names.are_long() { LONG * kind } else { kind };
        let extra = nodes.len() as f64 / f64::from(names.records);
        Some(
            kind * names.repetition() * names.constancy() * (NOWHERE_ELSE + names.elsewhere(times)) / extra
                * names.share_shown(),
        )
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

    /// Returns whether they have more words than names have.
    fn are_long(&self) -> bool {
        let words: usize = self.by_text.keys().map(|text| text.split_whitespace().count()).sum();
        words > LONG_WORDS * self.by_text.len()
    }

    /// Returns whether most are the same but for their digits. A label is; but a person may have written all of a page.
    fn are_labels(&self) -> bool {
        let mut times: HashMap<String, u32> = HashMap::default();
        for (text, (here, _)) in &self.by_text {
            *times.entry(text.replace(|c: char| c.is_ascii_digit(), "")).or_default() += here;
        }
        let most = times.into_values().max().unwrap_or_default();
        self.shown > 2 && f64::from(most) >= LABEL_SHARE * f64::from(self.shown)
    }

    fn share_shown(&self) -> f64 {
        f64::from(self.shown) / f64::from(self.records)
    }

    /// Returns a factor for names of which none is there twice: those of authors are, on enough pages.
    fn repetition(&self) -> f64 {
        let repeated = 1.0 - self.by_text.len() as f64 / f64::from(self.shown);
        1.0 - ONCE + ONCE * (2.0 * repeated).min(1.0)
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

/// Returns whether the label of a node, or of the element that shows nothing else, says that it names the author.
fn is_labelled_author(tree: &Tree, node: NodeIndex) -> bool {
    let says = |node: NodeIndex| {
        let label = label_within(tree, node).map(str::to_owned).or_else(|| label_before(tree, node));
        label.is_some_and(|label| AUTHOR_LABELS.contains(&label.trim().to_lowercase().as_str()))
    };
    let around = tree.parent(node).filter(|parent| tree.node(*parent).words == tree.node(node).words);
    says(node) || around.is_some_and(says)
}

/// Returns whether a node is an element, or a text with other content beside it: otherwise the element around it tells
/// more.
fn may_be_alone(tree: &Tree, node: NodeIndex) -> bool {
    let is_element = matches!(tree.content(node), Content::Element(..));
    is_element || tree.parent(node).is_some_and(|parent| tree.node(parent).words > tree.node(node).words)
}

fn may_be_name(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    letters > 0 && text.chars().nth(1).is_some() && !(digits >= 4 && text.contains(' ')) && !text.starts_with('&')
}
