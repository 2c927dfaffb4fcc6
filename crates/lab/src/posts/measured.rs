//! Learns and finds the posts of a recording.

use std::collections::HashMap;

use super::markup::without_markup;
use super::page_types::PageTypes;
use super::scorer::{PostScores, Scorer};
use super::truth::PostTruth;
use crate::corpus::HtmlPage;
use harvestman_core::clock::Clock;
use harvestman_posts::site::{PageNeighbours, PageOrigin, TooManyPosts};
use harvestman_posts::{Extractor, Page};
use jiff::tz::TimeZone;

/// The number of pages of a host to learn from, by default.
pub const LEARN_PAGES: usize = 500;

/// How to measure.
#[derive(Debug, Clone, Copy)]
pub struct PostMeasurement {
    /// Maximum number of pages of a host to learn from. They are spread evenly over its pages.
    pub learn: usize,
    /// Whether markup for machines is removed from the pages first.
    pub is_without_markup: bool,
    /// Maximum number of pages with flaws to list.
    pub worst: usize,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPosts {
    /// The scores.
    pub scores: PostScores,
    /// Pages that were learned from.
    pub learned: u64,
    /// Pages that exceed the bounds of the parser. Their posts count as missing.
    pub unparsed: u64,
    /// Pages that the truth names and the recording lacks.
    pub missing: usize,
    /// Seconds to parse a page.
    pub parse_seconds: f64,
    /// Seconds to find the posts of a parsed page.
    pub extract_seconds: f64,
}

/// Learns the templates of the pages, finds their posts, and scores them.
///
/// # Errors
///
/// There are too many posts.
#[expect(clippy::cast_precision_loss, reason = "numbers of pages are far below 2^52")]
pub fn measure_posts(
    pages: &[HtmlPage],
    truth: &[PostTruth],
    options: &PostMeasurement,
    clock: &Clock,
) -> Result<MeasuredPosts, TooManyPosts> {
    let parse = |page: &HtmlPage| match options.is_without_markup {
        true => Page::parse(&page.url, &without_markup(&page.html)?, page.fetched),
        false => Page::parse(&page.url, &page.html, page.fetched),
    };
    let (mut extractor, mut learned) = (Extractor::default(), 0);
    for page in sample(pages, options.learn).into_iter().filter_map(parse) {
        extractor.learn(&page);
        learned += 1;
    }
    extractor.settle();
    let types = PageTypes::of(pages.iter().map(|page| &page.url));
    let (mut scorer, mut unparsed, mut parsing, mut extracting) = (Scorer::new(truth), 0, 0.0, 0.0);
    for page in pages {
        let start = clock.now();
        let parsed = parse(page);
        let parsed_at = clock.now();
        unparsed += u64::from(parsed.is_none());
        let records = parsed.as_ref().map(|page| extractor.extract(page)).unwrap_or_default();
        extracting += clock.now().since(parsed_at).as_secs_f64();
        parsing += parsed_at.since(start).as_secs_f64();
        let origin = PageOrigin {
            url: page.url.as_str().to_owned(),
            crawl_time: page.fetched.to_zoned(TimeZone::UTC).map(|time| time.timestamp()).unwrap_or_default(),
            head: parsed.as_ref().map(PageNeighbours::of).unwrap_or_default(),
            ..PageOrigin::default()
        };
        scorer.add(&page.url, &origin, &types.type_of(&page.url), &records)?;
    }
    let count = pages.len().max(1) as f64;
    Ok(MeasuredPosts {
        missing: scorer.missing_pages(),
        scores: scorer.finish(options.worst),
        learned,
        unparsed,
        parse_seconds: parsing / count,
        extract_seconds: extracting / count,
    })
}

/// Returns at most so many pages of each host, spread evenly.
fn sample(pages: &[HtmlPage], most: usize) -> Vec<&HtmlPage> {
    let mut hosts: HashMap<&str, usize> = HashMap::new();
    for page in pages {
        *hosts.entry(page.url.authority()).or_default() += 1;
    }
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut taken = Vec::new();
    for page in pages {
        let (at, all) = (seen.entry(page.url.authority()).or_default(), hosts[page.url.authority()]);
        let most = most.min(all);
        // The number of those taken grows with this page.
        if (*at + 1) * most / all > *at * most / all {
            taken.push(page);
        }
        *at += 1;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn page(url: &str) -> HtmlPage {
        HtmlPage {
            url: Url::parse(url).unwrap(),
            fetched: jiff::civil::date(2025, 6, 1).at(12, 0, 0, 0),
            html: String::new(),
        }
    }

    #[test]
    fn samples_are_spread_over_the_pages_of_each_host() {
        let mut pages: Vec<_> = (0..10).map(|at| page(&format!("http://a/{at}"))).collect();
        pages.insert(3, page("http://b/"));
        let taken: Vec<_> = sample(&pages, 3).iter().map(|page| page.url.to_string()).collect();
        assert_eq!(taken, ["http://b/", "http://a/3", "http://a/6", "http://a/9"]);
        assert_eq!(sample(&pages, 99).len(), 11);
        assert!(sample(&pages, 0).is_empty());
    }
}
