//! Values as markup and feeds write them: addresses, and dates, most of which are as ISO 8601 writes them.

use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;

use crate::dates::{FoundDate, find_date};
use crate::parsed_page::Page;

/// Returns an address as written in a page as an absolute one; `None` of one that is none of the web.
pub(super) fn absolute(page: &Page, address: &str) -> Option<String> {
    let url = page.url.join(address.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

/// Whether an address is that of the front page of a site.
pub(super) fn is_front(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| url.path() == "/" && url.query().is_none() && url.fragment().is_none())
}

/// Whether an identifier is also an address.
pub(super) fn is_address(id: &str) -> bool {
    id.starts_with(['/', '#']) || id.starts_with("http")
}

/// The first year in which a post may have been written.
const YEAR_MIN: i16 = 1985;
/// Maximum length of a date, in bytes.
const BYTES_MAX: usize = 80;

/// Reads a date. `fetched` is when the page was fetched, in UTC. Returns `None` of what is no date with a day, or in
/// the future.
pub(crate) fn read_date(text: &str, fetched: DateTime) -> Option<String> {
    let text = text.trim();
    if text.len() > BYTES_MAX {
        return None;
    }
    let found = of_iso(text, fetched).or_else(|| of_mail(text, fetched)).or_else(|| find_date(text, fetched))?;
    let is_past = found.date <= fetched.date().tomorrow().ok()?;
    (found.has_day && is_past).then(|| found.to_string())
}

fn of_iso(text: &str, fetched: DateTime) -> Option<FoundDate> {
    let pieces = Pieces::parse(text).ok()?;
    let offset = pieces.to_numeric_offset().map(|offset| offset.seconds());
    found(pieces.date().to_datetime(pieces.time().unwrap_or_default()), pieces.time().is_some(), offset, fetched)
}

/// Reads a date as mails have it.
fn of_mail(text: &str, fetched: DateTime) -> Option<FoundDate> {
    let zoned = jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_zoned(text).ok()?;
    found(zoned.datetime(), true, Some(zoned.offset().seconds()), fetched)
}

fn found(moment: DateTime, has_time: bool, offset: Option<i32>, fetched: DateTime) -> Option<FoundDate> {
    let is_possible = (YEAR_MIN..=fetched.year().saturating_add(1)).contains(&moment.year());
    is_possible.then(|| FoundDate {
        date: moment.date(),
        other: None,
        is_swapped: false,
        is_month_first: None,
        time: has_time.then(|| moment.time().with().subsec_nanosecond(0).build().unwrap_or_default()),
        offset,
        has_day: true,
        is_relative: false,
        words_beside: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_forms_are_read() {
        let fetched = jiff::civil::date(2020, 4, 25).at(12, 0, 0, 0);
        for (text, wanted) in [
            ("2020-04-01T10:11:12.345+02:00", "2020-04-01T10:11:12+02:00"),
            ("2020-04-01T10:11:12Z", "2020-04-01T10:11:12Z"),
            ("2007-07-25T16:06:15+0000", "2007-07-25T16:06:15Z"),
            (" 2020-04-01 10:11 ", "2020-04-01T10:11:00"),
            ("2020-04-01", "2020-04-01"),
            ("Wed, 01 Apr 2020 10:00:00 -0330", "2020-04-01T10:00:00-03:30"),
            ("1 April 2020", "2020-04-01"),
        ] {
            assert_eq!(read_date(text, fetched).as_deref(), Some(wanted), "{text}");
        }
        for text in ["", "soon", "0001-01-01T00:00:00Z", "2031-01-01", "2020-05-01T00:00:00Z", "April 2020"] {
            assert_eq!(read_date(text, fetched), None, "{text}");
        }
    }
}
