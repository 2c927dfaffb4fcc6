//! Near-duplicates on recorded forums whose labels mark duplicate views: permalinks into a topic, first pages with
//! their number, log-in forms with a return address.

mod corpora;

use std::collections::BTreeMap;

use harvestman::config::ParseOptions;
use harvestman::model::{ClusterId, PageText, PatternId};
use harvestman::parse::Parser;
use harvestman::policy::learned::{Kin, Relation, TextIndex};

/// Maximum number of pages per corpus, in the order of its crawl.
const PAGES_MAX: usize = 5_000;

/// A page with its label and text.
struct Page {
    is_view: bool,
    kind: String,
    text: PageText,
}

fn pages(name: &str) -> Option<Vec<Page>> {
    let (pages, labels) = (corpora::pages(name)?, corpora::labels(name)?);
    let mut parser = Parser::new(&ParseOptions::default()).with_words();
    let judgeable = |page: &corpora::Page| {
        let label = labels.get(&page.url)?;
        let text = parser.parse(&page.body, Some("text/html; charset=utf-8")).text;
        Some(Page { is_view: label.is_duplicate_view, kind: label.page_type.clone(), text })
    };
    Some(pages.iter().take(PAGES_MAX).filter_map(judgeable).collect())
}

/// The results of the index, compared with the labels.
#[derive(Debug, Default)]
struct Judged {
    /// Duplicate views, and the number of them detected.
    views: u32,
    views_found: u32,
    /// Other pages, and the number of them reported as a duplicate of a page of their type that is not a duplicate view
    /// either.
    others: u32,
    others_found: u32,
    /// Pages reported as a duplicate of a page of another type: reply forms quote the topic, empty profiles are alike.
    of_other_types: u32,
}

/// Checks the pages in the order of the crawl; pages of one type are one cluster.
fn judge(pages: &[Page]) -> Judged {
    let (mut index, mut judged) = (TextIndex::new(pages.len()), Judged::default());
    let mut kinds: BTreeMap<&str, ClusterId> = BTreeMap::new();
    for page in pages {
        let next = ClusterId(kinds.len() as u32 + 2);
        let cluster = *kinds.entry(&page.kind).or_insert(next);
        let like = index
            .take_in(&page.text, Kin { cluster, pattern: PatternId(u64::from(cluster.0)) })
            .repeats
            .filter(|(_, relation)| *relation == Relation::Alike)
            .map(|(of, _)| &pages[of.0 as usize]);
        if page.is_view {
            judged.views += 1;
            judged.views_found += u32::from(like.is_some());
        } else {
            judged.others += 1;
            // A page after its duplicate view is rightly reported as similar to it.
            let like = like.filter(|like| !like.is_view);
            judged.others_found += u32::from(like.is_some_and(|like| like.kind == page.kind));
            judged.of_other_types += u32::from(like.is_some_and(|like| like.kind != page.kind));
        }
    }
    judged
}

#[test]
fn duplicate_views_are_detected_with_few_false_alarms() {
    for name in corpora::NAMES {
        let Some(pages) = pages(name) else { continue };
        let judged = judge(&pages);
        let share = |found: u32, all: u32| f64::from(found) / f64::from(all.max(1));
        let (found, alarms) = (share(judged.views_found, judged.views), share(judged.others_found, judged.others));
        eprintln!("{name}: {found:.3} found, {alarms:.3} false alarms, {judged:?}");
        // Some duplicate views come before the original, which is then the one reported.
        assert!(found >= 0.8, "{name}: only {found} found");
        assert!(alarms <= 0.01, "{name}: {alarms} false alarms");
        assert!(share(judged.of_other_types, judged.others) <= 0.08, "{name}: {judged:?}");
    }
}
