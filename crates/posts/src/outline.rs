//! What is kept of each page to learn what links and addresses of a site mean: hashes of titles, texts, dates and
//! links. Links at one place of the template with one label lead to pages of one kind.

use url::Url;

use crate::addresses::{SeenAddress, SeenTitle, views_of};
use crate::anchors::Anchor;
use crate::dates::FoundDate;
use crate::parsed_page::Page;
use crate::tree::{Content, NodeIndex, Tree};
use harvestman_core::model::path_hash::fold;

/// Minimum number of words of a text that few other pages have, and maximum number of such texts.
const TEXT_WORDS_MIN: usize = 8;
const TEXTS_MAX: usize = 64;
/// Maximum number of dates of a page whose links are kept: pages with more have several posts.
const DATES_MAX: usize = 16;
/// Maximum number of links.
const LINKS_MAX: usize = 400;

/// What is kept of a page.
#[derive(Debug, Clone)]
pub struct Outline {
    /// Its address, with what tells its thread.
    pub address: SeenAddress,
    /// Its dates: where they are, and minutes since 1970.
    pub dates: Vec<(u64, i64)>,
    /// Its links to other pages of the site: hashes of the addresses.
    pub links: Vec<(LinkKind, u64)>,
}

impl Outline {
    /// Reads a page with these dates.
    pub fn of(page: &Page, anchors: &[Anchor]) -> Self {
        let tree = &page.tree;
        let heading = tree.all().find(|node| tree.name(*node) == "h1" && tree.node(*node).words > 0);
        let titles = page.head.title.clone().into_iter().chain(heading.map(|node| tree.text(node)));
        let titles = titles.map(|title| SeenTitle::of(&title)).collect();
        let (mut dates, mut links) = (Vec::new(), Vec::new());
        if anchors.len() <= DATES_MAX {
            dates.extend(anchors.iter().map(|anchor| (tree.node(anchor.node).path, minute(&anchor.date))));
            links.extend(
                kinds_of_links(tree, &page.url).map(|link| (link.kind, address_key(&link.url))).take(LINKS_MAX),
            );
        }
        let targets = tree.all().filter(|node| tree.name(*node) == "a");
        let targets = targets.filter_map(|node| page.url.join(tree.attribute(node, "href")?).ok());
        let views = views_of(&page.url, targets);
        Self { address: SeenAddress { url: page.url.clone(), titles, texts: texts(tree), views }, dates, links }
    }

    /// Returns the number of hashes that it keeps.
    pub fn len(&self) -> usize {
        self.address.texts.len() + 2 * self.dates.len() + 4 * self.links.len()
    }
}

fn texts(tree: &Tree) -> Vec<u64> {
    let is_long = |node: &NodeIndex| tree.node(*node).words >= TEXT_WORDS_MIN && !tree.node(*node).is_linked;
    let texts = tree.all().filter(is_long).filter_map(|node| match tree.content(node) {
        Content::Text(text) => Some(fold(text.trim().as_bytes())),
        Content::Element(..) => None,
    });
    texts.take(TEXTS_MAX).collect()
}

/// Returns a date in minutes since 1970: in UTC, if its distance from it is known.
fn minute(date: &FoundDate) -> i64 {
    let day = date.date.duration_since(jiff::civil::date(1970, 1, 1)).as_mins();
    let time = date.time.map_or(0, |time| 60 * i64::from(time.hour()) + i64::from(time.minute()));
    day + time - date.offset.map_or(0, |seconds| i64::from(seconds) / 60)
}

/// Labels of links to what a post answers.
const LABELS: [&str; 12] = [
    "in-reply-to",
    "in reply to",
    "reply to",
    "replying to",
    "parent",
    "antwort auf",
    "als antwort auf",
    "en réponse à",
    "en respuesta a",
    "in risposta a",
    "em resposta a",
    "в ответ на",
];
/// Maximum number of words of a label, and number of nodes before a link among which it is.
const LABEL_WORDS_MAX: usize = 5;
const LABEL_NODES: usize = 12;
/// The kind of a link: where it is, and its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkKind {
    /// Hash of the names of the elements from the root to it.
    tags: u64,
    /// Hash of the text before it, or of its own.
    label: u64,
    /// Whether the label is its own text.
    is_own: bool,
}

impl LinkKind {
    /// Returns whether the label tells that links lead to what a post answers. The text of a link tells what it does.
    pub fn names_parent(self) -> bool {
        !self.is_own && LABELS.iter().any(|label| fold(label.as_bytes()) == self.label)
    }
}

/// A link to another page of the site.
#[derive(Debug, Clone)]
pub struct KindOfLink {
    /// Its kind.
    pub kind: LinkKind,
    /// Where it leads.
    pub url: Url,
}

/// Returns the links of a page to other pages of the site: each with the label before it, and with its own text.
pub fn kinds_of_links<'t>(tree: &'t Tree, page: &'t Url) -> impl Iterator<Item = KindOfLink> + 't {
    let links = tree.all().filter(|node| tree.name(*node) == "a");
    links.flat_map(move |node| {
        let url = tree.attribute(node, "href").and_then(|link| page.join(link).ok());
        let url = url.filter(|url| url.authority() == page.authority() && address_key(url) != address_key(page));
        let tags = tree.node(node).tags;
        let before = label_before(tree, node).map(|label| LinkKind { tags, label, is_own: false });
        let own = label_key(&tree.text(node)).map(|label| LinkKind { tags, label, is_own: true });
        let kinds = before.into_iter().chain(own);
        url.into_iter().flat_map(move |url| kinds.clone().map(move |kind| KindOfLink { kind, url: url.clone() }))
    })
}

/// Returns a hash of the words before a link, whether these are a link or not.
fn label_before(tree: &Tree, link: NodeIndex) -> Option<u64> {
    let nodes = (link.saturating_sub(LABEL_NODES)..link).rev();
    let mut texts = nodes.filter_map(|node| match tree.content(node) {
        Content::Text(text) if text.contains(char::is_alphabetic) => Some(text),
        _ => None,
    });
    label_key(texts.next()?)
}

/// Returns a hash of a label; `None` of a text that is too long to be one.
fn label_key(text: &str) -> Option<u64> {
    let label = text.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let words = label.split_whitespace().count();
    (1..=LABEL_WORDS_MAX).contains(&words).then(|| fold(label.as_bytes()))
}

/// Returns a hash of an address without its fragment.
pub fn address_key(url: &Url) -> u64 {
    let address = url.as_str();
    fold(address.split('#').next().unwrap_or(address).as_bytes())
}
