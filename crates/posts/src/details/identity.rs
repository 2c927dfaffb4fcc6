//! Identifiers and addresses of records: attributes and links at one place of each that differ from record to record.

use std::collections::BTreeMap;

use harvestman_core::model::path_hash::{fold, step};
use jiff::civil::DateTime;
use url::Url;

use super::resolve;
use crate::anchors::Anchor;
use crate::fields::{PageParts, Place, place_of};
use crate::maps::{HashMap, HashSet};
use crate::segments::Record;
use crate::tree::{Content, NodeIndex, Tree};

/// Share of the records that have an identifier.
const SHARE_MIN: f64 = 0.25;
/// Share of the values that are those of one record.
const CONFLICTS_MAX: f64 = 0.1;
/// Maximum length of an identifier, in bytes.
const BYTES_MAX: usize = 200;
/// Minimum length of an identifier without digits, in bytes.
const LETTERS_MIN: usize = 16;
/// Maximum number of elements around a record that may have its identifier.
const AROUND_MAX: usize = 3;
/// What it adds to a link that it says that it leads to its record.
const PERMANENT_WORTH: f64 = 2.0;
/// What it adds to a link that it is named after the number at the end of its address, the maximum number of its words,
/// and the share of such links at a place.
const NUMBERED_WORTH: f64 = 1.0;
const NUMBERED_WORDS_MAX: usize = 3;
const NUMBERED_MIN: f64 = 0.9;
/// Attributes with an identifier, the most usual first, and parts of the names of others.
const ATTRIBUTES: [&str; 2] = ["id", "name"];
const DATA: [&str; 9] = ["id", "pk", "pid", "key", "post", "comment", "message", "entry", "answer"];
/// Words in links that do something to a record in place of showing it.
const ACTIONS: [&str; 16] = [
    "reply", "quote", "report", "edit", "delete", "remove", "vote", "like", "login", "signin", "register", "share",
    "flag", "create", "mark", "new",
];

/// What tells the records of a template apart.
#[derive(Debug, Clone, Default)]
pub struct IdRules {
    /// The place of the attribute with the identifier, its name, and what all values begin with.
    id: Option<(Place, String, String)>,
    /// The place of the link to the record.
    link: Option<Place>,
}

/// The identifier and the address of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The identifier.
    pub id: Option<String>,
    /// The value of the attribute that it is in.
    pub anchor: Option<String>,
    /// The address.
    pub url: Option<String>,
}

/// A value at a place of a record.
#[derive(Debug, Clone)]
struct Value {
    record: usize,
    page: usize,
    text: String,
}

/// The values at a place.
type Values = Vec<Value>;

/// Words by which links say that they lead to a record, and the attributes with them.
const PERMANENT: [&str; 3] = ["permalink", "permanent", "bookmark"];
const LABELS: [&str; 4] = ["title", "rel", "class", "aria-label"];

impl IdRules {
    /// Learns from the records of some pages with these addresses and dates.
    pub fn learn(pages: &[PageParts<'_>], urls: &[&Url], anchors: &[&[Anchor]]) -> Self {
        let contents = contents(pages, anchors);
        let mut attributes: BTreeMap<(u8, Place, String), Values> = BTreeMap::new();
        let mut links: BTreeMap<Place, Values> = BTreeMap::new();
        let mut permanent: HashSet<Place> = HashSet::default();
        let mut numbered: HashMap<Place, usize> = HashMap::default();
        let mut number = 0;
        for (page, PageParts { tree, records, .. }) in pages.iter().enumerate() {
            for record in records {
                for (node, position) in positions(tree, record, records) {
                    let place = position.place(tree, node);
                    for (rank, name, value) in identifiers(tree, node) {
                        let values = attributes.entry((rank, place, name.to_owned())).or_default();
                        push_first(values, Value { record: number, page, text: value.to_owned() });
                    }
                    if let Some(url) = link(tree, node, urls[page]) {
                        if is_numbered(tree, node, &url) {
                            *numbered.entry(place).or_default() += 1;
                        }
                        push_first(links.entry(place).or_default(), Value { record: number, page, text: url });
                        if says_permanent(tree, node) {
                            permanent.insert(place);
                        }
                    }
                }
                number += 1;
            }
        }
        let is_rule = |values: &Values| is_rule(values, number, &contents);
        let id = attributes.into_iter().find(|(_, values)| is_rule(values));
        let ids: HashMap<usize, String> =
            id.iter().flat_map(|(_, values)| values).map(|value| (value.record, value.text.clone())).collect();
        let links = links.into_iter().filter(|(_, values)| is_rule(values));
        let rated = links.filter_map(|(place, values)| {
            let (says, counts) = (permanent.contains(&place), numbered.get(&place).copied().unwrap_or_default());
            let are_numbered = counts as f64 >= NUMBERED_MIN * values.len() as f64;
            Some((rate(&values, &ids, says, are_numbered)?, values.len(), place))
        });
        let best = rated.max_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let link = best.map(|(.., place)| place);
        let id = id.map(|((_, place, name), values)| {
            let prefix = common_prefix(values.iter().map(|value| value.text.as_str()));
            (place, name, prefix)
        });
        Self { id, link }
    }

    /// Returns the marks of one of the records of a page.
    pub fn marks(&self, tree: &Tree, record: &Record, records: &[Record], page: &Url) -> Marks {
        let mut marks = Marks::default();
        let mut id = self.id.as_ref();
        // The place of a node is what costs most.
        for (node, position) in positions(tree, record, records) {
            if let Some((of_id, name, prefix)) = id
                && let Some((_, _, value)) = identifiers(tree, node).find(|(_, found, _)| found == name)
                && position.place(tree, node) == *of_id
            {
                marks.id = Some(value.strip_prefix(prefix.as_str()).unwrap_or(value).to_owned());
                marks.anchor = (!name.starts_with("data-")).then(|| value.to_owned());
                id = None;
            }
            if self.link.is_some()
                && marks.url.is_none()
                && tree.name(node) == "a"
                && self.link == Some(position.place(tree, node))
            {
                marks.url = link(tree, node, page);
            }
        }
        marks
    }
}

/// Where a node is: around a record, by this number of elements, or in one of its parts.
#[derive(Debug, Clone, Copy)]
enum Position {
    Around(usize),
    In(NodeIndex),
}

impl Position {
    fn place(self, tree: &Tree, node: NodeIndex) -> Place {
        match self {
            Self::Around(level) => step(fold(b"around"), level as u64),
            Self::In(part) => place_of(tree, node, part),
        }
    }
}

/// Returns the nodes of a record, and the elements around it that have no other record.
fn positions<'t>(
    tree: &'t Tree,
    record: &'t Record,
    records: &'t [Record],
) -> impl Iterator<Item = (NodeIndex, Position)> + 't {
    let first = record.parts[0];
    // Records are in document order: an element with another one has one beside it.
    let at = records.partition_point(|other| other.parts[0] < first);
    let beside = [at.checked_sub(1).and_then(|before| records.get(before)), records.get(at + 1)];
    let is_own =
        move |node: &NodeIndex| beside.iter().flatten().all(|other| !tree.range(*node).contains(&other.parts[0]));
    let around = tree.upwards(first).skip(1).take(AROUND_MAX).take_while(is_own).enumerate();
    let around = around.map(|(level, node)| (node, Position::Around(level)));
    around.chain(record.nodes(tree).map(|(node, part)| (node, Position::In(part))))
}

fn says_permanent(tree: &Tree, node: NodeIndex) -> bool {
    let labels = LABELS.iter().filter_map(|name| tree.attribute(node, name)).map(str::to_ascii_lowercase);
    let text = (tree.node(node).words <= 2).then(|| tree.text(node).to_lowercase());
    labels.chain(text).any(|label| PERMANENT.iter().any(|word| label.contains(word)))
}

/// Returns whether a link is named after the number at the end of its address: `message 7`, `#7`.
fn is_numbered(tree: &Tree, node: NodeIndex, url: &str) -> bool {
    if tree.node(node).words > NUMBERED_WORDS_MAX {
        return false;
    }
    let is_digit = |c: char| c.is_ascii_digit();
    let text = tree.text(node);
    let number = text.trim_start_matches(|c| !is_digit(c)).split(|c| !is_digit(c)).next().unwrap_or_default();
    let before = url.trim_end_matches('/').strip_suffix(number).filter(|_| !number.is_empty());
    before.is_some_and(|before| !before.ends_with(is_digit))
}

fn push_first(values: &mut Values, value: Value) {
    if values.last().is_none_or(|last| last.record != value.record) {
        values.push(value);
    }
}

/// What tells the content of a record apart from that of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Written {
    /// Hash of the longest text: other parts may differ from page to page.
    text: u64,
    /// Its date, if that has a time.
    time: Option<DateTime>,
}

impl Written {
    fn of(tree: &Tree, record: &Record, anchors: &[Anchor]) -> Self {
        let texts = record.nodes(tree).filter_map(|(node, _)| match tree.content(node) {
            Content::Text(text) => Some(text),
            Content::Element(..) => None,
        });
        let text = texts.max_by_key(|text| text.len()).map_or(0, |text| fold(text.trim().as_bytes()));
        let date = record.anchor.and_then(|anchor| anchors.get(anchor)).map(|anchor| anchor.date);
        Self { text, time: date.and_then(|found| Some(found.date.to_datetime(found.time?))) }
    }

    /// Returns whether both may be one post: lists cut its text, but not its date; relative dates change, but not its
    /// text.
    fn may_be(self, other: Self) -> bool {
        self.text == other.text || (self.time == other.time && self.time.is_some())
    }
}

/// Returns what tells the content of each record apart.
fn contents(pages: &[PageParts<'_>], anchors: &[&[Anchor]]) -> Vec<Written> {
    let of_page = |(page, anchors): (&PageParts<'_>, &&[Anchor])| -> Vec<Written> {
        page.records.iter().map(|record| Written::of(page.tree, record, anchors)).collect()
    };
    pages.iter().zip(anchors).flat_map(of_page).collect()
}

/// Returns the attributes of an element that may identify its record: rank, name, value.
fn identifiers(tree: &Tree, node: NodeIndex) -> impl Iterator<Item = (u8, &str, &str)> {
    let rank = |name: &str| {
        if let Some(rank) = ATTRIBUTES.iter().position(|usual| *usual == name) {
            return u8::try_from(rank).ok();
        }
        name.strip_prefix("data-").filter(|name| DATA.iter().any(|word| name.contains(word))).map(|_| 2)
    };
    let may_identify = |value: &str| {
        let has_digits = value.bytes().any(|byte| byte.is_ascii_digit());
        value.len() <= BYTES_MAX && !value.contains(char::is_whitespace) && (has_digits || value.len() >= LETTERS_MIN)
    };
    tree.attributes(node).filter_map(move |(name, value)| {
        may_identify(value).then_some(())?;
        Some((rank(name)?, name, value))
    })
}

fn link(tree: &Tree, node: NodeIndex, page: &Url) -> Option<String> {
    let url = resolve(page, tree.attribute(node, "href").filter(|_| tree.name(node) == "a")?)?;
    (url.len() <= 2 * BYTES_MAX).then_some(url)
}

/// Returns whether enough records have a value at a place, which no other record of the page has, and no other content
/// elsewhere.
fn is_rule(values: &Values, records: usize, contents: &[Written]) -> bool {
    let on_page: HashSet<(usize, &str)> = values.iter().map(|value| (value.page, value.text.as_str())).collect();
    let mut known: HashMap<&str, Written> = HashMap::default();
    let mut conflicts = 0_usize;
    for Value { record, text, .. } in values {
        let (this, first) = (contents[*record], *known.entry(text).or_insert(contents[*record]));
        conflicts += usize::from(!this.may_be(first));
    }
    values.len() as f64 >= SHARE_MIN * records as f64
        && values.len() >= 2
        && on_page.len() == values.len()
        && conflicts as f64 <= CONFLICTS_MAX * values.len() as f64
}

/// Returns how likely links lead to their records; `None` if they do not.
fn rate(values: &Values, ids: &HashMap<usize, String>, says_permanent: bool, are_numbered: bool) -> Option<f64> {
    let of_place = if says_permanent { PERMANENT_WORTH } else { 0.0 } + if are_numbered { NUMBERED_WORTH } else { 0.0 };
    let mut sum = of_place * values.len() as f64;
    for Value { record, text: value, .. } in values {
        let id = ids.get(record);
        let fragment = value.split_once('#').map(|(_, fragment)| fragment);
        let number = id.map(|id| id.trim_start_matches(|c: char| !c.is_ascii_digit()));
        let has_id = number.is_some_and(|number| !number.is_empty() && value.contains(number));
        let does = ACTIONS.iter().any(|word| value.to_ascii_lowercase().contains(word));
        sum += match (fragment, id) {
            (Some(fragment), Some(id)) if fragment == id => 3.0,
            (Some(_), _) if has_id => 2.5,
            (Some(fragment), None) if fragment.bytes().any(|byte| byte.is_ascii_digit()) => 2.0,
            _ if has_id && !does => 1.0,
            _ => 0.0,
        };
    }
    let mean = sum / values.len() as f64;
    (mean >= 0.8).then_some(mean)
}

/// Returns what all values begin with, up to the first digit.
fn common_prefix<'v>(mut values: impl Iterator<Item = &'v str>) -> String {
    let Some(first) = values.next() else { return String::new() };
    let mut prefix = first.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    if prefix.len() == first.len() {
        return String::new();
    }
    for value in values {
        while !value.starts_with(prefix) {
            prefix = &prefix[..prefix.char_indices().next_back().map_or(0, |(at, _)| at)];
        }
    }
    prefix.to_owned()
}
