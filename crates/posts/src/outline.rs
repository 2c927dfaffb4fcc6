//! What is kept of each page to learn what links and addresses of a site mean: hashes of titles, texts, dates and
//! links.

use harvestman_core::model::path_hash::fold;

use crate::addresses::{SeenAddress, SeenTitle, views_of};
use crate::anchors::Anchor;
use crate::dates::FoundDate;
use crate::details::{LinkKind, address_key, kinds_of_links};
use crate::parsed_page::Page;
use crate::tree::{Content, NodeIndex, Tree};

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
