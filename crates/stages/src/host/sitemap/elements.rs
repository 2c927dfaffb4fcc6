//! The elements of sitemaps and feeds: their roles, and the `lastmod` of an entry, a date of the W3C profile of ISO
//! 8601, with or without a time.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The role of an element, given its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Not an element: the parent of the root.
    Document,
    /// Any other element.
    Other,
    /// `urlset` or `sitemapindex`. Generators confuse them, so both may contain both types of entries.
    Set,
    /// `url`: a page.
    Page,
    /// `sitemap`: a further sitemap.
    Map,
    /// `loc` of a page.
    PageLoc,
    /// `lastmod` of a page.
    PageLastmod,
    /// `loc` of a further sitemap.
    MapLoc,
    /// `rss`, its `channel`, or RSS 1.0's `rdf:RDF`.
    Rss,
    /// `item` of an RSS feed.
    Item,
    /// `link` of an item.
    ItemLink,
    /// `guid` of an item, which may be its link.
    ItemGuid,
    /// Atom's `feed`.
    Feed,
    /// Atom's `entry`.
    Entry,
}

impl Role {
    /// Returns the role of an element called `local` (in lower case, without prefix) within an element of role `self`.
    /// Extensions use the same names with other prefixes (`image:loc`, `atom:link`): an element that belongs to an
    /// entry has the entry's own prefix.
    pub fn child(self, local: &str, same_prefix: bool) -> Self {
        match (self, local) {
            (_, "urlset" | "sitemapindex") => Self::Set,
            (Self::Set | Self::Document, "url") => Self::Page,
            (Self::Set | Self::Document, "sitemap") => Self::Map,
            (Self::Page, "loc") if same_prefix => Self::PageLoc,
            (Self::Page, "lastmod") if same_prefix => Self::PageLastmod,
            (Self::Map, "loc") if same_prefix => Self::MapLoc,
            (Self::Document, "rss" | "rdf") | (Self::Rss, "channel") => Self::Rss,
            (Self::Rss, "item") => Self::Item,
            (Self::Item, "link") if same_prefix => Self::ItemLink,
            (Self::Item, "guid") if same_prefix => Self::ItemGuid,
            (Self::Document, "feed") => Self::Feed,
            (Self::Feed, "entry") => Self::Entry,
            _ => Self::Other,
        }
    }

    /// Returns whether the element's text is read: a URL, or a date.
    pub fn is_text(self) -> bool {
        matches!(self, Self::PageLoc | Self::PageLastmod | Self::MapLoc | Self::ItemLink | Self::ItemGuid)
    }

    /// Returns whether a document with such an element is a sitemap or feed.
    pub fn is_telling(self) -> bool {
        matches!(self, Self::Set | Self::Page | Self::Map | Self::Rss | Self::Feed)
    }

    /// Returns whether the element ends, even without an end tag, where an element called `local` begins.
    pub fn ends_before(self, local: &str) -> bool {
        matches!(
            (self, local),
            (Self::Page | Self::PageLoc | Self::PageLastmod | Self::Map | Self::MapLoc, "url" | "sitemap")
                | (Self::Item | Self::ItemLink | Self::ItemGuid, "item")
                | (Self::Entry, "entry")
        )
    }
}

/// Maximum length of a date, in bytes.
const LENGTH_MAX: usize = 40;

/// Returns the last second of the period that a date states, in seconds since 1970. A date without a time states a
/// whole day, month or year: a page that was visited on that day may have changed after the visit. A time without a
/// zone is taken for UTC. `None` if it is no date, or one before 1970.
pub fn read_lastmod(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.len() > LENGTH_MAX || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let date = |text: &str| text.parse::<Date>().ok();
    let end = match text.len() {
        4 => end_of_day(date(&format!("{text}-12-31"))?),
        7 => end_of_day(date(&format!("{text}-01"))?.last_of_month()),
        10 => end_of_day(date(text)?),
        _ => text.parse::<Timestamp>().ok().or_else(|| in_utc(text.parse().ok()?)),
    };
    u64::try_from(end?.as_second()).ok()
}

fn end_of_day(date: Date) -> Option<Timestamp> {
    let next = in_utc(date.tomorrow().ok()?.to_datetime(jiff::civil::Time::midnight()))?;
    next.checked_sub(SignedDuration::from_secs(1)).ok()
}

fn in_utc(time: DateTime) -> Option<Timestamp> {
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_dates_of_the_profile_are_read_with_the_end_of_what_they_state() {
        let noon = 1_763_640_000; // 2025-11-20T12:00:00Z
        for (text, seconds) in [
            ("2025-11-20T12:00:00Z", noon),
            ("2025-11-20T12:00:00+00:00", noon),
            ("2025-11-20T13:30:00+01:30", noon),
            ("2025-11-20T12:00Z", noon),
            ("2025-11-20T12:00:00.999Z", noon),
            (" 2025-11-20 12:00:00\n", noon),
            ("2025-11-20T12:00:00", noon),
            ("2025-11-20", noon + 12 * 3_600 - 1),
            ("2025-11", noon + 12 * 3_600 - 1 + 10 * 86_400),
            ("2025", noon + 12 * 3_600 - 1 + 41 * 86_400),
        ] {
            assert_eq!(read_lastmod(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_or_too_old_or_too_long_is_none() {
        let long = format!("2025-11-20T12:00:00Z{}", " ".repeat(9) + &"0".repeat(99));
        for text in ["", "now", "2025-13-01", "2025-02-30", "1969-12-31T00:00:00Z", "-9999", "20/11/2025", &long] {
            assert_eq!(read_lastmod(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_second_is_read_as_it_is_written(seconds in 0_i64..253_000_000_000) {
            let written = Timestamp::from_second(seconds).unwrap().to_string();
            prop_assert_eq!(read_lastmod(&written), Some(seconds as u64));
        }

        #[test]
        fn a_date_includes_all_times_of_its_day(seconds in 0_i64..253_000_000_000) {
            let time = Timestamp::from_second(seconds).unwrap();
            let end = read_lastmod(&time.to_string()[..10]).unwrap();
            prop_assert!((seconds as u64..seconds as u64 + 86_400).contains(&end));
            prop_assert_eq!((end + 1) % 86_400, 0);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,60}") {
            let _ = read_lastmod(&text);
        }
    }
}
