//! Validator by the posts that a page shows.

use std::fmt;

use harvestman_core::model::PageText;
use harvestman_posts::{Extractor, Page, PagePost};
use jiff::civil::{Date, DateTime};
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

use crate::{InvalidWant, PageView, Validator};

/// Maximum number of posts that may be asked for.
const POSTS_MAX: usize = 10_000;

/// Number of letters and digits by which a text is told from others.
const BEGINNING: usize = 64;

/// Pages with a number of posts, of which those before a date do not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedPosts {
    at_least: usize,
    since: Option<Date>,
}

impl WantedPosts {
    /// Parses `NUMBER` or `NUMBER,since=YYYY-MM-DD`.
    ///
    /// # Errors
    ///
    /// The number is not from 1 to 10,000, or the date is none.
    pub fn parse(text: &str) -> Result<Self, InvalidWant> {
        let invalid = || InvalidWant::Posts(text.to_owned());
        let (number, since) = text.split_once(",since=").map_or((text, None), |(number, date)| (number, Some(date)));
        let at_least = number.parse().ok().filter(|number| (1..=POSTS_MAX).contains(number)).ok_or_else(invalid)?;
        let since = since.map(|date| date.parse().map_err(|_| invalid())).transpose()?;
        Ok(Self { at_least, since })
    }

    /// Returns the validator. Dates such as `yesterday` count from `now`.
    pub fn at(&self, now: DateTime) -> Posts {
        Posts { wanted: self.clone(), now }
    }
}

impl fmt::Display for WantedPosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "posts:{}", self.at_least)?;
        self.since.map_or(Ok(()), |since| write!(f, ",since={since}"))
    }
}

/// Accepts pages with enough posts. Each page is learned from alone: what is accepted depends on nothing that was seen
/// before. Excerpts do not count.
#[derive(Debug, Clone)]
pub struct Posts {
    wanted: WantedPosts,
    now: DateTime,
}

impl Validator for Posts {
    fn accepts(&self, page: &PageView<'_>) -> Option<bool> {
        let WantedPosts { at_least, since } = self.wanted;
        let is_recent = |date: &str| {
            let day = date.get(..10).and_then(|day| day.parse::<Date>().ok());
            since.is_none_or(|since| day.is_some_and(|day| day >= since))
        };
        let posts = whole_posts(page, self.now)?;
        let recent = posts.filter(|post| since.is_none() || post.date.as_deref().is_some_and(is_recent));
        Some(recent.take(at_least).count() == at_least)
    }

    fn name(&self) -> String {
        self.wanted.to_string()
    }
}

/// Returns the posts of a page as a text: four words of hashes each, which are the same wherever the post is shown.
/// `None` where [`Validator::accepts`] could not tell. A post is told by the beginning of its text; a short one by
/// author and date too.
pub fn text_of_posts(page: &PageView<'_>, now: DateTime) -> Option<PageText> {
    let mut text = PageText::default();
    for post in whole_posts(page, now)? {
        let mut key: String = post.text.chars().filter(|c| c.is_alphanumeric()).take(BEGINNING).collect();
        if key.chars().count() < BEGINNING {
            key.extend([post.author, post.date].into_iter().flatten());
        }
        let hash = xxh3_128(key.as_bytes());
        let words = [0, 32, 64, 96].map(|shift| (hash >> shift) as u32);
        text.push(&words, false, false);
    }
    Some(text)
}

/// Returns the posts of a page without excerpts.
fn whole_posts(page: &PageView<'_>, now: DateTime) -> Option<impl Iterator<Item = PagePost> + use<>> {
    let url = Url::parse(page.url).ok()?;
    let records = Extractor::default().extract(&Page::parse(&url, page.source()?, now)?);
    if records.is_given_up {
        page.give_up();
        return None;
    }
    Some(records.posts.into_iter().filter(|post| !post.is_excerpt))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const NOW: DateTime = date(2026, 5, 1).at(12, 0, 0, 0);
    const WORDS: [&str; 8] = ["apple", "bread", "candle", "door", "engine", "forest", "garden", "harbour"];

    /// A thread with a post on each of these days of April 2026.
    fn thread(days: &[u8]) -> String {
        let mut posts = String::new();
        for (at, day) in days.iter().enumerate() {
            let text: Vec<&str> = (0..10).map(|word| WORDS[(at * 3 + word * (1 + at % 3)) % WORDS.len()]).collect();
            let _ = write!(
                posts,
                "<div class=post><div class=head><a href=/u/{at}>user{at}</a> <span class=date>2026-04-{day:02} 10:{at:02}</span></div>\
                 <div class=text>{} {at}.</div></div>",
                text.join(" ")
            );
        }
        format!("<html><head><title>t</title></head><body><h1>Thread</h1>{posts}</body></html>")
    }

    fn accepts(want: &str, page: &str) -> Option<bool> {
        WantedPosts::parse(want).unwrap().at(NOW).accepts(&PageView::new("http://h.test/t/1", page.as_bytes()))
    }

    #[test]
    fn posts_count_from_a_date_on() {
        let page = thread(&[1, 2, 10, 20, 21]);
        assert_eq!((accepts("5", &page), accepts("6", &page)), (Some(true), Some(false)));
        assert_eq!(
            (accepts("3,since=2026-04-10", &page), accepts("4,since=2026-04-10", &page)),
            (Some(true), Some(false))
        );
        assert_eq!(accepts("1,since=2026-04-22", &page), Some(false));
        assert_eq!(accepts("1", "<p>no posts here"), Some(false));
        let image = PageView::new("http://h.test/", b"x").with_content_type(Some("image/png"));
        assert_eq!(WantedPosts::parse("1").unwrap().at(NOW).accepts(&image), None);
        assert_eq!(accepts("1", &"<div>".repeat(200_000)), None, "beyond the bounds");
    }

    #[test]
    fn a_post_has_the_same_words_on_each_page_that_shows_it() {
        let words = |days: &[u8]| {
            let page = thread(days);
            let text = text_of_posts(&PageView::new("http://h.test/t/1", page.as_bytes()), NOW).unwrap();
            text.runs().map(|(_, words)| words.to_vec()).collect::<Vec<_>>()
        };
        let (page, longer) = (words(&[1, 2, 10]), words(&[1, 2, 10, 20]));
        assert_eq!((page.len(), longer.len()), (3, 4));
        assert_eq!(page, longer[..3]);
        assert!((0..4).all(|one| (0..one).all(|other| longer[one] != longer[other])));
        let image = PageView::new("http://h.test/", b"x").with_content_type(Some("image/png"));
        assert!(text_of_posts(&image, NOW).is_none());
    }

    #[test]
    fn values_are_parsed_and_written() {
        for text in ["1", "10000", "20,since=2026-01-31"] {
            assert_eq!(WantedPosts::parse(text).unwrap().to_string(), format!("posts:{text}"));
        }
        for text in ["", "0", "10001", "x", "3,", "3,since=", "3,since=2026-02-30", "3,until=2026-01-01", "-1"] {
            assert!(WantedPosts::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn as_many_posts_are_counted_as_are_of_these_days(mut days in prop::collection::vec(1_u8..29, 4..12), since in 1_u8..29) {
            days.sort_unstable();
            let recent = days.iter().filter(|day| **day >= since).count();
            let page = thread(&days);
            let of = |number: usize| accepts(&format!("{number},since=2026-04-{since:02}"), &page);
            prop_assert!(recent == 0 || of(recent) == Some(true));
            prop_assert_eq!(of(recent + 1), Some(false));
        }
    }
}
