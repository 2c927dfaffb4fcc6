//! Everything that reads pages: each reader in all that it is asked for.

use std::sync::Arc;

use bytes::Bytes;
use harvestman::config::ParseOptions;
use harvestman::model::ClassTokens;
use harvestman::parse::{Parser, Spelling, class_token};
use harvestman::substitutes::{AnswerContent, PathSet};
use harvestman_extraction::RecordedPage;
use harvestman_login::{GivenMarks, Marks};
use harvestman_posts::site::{LivePosts, PageNeighbours};
use harvestman_posts::{Extractor, Page, read_feed};
use harvestman_render::replay::{Sample, scan_answer};
use harvestman_render::{RenderedPage, Suspicion, has_hints, script_form};
use harvestman_structure::link_context::LinkContexts;
use harvestman_validators::{All, PageView, Want, anchors, text_of_posts};
use jiff::Timestamp;
use jiff::civil::{DateTime, date};
use url::Url;

const ADDRESS: &str = "http://h.example/a/1?b=2";
const HTML: Option<&str> = Some("text/html; charset=utf-8");
/// All kinds of conditions on pages.
const WANTS: [&str; 9] = [
    "regex:(?i)(ka|lo)+ .*x$",
    "regex-html:<p[^>]*class=.*x",
    "selector:div.c7 > p ~ span.x",
    "selector:div p a[href^='/x']:not(.y)",
    "selector:p.nowhere",
    "schema:Comment",
    "table:author, date",
    "posts:9999",
    "posts:2,since=2020-01-01",
];

/// A reader of pages.
pub struct Reader {
    pub name: &'static str,
    /// Reads a page. Returns some number of what it found, so that nothing is optimised away.
    pub read: fn(&str) -> usize,
}

/// All readers.
pub const READERS: [Reader; 14] = [
    Reader { name: "parser", read: links },
    Reader { name: "parser, with all", read: everything },
    Reader { name: "parser, with path strings", read: path_strings },
    Reader { name: "tree of the standard", read: document },
    Reader { name: "posts", read: posts },
    Reader { name: "posts of a known host", read: known_posts },
    Reader { name: "posts, explained", read: explained },
    Reader { name: "feeds", read: feed },
    Reader { name: "validators", read: validators },
    Reader { name: "searches", read: searches },
    Reader { name: "log-in", read: log_in },
    Reader { name: "rendering", read: rendering },
    Reader { name: "requests of scripts", read: requests },
    #[cfg(feature = "text")]
    Reader { name: "main text", read: main_text },
];

fn now() -> DateTime {
    date(2026, 5, 1).at(12, 0, 0, 0)
}

fn address() -> Url {
    Url::parse(ADDRESS).unwrap()
}

fn links(page: &str) -> usize {
    Parser::new(&ParseOptions::default()).parse(page.as_bytes(), HTML).link_count()
}

/// What the policies that learn, detectors of substitutes and statements of sites are told.
fn everything(page: &str) -> usize {
    let tokens: ClassTokens = ["a1", "post", "c", "reply", "e"].into_iter().map(class_token).collect();
    let mut parser = Parser::with_spelling(&ParseOptions { embeds: true }, Spelling::On)
        .with_units()
        .with_words()
        .with_token_list()
        .with_class_tokens(Arc::new(tokens))
        .with_tree();
    parser.set_texts(true, true, true);
    let read = parser.parse(page.as_bytes(), HTML);
    let contexts = LinkContexts::new(&read);
    let around: usize = read.groups.iter().flat_map(|group| &group.links).map(|link| contexts.of(link).len()).sum();
    let hrefs = read.groups.iter().flat_map(|group| &group.links).map(|link| read.href(link));
    let content = AnswerContent::of(200, PathSet::of(&read.leaf_paths), &read.text);
    let content = content.map(|content| content.leading_to(hrefs));
    let stated = harvestman_consent::of_page(&read.stated, Timestamp::UNIX_EPOCH);
    around + stated.len() + usize::from(content.is_some())
}

fn path_strings(page: &str) -> usize {
    let mut parser = Parser::new(&ParseOptions::default()).with_path_strings();
    parser.parse(page.as_bytes(), HTML).path_strings.len()
}

fn document(page: &str) -> usize {
    harvestman_document::parse(page).map_or(0, |document| document.tree.nodes().len())
}

/// The page as an archive has it.
fn recorded(page: &str) -> Option<Page> {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
    let recorded = RecordedPage {
        url: address(),
        file: String::new(),
        offset: 0,
        time: Timestamp::UNIX_EPOCH,
        message: Some(Bytes::from([&head[..], page.as_bytes()].concat())),
    };
    recorded.parse(harvestman::fetch::recorded_response)
}

fn posts(page: &str) -> usize {
    recorded(page).map_or(0, |page| Extractor::default().extract(&page).posts.len())
}

fn known_posts(page: &str) -> usize {
    let Some(page) = recorded(page) else { return 0 };
    let mut extractor = Extractor::default();
    extractor.learn(&page);
    extractor.settle();
    let records = extractor.extract(&page);
    let recorded =
        RecordedPage { url: address(), file: String::new(), offset: 0, time: Timestamp::UNIX_EPOCH, message: None };
    LivePosts::default().add(&recorded.origin(PageNeighbours::of(&page)), &records).len()
}

fn explained(page: &str) -> usize {
    recorded(page).map_or(0, |page| Extractor::default().explain(&page).records.posts.len())
}

fn feed(page: &str) -> usize {
    read_feed(&address(), page, now()).map_or(0, |records| records.posts.len())
}

fn validators(page: &str) -> usize {
    let wants = WANTS.iter().map(|want| want.parse::<Want>().unwrap().validator(&[], now()).unwrap());
    let view = PageView::new(ADDRESS, page.as_bytes()).with_content_type(HTML);
    let accepted =
        wants.flatten().filter(|validator| All(vec![]).0.is_empty() && validator.accepts(&view) == Some(true));
    accepted.count() + text_of_posts(&view, now()).map_or(0, |text| text.runs().count())
}

fn searches(page: &str) -> usize {
    let view = PageView::new(ADDRESS, page.as_bytes()).with_content_type(HTML);
    let form = usize::from(view.search_hints().form.is_some());
    form + anchors(&view).map_or(0, |anchors| anchors.len()) + view.visible_text().map_or(0, str::len)
}

fn log_in(page: &str) -> usize {
    let read = |page: &str| harvestman_login::Page::read(ADDRESS, page.as_bytes(), HTML);
    let guests = "<p>welcome<a href=/login>Log in</a>";
    let (Ok(page), Ok(before)) = (read(page), read(guests)) else { return 0 };
    let marks = Marks::learn(&GivenMarks::default(), "ann", &address(), &before, &page);
    let evidence = marks.map(|marks| marks.evidence(&page));
    page.avoided_links().len()
        + usize::from(page.asks_for_password())
        + usize::from(harvestman_login::find_form(&page, "").is_ok())
        + usize::from(evidence.is_ok())
}

fn rendering(page: &str) -> usize {
    let has_scripts = Suspicion::of(page.as_bytes(), 0, || page.len()) != Suspicion::None;
    usize::from(has_hints(page.as_bytes(), "http://h.example"))
        + usize::from(has_scripts)
        + usize::from(script_form(page.as_bytes()) != 0)
}

/// The page as what scripts left, and as an answer that they got.
fn requests(page: &str) -> usize {
    let rendered = RenderedPage { html: page.to_owned(), ..RenderedPage::default() };
    let sample = Sample::of_page(ADDRESS, "<p>x", &rendered);
    let plain = Sample::of_page(ADDRESS, page, &RenderedPage::default());
    let learned = harvestman_render::replay::learn(&sample.into_iter().chain(plain).collect::<Vec<_>>());
    scan_answer(page.as_bytes(), &address()).links.len() + learned.rejected.len()
}

#[cfg(feature = "text")]
fn main_text(page: &str) -> usize {
    harvestman_text::read(&address(), page).map_or(0, |page| page.text.len() + page.markdown.len())
}
