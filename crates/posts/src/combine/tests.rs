//! Tests of records of one page from two sources.

use super::*;
use crate::records::{PageThread, PostSource};

const TEXTS: [&str; 4] = [
    "how do I clean the lens of an old camera without scratches",
    "use a soft brush and blow the dust away before you wipe",
    "my father did that with a drop of alcohol on paper",
    "thank you all it looks like new again after an hour",
];
const NAMES: [&str; 4] = ["ann", "bob", "cy", "ann"];

fn post(number: usize, date: &str, confidence: f64) -> PagePost {
    PagePost {
        author: Some(NAMES[number].to_owned()),
        date: Some(format!("2020-04-1{number}T{date}")),
        text: TEXTS[number].to_owned(),
        confidence,
        ..PagePost::default()
    }
}

fn shown() -> PageRecords {
    PageRecords { posts: (0..4).map(|number| post(number, "12:30:00", 0.8)).collect(), ..PageRecords::default() }
}

fn marked() -> PageRecords {
    let with = |number: usize| PagePost {
        id: Some(format!("p{number}7")),
        url: Some(format!("https://e.example/t#p{number}7")),
        parent: (number > 0).then_some(ParentRef::Index(0)),
        source: PostSource::Markup,
        ..post(number, "10:30:05Z", 0.9)
    };
    let thread = PageThread { title: Some("Lens".to_owned()), ..PageThread::default() };
    PageRecords { posts: (0..4).map(with).collect(), thread: Some(thread), ..PageRecords::default() }
}

#[test]
fn agreement_raises_confidence_and_fills_fields() {
    let both = combine(shown(), marked());
    assert_eq!((both.posts.len(), both.thread.and_then(|thread| thread.title).as_deref()), (4, Some("Lens")));
    for (number, post) in both.posts.iter().enumerate() {
        assert_eq!(post.date.as_deref(), Some(&*format!("2020-04-1{number}T12:30:05+02:00")));
        assert_eq!((post.text.as_str(), post.author.as_deref()), (TEXTS[number], Some(NAMES[number])));
        assert_eq!((post.id.is_some(), post.url.is_some(), post.source), (true, true, PostSource::Markup));
        assert_eq!(post.parent, (number > 0).then_some(ParentRef::Index(0)));
        assert!((post.confidence - 0.98).abs() < 1e-9, "{}", post.confidence);
    }
}

#[test]
fn one_source_alone_is_as_it_is() {
    assert_eq!(combine(shown(), PageRecords::default()), shown());
    assert_eq!(combine(PageRecords::default(), marked()), marked());
    let none = PageRecords { thread: marked().thread, ..PageRecords::default() };
    assert_eq!(combine(PageRecords::default(), none), PageRecords::default(), "a thread without posts");
}

#[test]
fn differences_lower_confidence_and_the_more_varied_source_counts() {
    let mut markup = marked();
    markup.posts.iter_mut().for_each(|post| post.author = Some("admin".to_owned()));
    let both = combine(shown(), markup);
    assert!(both.posts.iter().zip(NAMES).all(|(post, name)| post.author.as_deref() == Some(name)));
    assert!((both.posts[0].confidence - 0.98 * 0.9).abs() < 1e-9);
    let mut template = shown();
    template.posts.iter_mut().for_each(|post| post.author = Some("Member".to_owned()));
    let both = combine(template, marked());
    assert!(both.posts.iter().zip(NAMES).all(|(post, name)| post.author.as_deref() == Some(name)));
    let mut template = shown();
    template.posts[1].date = Some("2019-01-01T00:07:00".to_owned());
    assert_eq!(combine(template, marked()).posts[1].date.as_deref(), Some("2020-04-11T10:30:05Z"));
}

#[test]
fn the_full_text_counts() {
    let mut markup = marked();
    (markup.posts[0].text, markup.posts[0].is_excerpt) = ("how do I clean the lens of…".to_owned(), true);
    let mut template = shown();
    template.posts[1].text = "use a soft brush and blow the dust".to_owned();
    template.posts[2].text = format!("{} I am cy of cyville", TEXTS[2]);
    let both = combine(template, markup);
    assert!(both.posts.iter().zip(TEXTS).all(|(post, text)| post.text == text && !post.is_excerpt), "{:?}", both.posts);
}

#[test]
fn one_posting_of_a_page_with_many_is_not_another_post() {
    for text in [TEXTS[0].to_owned(), TEXTS.join(" "), "Lens".to_owned()] {
        let mut markup = marked();
        markup.posts.truncate(1);
        markup.posts[0].text = text;
        markup.posts[0].confidence = if markup.posts[0].text == "Lens" { 0.3 } else { 0.9 };
        let both = combine(shown(), markup);
        assert_eq!(both.posts.iter().map(|post| post.text.as_str()).collect::<Vec<_>>(), TEXTS);
        assert_eq!(both.thread.and_then(|thread| thread.title).as_deref(), Some("Lens"));
    }
}

#[test]
fn posts_of_one_source_stay_where_the_others_support_them() {
    let mut template = shown();
    template.posts.remove(1);
    let both = combine(template, marked());
    assert_eq!(both.posts.iter().map(|post| post.text.as_str()).collect::<Vec<_>>(), TEXTS);
    assert!((both.posts[1].confidence - 0.9 * 0.8).abs() < 1e-9);
    let mut markup = marked();
    markup.posts.remove(1);
    markup.posts[2].parent = Some(ParentRef::Index(1));
    let both = combine(shown(), markup);
    assert_eq!((both.posts.len(), both.posts[1].source), (4, PostSource::Template));
    assert_eq!(both.posts[3].parent, Some(ParentRef::Index(2)), "indices are those of the result");
    // A record behind all posts that shows no author is none.
    let mut template = shown();
    template.posts.push(PagePost { date: Some("2020-04-20".to_owned()), ..PagePost::default() });
    assert_eq!(combine(template, marked()).posts.len(), 4);
}

#[test]
fn of_two_sources_with_no_post_in_common_the_one_with_more_text_stays() {
    let lists = PageRecords {
        posts: (0..3).map(|number| PagePost { text: format!("thread {number}"), ..PagePost::default() }).collect(),
        ..PageRecords::default()
    };
    assert_eq!(combine(lists.clone(), marked()), marked());
    let mut article = marked();
    article.posts.truncate(1);
    assert_eq!(combine(lists, article).posts.len(), 4, "an article with comments");
}
