//! The fields of one record: where they are in it, and the post that they make.

use crate::anchors::Anchor;
use crate::excerpts::is_link_to_more;
use crate::fields::{Fields, label_within, place_of};
use crate::maps::HashSet;
use crate::records::PagePost;
use crate::segments::Record;
use crate::tree::{Content, NodeIndex, Tree};

/// Number of words of a post beyond which more do not count: a page has many posts rather than a long one.
const WORDS_MAX: usize = 60;
/// Words for writing behind the name of an author.
const VERBS: [&str; 5] = [" says", " said", " wrote", " writes", " schrieb"];
/// Words before the name of an author at the beginning of a line, and the maximum number of words of the name.
const BY: [&str; 10] = ["by ", "by: ", "posted by ", "written by ", "von ", "par ", "por ", "di ", "door ", "автор "];
const NAME_WORDS_MAX: usize = 5;
/// Maximum number of words of the line with the date.
const LINE_WORDS_MAX: usize = 16;
/// Maximum number of words of a link to the author's page, and of nodes before it that may name the author.
const LINK_WORDS_MAX: usize = 10;
const SIBLINGS_MAX: usize = 6;
/// Number of elements around an author that may link to the author's page.
const LINK_ELEMENTS: usize = 3;

/// The nodes of a record's fields.
#[derive(Debug, Default)]
pub struct FieldNodes {
    pub texts: Vec<NodeIndex>,
    pub authors: Vec<Option<NodeIndex>>,
    pub asides: HashSet<NodeIndex>,
    pub target: Option<NodeIndex>,
    /// The link to more of a record of a list that has no target.
    pub more: Option<NodeIndex>,
    /// Number of words of the text.
    pub words: usize,
    /// The title, if it is not that of the target.
    pub title: Option<NodeIndex>,
    /// Whether the author counts wherever it is.
    pub is_author_sure: bool,
    /// Whether the line with the date names no author.
    pub is_line_wrong: bool,
}

impl FieldNodes {
    /// Finds the fields of a record.
    pub fn of(fields: &Fields, tree: &Tree, record: &Record) -> Self {
        let mut found = Self { authors: vec![None; fields.authors.len()], ..Self::default() };
        found.asides.extend(&record.cut);
        let mut text_end = 0;
        for (node, part) in record.nodes(tree) {
            let place = place_of(tree, node, part);
            if Some(place) == fields.text && node >= text_end {
                found.texts.push(node);
                text_end = tree.node(node).end;
            }
            if let Some(author) = fields.authors.iter().position(|author| *author == place)
                && tree.node(node).words > 0
            {
                found.authors[author].get_or_insert(node);
            }
            if Some(place) == fields.target {
                found.target.get_or_insert(node);
            }
            if fields.asides.contains(&place) {
                found.asides.insert(node);
            } else if node < text_end && matches!(tree.content(node), Content::Text(_)) {
                found.words += tree.node(node).words - tree.node(node).linked_words;
            }
        }
        if fields.target.is_some() && found.target.is_none() {
            found.more = record.nodes(tree).map(|(node, _)| node).find(|node| is_link_to_more(tree, *node));
        }
        found
    }
}

/// The nodes that the fields of a post are taken from.
#[derive(Debug, Clone, Default)]
pub struct PostNodes {
    /// The name of the author.
    pub author: Option<NodeIndex>,
    /// The name in the line with the date, which counts if no element has it.
    pub line: Option<String>,
    /// The texts.
    pub texts: Vec<NodeIndex>,
}

impl PostNodes {
    /// Chooses them among those of a record.
    pub fn of(tree: &Tree, all: &[Anchor], record: &Record, found: &FieldNodes) -> Self {
        let author = found.authors.iter().flatten().next().copied();
        let line = record.anchor.filter(|_| !found.is_line_wrong);
        let line = line.and_then(|anchor| author_of_byline(&tree.text(all[anchor].node)));
        // What is behind the text belongs to the page rather than to the post.
        let is_behind = |author: &NodeIndex| found.texts.last().is_some_and(|text| *author > tree.node(*text).end);
        let author = author.filter(|author| line.is_none() || found.is_author_sure || !is_behind(author));
        // The line with the date may be in an equal element.
        let is_line = |text: &NodeIndex| {
            let date = record.anchor.map(|anchor| all[anchor].node);
            date.is_some_and(|date| tree.range(*text).contains(&date)) && tree.node(*text).words <= LINE_WORDS_MAX
        };
        let others = found.texts.iter().filter(|text| !is_line(text)).count();
        let texts = found.texts.iter().filter(|text| others == 0 || !is_line(text)).copied().collect();
        Self { author, line, texts }
    }
}

/// Returns the post that a record makes.
pub fn post(tree: &Tree, all: &[Anchor], record: &Record, found: &FieldNodes) -> PagePost {
    let PostNodes { author, line, texts } = PostNodes::of(tree, all, record, found);
    let texts = texts
        .iter()
        .map(|node| tree.text_without(*node, &|node| found.asides.contains(&node) || tree.name(node) == "nav"));
    let author = author.or_else(|| author_link(tree, record).filter(|_| line.is_none()));
    let name = author.map(|node| name_beside(tree, node).unwrap_or_else(|| name_at(tree, node)));
    PagePost {
        author: name.filter(|name| !name.is_empty()).or(line),
        author_url: author.and_then(|node| link_at(tree, node)),
        date: record.anchor.map(|anchor| all[anchor].date.to_string()),
        text: texts.collect::<Vec<_>>().join(" ").trim().to_owned(),
        title: found.title.or(found.target).map(|node| tree.text(node)),
        url: found.target.or(found.more).and_then(|node| link_at(tree, node)),
        is_excerpt: found.target.is_some(),
        confidence: 1.0,
        ..PagePost::default()
    }
}

/// Returns what a number of words of its own is worth in a post.
pub fn worth_of(words: usize) -> f64 {
    (words.min(WORDS_MAX) as f64).sqrt()
}

/// Returns the link of a record that says that it leads to the author's page.
fn author_link(tree: &Tree, record: &Record) -> Option<NodeIndex> {
    let mut nodes = record.nodes(tree).map(|(node, _)| node);
    nodes.find(|node| says_author(tree, *node) && (1..=LINK_WORDS_MAX).contains(&tree.node(*node).words))
}

fn says_author(tree: &Tree, node: NodeIndex) -> bool {
    let rel = if tree.name(node) == "a" { tree.attribute(node, "rel") } else { None };
    rel.is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("author")))
}

/// Returns the name that a link to the author's page has in common with a line before it, such as `By Ann` before
/// `All posts of Ann`.
fn name_beside(tree: &Tree, node: NodeIndex) -> Option<String> {
    if !says_author(tree, node) {
        return None;
    }
    let text = tree.text(node);
    let before = std::iter::successors(tree.sibling_before(node), |node| tree.sibling_before(*node));
    let lines = before.take(SIBLINGS_MAX).filter(|node| tree.node(*node).words <= LINK_WORDS_MAX);
    lines.filter_map(|line| author_of_byline(&tree.text(line))).find(|name| text.contains(name.as_str()))
}

/// Returns the name in a line with a date, such as `By Ann, 4 April 2025`.
pub fn author_of_byline(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let begins = BY.iter().find(|by| lower.starts_with(**by))?;
    let name = line.get(begins.len()..)?.split([',', '·', '|', '—', '–']).next()?.split(" on ").next()?.trim();
    let is_name = name.chars().any(char::is_alphabetic) && name.split_whitespace().count() <= NAME_WORDS_MAX;
    is_name.then(|| name.to_owned())
}

/// Returns the name that an element shows.
fn name_at(tree: &Tree, node: NodeIndex) -> String {
    let text = tree.text(node);
    let behind = label_within(tree, node).and_then(|label| text.strip_prefix(label)?.strip_prefix(':'));
    name_in(behind.unwrap_or(&text))
}

/// Returns a name without what stands around it: a colon before it, an address of mail or a word for writing behind it.
fn name_in(text: &str) -> String {
    let name = text.trim_start_matches([':', '@', ' ', '"']);
    let name = name.split(['<', '(']).next().filter(|name| !name.trim().is_empty()).unwrap_or(name);
    let name = name.trim().trim_end_matches([':', ',', '"']).trim_end();
    let verb = VERBS.iter().find_map(|verb| name.strip_suffix(verb)).filter(|name| !name.is_empty());
    verb.unwrap_or(name).trim_end().to_owned()
}

/// Returns the address of the link that is in an element, or that it is in.
fn link_at(tree: &Tree, node: NodeIndex) -> Option<String> {
    let nodes = tree.inside(node).chain(tree.upwards(node).take(LINK_ELEMENTS));
    nodes.filter_map(|node| tree.attribute(node, "href")).next().map(str::to_owned)
}
