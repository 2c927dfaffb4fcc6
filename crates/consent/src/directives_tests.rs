//! Vectors from the documentation of `X-Robots-Tag` and of the robots `meta` element.

use proptest::prelude::*;

use super::*;

fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// The statements of directives: the signals, with `!` in front of those that refuse nothing.
fn signals(directives: &Directives) -> String {
    let statements = directives.statements(StatedIn::Header, now());
    let spelt = |said: &Statement| format!("{}{}", if said.wish.is_some() { "" } else { "!" }, said.signal.label());
    statements.iter().map(spelt).collect::<Vec<_>>().join(" ")
}

#[test]
fn headers_for_all_robots_and_for_this_one_apply() {
    for (value, expected) in [
        ("noindex", "noindex"),
        ("NoIndex , nofollow", "noindex nofollow"),
        ("none", "noindex nofollow"),
        ("noai, noimageai", "noai noimageai"),
        ("noarchive", "noarchive"),
        ("nocache", "noarchive"),
        ("nosnippet", "nosnippet"),
        ("max-snippet:0", "nosnippet"),
        ("max-snippet: 20, noai", "noai"),
        ("max-snippet:-1", ""),
        ("all", ""),
        ("index, follow", ""),
        ("", ""),
        ("otherbot: noai, noarchive", ""),
        ("Harvestman: noai", "noai"),
        ("*: noai", "noai"),
        ("otherbot: none, harvestman: noarchive", "noarchive"),
        ("noarchive, otherbot: noindex", "noarchive"),
        ("noindex noarchive", "noindex noarchive"),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST", "unavailable_after"),
        ("unavailable_after: 25 Jun 2030 15:00:00 PST, noai", "!unavailable_after noai"),
        ("unavailable_after: Friday, 25-Jun-10 15:00:00 PST, noai", "unavailable_after noai"),
        ("harvestman: unavailable_after: Fri, 25 Jun 10 15:00:00 PST", "unavailable_after"),
        ("otherbot: unavailable_after: Fri, 25 Jun 10 15:00:00 PST, none", ""),
        ("unavailable_after: 2010-06-25T15:00:00Z", "unavailable_after"),
        ("unavailable_after: one day", "!unavailable_after"),
        ("unavailable_after:", "!unavailable_after"),
    ] {
        assert_eq!(signals(&Directives::of_header(value, "harvestman")), expected, "{value}");
    }
}

#[test]
fn an_element_addresses_this_robot_as_a_whole() {
    for (content, expected) in [
        ("noai", "noai"),
        ("noai noimageai", "noai noimageai"),
        ("NOARCHIVE,\n nosnippet", "noarchive nosnippet"),
        ("none", "noindex nofollow"),
        ("otherbot: noai", "noai"),
        ("unavailable_after: 2010-01-01, noai", "unavailable_after noai"),
        ("noai; noarchive", "noarchive"),
    ] {
        assert_eq!(signals(&Directives::of_element(content)), expected, "{content}");
    }
}

#[test]
fn a_date_refuses_from_the_moment_that_it_names() {
    let directives = Directives::of_element("unavailable_after: 2026-06-25T15:00:00Z");
    let refuses = |at: &str| directives.statements(StatedIn::Page, at.parse().unwrap())[0].wish.is_some();
    assert!(!refuses("2026-06-25T14:59:59Z") && refuses("2026-06-25T15:00:00Z"));
}

#[test]
fn the_number_of_directives_is_bounded() {
    assert_eq!(Directives::of_header(&"noai,".repeat(1 << 20), "h").0.len(), DIRECTIVES_MAX);
    assert_eq!(Directives::of_element(&"noai ".repeat(1 << 20)).0.len(), DIRECTIVES_MAX);
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC{0,80}", more in "[a-z:*, _-]{0,60}") {
        for text in [&text, &more] {
            Directives::of_header(text, "harvestman").statements(StatedIn::Header, now());
            Directives::of_element(text).statements(StatedIn::Page, now());
        }
    }

    /// What other robots are told changes nothing for this one, and what is said before stays said.
    #[test]
    fn a_directive_stays_whatever_follows(more in "[a-z:, _-]{0,60}") {
        let directives = Directives::of_header(&format!("noai, {more}"), "harvestman");
        prop_assert!(directives.has("noai"));
    }
}

#[test]
fn dates_are_read_in_all_documented_formats() {
    for (text, expected) in [
        ("25 Jun 2030 15:00:00 PST", "2030-06-25T23:00:00Z"),
        ("25-Aug-2007 15:00:00 EST", "2007-08-25T20:00:00Z"),
        ("Friday, 25-Jun-30 15:00:00 GMT", "2030-06-25T15:00:00Z"),
        ("Tue, 25 Jun 2030 15:00:00 +0200", "2030-06-25T13:00:00Z"),
        ("25 Jun 99 15:00:00 UTC", "1999-06-25T15:00:00Z"),
        ("25 Jun 2030 15:00:00", "2030-06-25T15:00:00Z"),
        ("25 Jun 2030 15:00 GMT", "2030-06-25T15:00:00Z"),
        ("2030-06-25T15:00:00Z", "2030-06-25T15:00:00Z"),
        ("2030-06-25T15:00:00+02:00", "2030-06-25T13:00:00Z"),
        ("2030-06-25T15:00:00", "2030-06-25T15:00:00Z"),
        ("2030-06-25 15:00:00", "2030-06-25T15:00:00Z"),
        (" 2030-06-25 ", "2030-06-25T00:00:00Z"),
    ] {
        assert_eq!(parse(text).map(|time| time.to_string()).as_deref(), Some(expected), "{text}");
    }
    for text in ["", "soon", "25/06/2030", "32 Jun 2030 15:00:00 GMT", "25 Jun", "2030-13-01", "25 Jun 2030 x GMT y"] {
        assert_eq!(parse(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_as_a_date(text in "\\PC{0,70}", date in "[0-9A-Za-z:, -]{0,40}") {
        let _ = (parse(&text), parse(&date));
    }
}
