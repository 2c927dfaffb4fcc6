//! Tests of rendered documents, including hostile ones.

use pulldown_cmark::{Event, Tag};
use serde_json::json;

use super::*;
use crate::document::log::LogReading;
use crate::document::{Configuration, ControlLog, Has, InForceFile, Sources};
use crate::{Report, read_object};
use harvestman_policy::learned::Facts;

/// Texts of a site that may harm readers of the report.
const HOSTILE: [&str; 7] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\u{202e}gnp.exe\u{2066}",
    "a | b ` c\n# d",
    "</title></style></svg>&lt;",
    "[x](javascript:alert(1))",
];

fn hostile() -> Document {
    let mut reading = LogReading::new([(2, 0.5)].into(), std::time::Duration::from_secs(1));
    for (at, text) in HOSTILE.iter().enumerate() {
        let long = "x".repeat(5_000);
        let line = json!({
            "url": format!("http://h.test/{text}/{long}"), "time": format!("2026-01-01T00:00:{at:02}Z"), "fate": "fetched",
            "reason": text, "status": 200, "content_type": text, "bytes": 10, "depth": 1, "attempts": 1, "title": text,
            "cluster": 2, "warc_file": text, "first_byte_ms": 3,
        });
        reading.add(line.to_string().as_bytes());
        let odd = json!({"url": format!("javascript:alert({at})"), "fate": text, "attempts": 0});
        reading.add(odd.to_string().as_bytes());
    }
    let list: Vec<&str> = HOSTILE.to_vec();
    let fates: serde_json::Map<_, _> = list.iter().map(|text| ((*text).to_owned(), json!({*text: 1}))).collect();
    let report = json!({
        "stop_reason": list[0], "ended": list[1], "started": list[2], "pages": 7, "requests": 7, "bytes": 70, "discovered": 7,
        "fates": fates, "errors": {list[0]: 3}, "statuses": {"65535": 3}, "version": list[0],
        "troubles": [{"host": list[0], "requests": 1, "failed": 1, "reason": list[1]}],
        "traps": [{"form": list[0], "example": list[1], "measure": "cut", "fetched": 1}],
        "wanted": 5, "searches": {"queries": 3, "found": 90, "sites": [{"site": list[0], "requests": 9, "wanted": 1, "left": true}]},
        "rendering": {"rendered": 3, "replayed": 4, "known": 1, "classes": [{"example": list[1], "need": list[0], "gain": 1e300,
            "pages": 7, "replay": list[2], "requests": list.join("\n")}]},
        "crawl_delays_capped_hosts": 2,
        "crawl_delays_capped": [{"host": list[0], "asked_seconds": 1e300, "used_seconds": 5}],
    });
    let mut control = ControlLog::default();
    control
        .add(json!({"time": list[0], "command": list[1], "arguments": list, "effect": list[2]}).to_string().as_bytes());
    let config = toml::toml! {
        [crawl]
        seeds = ["http://h.test/<script>alert(1)</script>", "javascript:alert(1)"]
        policy = "<b>"
        odd = "\"><script>"
    };
    let sources = Sources {
        directory: "a '<script>' dir".to_owned(),
        configuration: Some(Configuration::read(&config.to_string())),
        report: Some(read_object::<Report>("report.json", report.to_string().as_bytes()).unwrap()),
        facts: Some(Ok(Facts::default())),
        control,
        in_force: Some(InForceFile {
            banned: list.iter().map(|text| (*text).to_owned()).collect(),
            ..InForceFile::default()
        }),
        log: reading.finish(),
        warcs: vec![(list[0].to_owned(), 3)],
        has: Has { log: true, state: true, model: true },
        notes: HOSTILE.iter().map(|text| (*text).to_owned()).collect(),
        ..Sources::default()
    };
    Document::of(sources)
}

#[test]
fn a_report_has_the_classes_of_rendered_pages() {
    let class = json!({"class": "ff", "example": "http://h.test/t/1", "pages": 3_000, "rendered": 9, "replayed": 2_991,
        "need": "needed", "gain": 12.46, "replay": "ready", "requests": "{page}/replies"});
    let known = json!({"rendered": 10, "replayed": 2_991, "known": 2, "classes": [class]});
    let report = json!({"pages": 3_001, "rendering": known}).to_string();
    let report = Some(read_object::<Report>("report.json", report.as_bytes()).unwrap());
    let text = markdown(&Document::of(Sources { report, ..Sources::default() }));
    for part in ["## Rendering", "http://h.test/t/1", "3,000", "2,991", "needed", "12.5", "ready", "{page}/replies"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let none = Some(Report::default());
    assert!(!markdown(&Document::of(Sources { report: none, ..Sources::default() })).contains("## Rendering"));
}

#[test]
fn texts_of_a_crawl_are_never_rendered_as_markup() {
    let page = html(&hostile());
    let parsed = scraper::Html::parse_document(&page);
    let select = |selector: &str| {
        let selector = scraper::Selector::parse(selector).unwrap();
        parsed.select(&selector).map(|element| element.html()).collect::<Vec<_>>()
    };
    for forbidden in
        ["script", "img", "iframe", "object", "link", "[src]", "[onerror]", "[onmouseover]", "base", "form"]
    {
        assert_eq!(select(forbidden), Vec::<String>::new(), "{forbidden}");
    }
    assert_eq!(select("style").len(), 1);
    let link = scraper::Selector::parse("a").unwrap();
    let links: Vec<_> = parsed.select(&link).filter_map(|a| a.attr("href")).collect();
    assert!(links.iter().all(|href| href.starts_with("http://h.test/") || href.starts_with('#')), "{links:?}");
    assert!(!page.contains('\u{202e}') && !page.contains('\u{2066}'), "marks that change the direction of text");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

#[test]
fn a_page_is_self_contained() {
    let page = html(&hostile());
    assert!(page.contains("default-src 'none'"));
    for outside in ["@import", "url(", "src=", "<link", "font-face"] {
        assert!(!page.replace("'&gt;", "").contains(&format!(" {outside}")) || outside == "src=", "{outside}");
    }
    // Levels of headings do not skip.
    let levels: Vec<_> =
        page.match_indices("<h").filter_map(|(at, _)| page[at + 2..].chars().next()?.to_digit(10)).collect();
    assert!(levels[0] == 1 && levels[1..].iter().all(|level| *level == 2), "{levels:?}");
}

#[test]
fn rows_of_markdown_tables_have_as_many_cells_as_the_head() {
    let text = markdown(&hostile());
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut head = None;
    let mut tables = 0;
    for line in text.lines() {
        if line.starts_with('|') {
            let expected = *head.get_or_insert_with(|| cells(line));
            assert_eq!(cells(line), expected, "{line}");
        } else {
            tables += usize::from(head.take().is_some());
        }
    }
    assert!(tables >= 8, "{tables}");
    assert!(!text.contains('\u{202e}') && text.contains("&lt;script&gt;"));
    let mut tables = 0;
    for event in pulldown_cmark::Parser::new_ext(&text, pulldown_cmark::Options::ENABLE_TABLES) {
        match event {
            Event::Html(markup) | Event::InlineHtml(markup) => assert_eq!(markup.as_ref(), "<br>"),
            Event::Start(Tag::Link { dest_url, .. }) => assert!(dest_url.starts_with("http://h.test/"), "{dest_url}"),
            Event::Start(Tag::Image { dest_url, .. }) => panic!("an image: {dest_url}"),
            Event::Start(Tag::Table(_)) => tables += 1,
            _ => {}
        }
    }
    assert!(tables >= 8, "{tables} tables are read as such");
    assert!(text.contains("\\[x\\](javascript"), "no link: {text}");
    assert!(!text.lines().any(|line| line.starts_with("# d")), "{text}");
}

#[test]
fn the_commands_are_safe_to_copy() {
    let document = hostile();
    let resume = document.next.iter().find(|advice| advice.command.contains("resume")).unwrap();
    assert_eq!(resume.command, "harvestman resume 'a '\\''<script>'\\'' dir'");
}

#[test]
fn the_json_is_the_document_with_the_report_as_it_was_written() {
    let document = hostile();
    let read: serde_json::Value = serde_json::from_str(&json(&document).unwrap()).unwrap();
    assert_eq!(read["report"], serde_json::to_value(document.last_report()).unwrap());
    assert_eq!((&read["log"]["pages"], &read["format"]), (&7.into(), &1.into()));
}

#[test]
fn an_empty_document_has_a_page() {
    let document = Document::of(Sources::default());
    assert!(html(&document).contains("The crawl has no report"));
    assert!(markdown(&document).starts_with("# Crawl report\n"));
}

#[test]
fn hosts_whose_crawl_delay_is_capped_are_named_with_what_they_ask_for() {
    let report = json!({
        "crawl_delays_capped_hosts": 30,
        "crawl_delays_capped": [{"host": "https://slow.test", "asked_seconds": 86_400.0, "used_seconds": 600.0}],
    });
    let report = read_object("report.json", report.to_string().as_bytes()).unwrap();
    let sources = Sources { report: Some(report), ..Sources::default() };
    let document = Document::of(sources);
    for text in [html(&document), markdown(&document)] {
        for part in ["30; the 1 longest are shown", "https://slow.test", "1 d 0 h", "10 min 0 s"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
