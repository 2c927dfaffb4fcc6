//! When a page was published.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use scraper::ElementRef;

use super::markup::{Markup, has_word, text_of};

/// Meta elements that name the time (Open Graph, Dublin Core, and names that are in use without a standard).
const META: [&str; 7] =
    ["article:published_time", "og:published_time", "dcterms.created", "dcterms.date", "dc.date", "date", "pubdate"];
/// The length of a date without a time.
const DATE_LENGTH: usize = "2024-05-06".len();

/// Returns when a page was published: of a meta element, of microdata, of a microformat, or of all its `time` elements.
pub fn time(markup: &Markup<'_>) -> Option<String> {
    let stated = markup.meta(&META, iso);
    let by_microdata =
        || markup.agreed(|element| value(element).filter(|_| has_word(element, "itemprop", "datePublished")));
    let by_microformat = || markup.agreed(|element| value(element).filter(|_| is_publication(element)));
    let shown = || markup.agreed(|element| value(element).filter(|_| element.value().name() == "time"));
    stated.or_else(by_microdata).or_else(by_microformat).or_else(shown)
}

/// Returns whether an element is the time of an h-entry, of its predecessor hAtom, or of an earlier HTML standard.
fn is_publication(element: ElementRef<'_>) -> bool {
    let is_time = element.value().name() == "time";
    let is_hatom = is_time && has_word(element, "class", "published");
    is_hatom || has_word(element, "class", "dt-published") || (is_time && element.value().attr("pubdate").is_some())
}

/// Returns the time that an element has for machines or as its text.
fn value(element: ElementRef<'_>) -> Option<String> {
    let attribute = |name| element.value().attr(name);
    match attribute("datetime").or_else(|| attribute("content")) {
        Some(value) => iso(value),
        None => iso(&text_of(element)?),
    }
}

/// Returns a time or a date in ISO 8601, in UTC if the distance from it is known. `None` if it is in no form for
/// machines.
pub fn iso(text: &str) -> Option<String> {
    let text = text.trim();
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(at_second(time));
    }
    if text.len() <= DATE_LENGTH {
        return text.parse::<Date>().ok().map(|date| date.to_string());
    }
    let local = text.parse::<DateTime>().ok().and_then(|time| time.with().subsec_nanosecond(0).build().ok());
    local.map(|time| time.to_string()).or_else(|| {
        let time = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
        Some(at_second(time))
    })
}

fn at_second(time: Timestamp) -> String {
    Timestamp::from_second(time.as_second()).unwrap_or(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_document::parse;

    fn time_of(page: &str) -> Option<String> {
        time(&Markup::of(&parse(page).unwrap()))
    }

    #[test]
    fn times_for_machines_are_read() {
        for (text, expected) in [
            ("2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09Z"),
            ("2024-05-06T07:08:09.123Z", "2024-05-06T07:08:09Z"),
            ("2024-05-06T07:08+0000", "2024-05-06T07:08:00Z"),
            (" 2024-05-06 07:08 ", "2024-05-06T07:08:00"),
            ("2024-05-06", "2024-05-06"),
            ("Mon, 6 May 2024 07:08:09 +0200", "2024-05-06T05:08:09Z"),
        ] {
            assert_eq!(iso(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "2024", "PT4H", "yesterday", "2024-13-01", "9999-99-99T99:99:99Z"] {
            assert_eq!(iso(text), None, "{text}");
        }
    }

    #[test]
    fn statements_precede_times_that_are_shown() {
        let shown = "<time datetime=2020-01-02>2 January</time>";
        let meta = "<meta property=article:published_time content=2019-01-02T03:04:05Z>";
        assert_eq!(time_of(&format!("{meta}{shown}")).unwrap(), "2019-01-02T03:04:05Z");
        assert_eq!(time_of(&format!("<meta name=date content=today>{shown}")).unwrap(), "2020-01-02");
        let microdata = "<span itemprop=datePublished content='2018-03-04'>then</span>";
        assert_eq!(time_of(&format!("{microdata}{shown}")).unwrap(), "2018-03-04");
        let microformat = "<time class='entry-date published' datetime=2017-03-04T05:06:07Z>then</time>";
        assert_eq!(time_of(&format!("{shown}{microformat}")).unwrap(), "2017-03-04T05:06:07Z");
    }

    #[test]
    fn several_times_are_none_unless_they_are_equal() {
        assert_eq!(time_of("<time>2020-01-02</time><time datetime=2020-01-02>then</time>").unwrap(), "2020-01-02");
        assert_eq!(time_of("<time>2020-01-02</time><time>2020-01-03</time>"), None);
        assert_eq!(time_of("<time>2020-01-02</time><nav><time>2020-01-03</time></nav>").unwrap(), "2020-01-02");
    }
}
