//! How well the pages that a crawl fetched show the cotags of a topic (Zhang, Nasraoui 2009, section 6).

use std::collections::{BTreeMap, BTreeSet};

use crate::corpus::{Corpus, PageId, Role, canonicaliser};
use crate::measures::{Topic, ratio};
use crate::replay::Replay;
use crate::tables::{Measure, Row};
use harvestman_core::config::ParseOptions;
use harvestman_core::url::{Canonicaliser, Fingerprint};
use harvestman_papers::site::{CotagOptions, Cotags, Picture, SameSets};
use harvestman_papers::topic::UrlKey;
use harvestman_policy::PlacedLink;
use harvestman_policy::learned::{TopicRelevance, TopicTerms};
use harvestman_structure::parse::Parser;

/// Compares the cotags that `done` shows of the topic's first tag with those by the labels of all items.
#[expect(clippy::cast_precision_loss, reason = "numbers of tags")]
pub(super) fn row(corpus: &Corpus, topic: &Topic, done: &Replay, row: Row) -> Row {
    let wanted = by_labels(corpus, topic);
    let found = by_links(corpus, topic, done);
    let names = |tag: &str, url: &str| TopicTerms::new([tag]).names(url);
    let right = found.iter().filter(|url| wanted.iter().any(|tag| names(tag, url))).count() as u64;
    let met = wanted.iter().filter(|tag| found.iter().any(|url| names(tag, url))).count() as u64;
    Row { task: "cotags".to_owned(), ..row }
        .with(Measure::Cotags, wanted.len() as f64)
        .with(Measure::CotagsFound, found.len() as f64)
        .with(Measure::CotagPrecision, ratio(right, found.len() as u64))
        .with(Measure::CotagRecall, ratio(met, wanted.len() as u64))
}

/// The cotags of the first tag by the tags of all items.
fn by_labels(corpus: &Corpus, topic: &Topic) -> Vec<Box<str>> {
    let Some(truth) = corpus.truth() else { return Vec::new() };
    let labels = corpus.ids().filter_map(|id| truth.page(id));
    let items: Vec<_> = labels.filter(|label| label.role == Role::Detail && !label.is_duplicate_view).collect();
    let names: BTreeSet<&str> = items.iter().flat_map(|label| label.tags()).map(|tag| &**tag).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let number = |tag: &str| names.binary_search(&tag).ok().map(|number| number as u64);
    let first = topic.tags.first().and_then(|tag| number(tag));
    let mut cotags = Cotags::new(first, BTreeSet::new(), options());
    for label in items {
        cotags.add(&Picture::new(0, label.tags().iter().filter_map(|tag| number(tag))));
    }
    cotags.found().iter().filter_map(|cotag| names.get(cotag.tag as usize).map(|name| Box::from(*name))).collect()
}

/// The addresses of the cotags that the links of the fetched pages show.
fn by_links<'c>(corpus: &'c Corpus, topic: &Topic, done: &Replay) -> Vec<&'c str> {
    let fetched: BTreeSet<PageId> = done.order.iter().filter_map(|request| request.page).collect();
    let mut reader = Reader { parser: Parser::new(&ParseOptions::default()), canonicaliser: canonicaliser() };
    let pages: Vec<_> = fetched.into_iter().map(|id| (corpus.url(id), reader.links(corpus, id))).collect();
    let address = |link: Fingerprint| corpus.find_fingerprint(link).map(|id| corpus.url(id).as_str());
    let terms = TopicTerms::new(topic.tags.first().map(|tag| &**tag));
    let named = |link: Fingerprint| address(link).is_some_and(|url| terms.names(url));
    let mut relevance = TopicRelevance::new(terms.clone());
    for (url, links) in &pages {
        links.iter().filter(|link| named(link.url)).for_each(|link| relevance.note_tag_page(link.url));
        relevance.is_relevant(url, links, false);
    }
    let mut topic = BTreeSet::new();
    let mut pictures = Vec::new();
    for tags in pages.iter().filter_map(|(_, links)| relevance.tags_of(links)) {
        topic.extend(tags.iter().filter(|tag| named(**tag)).map(|tag| key(*tag)));
        pictures.push((tags.iter().map(|tag| key(*tag)).collect::<Vec<u64>>(), tags));
    }
    let mut cotags = Cotags::new(topic, BTreeSet::new(), options());
    let mut tags_by_key = BTreeMap::new();
    for (keys, tags) in pictures {
        tags_by_key.extend(keys.iter().copied().zip(tags));
        cotags.add(&Picture::new(0, keys));
    }
    cotags.found().iter().filter_map(|cotag| address(*tags_by_key.get(&cotag.tag)?)).collect()
}

/// All items count: two items of one user may have the same tags.
fn options() -> CotagOptions {
    CotagOptions { same_sets: SameSets::Each, ..CotagOptions::default() }
}

fn key(tag: Fingerprint) -> u64 {
    UrlKey::from(tag).0
}

/// Reads the links of one page after the other.
struct Reader {
    parser: Parser,
    canonicaliser: Canonicaliser,
}

impl Reader {
    /// The links of a page with their places; none if it is no HTML page.
    fn links(&mut self, corpus: &Corpus, id: PageId) -> Vec<PlacedLink> {
        if !corpus.page(id).is_page() {
            return Vec::new();
        }
        let stored = corpus.page(id);
        let page = self.parser.parse(&stored.body, stored.content_type());
        let mut resolver = self.canonicaliser.document_resolver(corpus.url(id), page.base.as_deref(), page.charset);
        let mut links = Vec::new();
        for group in &page.groups {
            for link in &group.links {
                let target = resolver.resolve(page.href(link)).ok().map(|url| url.fingerprint());
                links.extend(target.map(|target| PlacedLink::new(group.apath, target)));
            }
        }
        links
    }
}
