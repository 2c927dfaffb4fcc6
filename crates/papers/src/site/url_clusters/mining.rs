//! Mines the keywords of each part from URLs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::cluster_options::{UrlClusterOptions, UrlLimitHit, UrlLiterals};
use super::fp_growth::{FrequentSet, LimitReached, MiningLimits, Transaction, fp_growth};
use super::keywords::{ItemId, Keywords, KeywordsForm};
use super::pieces::{PIECES_MAX, Pieces, UrlPart};
use super::procedure::is_wildcard;

/// Minimum number of hyphens in a slug.
const SLUG_HYPHENS: usize = 2;
/// Items of this length or longer are slugs or identifiers.
const INSTANCE_BYTES: usize = 24;

/// The bin of each URL.
pub(super) type Bins = [u32];

/// Returns whether a URL has more pieces in one of its parts than are looked at.
pub(super) fn is_too_long(url: &str) -> bool {
    let mut pieces = Pieces::of_url(url);
    UrlPart::ALL.into_iter().any(|part| std::iter::from_fn(|| pieces.next_of(part)).count() > PIECES_MAX)
}

/// Returns the keywords of a part of `urls`, the bins of which are `bins`.
pub(super) fn mine(
    urls: &[&str],
    bins: &Bins,
    part: UrlPart,
    options: &UrlClusterOptions,
    hits: &mut Vec<UrlLimitHit>,
) -> Keywords {
    let table = ItemTable::new(urls, part);
    let mut support = options.support.max(1);
    let mut hit = false;
    loop {
        let chosen = table.frequent(bins, support, options);
        if let Ok(form) = form(&chosen.items, bins, support, options) {
            if chosen.candidates > chosen.items.len() {
                hits.push(UrlLimitHit::Keywords { part, kept: chosen.items.len(), candidates: chosen.candidates });
            }
            if hit {
                hits.push(UrlLimitHit::Itemsets { part, support });
            }
            return Keywords::new(form).expect("what was mined is well formed");
        }
        hit = true;
        support = support.saturating_mul(2);
    }
}

/// An item and the URLs that have it, in ascending order.
type Occurrences<'u> = (&'u str, Vec<u32>);

/// The items of one part of all URLs.
struct ItemTable<'u> {
    items: Vec<Occurrences<'u>>,
    urls: usize,
}

struct Chosen<'t, 'u> {
    /// In the order of their texts.
    items: Vec<&'t Occurrences<'u>>,
    /// The number of items that would have been frequent.
    candidates: usize,
}

impl<'u> ItemTable<'u> {
    fn new(urls: &[&'u str], part: UrlPart) -> Self {
        let mut items: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, url) in (0..).zip(urls) {
            for item in items_of(url, part) {
                items.entry(item).or_default().push(number);
            }
        }
        let mut items: Vec<_> = items.into_iter().collect();
        items.sort_unstable();
        Self { items, urls: urls.len() }
    }

    /// Returns the items that are frequent in every bin and may be keywords.
    fn frequent(&self, bins: &Bins, support: u32, options: &UrlClusterOptions) -> Chosen<'_, 'u> {
        let eligible = |(text, urls): &Occurrences<'_>| {
            let instance = options.literal == UrlLiterals::FrequentButInstances && is_instance(text);
            !is_wildcard(text) && (!instance || urls.len() == self.urls)
        };
        let frequent = |(_, urls): &Occurrences<'_>| {
            urls.len() >= support as usize && bin_counts(urls, bins, options).iter().all(|count| *count >= support)
        };
        let mut items: Vec<_> = self.items.iter().filter(|item| eligible(item) && frequent(item)).collect();
        let candidates = items.len();
        items.sort_by_key(|(_, urls)| std::cmp::Reverse(urls.len()));
        items.truncate(usize::from(options.limits.keywords_max.min(ItemId::MAX - 1)));
        items.sort_unstable();
        Chosen { items, candidates }
    }
}

/// Returns the items of a URL's part, each once.
fn items_of(url: &str, part: UrlPart) -> BTreeSet<&str> {
    let mut pieces = Pieces::of_url(url);
    for other in UrlPart::ALL.into_iter().take_while(|other| *other != part) {
        while pieces.next_of(other).is_some() {}
    }
    let texts = std::iter::from_fn(|| pieces.next_of(part));
    let text = |piece: super::pieces::Piece| &url[piece.start as usize..(piece.start + piece.length) as usize];
    texts.map(text).filter(|text| !text.is_empty()).collect()
}

fn bin_counts(urls: &[u32], bins: &Bins, options: &UrlClusterOptions) -> Vec<u32> {
    let mut counts = vec![0; options.bins.max(1) as usize];
    urls.iter().for_each(|url| counts[bins[*url as usize] as usize] += 1);
    counts
}

/// Returns whether an item looks like a slug or an identifier: two hyphens, letters and digits, or 24 bytes.
pub(super) fn is_instance(item: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| item.bytes().any(|byte| kind(&byte));
    item.len() >= INSTANCE_BYTES
        || item.bytes().filter(|byte| *byte == b'-').count() >= SLUG_HYPHENS
        || (has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit))
}

/// Builds the itemsets of the given items, all of which are frequent.
fn form(
    items: &[&Occurrences<'_>],
    bins: &Bins,
    support: u32,
    options: &UrlClusterOptions,
) -> Result<KeywordsForm, LimitReached> {
    let units = units(items);
    let mut transactions: BTreeMap<u32, Vec<u16>> = BTreeMap::new();
    for (unit, urls) in (0..).zip(&units.occurrences) {
        urls.iter().for_each(|url| transactions.entry(*url).or_default().push(unit));
    }
    let one_hot = |bin: u32| (0..options.bins.max(1)).map(|other| u32::from(other == bin)).collect();
    let transactions: Vec<Transaction> = transactions
        .into_iter()
        .map(|(url, items)| Transaction { items, counts: one_hot(bins[url as usize]) })
        .collect();
    let limits = MiningLimits {
        itemsets_max: options.limits.itemsets_max,
        steps_max: options.limits.steps_per_url_max.saturating_mul(bins.len() as u64),
    };
    let sets: Vec<FrequentSet> = fp_growth(&transactions, support, limits)?;
    let items = items.iter().zip(units.of_item).map(|((text, _), unit)| (Box::from(*text), unit)).collect();
    Ok(KeywordsForm { items, sets })
}

/// Items that always occur together, merged; numbered by descending support.
struct Units<'t> {
    of_item: Vec<u16>,
    occurrences: Vec<&'t [u32]>,
}

fn units<'t>(items: &[&'t Occurrences<'_>]) -> Units<'t> {
    let mut occurrences: Vec<&[u32]> = items.iter().map(|(_, urls)| &**urls).collect();
    occurrences.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    occurrences.dedup();
    let numbers: HashMap<&[u32], u16> = occurrences.iter().copied().zip(0..).collect();
    Units { of_item: items.iter().map(|(_, urls)| numbers[&**urls]).collect(), occurrences }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_and_identifiers_are_instances_and_names_are_not() {
        for instance in ["how-to-plant", "user12", "a1", "%D0%B0", "abcdefghijklmnopqrstuvwx"] {
            assert!(is_instance(instance), "{instance}");
        }
        for name in ["topic", "sign-up", "17", "127", "html", "", "abcdefghijklmnopqrstuvw"] {
            assert!(!is_instance(name), "{name}");
        }
    }

    #[test]
    fn an_item_counts_once_a_url() {
        let url = "http://a.b.a/x/y.x?q=1&q=2";
        assert!(items_of(url, UrlPart::Authority).into_iter().eq(["a", "b"]));
        assert!(items_of(url, UrlPart::Path).into_iter().eq(["x", "y"]));
        assert!(items_of(url, UrlPart::Query).into_iter().eq(["1", "2", "q"]));
        assert!(items_of("http://a", UrlPart::Query).is_empty());
    }

    #[test]
    fn items_that_always_stand_together_are_one_unit() {
        let items = [("a", vec![0, 1]), ("b", vec![0, 2]), ("c", vec![0, 1]), ("d", vec![0, 1, 2])];
        let items: Vec<&Occurrences<'_>> = items.iter().collect();
        let units = units(&items);
        assert_eq!(units.of_item, [1, 2, 1, 0]);
        assert_eq!(units.occurrences, [&[0, 1, 2][..], &[0, 1], &[0, 2]]);
    }
}
