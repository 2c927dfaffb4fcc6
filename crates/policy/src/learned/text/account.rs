//! What counts for a page of an index of texts, and which pages the rest of its text counts for.

use std::collections::BTreeMap;

use harvestman_core::model::PageText;

use super::content::placed_shingles;
use super::key::{ContentId, TextKey};

/// The shingles of a page, by the pages that they count for. Each of its distinct shingles is in exactly one of
/// `template`, `uncompared`, `own`, `others` and `forgotten`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextAccount {
    /// The number of words, links and labels included.
    pub words: usize,
    /// The number of distinct shingles of running text.
    pub shingles: usize,
    /// The number of those that are template.
    pub template: usize,
    /// The number of those that were not compared, because the page has more than a page is compared by.
    pub uncompared: usize,
    /// Those that count for the page.
    pub own: Vec<TextKey>,
    /// Those that count for other pages, by page; the page with most first, then the earlier one.
    pub others: Vec<(ContentId, Vec<TextKey>)>,
    /// The number of those that counted for a page that was forgotten.
    pub forgotten: usize,
    /// Those of `own`, `others` and `forgotten` that no other remembered page shows.
    pub only: Vec<TextKey>,
}

impl TextAccount {
    /// Accounts for the `content` of a page with `text`, of which `uncompared` shingles are left out. `shown_by`
    /// returns the page that a shingle counts for, `None` in it if that was forgotten, and the number of pages that
    /// show it.
    pub fn of(
        id: ContentId,
        text: &PageText,
        content: &[TextKey],
        uncompared: usize,
        shown_by: impl Fn(TextKey) -> Option<(Option<ContentId>, u32)>,
    ) -> Self {
        let mut all: Vec<TextKey> = placed_shingles(text).map(|(_, shingle)| shingle).collect();
        all.sort_unstable();
        all.dedup();
        let template = all.len().saturating_sub(content.len() + uncompared);
        let (words, shingles) = (text.len(), all.len());
        let mut account = Self { words, shingles, template, uncompared, ..Self::default() };
        let mut others: BTreeMap<ContentId, Vec<TextKey>> = BTreeMap::new();
        for shingle in content {
            let Some((holder, pages)) = shown_by(*shingle) else { continue };
            match holder {
                Some(holder) if holder == id => account.own.push(*shingle),
                Some(holder) => others.entry(holder).or_default().push(*shingle),
                None => account.forgotten += 1,
            }
            account.only.extend((pages == 1).then_some(*shingle));
        }
        account.others = others.into_iter().collect();
        account.others.sort_by_key(|(_, shingles)| std::cmp::Reverse(shingles.len()));
        account
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use proptest::prelude::*;

    use super::super::{Kin, TextIndex};
    use super::*;
    use harvestman_core::model::{ClusterId, PatternId};

    const KIN: Kin = Kin { cluster: ClusterId(3), pattern: PatternId(4) };

    fn page(texts: &[(u32, u32)]) -> PageText {
        let mut page = PageText::default();
        texts.iter().for_each(|(from, to)| page.push(&(*from..*to).collect::<Vec<_>>(), false, false));
        page
    }

    #[test]
    fn text_counts_for_the_page_that_showed_it_first_and_the_others_name_that_page() {
        let mut index = TextIndex::new(10);
        let one = index.take_in(&page(&[(0, 22)]), KIN).id;
        let two = index.take_in(&page(&[(100, 112)]), KIN).id;
        let shown = page(&[(0, 12), (100, 112), (200, 232)]);
        let id = index.take_in(&shown, KIN).id;
        let account = index.account(id, &shown).unwrap();
        assert_eq!((account.words, account.shingles, account.template, account.uncompared), (56, 50, 0, 0));
        assert_eq!((account.own.len(), account.only.len(), account.forgotten), (30, 30, 0));
        let others: Vec<_> = account.others.iter().map(|(page, shingles)| (*page, shingles.len())).collect();
        assert_eq!(others, [(one, 10), (two, 10)]);
        let first = index.account(one, &page(&[(0, 22)])).unwrap();
        assert_eq!((first.own.len(), first.only.len()), (20, 10), "half of it is on another page since");
        assert_eq!(index.account(ContentId(9), &shown), None);
    }

    #[test]
    fn what_is_beyond_the_bounds_is_counted() {
        let mut index = TextIndex::new(2);
        let long = page(&[(0, 1_502)]);
        let id = index.take_in(&long, KIN).id;
        let account = index.account(id, &long).unwrap();
        assert_eq!((account.shingles, account.own.len(), account.uncompared, account.template), (1_500, 512, 988, 0));
        let other = Kin { cluster: ClusterId(5), pattern: PatternId(6) };
        (0..2).for_each(|_| drop(index.take_in(&page(&[(5_000, 5_030)]), other)));
        // The first of the three is forgotten when the third comes.
        let id = index.take_in(&page(&[(5_000, 5_030)]), other).id;
        let account = index.account(id, &page(&[(5_000, 5_030)])).unwrap();
        assert_eq!((account.own.len(), account.forgotten, account.only.len()), (0, 28, 0));
    }

    /// The definition, for pages of one group that repeat nothing: templates are counted over all pages, a shingle with
    /// a word in a run of four template words is template, and the first page that shows another one holds it.
    struct Naive {
        content: Vec<BTreeSet<Vec<u32>>>,
        all: Vec<BTreeSet<Vec<u32>>>,
    }

    impl Naive {
        fn of(pages: &[Vec<Vec<u32>>]) -> Self {
            let mut counts: HashMap<&[u32], usize> = HashMap::new();
            for page in pages {
                let keys: BTreeSet<&[u32]> = page.iter().flat_map(|text| text.windows(4).chain([&text[..]])).collect();
                keys.into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
            }
            let stock = |key: &[u32]| counts.get(key).is_some_and(|count| *count > 3 && 2 * count > pages.len());
            let content = |page: &Vec<Vec<u32>>| {
                let mut found = BTreeSet::new();
                for text in page.iter().filter(|text| !stock(text)) {
                    let marked = |at: usize| {
                        (0..text.len().saturating_sub(3))
                            .any(|from| from <= at && at < from + 4 && stock(&text[from..from + 4]))
                    };
                    let free = (0..text.len() - 2).filter(|at| !(*at..at + 3).any(marked));
                    found.extend(free.map(|at| text[at..at + 3].to_vec()));
                }
                found
            };
            let all =
                |page: &Vec<Vec<u32>>| page.iter().flat_map(|text| text.windows(3)).map(<[u32]>::to_vec).collect();
            Self { content: pages.iter().map(content).collect(), all: pages.iter().map(all).collect() }
        }

        /// All, template, own, only here, and others by page.
        fn account(&self, at: usize) -> (usize, usize, usize, usize, HashMap<u64, usize>) {
            let content = &self.content[at];
            let showing = |shingle| (0..self.content.len()).filter(move |page| self.content[*page].contains(shingle));
            let mut others = HashMap::new();
            let (mut own, mut only) = (0, 0);
            for shingle in content {
                let first = showing(shingle).next().unwrap();
                if first == at {
                    own += 1
                } else {
                    *others.entry(first as u64).or_default() += 1
                }
                only += usize::from(showing(shingle).count() == 1);
            }
            (self.all[at].len(), self.all[at].len() - content.len(), own, only, others)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn accounts_are_those_of_plain_counting(
            pages in prop::collection::vec(prop::collection::vec((0..6_u32, 0..6_u32, 4..15_u32), 0..5), 1..12),
        ) {
            // Parts of a few texts, so that pages share some and most show one.
            let texts = |page: &Vec<(u32, u32, u32)>| -> Vec<Vec<u32>> {
                page.iter().map(|(text, from, count)| (0..*count).map(|word| 100 * text + from + word).collect()).collect()
            };
            let pages: Vec<_> = pages.iter().map(texts).collect();
            let mut index = TextIndex::new(1_000);
            let shown = |page: &[Vec<u32>]| {
                let mut text = PageText::default();
                page.iter().for_each(|words| text.push(words, false, false));
                text
            };
            pages.iter().for_each(|page| drop(index.take_in(&shown(page), KIN)));
            // Templates are known only now.
            index.regroup(|_| None);
            let naive = Naive::of(&pages);
            for (at, page) in pages.iter().enumerate() {
                let account = index.account(ContentId(at as u64), &shown(page)).unwrap();
                let others = account.others.iter().map(|(page, shingles)| (page.0, shingles.len())).collect();
                let found = (account.shingles, account.template, account.own.len(), account.only.len(), others);
                prop_assert_eq!(found, naive.account(at));
                prop_assert!(account.others.is_sorted_by(|a, b| (b.1.len(), a.0) <= (a.1.len(), b.0)));
            }
        }
    }
}
