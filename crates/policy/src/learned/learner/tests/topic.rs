//! Crawls for the items of a topic: hubs that name it, further addresses of items, and bounds.

use super::*;
use crate::PlacedLink;
use harvestman_core::model::Admission;

const ITEM: u64 = 6;
const TO_TAG: u64 = 106;
const TO_ITEM: u64 = 107;

fn topic(terms: &[&str]) -> Goal {
    Goal::Topic { terms: TopicTerms::new(terms.iter().copied()), duplicate_worth: 0.0 }
}

/// A photo site: a list of ten photos each, of which every fifth has the tag; and whether the text of pages is read.
struct Photos(Driver, bool);

impl Photos {
    fn new(terms: &[&str]) -> Self {
        Self(Driver::new(topic(terms)), true)
    }

    /// The class of a link as a crawl admits it.
    fn class(&self, (via, place): (&str, u64), path: &str) -> LinkClass {
        let (url, via) = (format!("{HOST}{path}"), format!("{HOST}{via}"));
        let class = self.0.class((&via[HOST.len()..], place), path);
        match self.0.snapshot.admit(&Link::New { class, url: &url, via: &via, context: &[1] }) {
            Admission::Queue(class, _) => class,
            Admission::Reject(reason) => panic!("{url} is rejected: {reason:?}"),
        }
    }

    fn score(&self, at: (&str, u64), path: &str) -> f64 {
        self.0.snapshot.score(self.class(at, path))
    }

    fn fetch(&mut self, at: (&str, u64), path: &str, template: u64, links: &[(u64, String)]) {
        let url = |path: &str| CanonicalUrl::from_canonical(format!("{HOST}{path}"));
        let number = self.0.templates.len() as u64;
        let class = self.class(at, path);
        let new = links.iter().map(|(place, to)| {
            let class = self.class((path, *place), to);
            NewLink { context: Box::new([1]), ..NewLink::new(class, url(to)) }
        });
        let new = new.collect();
        let placed = links.iter().map(|(place, to)| PlacedLink::new(Apath(*place), url(to).fingerprint()));
        let facts = PageFacts {
            bag: bag(template, number as u32),
            text: self.1.then(|| text(number)),
            links: placed.collect(),
            body: Some((bytes::Bytes::from(vec![template as u8, number as u8]), None)),
            ..PageFacts::default()
        };
        self.0.templates.insert(path.to_owned(), template);
        let via = Some(url(at.0).as_str().into());
        let outcome = Outcome::Page(Box::new(facts));
        self.0.policy.observe(Observation { url: url(path), class, via, outcome, new });
        self.0.snapshot = self.0.policy.snapshot();
    }

    /// Fetches lists and their photos. Each photo has a permalink.
    fn crawl(&mut self, lists: u64) {
        for list in 0..lists {
            let here = format!("/list/{list}");
            let photos = 10 * list..10 * list + 10;
            let links: Vec<_> = photos.clone().map(|photo| (TO_ITEM, format!("/photo/{photo}"))).collect();
            self.fetch(ROOT, &here, LIST, &links);
            for photo in photos {
                let tag = if photo % 5 == 0 { "macro" } else { ["cars", "cats", "dogs"][photo as usize % 3] };
                let (path, tag) = (format!("/photo/{photo}"), (TO_TAG, format!("/tag/{tag}")));
                self.fetch((&here, TO_ITEM), &path, ITEM, &[tag.clone(), (TO_POST, format!("{path}/zoom"))]);
                if photo % 5 == 0 {
                    self.fetch((&path, TO_POST), &format!("{path}/zoom"), ITEM, &[tag]);
                }
            }
        }
    }
}

#[test]
fn the_page_of_the_topics_tag_comes_first_until_it_has_shown_nothing() {
    let mut photos = Photos::new(&["macro"]);
    let at = (ROOT.0, TO_TAG);
    assert!(photos.score(at, "/tag/macro") > photos.score(at, "/tag/cars"), "before the first fetch");
    photos.crawl(6);
    assert!(photos.score(at, "/tag/macro") > photos.score(at, "/tag/cars"));
    let other = photos.score(("/list/0", TO_ITEM), "/photo/900");
    assert!(photos.score(at, "/tag/macro") > other, "{other}");
    for page in 0..60 {
        photos.fetch(at, &format!("/tag/macro?feed={page}"), LIST, &[]);
    }
    assert!(photos.score(at, "/tag/macro?feed=99") < 0.5 * photos.score(at, "/tag/macro?page=2"), "one view, not all");
}

#[test]
fn further_addresses_of_an_item_are_worth_nothing() {
    for reads_text in [true, false] {
        let mut photos = Photos::new(&["macro"]);
        photos.1 = reads_text;
        photos.crawl(8);
        let of = |class| photos.0.policy.evidence.estimate(class, &Tuning::default().smoothing).wanted;
        let permalink = of(photos.class(("/photo/0", TO_POST), "/photo/900/zoom"));
        let item = of(photos.class(("/list/0", TO_ITEM), "/photo/900"));
        assert!(permalink < 0.5 * item, "{permalink} and {item}");
    }
}

#[test]
fn without_a_page_that_names_the_topic_its_words_count_and_a_note_says_so() {
    let mut photos = Photos::new(&["word"]);
    photos.crawl(16);
    let note = photos.0.policy.note().unwrap();
    assert!(note.contains("no page is about the topic"), "{note}");
    photos.fetch(ROOT, "/about/a-word", ITEM, &[]);
    let note = photos.0.policy.note().unwrap();
    assert!(note.contains("no page of a tag names the topic"), "{note}");
}

#[test]
fn a_topic_of_a_million_tags_and_a_site_of_as_many_are_bounded() {
    let tags: Vec<String> = (0..1_000_000).map(|tag| format!("tag {tag}")).collect();
    let terms = TopicTerms::new(tags.iter().map(String::as_str));
    assert!(terms.names("http://h.test/tag/tag-77/") && !terms.names("http://h.test/tag/tag-999999/"));
    let mut relevance = TopicRelevance::new(terms);
    let url = CanonicalUrl::from_canonical("http://h.test/");
    for tag in 0..1_000_000_u64 {
        let page = Fingerprint::of(&tag.to_string());
        relevance.note_tag_page(page);
        relevance.is_relevant(&url, &[PlacedLink::new(Apath(tag), page)], false);
    }
    assert!(relevance.has_tag_pages());
}

#[test]
fn a_hub_of_a_hundred_thousand_links_is_taken_in_at_once() {
    let mut photos = Photos::new(&["macro"]);
    photos.crawl(3);
    let links: Vec<_> = (0..100_000).map(|photo| (TO_ITEM, format!("/photo/{}", 1_000 + photo))).collect();
    photos.fetch(ROOT, "/all", LIST, &links);
    photos.crawl(3);
    assert!(photos.score(("/all", TO_ITEM), "/photo/90000").is_finite());
    assert!(photos.0.policy.log.iter().count() < 200);
}

#[test]
fn a_site_with_one_member_is_crawled_by_tags_alone() {
    let mut photos = Photos::new(&["macro"]);
    let links: Vec<_> = (0..50).map(|photo| (TO_ITEM, format!("/photo/{photo}"))).collect();
    photos.fetch(ROOT, "/member/1", USER, &links);
    photos.crawl(6);
    let [member, tag] = [("/member/1", TO_ITEM), ("/tag/macro", TO_ITEM)].map(|at| photos.score(at, "/photo/900"));
    assert!(member.is_finite() && tag.is_finite());
    assert!(photos.score(ROOT, "/tag/macro") > member, "{member}");
}
