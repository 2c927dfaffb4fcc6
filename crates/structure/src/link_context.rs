//! What stands around a link, as tokens that a policy learns from: the features of the apprentice of Chakrabarti,
//! Punera and Subramanyam (*Accelerated Focused Crawling through Online Relevance Feedback*, WWW 2002, section 3), and
//! the other links of the same item of a list.
//!
//! A token is a 32-bit number: its [`TokenKind`] in the upper three bits, a hash in the others. It is the same on all
//! pages of a site and on every platform.

use super::parse::PageWords;
use harvestman_core::model::{PageText, ParsedPage, RawLink, TextRun};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Maximum distance of a text from the link, in texts (WWW 2002: five).
const DISTANCE_MAX: i8 = 5;
/// Maximum number of words of one text that count: those nearest to the link. Of the anchor's own texts twice as many.
const WORDS_MAX: usize = 6;
/// Maximum number of links in a node whose links count as one item: more are a list.
const ITEM_LINKS_MAX: usize = 8;
/// Number of neighbours in page order, on either side.
const NEIGHBOURS: usize = 2;
/// Maximum number of words of the link's own address that count.
const ADDRESS_WORDS_MAX: usize = 8;
/// Maximum number of tokens of one link.
pub const TOKENS_MAX: usize = 64;
/// Bits of a token that hold its hash.
const HASH_BITS: u32 = 29;

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// A word, with its distance from the link in texts: 0 in the link, negative before it.
    Word,
    /// The address of a link in the same item: one with the same parent or grandparent node.
    Sibling,
    /// The address of a link that is near in page order.
    Neighbour,
    /// A word of the link's own address.
    Address,
    /// A property of the link.
    Flag,
}

impl TokenKind {
    /// Returns the kind of a token; `None` if it has none of them.
    pub const fn of(token: u32) -> Option<Self> {
        match token >> HASH_BITS {
            0 => Some(Self::Word),
            1 => Some(Self::Sibling),
            2 => Some(Self::Neighbour),
            3 => Some(Self::Address),
            4 => Some(Self::Flag),
            _ => None,
        }
    }

    const fn number(self) -> u32 {
        match self {
            Self::Word => 0,
            Self::Sibling => 1,
            Self::Neighbour => 2,
            Self::Address => 3,
            Self::Flag => 4,
        }
    }

    fn token(self, bytes: &[u8], seed: u64) -> u32 {
        let hash = xxh3_64_with_seed(bytes, seed);
        self.number() << HASH_BITS | (hash as u32) >> (32 - HASH_BITS)
    }
}

/// The token of a link with this property.
pub fn flag_token(property: &str) -> u32 {
    TokenKind::Flag.token(property.as_bytes(), 0)
}

/// The token of a link that contains an image.
pub fn image_token() -> u32 {
    flag_token("image")
}

/// The token of a link to `href`, as written, in the same item.
pub fn sibling_token(href: &str) -> u32 {
    TokenKind::Sibling.token(href.as_bytes(), 0)
}

/// The token of a word of an address.
pub fn address_token(word: &str) -> u32 {
    TokenKind::Address.token(word.to_lowercase().as_bytes(), 0)
}

/// The token of the word with the hash `word` at a distance of `-5..=5` texts.
pub fn word_token(word: u32, distance: i8) -> u32 {
    TokenKind::Word.token(&word.to_le_bytes(), distance as u64)
}

/// The contexts of the links of one page.
#[derive(Debug)]
pub struct LinkContexts<'p> {
    page: &'p ParsedPage,
    runs: Vec<(TextRun, &'p [u32])>,
    /// As [`ParsedPage::text_starts`].
    starts: &'p [u32],
    /// The links in page order.
    links: Vec<&'p RawLink>,
    /// Indices in `links`, ordered by the number of the parent and of the grandparent.
    by_parent: Vec<u32>,
    by_grandparent: Vec<u32>,
}

impl<'p> LinkContexts<'p> {
    /// Prepares a page that was parsed with its words. O(n log n) in its links.
    pub fn new(page: &'p ParsedPage) -> Self {
        Self::of_text(page, &page.text, &page.text_starts)
    }

    /// Prepares a page whose words were read after it.
    pub fn with_words(page: &'p ParsedPage, words: &'p PageWords) -> Self {
        Self::of_text(page, &words.text, &words.starts)
    }

    fn of_text(page: &'p ParsedPage, text: &'p PageText, starts: &'p [u32]) -> Self {
        let mut links: Vec<&RawLink> = page.groups.iter().flat_map(|group| &group.links).collect();
        links.sort_by_key(|link| link.start);
        let by = |key: fn(&RawLink) -> u32| {
            let mut order: Vec<u32> = (0..links.len() as u32).collect();
            order.sort_by_key(|at| key(links[*at as usize]));
            order
        };
        let (by_parent, by_grandparent) = (by(parent), by(grandparent));
        Self { runs: text.runs().collect(), starts, page, links, by_parent, by_grandparent }
    }

    /// The tokens of a link of the page, each once; at most [`TOKENS_MAX`].
    pub fn of(&self, link: &RawLink) -> Box<[u32]> {
        let mut tokens = Vec::with_capacity(TOKENS_MAX);
        let at = self.links.partition_point(|other| other.start < link.start);
        if link.place.image {
            tokens.push(image_token());
        }
        self.siblings(link, &mut tokens);
        self.neighbours(link, at, &mut tokens);
        tokens.extend(address_words(self.page.href(link)).map(address_token));
        self.words(link, at, &mut tokens);
        let mut seen = Vec::with_capacity(tokens.len());
        tokens.retain(|token| {
            let new = !seen.contains(token);
            seen.push(*token);
            new
        });
        tokens.truncate(TOKENS_MAX);
        tokens.into_boxed_slice()
    }

    /// The words of the link and around it.
    fn words(&self, link: &RawLink, at: usize, tokens: &mut Vec<u32>) {
        let start = self.run_of(link.text);
        let next = self.links.get(at + 1).map_or(self.runs.len(), |next| self.run_of(next.text));
        let own = self.runs[start..].iter().take_while(|(run, _)| run.in_anchor).count();
        let end = (start + own).min(next.max(start));
        let shown = self.runs[start..end].iter().flat_map(|(_, words)| *words).take(2 * WORDS_MAX);
        tokens.extend(shown.map(|word| word_token(*word, 0)));
        // The nearest first: it is the farthest that are left out where there are too many.
        let (mut after, mut before) = (self.runs[end..].iter(), self.runs[..start].iter().rev());
        for distance in 1..=DISTANCE_MAX {
            let words = after.next().into_iter().flat_map(|(_, words)| words.iter().take(WORDS_MAX));
            tokens.extend(words.map(|word| word_token(*word, distance)));
            let words = before.next().into_iter().flat_map(|(_, words)| words.iter().rev().take(WORDS_MAX));
            tokens.extend(words.map(|word| word_token(*word, -distance)));
        }
    }

    /// The index of the first run of the text with this number.
    fn run_of(&self, text: u32) -> usize {
        let start = self.starts.get(text as usize);
        start.map_or(self.runs.len(), |start| (*start as usize).min(self.runs.len()))
    }

    /// The links in the same item: with the same parent or grandparent, or one's parent is the other's grandparent. A
    /// node with many links is a list and no item.
    fn siblings(&self, link: &RawLink, tokens: &mut Vec<u32>) {
        let place = link.place;
        let nodes = [
            self.within(&self.by_parent, parent, place.parent),
            self.within(&self.by_grandparent, grandparent, place.parent),
            self.within(&self.by_parent, parent, place.grandparent),
            self.within(&self.by_grandparent, grandparent, place.grandparent),
        ];
        for node in nodes.into_iter().filter(|node| node.len() <= ITEM_LINKS_MAX) {
            let others = node.iter().map(|at| self.links[*at as usize]).filter(|other| other.start != link.start);
            tokens.extend(others.map(|other| sibling_token(self.page.href(other))));
        }
    }

    /// The links whose `key` is the node with this number.
    fn within<'s>(&'s self, order: &'s [u32], key: fn(&RawLink) -> u32, node: u32) -> &'s [u32] {
        let from = order.partition_point(|at| key(self.links[*at as usize]) < node);
        let to = from + order[from..].partition_point(|at| key(self.links[*at as usize]) == node);
        &order[from..to]
    }

    fn neighbours(&self, link: &RawLink, at: usize, tokens: &mut Vec<u32>) {
        let near = &self.links[at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS + 1).min(self.links.len())];
        let others = near.iter().filter(|other| other.start != link.start);
        tokens.extend(others.map(|other| TokenKind::Neighbour.token(self.page.href(other).as_bytes(), 0)));
    }
}

const fn parent(link: &RawLink) -> u32 {
    link.place.parent
}

const fn grandparent(link: &RawLink) -> u32 {
    link.place.grandparent
}

/// The words of an address, numbers left out.
pub fn address_words(href: &str) -> impl Iterator<Item = &str> {
    let words = href.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.len() > 1 && !word.bytes().any(|byte| byte.is_ascii_digit())).take(ADDRESS_WORDS_MAX)
}

#[cfg(test)]
#[path = "link_context_tests.rs"]
mod tests;
