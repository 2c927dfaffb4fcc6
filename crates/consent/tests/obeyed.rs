//! For each format: what is written, what is recorded of it, and for which purposes it refuses the page. The vectors
//! are from the specifications.
#![allow(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

use harvestman_consent::{
    ConsentRules, RobotsLine, RobotsStatements, TdmrepFile, TdmrepLimits, UrlPath, combined, of_headers, of_page,
};
use harvestman_core::config::{Purpose, SignalMode, TdmrepUse};
use harvestman_core::model::{ElementKind, PageElement, Statement};
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;

const ALL: &str = "archive research search ai-input train-ai";

/// A vector: what is written, what is recorded, and the purposes that are refused.
type Vector = [&'static str; 3];

fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// Checks vectors with what `read` makes of the text. Statements that are known before a request must prevent it.
fn check(vectors: &[Vector], read: impl Fn(&str) -> Vec<Statement>) {
    assert!(vectors.len() >= 15, "{} vectors", vectors.len());
    for [written, recorded, refused] in vectors {
        let statements = combined(read(written));
        let texts = statements.iter().map(|said| format!("{} {}", said.signal.label(), said.says).trim().to_owned());
        assert_eq!(texts.collect::<Vec<_>>().join("; "), *recorded, "{written}: what is recorded");
        let rules = |purpose| ConsentRules { purpose, mode: SignalMode::Obey, nofollow: true, tdmrep: TdmrepUse::Auto };
        let decision = |purpose: &Purpose| rules(*purpose).decide(&statements);
        let is_refused = |purpose: &Purpose| {
            let decision = decision(purpose);
            match statements.first().is_some_and(|said| said.stated_in.is_known_before()) {
                true => decision.not_fetched.is_some(),
                false => decision.not_kept.is_some(),
            }
        };
        let found: Vec<_> = Purpose::ALL.into_iter().filter(is_refused).map(Purpose::label).collect();
        assert_eq!(found.join(" "), *refused, "{written}: the purposes that are refused");
    }
}

/// The statements of a header, about `/ai/x`.
fn header(name: &str) -> impl Fn(&str) -> Vec<Statement> {
    move |value| {
        let mut headers = HeaderMap::new();
        // Lines of one header.
        for line in value.split('\n') {
            headers.append(name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(line).unwrap());
        }
        of_headers(&headers, "harvestman", now())
    }
}

/// The statements of lines of robots.txt about `/ai/x`.
fn robots(line: impl Fn(&[u8]) -> RobotsLine<'_>) -> impl Fn(&str) -> Vec<Statement> {
    move |lines| {
        let mut statements = RobotsStatements::default();
        lines.split('\n').for_each(|text| statements.add(line(text.as_bytes())));
        statements.of(&UrlPath::new("/ai/x")).cloned().collect()
    }
}

const fn signal_line(value: &[u8]) -> RobotsLine<'_> {
    RobotsLine::ContentSignal(value)
}

const fn usage_line(value: &[u8]) -> RobotsLine<'_> {
    RobotsLine::ContentUsage(value)
}

const fn license_line(value: &[u8]) -> RobotsLine<'_> {
    RobotsLine::License(value)
}

#[test]
fn content_signals() {
    let vectors = [
        ["search=yes", "content_signal search=yes", ""],
        ["search=no", "content_signal search=no", "search"],
        ["ai-input=no", "content_signal ai-input=no", "ai-input"],
        ["ai-train=no", "content_signal ai-train=no", "train-ai"],
        ["ai-train=yes", "content_signal ai-train=yes", ""],
        ["search=yes, ai-train=no", "content_signal ai-train=no; content_signal search=yes", "train-ai"],
        [
            "search=no, ai-input=no, ai-train=no",
            "content_signal search=no; content_signal ai-input=no; content_signal ai-train=no",
            "search ai-input train-ai",
        ],
        ["AI-Train = NO", "content_signal ai-train = no", "train-ai"],
        ["ai-train=yes, ai-train=no", "content_signal ai-train=no; content_signal ai-train=yes", "train-ai"],
        ["ai-train=no\nai-train=yes", "content_signal ai-train=no; content_signal ai-train=yes", "train-ai"],
        ["ai-train=nope", "content_signal ai-train=nope", ""],
        ["training=no", "content_signal training=no", ""],
        ["", "", ""],
        [", ,", "", ""],
        ["search", "content_signal search", ""],
    ];
    check(&vectors, header("content-signal"));
    check(&vectors, robots(signal_line));
}

#[test]
fn content_usage() {
    let vectors = [
        ["train-ai=n", "content_usage train-ai=n", "train-ai"],
        ["train-ai=y", "content_usage train-ai=y", ""],
        ["search=n", "content_usage search=n", "search"],
        ["ai-use=n", "content_usage ai-use=n", "ai-input"],
        ["train-ai=y, search=n", "content_usage search=n; content_usage train-ai=y", "search"],
        ["train-ai=n;x=1", "content_usage train-ai=n", "train-ai"],
        ["train-ai=n, train-ai=y", "content_usage train-ai=y", ""],
        ["train-ai=n\ntrain-ai=y", "content_usage train-ai=n; content_usage train-ai=y", "train-ai"],
        ["train-ai=\"n\"", "content_usage train-ai", ""],
        ["train-ai=?0", "content_usage train-ai", ""],
        ["train-ai", "content_usage train-ai", ""],
        ["train-ai=no", "content_usage train-ai=no", ""],
        ["Train-AI=n", "content_usage Train-AI=n", ""],
        ["unknown=n, search=y", "content_usage unknown=n; content_usage search=y", ""],
        ["train-ai=n,", "content_usage train-ai=n,", ""],
        ["", "", ""],
    ];
    check(&vectors, header("content-usage"));
    check(&vectors, robots(usage_line));
}

#[test]
fn content_usage_of_paths() {
    let vectors = [
        ["/ train-ai=n", "content_usage train-ai=n", "train-ai"],
        ["/ai/ train-ai=n", "content_usage train-ai=n", "train-ai"],
        ["/other/ train-ai=n", "", ""],
        ["/ train-ai=n\n/ai/ train-ai=y", "content_usage train-ai=y", ""],
        ["/ai/ train-ai=y\n/ train-ai=n", "content_usage train-ai=y", ""],
        ["/ train-ai=y\n/ai/ train-ai=n", "content_usage train-ai=n", "train-ai"],
        ["/ai/ train-ai=n\n/ai/ train-ai=y", "content_usage train-ai=n; content_usage train-ai=y", "train-ai"],
        ["/ai/ search=n\n/ train-ai=n", "content_usage search=n", "search"],
        ["/*/x$ train-ai=n", "content_usage train-ai=n", "train-ai"],
        ["/ai$ train-ai=n", "", ""],
        ["/a%69/ train-ai=n", "content_usage train-ai=n", "train-ai"],
        ["/AI/ train-ai=n", "", ""],
        ["train-ai=n\n/ai/ train-ai=y", "content_usage train-ai=y", ""],
        ["/ai/\ttrain-ai=n, search=n", "content_usage search=n; content_usage train-ai=n", "search train-ai"],
        ["/ai/", "", ""],
    ];
    check(&vectors, robots(usage_line));
}

#[test]
fn licences() {
    let of_robots = |line: &str| robots(license_line)(line);
    for url in ["https://e.com/license.xml", "/license.xml", "https://e.com/rsl?x=1"] {
        assert_eq!(of_robots(url).len(), 1, "{url}");
    }
    assert_eq!(of_robots("https://a/\nhttps://b/").len(), 2);
    check(
        &[
            ["<https://e/l.xml>; rel=\"license\"; type=\"application/rsl+xml\"", "license https://e/l.xml", ""],
            ["<https://e/l>; rel=license", "license https://e/l", ""],
            ["</l>; REL=LICENSE", "license /l", ""],
            ["<a>; rel=\"license nofollow\"", "license a", ""],
            ["<a>; rel=next, <b>; rel=license", "license b", ""],
            ["<a>; rel=license\n<b>; rel=license", "license a; license b", ""],
            ["<a>; rel=license, <a>; rel=license", "license a", ""],
            ["<a>; title=\"a, b\"; rel=license", "license a", ""],
            ["<a>; title=\"<b>; rel=license\"", "", ""],
            ["<a>; rel=next", "", ""],
            ["<a>; rel=licensed", "", ""],
            ["<>; rel=license", "", ""],
            ["<a", "", ""],
            ["license", "", ""],
            ["", "", ""],
        ],
        header("link"),
    );
}

#[test]
fn reservations_in_headers_and_elements() {
    let vectors = [
        ["1", "tdm_reservation 1", "research ai-input train-ai"],
        [" 1 ", "tdm_reservation 1", "research ai-input train-ai"],
        ["0", "tdm_reservation 0", ""],
        ["0\n1", "tdm_reservation 1; tdm_reservation 0", "research ai-input train-ai"],
        ["1\n0", "tdm_reservation 1; tdm_reservation 0", "research ai-input train-ai"],
        ["1\n1", "tdm_reservation 1", "research ai-input train-ai"],
        ["", "", ""],
        ["2", "tdm_reservation 2", ""],
        ["-1", "tdm_reservation -1", ""],
        ["01", "tdm_reservation 01", ""],
        ["1.0", "tdm_reservation 1.0", ""],
        ["true", "tdm_reservation true", ""],
        ["yes", "tdm_reservation yes", ""],
        ["1, 0", "tdm_reservation 1, 0", ""],
        ["\"1\"", "tdm_reservation \"1\"", ""],
    ];
    check(&vectors, header("tdm-reservation"));
    check(&vectors, |value| {
        let element = |line: &str| PageElement { kind: ElementKind::TdmReservation, content: line.into() };
        of_page(&value.split('\n').map(element).collect::<Vec<_>>(), now())
    });
}

#[test]
fn reservations_in_the_file() {
    let limits = TdmrepLimits { bytes_max: 1_000, rules_max: 10 };
    check(
        &[
            [r#"[{"location":"/","tdm-reservation":1}]"#, "tdm_reservation 1", "research ai-input train-ai"],
            [r#"[{"location":"/","tdm-reservation":0}]"#, "tdm_reservation 0", ""],
            [r#"[{"location":"/ai/","tdm-reservation":1}]"#, "tdm_reservation 1", "research ai-input train-ai"],
            [r#"[{"location":"/ai/*","tdm-reservation":1}]"#, "tdm_reservation 1", "research ai-input train-ai"],
            [r#"[{"location":"/ai/x$","tdm-reservation":1}]"#, "tdm_reservation 1", "research ai-input train-ai"],
            [r#"[{"location":"/ai$","tdm-reservation":1}]"#, "", ""],
            [r#"[{"location":"/b/","tdm-reservation":1}]"#, "", ""],
            [
                r#"[{"location":"/ai/","tdm-reservation":0},{"location":"/","tdm-reservation":1}]"#,
                "tdm_reservation 0",
                "",
            ],
            [
                r#"[{"location":"/","tdm-reservation":1},{"location":"/ai/","tdm-reservation":0}]"#,
                "tdm_reservation 1",
                "research ai-input train-ai",
            ],
            [
                r#"[{"location":"/","tdm-reservation":1,"tdm-policy":"https://p/"}]"#,
                "tdm_reservation 1; tdm_policy https://p/",
                "research ai-input train-ai",
            ],
            [r#"[{"location":"/","tdm-reservation":2}]"#, "", ""],
            [r#"[{"location":"/","tdm-reservation":"1"}]"#, "", ""],
            [r#"[{"location":"/"}]"#, "", ""],
            [r#"{"location":"/","tdm-reservation":1}"#, "", ""],
            ["[]", "", ""],
            ["not found", "", ""],
        ],
        |text| TdmrepFile::parse(text.as_bytes(), limits).of(&UrlPath::new("/ai/x")).to_vec(),
    );
}

#[test]
fn directives() {
    let vectors = [
        ["noarchive", "noarchive", "archive research ai-input train-ai"],
        ["noindex", "noindex", "search ai-input"],
        ["nosnippet", "nosnippet", "ai-input"],
        ["noai", "noai", "ai-input train-ai"],
        ["noimageai", "noimageai", "ai-input train-ai"],
        ["nofollow", "nofollow", ""],
        ["none", "noindex none; nofollow none", "search ai-input"],
        ["NOAI, NoImageAI", "noai; noimageai", "ai-input train-ai"],
        ["all", "", ""],
        ["index, follow", "", ""],
        ["max-snippet:0", "nosnippet max-snippet:0", "ai-input"],
        ["max-snippet:50", "", ""],
        ["unavailable_after: 25 Jun 2010 15:00:00 PST", "unavailable_after 25 Jun 2010 15:00:00 PST", ALL],
        ["unavailable_after: 2010-06-25", "unavailable_after 2010-06-25", ALL],
        ["unavailable_after: 2030-06-25", "unavailable_after 2030-06-25", ""],
        ["unavailable_after: some day", "unavailable_after some day", ""],
        ["noarchive, noindex", "noindex; noarchive", ALL],
        ["", "", ""],
    ];
    check(&vectors, header("x-robots-tag"));
    check(&vectors, |content| of_page(&[PageElement { kind: ElementKind::Robots, content: content.into() }], now()));
}

#[test]
fn directives_for_one_robot() {
    check(
        &[
            ["harvestman: noai", "noai", "ai-input train-ai"],
            ["HARVESTMAN: noai", "noai", "ai-input train-ai"],
            ["*: noai", "noai", "ai-input train-ai"],
            ["otherbot: noai", "", ""],
            ["harvestmans: noai", "", ""],
            ["otherbot: noai, noarchive", "", ""],
            ["otherbot: noai, harvestman: nosnippet", "nosnippet", "ai-input"],
            ["harvestman: noai, otherbot: noarchive", "noai", "ai-input train-ai"],
            ["noai\notherbot: noarchive", "noai", "ai-input train-ai"],
            ["otherbot: noarchive\nnoai", "noai", "ai-input train-ai"],
            ["nosnippet, otherbot: noarchive", "nosnippet", "ai-input"],
            ["harvestman: none", "noindex none; nofollow none", "search ai-input"],
            [
                "harvestman: unavailable_after: Fri, 25 Jun 10 15:00:00 GMT, noai",
                "noai; unavailable_after Fri, 25 Jun 10 15:00:00 GMT",
                ALL,
            ],
            ["otherbot: unavailable_after: Fri, 25 Jun 10 15:00:00 GMT", "", ""],
            ["harvestman:", "", ""],
        ],
        header("x-robots-tag"),
    );
}
