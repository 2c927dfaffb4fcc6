//! The posts that are found on annotated pages of forums of many kinds (WEB-FORUM-52), each of which is read by itself.
#![allow(clippy::unwrap_used, reason = "the helpers belong to the tests")]

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use harvestman_posts::{Extractor, Page, PagePost, find_date};
use jiff::civil::{DateTime, date};
use serde_json::Value;
use url::Url;

/// F-measure of the words of a text from which it is right.
const TEXT_MIN: f64 = 0.9;
/// After the latest page was fetched.
const NOW: DateTime = date(2020, 7, 10).at(12, 0, 0, 0);

/// Returns the annotated pages; `None`, and says so, if they are missing.
fn pages() -> Option<Vec<Value>> {
    let corpora =
        std::env::var_os("HARVESTMAN_CORPORA").map_or_else(|| PathBuf::from("../shared/corpora"), PathBuf::from);
    let path = corpora.join("../posts/web-forum-52/pages.jsonl.gz");
    let Ok(file) = File::open(&path) else {
        let is_required = std::env::var("HARVESTMAN_REQUIRE_CORPORA").is_ok_and(|value| value == "1");
        assert!(!is_required, "{} is missing, and HARVESTMAN_REQUIRE_CORPORA=1", path.display());
        eprintln!("SKIPPED: {} is missing; set HARVESTMAN_CORPORA", path.display());
        return None;
    };
    let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines();
    Some(lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect())
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The F-measure of two bags of words.
fn f_measure(one: &[String], other: &[String]) -> f64 {
    if one.is_empty() && other.is_empty() {
        return 1.0;
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    one.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let common = other.iter().filter(|word| {
        let left = left.entry(word).or_default();
        let is_common = *left > 0;
        *left -= usize::from(is_common);
        is_common
    });
    2.0 * common.count() as f64 / (one.len() + other.len()) as f64
}

fn annotated<'p>(post: &'p Value, field: &str) -> &'p str {
    post[field]["surface_form"].as_str().unwrap_or_default()
}

/// Whether the name or the address is that of the annotation.
fn is_author(page: &Url, found: &PagePost, author: &str) -> bool {
    let resolved = page.join(author).map(String::from).ok();
    found.author.as_deref() == Some(author) || (!author.is_empty() && found.author_url == resolved)
}

#[derive(Debug, Default)]
struct Counts {
    pages: usize,
    perfect: usize,
    annotated: usize,
    found: usize,
    right: usize,
    authors: usize,
    days: usize,
}

impl Counts {
    fn add(&mut self, page: &Value, found: Vec<PagePost>) {
        let mut found: Vec<Option<PagePost>> = found.into_iter().map(Some).collect();
        let url = Url::parse(page["url"].as_str().unwrap()).unwrap();
        let wanted = page["posts"].as_array().unwrap();
        let before = self.right;
        for post in wanted {
            let text = words(annotated(post, "post_text"));
            let score =
                |post: &Option<PagePost>| post.as_ref().map_or(-1.0, |post| f_measure(&text, &words(&post.text)));
            let best = found.iter_mut().max_by(|one, other| score(one).total_cmp(&score(other)));
            let Some(best) = best.filter(|best| score(best) >= TEXT_MIN).and_then(Option::take) else { continue };
            self.right += 1;
            self.authors += usize::from(is_author(&url, &best, annotated(post, "user")));
            // The day only, or the month where no day is shown: not all times are those of the zone that is shown.
            let day = find_date(annotated(post, "datetime"), NOW).map(|date| (date.date.to_string(), date.has_day));
            let shown = day.map(|(day, has_day)| day[..if has_day { 10 } else { 7 }].to_owned());
            self.days += usize::from(shown.is_some_and(|day| best.date.is_some_and(|date| date.starts_with(&day))));
        }
        self.pages += 1;
        self.annotated += wanted.len();
        self.found += found.len();
        let right = self.right - before;
        self.perfect += usize::from(right == wanted.len() && right == found.len());
    }
}

#[test]
fn posts_of_annotated_forum_pages_are_found() {
    let Some(pages) = pages() else { return };
    let learned = |extractor: Extractor| {
        let mut extractor = extractor;
        pages.iter().map(parsed).for_each(|page| extractor.learn(&page));
        extractor.settle();
        extractor
    };
    let template = measure("without markup", &learned(Extractor::default().without_markup()), &pages);
    let both = measure("with markup", &learned(Extractor::default()), &pages);
    assert!(both.right >= template.right, "markup only adds: {both:?}");
}

fn parsed(page: &Value) -> Page {
    let url = Url::parse(page["url"].as_str().unwrap()).unwrap();
    Page::parse(&url, page["html"].as_str().unwrap(), NOW).unwrap()
}

fn measure(name: &str, extractor: &Extractor, pages: &[Value]) -> Counts {
    let mut counts = Counts::default();
    pages.iter().for_each(|page| counts.add(page, extractor.extract(&parsed(page)).posts));
    let share = |part: usize, of: usize| part as f64 / of as f64;
    let (precision, recall) = (share(counts.right, counts.found), share(counts.right, counts.annotated));
    let measure = 2.0 * precision * recall / (precision + recall);
    eprintln!("{name}: {counts:?}: precision {precision:.3}, recall {recall:.3}, F1 {measure:.3}");
    assert!(measure >= 0.96, "F1 {measure:.3}");
    assert!(share(counts.perfect, counts.pages) >= 0.76, "{counts:?}");
    assert!(share(counts.authors, counts.annotated) >= 0.86, "{counts:?}");
    assert!(share(counts.days, counts.annotated) >= 0.94, "{counts:?}");
    counts
}

#[test]
fn measures_are_those_of_bags_of_words() {
    assert_eq!(f_measure(&words("a b b c"), &words("B b d")), 4.0 / 7.0);
    assert_eq!((f_measure(&[], &[]), f_measure(&words("a"), &[])), (1.0, 0.0));
}
