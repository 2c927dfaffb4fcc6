//! Tests of the places that are told for posts of made-up pages.

use jiff::civil::date;
use url::Url;

use super::*;
use crate::extractor::Extractor;

fn page(source: &str) -> Page {
    let url = Url::parse("http://h.test/t/1").unwrap();
    Page::parse(&url, source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap()
}

fn explained(source: &str) -> ExplainedPage {
    Extractor::default().explain(&page(source))
}

const TEXTS: [&str; 3] = [
    "how do I clean the lens of an old camera without scratches",
    "use a soft brush and blow the dust away before you wipe",
    "my father did that with a drop of alcohol on paper",
];

fn thread(post: impl Fn(usize, &str, &str, &str) -> String) -> String {
    let posts = TEXTS.iter().zip(["ann", "bob", "cy"]).enumerate();
    let posts = posts.map(|(number, (text, name))| post(number, name, &format!("1{number} Apr 2020 10:30"), text));
    format!("<title>t</title><h1 class=title>A lens</h1><div id=posts>{}</div>", posts.collect::<String>())
}

fn elements() -> String {
    thread(|number, name, date, text| {
        format!(
            "<div class=post id=p{number}7><p class=author><a href=/user/{name}>{name}</a></p><a href='/t/1#p{number}7'>#</a>\
             <time>{date}</time><div class=body>{text}</div></div>"
        )
    })
}

/// Returns the source, the path and the property of a field of a post.
fn place(explained: &ExplainedPage, post: usize, field: RecordField) -> Option<(FieldSource, String, String)> {
    let place = explained.posts[post].fields.iter().find(|place| place.field == field)?;
    Some((place.source, place.path.clone().unwrap_or_default(), place.property.clone().unwrap_or_default()))
}

fn of_template(path: &str, property: &str) -> Option<(FieldSource, String, String)> {
    Some((FieldSource::Template, path.to_owned(), property.to_owned()))
}

#[test]
fn fields_of_the_template_are_told_with_their_elements() {
    let explained = explained(&elements());
    assert_eq!(explained.posts[1].record.as_deref(), Some("html > body > div > div.post"));
    assert_eq!(place(&explained, 1, RecordField::Author), of_template("div.post > p.author > a", ""));
    assert_eq!(place(&explained, 1, RecordField::Time), of_template("div.post > time", ""));
    assert_eq!(place(&explained, 1, RecordField::Text), of_template("div.post > div.body", ""));
    assert_eq!(place(&explained, 1, RecordField::Id), of_template("div.post", "id"));
    assert_eq!(place(&explained, 1, RecordField::Url), of_template("div.post > a", ""));
    assert_eq!(place(&explained, 1, RecordField::Title), None);
    let title = explained.thread.iter().find(|place| place.field == RecordField::Title).unwrap();
    assert_eq!(title.path.as_deref(), Some("html > body > h1.title"));
    let template = explained.template.clone().unwrap();
    assert_eq!((template.dates.as_str(), template.number), ("html div > div.post > time", 1));
    assert_eq!((explained.evidence.learned_from, explained.evidence.dates), (0, 3));
    assert_eq!(explained.why_none(), None);
}

#[test]
fn the_pages_that_were_learned_from_are_counted() {
    let mut extractor = Extractor::default();
    let other = elements().replace("the", "thy").replace("alcohol", "wine");
    for source in [elements(), other, "<p>none".to_owned()] {
        extractor.learn(&page(&source));
    }
    extractor.settle();
    let explained = extractor.explain(&page(&elements()));
    assert_eq!((explained.evidence.learned_from, explained.template.unwrap().pages), (3, 2));
    let other = extractor.explain(&page("<ul><li>1 Apr 2020 a text<li>2 Apr 2020 a word</ul>"));
    assert_eq!(other.why_none(), Some(NoPosts::UnknownTemplate));
}

#[test]
fn a_name_in_the_line_with_the_date_is_told_as_text() {
    let source = thread(|_, name, date, text| {
        format!("<div class=post><p class=head>by {name}, {date}</p><div class=body>{text}</div></div>")
    });
    let found = place(&explained(&source), 0, RecordField::Author);
    assert_eq!(found, Some((FieldSource::Text, "div.post > p.head".to_owned(), String::new())));
}

#[test]
fn fields_of_markup_are_told_with_their_properties() {
    let comments = TEXTS.map(|text| {
        format!(
            r#"{{"@type":"Comment","text":"{text}","author":{{"@type":"Person","name":"ann"}},"dateCreated":"2020-04-01T10:00:00Z"}}"#
        )
    });
    let json = format!(r#"<script type="application/ld+json">[{}]</script>"#, comments.join(","));
    let all = explained(&format!("<title>t</title>{json}<p>loading"));
    let json_ld = |property: &str| Some((FieldSource::JsonLd, String::new(), property.to_owned()));
    assert_eq!(place(&all, 2, RecordField::Author), json_ld("Comment.author"));
    assert_eq!(place(&all, 2, RecordField::Text), json_ld("Comment.text"));
    assert_eq!((all.posts[2].record.as_ref(), all.evidence.markup_posts), (None, 3));
    let source = "<div itemscope itemtype='https://schema.org/Comment'><b itemprop=author>ann</b><p itemprop=text>a few words</p>\
        <time itemprop=dateCreated datetime=2020-04-01>x</time></div>";
    let one = explained(source);
    let microdata = |path: &str, name: &str| Some((FieldSource::Microdata, path.to_owned(), format!("Comment.{name}")));
    assert_eq!(place(&one, 0, RecordField::Author), microdata("html > body > div > b", "author"));
    assert_eq!(place(&one, 0, RecordField::Time), microdata("html > body > div > time", "dateCreated"));
}

#[test]
fn the_reason_why_there_are_no_posts_is_told() {
    let list = thread(|number, name, date, text| {
        format!("<div class=row><a href=/thread/{number}>{text}</a> by <a href=/user/{name}>{name}</a> {date}</div>")
    });
    for (source, reason) in [
        ("<p>a text", NoPosts::NoDates),
        ("<p>posted on 3 Apr 2020", NoPosts::NothingRepeats),
        (&list, NoPosts::NoRecords),
    ] {
        assert_eq!(explained(source).why_none(), Some(reason), "{source}");
    }
}

proptest::proptest! {
    /// What is explained is what is extracted.
    #[test]
    fn the_records_are_those_that_are_extracted(source in "(<(div|li|p|a href=/u|b|ul|time)( class=[a-c]| itemscope itemtype=Comment| itemprop=(text|author))?>|</(div|li|p|a|ul)>|[0-3]?[0-9] (Apr|mai) (20[01][0-9])?|[0-9]{1,2}:[0-9]{2}|[a-zé ]{0,9}){0,40}") {
        let (page, extractor) = (page(&source), Extractor::default());
        let explained = extractor.explain(&page);
        proptest::prop_assert_eq!(&explained.records, &extractor.extract(&page));
        proptest::prop_assert_eq!(explained.posts.len(), explained.records.posts.len());
        for (post, places) in explained.records.posts.iter().zip(&explained.posts) {
            let has = |field| places.fields.iter().filter(|place| place.field == field).count();
            proptest::prop_assert!(has(RecordField::Text) <= 1 && has(RecordField::Author) <= 1);
            proptest::prop_assert_eq!(has(RecordField::Text) == 1, !post.text.is_empty());
        }
    }
}
