//! Tests of links to what posts answer, on the pages of made-up mailing lists.

use jiff::civil::date;

use super::*;
use crate::anchors::find_anchors;
use crate::parsed_page::Page;

/// What each message answers: two threads, the second one from message 8 on.
const ANSWERS: [Option<usize>; 14] = [
    None,
    Some(0),
    Some(0),
    Some(1),
    Some(1),
    Some(0),
    Some(4),
    Some(4),
    None,
    Some(8),
    Some(8),
    Some(9),
    Some(9),
    Some(10),
];
const LINK: &str = "vastaa:";

fn first_of(message: usize) -> usize {
    ANSWERS[message].map_or(message, first_of)
}

/// The page of a message, with links to the one before, to the first of the thread, and to what it answers.
fn page(message: usize, label: &str, title: impl Fn(usize) -> String) -> Page {
    let link = |label: &str, to: Option<usize>| {
        to.map_or_else(String::new, |to| format!("<li>{label} <a href=/m/{to}>{to} @ h</a></li>"))
    };
    let source = format!(
        "<title>{}</title><ul>{}{}{}</ul><p>{} May 2020 10:00</p><p>text</p>",
        title(first_of(message)),
        link("edellinen:", message.checked_sub(1)),
        link("alku:", ANSWERS[message].map(first_of)),
        link(label, ANSWERS[message]),
        message + 1,
    );
    Page::parse(&format!("http://h/m/{message}").parse().unwrap(), &source, date(2020, 6, 1).at(0, 0, 0, 0)).unwrap()
}

fn learned(pages: &[Page]) -> ParentLinks {
    let outline = |page: &Page| Outline::of(page, &find_anchors(&page.tree, page.fetched));
    ParentLinks::learn(&pages.iter().map(outline).collect::<Vec<_>>())
}

fn parents(links: &ParentLinks, pages: &[Page]) -> Vec<Option<usize>> {
    let number = |url: Url| url.path().rsplit('/').next().and_then(|number| number.parse().ok());
    pages.iter().map(|page| links.parent(&page.tree, &page.url).and_then(number)).collect()
}

fn pages(label: &str, title: impl Fn(usize) -> String) -> Vec<Page> {
    (0..ANSWERS.len()).map(|message| page(message, label, &title)).collect()
}

#[test]
fn links_to_earlier_posts_of_the_thread_that_have_replies_lead_to_parents() {
    let pages = pages(LINK, |thread| if thread == 0 { "Kettles".into() } else { "Gardens".into() });
    assert_eq!(parents(&learned(&pages), &pages), ANSWERS);
    assert_eq!(parents(&ParentLinks::default(), &pages), [None; 14]);
}

#[test]
fn links_whose_targets_have_other_titles_lead_to_no_parents() {
    let mut at = 0;
    let mut pages = Vec::new();
    for message in 0..ANSWERS.len() {
        at += 1;
        let word = "abcdefghijklmnop".get(at..=at).unwrap();
        pages.push(page(message, LINK, |_| word.to_owned()));
    }
    assert_eq!(parents(&learned(&pages), &pages), [None; 14]);
}

#[test]
fn a_usual_label_tells_parents_on_pages_of_one_form() {
    let pages = pages("In reply to:", |_| "List".into());
    assert_eq!(parents(&ParentLinks::default(), &pages), ANSWERS);
    let other = Page::parse(
        &"http://h/m/1".parse().unwrap(),
        "<p>In reply to: <a href=/user/ann>Ann</a>",
        date(2020, 6, 1).at(0, 0, 0, 0),
    );
    let other = other.unwrap();
    assert_eq!(ParentLinks::default().parent(&other.tree, &other.url), None);
}
