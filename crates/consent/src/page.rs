//! The statements of an answer: in its headers, and in the elements of its page.

use http::HeaderMap;
use jiff::Timestamp;

use super::directives::Directives;
use super::{license, preferences, tdmrep};
use harvestman_core::model::{ElementKind, PageElement, StatedIn, Statement};

/// Maximum number of lines of one header that are read.
const LINES_MAX: usize = 64;

/// Returns what the headers of an answer state at `now` to the crawler with the product token `agent`. Several lines of
/// one header are several statements, of which none replaces another.
pub fn of_headers(headers: &HeaderMap, agent: &str, now: Timestamp) -> Vec<Statement> {
    let stated_in = StatedIn::Header;
    let lines = |name: &str| headers.get_all(name).into_iter().take(LINES_MAX).map(http::HeaderValue::as_bytes);
    let mut found = Vec::new();
    found.extend(lines("content-signal").flat_map(|value| preferences::read_signal(value, stated_in)));
    found.extend(lines("content-usage").flat_map(|value| preferences::read_usage(value, stated_in)));
    found.extend(lines("tdm-reservation").filter_map(|value| tdmrep::reservation(value, stated_in)));
    found.extend(lines("tdm-policy").map(|value| tdmrep::policy(value, stated_in)));
    for value in lines("link").map(String::from_utf8_lossy) {
        found.extend(license::of_link_header(&value).iter().filter_map(|url| license::read(url.as_bytes(), stated_in)));
    }
    for value in lines("x-robots-tag").map(String::from_utf8_lossy) {
        found.extend(Directives::of_header(&value, agent).statements(stated_in, now));
    }
    found
}

/// Returns what the elements of a page state at `now`.
pub fn of_page(elements: &[PageElement], now: Timestamp) -> Vec<Statement> {
    let stated_in = StatedIn::Page;
    let read = |PageElement { kind, content }: &PageElement| match kind {
        ElementKind::Robots => Directives::of_element(content).statements(stated_in, now),
        ElementKind::TdmReservation => tdmrep::reservation(content.as_bytes(), stated_in).into_iter().collect(),
        ElementKind::TdmPolicy => vec![tdmrep::policy(content.as_bytes(), stated_in)],
        ElementKind::License => license::read(content.as_bytes(), stated_in).into_iter().collect(),
    };
    elements.iter().flat_map(read).collect()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn spelt(statements: &[Statement]) -> String {
        let one = |said: &Statement| {
            let refuses = said.wish.is_some_and(|wish| !wish.is_allowed);
            format!("{}{} {}", if refuses { "-" } else { "" }, said.signal.label(), said.says).trim().to_owned()
        };
        statements.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn every_header_is_read_and_every_line_of_it_is_a_statement() {
        for (lines, expected) in [
            (vec![("content-usage", "train-ai=n")], "-content_usage train-ai=n"),
            (
                vec![("content-usage", "train-ai=n"), ("content-usage", "train-ai=y")],
                "-content_usage train-ai=n; content_usage train-ai=y",
            ),
            (
                vec![("content-signal", "ai-train=no, search=yes")],
                "-content_signal ai-train=no; content_signal search=yes",
            ),
            (vec![("tdm-reservation", "1"), ("tdm-policy", "https://p/")], "-tdm_reservation 1; tdm_policy https://p/"),
            (vec![("tdm-reservation", "0")], "tdm_reservation 0"),
            (vec![("link", "<https://l/>; rel=license, <x>; rel=next")], "license https://l/"),
            (vec![("x-robots-tag", "noai"), ("x-robots-tag", "otherbot: noarchive")], "-noai"),
            (vec![("x-robots-tag", "harvestman: noarchive")], "-noarchive"),
            (vec![("content-type", "text/html")], ""),
        ] {
            let found = of_headers(&headers(&lines), "harvestman", Timestamp::UNIX_EPOCH);
            assert_eq!(spelt(&found), expected, "{lines:?}");
        }
    }

    #[test]
    fn every_kind_of_element_is_read() {
        let element = |kind, content: &str| PageElement { kind, content: content.into() };
        let elements = [
            element(ElementKind::Robots, "noarchive, noai"),
            element(ElementKind::TdmReservation, "1"),
            element(ElementKind::TdmPolicy, "https://p/"),
            element(ElementKind::License, "/license.xml"),
        ];
        let found = of_page(&elements, Timestamp::UNIX_EPOCH);
        assert_eq!(spelt(&found), "-noarchive; -noai; -tdm_reservation 1; tdm_policy https://p/; license /license.xml");
    }

    proptest! {
        #[test]
        fn any_headers_are_read(values in prop::collection::vec((0_usize..6, prop::collection::vec(any::<u8>(), 0..80)), 0..9)) {
            const NAMES: [&str; 6] =
                ["content-signal", "content-usage", "tdm-reservation", "tdm-policy", "link", "x-robots-tag"];
            let mut headers = HeaderMap::new();
            for (name, value) in values {
                if let Ok(value) = HeaderValue::from_bytes(&value) {
                    headers.append(NAMES[name], value);
                }
            }
            of_headers(&headers, "harvestman", Timestamp::UNIX_EPOCH);
        }
    }
}
