//! The kinds of the links of a page: those at one place of the template with one label lead to pages of one kind.

use harvestman_core::model::path_hash::fold;
use url::Url;

use crate::tree::{Content, NodeIndex, Tree};

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
