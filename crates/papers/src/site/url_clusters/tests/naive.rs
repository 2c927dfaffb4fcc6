//! Algorithm 2 literally: every subset of every part is counted, and every frequent one is tried on every URL.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::super::mining::is_instance;
use super::super::{UrlClusterOptions, UrlLiterals};

type Itemset = BTreeSet<String>;

pub struct Naive {
    /// Itemsets of each part that are frequent in all bins, with their support.
    frequent: [BTreeMap<Itemset, usize>; 3],
    query_at_path_miss: bool,
    /// Patterns by descending size.
    pub kept: Vec<(String, usize)>,
    pub dropped: Vec<(String, usize)>,
}

const SEPARATORS: [&[char]; 3] = [&['.'], &['/', '.'], &['&', '=']];

/// Splits a URL into authority, path and query, each with its end.
fn parts(url: &str) -> [&str; 3] {
    let url = url.split('#').next().unwrap();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (front, query) = url.split_at(url.find('?').map_or(url.len(), |at| at + 1));
    let (authority, path) = front.split_at(front.find('/').map_or(front.len(), |at| at + 1));
    [authority, path, query]
}

fn ends(part: usize) -> impl Fn(char) -> bool {
    move |c| SEPARATORS[part].contains(&c) || (part == 0 && c == '/') || (part < 2 && c == '?')
}

fn items(url: &str, part: usize) -> Itemset {
    parts(url)[part].split(ends(part)).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn subsets(items: &Itemset) -> impl Iterator<Item = Itemset> {
    let items: Vec<String> = items.iter().cloned().collect();
    assert!(items.len() < 16, "for small inputs only");
    (1..1_u32 << items.len()).map(move |mask| {
        items.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, item)| item.clone()).collect()
    })
}

fn frequent(urls: &[&str], bins: &[u32], part: usize, options: &UrlClusterOptions) -> BTreeMap<Itemset, usize> {
    let with = |item: &String| urls.iter().filter(|url| items(url, part).contains(item)).count();
    let eligible = |item: &String| {
        let instance = options.literal == UrlLiterals::FrequentButInstances && is_instance(item);
        item != "*" && item != "$" && (!instance || with(item) == urls.len())
    };
    let mut counts: BTreeMap<Itemset, Vec<usize>> = BTreeMap::new();
    for (url, bin) in urls.iter().zip(bins) {
        let items = items(url, part).into_iter().filter(&eligible).collect();
        for subset in subsets(&items) {
            counts.entry(subset).or_insert_with(|| vec![0; options.bins as usize])[*bin as usize] += 1;
        }
    }
    counts.retain(|_, counts| counts.iter().all(|count| *count >= options.support as usize));
    counts.into_iter().map(|(items, counts)| (items, counts.iter().sum())).collect()
}

impl Naive {
    pub fn learn(urls: &[&str], bins: &[u32], options: &UrlClusterOptions) -> Self {
        let frequent = [0, 1, 2].map(|part| frequent(urls, bins, part, options));
        let mut naive =
            Self { frequent, query_at_path_miss: options.query_at_path_miss, kept: Vec::new(), dropped: Vec::new() };
        let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
        urls.iter().for_each(|url| *sizes.entry(naive.pattern(url)).or_default() += 1);
        naive.kept = sizes.into_iter().collect();
        naive.kept.sort_by_key(|(pattern, size)| (Reverse(*size), pattern.clone()));
        let mut covered = urls.len();
        while let Some((_, size)) = naive.kept.last() {
            if ((covered - size) as f64) + 1e-9 < (1.0 - options.delta) * urls.len() as f64 {
                break;
            }
            covered -= size;
            naive.dropped.extend(naive.kept.pop());
        }
        naive.dropped.reverse();
        naive
    }

    fn largest(&self, url: &str, part: usize) -> Itemset {
        let items = items(url, part);
        let matching = self.frequent[part].iter().filter(|(set, _)| set.is_subset(&items));
        matching
            .max_by_key(|(set, support)| (set.len(), **support, Reverse((*set).clone())))
            .map(|(set, _)| set.clone())
            .unwrap_or_default()
    }

    pub fn pattern(&self, url: &str) -> String {
        let authority = self.largest(url, 0);
        let mut chosen = [authority, Itemset::new(), Itemset::new()];
        if !chosen[0].is_empty() {
            chosen[1] = self.largest(url, 1);
            if !chosen[1].is_empty() || self.query_at_path_miss {
                chosen[2] = self.largest(url, 2);
            }
        }
        (0..3).map(|part| spell(parts(url)[part], part, &chosen[part])).collect()
    }

    /// Returns the position of a URL's pattern among those kept.
    pub fn find(&self, url: &str) -> Option<usize> {
        let pattern = self.pattern(url);
        self.kept.iter().position(|(kept, _)| *kept == pattern)
    }
}

fn spell(text: &str, part: usize, chosen: &Itemset) -> String {
    let word = |item: &str| match item {
        "" => String::new(),
        literal if chosen.contains(literal) => literal.to_owned(),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => "$".into(),
        _ => "*".into(),
    };
    let is_end = ends(part);
    text.split_inclusive(&is_end)
        .map(|piece| match piece.chars().last().filter(|last| is_end(*last)) {
            Some(end) => format!("{}{end}", word(&piece[..piece.len() - 1])),
            None => word(piece),
        })
        .collect()
}
