//! Tests of pages that are read by corrections.

use jiff::civil::date;
use url::Url;

use super::*;
use crate::explain::{ExplainedPage, FieldSource, RecordField};
use crate::extractor::Extractor;
use crate::records::PagePost;

const TEXTS: [&str; 4] = [
    "how do I clean the lens of an old camera without scratches",
    "use a soft brush and blow the dust away before you wipe",
    "my father did that with a drop of alcohol on paper",
    "that removes the coating so please try water first of all",
];

fn page(source: &str) -> Page {
    let url = Url::parse("http://h.test:81/t/1").unwrap();
    Page::parse(&url, source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap()
}

/// Posts with a nickname beside the name, the day on which the author joined, a signature and a heading.
fn thread() -> String {
    let posts = TEXTS.iter().zip(["ann", "bob", "cy", "ann"]).enumerate().map(|(number, (text, name))| {
        format!(
            "<div class=post><p class=author><a href=/user/{name}>{name}</a></p><p class=nick><a href=/n/{name}>the {name}</a></p>\
             <p class=joined>1{number}.02.2015</p><time>1{number} Apr 2020 10:30</time><div class=body>{text}<p class=ad>buy {number} \
             fine lenses</p></div><h3>About {number}</h3></div>"
        )
    });
    format!("<title>t</title><h1>A lens</h1><div id=posts>{}</div>", posts.collect::<String>())
}

fn correction(field: TaughtField, path: &str) -> Correction {
    Correction { host: "h.test:81".to_owned(), field, path: path.to_owned(), is_wrong: false }
}

fn wrong(field: TaughtField, path: &str) -> Correction {
    Correction { is_wrong: true, ..correction(field, path) }
}

fn extractor(corrections: &[Correction]) -> Extractor {
    let mut extractor = Extractor::default();
    extractor.correct(Corrections::new(corrections).unwrap());
    extractor
}

/// Returns the posts of a page that is read by itself, and by what it taught itself.
fn read(source: &str, corrections: &[Correction]) -> Vec<PagePost> {
    let mut extractor = extractor(corrections);
    let page = page(source);
    let alone = extractor.extract(&page).posts;
    extractor.learn(&page);
    extractor.settle();
    assert_eq!(extractor.extract(&page).posts, alone, "{source}");
    assert_eq!(extractor.explain(&page).records.posts, alone, "{source}");
    alone
}

fn authors(posts: &[PagePost]) -> Vec<&str> {
    posts.iter().map(|post| post.author.as_deref().unwrap_or_default()).collect()
}

#[test]
fn what_is_taught_wins_over_what_is_learned() {
    let page = thread();
    assert_eq!(authors(&read(&page, &[])), ["the ann", "the bob", "the cy", "the ann"]);
    let posts =
        read(&page, &[correction(TaughtField::Author, "p.author > a"), correction(TaughtField::Title, ".post h3")]);
    assert_eq!(authors(&posts), ["ann", "bob", "cy", "ann"]);
    assert_eq!(posts[1].author_url.as_deref(), Some("http://h.test:81/user/bob"));
    assert_eq!((posts[2].title.as_deref(), posts[2].is_excerpt), (Some("About 2"), false));
    let posts = read(&page, &[correction(TaughtField::Time, ".joined"), correction(TaughtField::Text, ".ad, h3")]);
    assert_eq!(posts[3].date.as_deref(), Some("2015-02-13"));
    assert_eq!(posts[3].text, "buy 3 fine lenses About 3");
}

#[test]
fn what_is_said_to_be_wrong_is_not_used() {
    let page = thread();
    let posts = read(&page, &[wrong(TaughtField::Author, ".nick a"), wrong(TaughtField::Text, ".ad")]);
    assert_eq!(authors(&posts), ["ann", "bob", "cy", "ann"]);
    assert_eq!(posts.iter().map(|post| post.text.as_str()).collect::<Vec<_>>(), TEXTS);
    let posts = read(&page, &[wrong(TaughtField::Time, "time")]);
    assert_eq!(posts.len(), 4);
    assert!(posts.iter().all(|post| post.date.as_ref().is_none_or(|date| date.starts_with("2015"))));
    let posts = read(&page, &[wrong(TaughtField::Record, ".post:nth-child(2)")]);
    assert_eq!(authors(&posts), ["the ann", "the cy", "the ann"]);
}

#[test]
fn records_that_are_named_need_no_dates() {
    let page = thread().replace("<time>", "<!--").replace("</time>", "-->").replace(".02.2015", "");
    assert_eq!(read(&page, &[]), []);
    let posts = read(&page, &[correction(TaughtField::Record, "div.post")]);
    assert_eq!(posts.len(), 4);
    assert!(posts.iter().zip(TEXTS).all(|(post, text)| post.text.starts_with(text)), "{posts:?}");
    assert_eq!(authors(&posts), ["the ann", "the bob", "the cy", "the ann"]);
}

#[test]
fn corrections_are_those_of_their_host() {
    let other = Correction { host: "h.test".to_owned(), ..correction(TaughtField::Author, ".nick") };
    assert_eq!(read(&thread(), &[other]), read(&thread(), &[]));
    assert_eq!(read(&thread(), &[correction(TaughtField::Author, "b")]), read(&thread(), &[]), "what matches nothing");
}

#[test]
fn corrections_that_come_later_count_for_what_was_learned() {
    let (page, taught) =
        (page(&thread()), [wrong(TaughtField::Time, ".joined"), correction(TaughtField::Record, ".post")]);
    let mut late = Extractor::default();
    late.learn(&page);
    late.settle();
    late.correct(Corrections::new(&taught).unwrap());
    late.settle();
    assert_eq!(late.extract(&page).posts, read(&thread(), &taught));
    late.correct(Corrections::default());
    late.settle();
    assert_eq!(late.extract(&page).posts, read(&thread(), &[]));
}

#[test]
fn markup_does_not_count_against_what_is_taught() {
    let item = "<div class=post itemscope itemtype='https://schema.org/Comment'>";
    let source = thread().replace("<div class=post>", item).replace("<p class=nick>", "<p class=nick itemprop=author>");
    let source = source.replace("<div class=body>", "<div class=body itemprop=text>");
    assert_eq!(authors(&read(&source, &[])), ["the ann", "the bob", "the cy", "the ann"]);
    for taught in [correction(TaughtField::Author, ".author a"), wrong(TaughtField::Author, ".nick")] {
        assert_eq!(authors(&read(&source, &[taught])), ["ann", "bob", "cy", "ann"]);
    }
}

#[test]
fn what_is_taught_is_told() {
    let taught = [correction(TaughtField::Author, ".author a"), correction(TaughtField::Record, ".post")];
    let explained: ExplainedPage = extractor(&taught).explain(&page(&thread()));
    let author = explained.posts[0].fields.iter().find(|place| place.field == RecordField::Author).unwrap();
    assert_eq!((author.source, author.path.as_deref()), (FieldSource::Taught, Some("div.post > p.author > a")));
    assert!(explained.evidence.is_taught && explained.template.is_none());
}

#[test]
fn corrections_that_cannot_be_used_are_refused() {
    let error = |path: &str| Corrections::new(&[correction(TaughtField::Author, path)]).unwrap_err();
    for path in ["", "a[", "a::before", "a:hover", "{}"] {
        assert_eq!(error(path), InvalidCorrection::Selector(path.to_owned()), "{path}");
    }
    assert_eq!(error(&"a ".repeat(600)), InvalidCorrection::TooLong);
    let many = vec![correction(TaughtField::Author, "a"); CORRECTIONS_MAX + 1];
    assert_eq!(Corrections::new(&many).unwrap_err(), InvalidCorrection::TooMany);
}

proptest::proptest! {
    /// Whatever is taught, a page is read, and its texts are words that it shows.
    #[test]
    fn any_page_is_read_with_any_corrections(
        source in "(<(div|li|p|a href=/u|b|ul)( class=[a-c])?>|</(div|li|p|a|ul)>|[0-3]?[0-9] (Apr|mai) (20[01][0-9])?|[a-zé ]{0,9}){0,40}",
        taught in proptest::collection::vec(("(div|li|p|a|b|\\.a|\\.b|ul)( > (li|p|a|\\.c))?", 0..5_usize, proptest::bool::ANY), 0..4),
    ) {
        let fields =
            [TaughtField::Author, TaughtField::Time, TaughtField::Text, TaughtField::Title, TaughtField::Record];
        let corrections: Vec<Correction> = taught
            .into_iter()
            .map(|(path, field, is_wrong)| Correction { is_wrong, ..correction(fields[field], &path) })
            .collect();
        let (page, extractor) = (page(&source), extractor(&corrections));
        let explained = extractor.explain(&page);
        proptest::prop_assert_eq!(&explained.records, &extractor.extract(&page));
        let shown = page.tree.text(0);
        for post in explained.records.posts {
            proptest::prop_assert!(post.text.split_whitespace().all(|word| shown.contains(word)), "{:?}", post.text);
        }
    }
}

#[test]
fn elements_are_found_as_in_the_page_that_is_shown() {
    let source = "<title>t</title><script>x</script><div class='post a1' id=p1><p>one<script>x</script><p data-k=v>two</div>\
        <div class=post><a href='/u/ann'>ann</a> <b>x</b></div><table><tr><td>cell</table>";
    let tree = Tree::parse(source).unwrap();
    let texts = |selector: &str| -> Vec<String> {
        let found = select(&tree, &[&Selector::parse(selector).unwrap()]);
        found[0].iter().map(|node| tree.text(*node)).collect()
    };
    assert_eq!(texts(".post"), ["one two", "ann x"]);
    assert_eq!(texts("div.post > p:nth-child(2)"), ["two"]);
    assert_eq!(texts("[data-k=v], div a[href^='/u/'] + b"), ["two", "x"]);
    assert_eq!(texts("#p1:not(.b) p, tbody td"), ["one", "two", "cell"]);
    assert_eq!(texts("script, h1"), <[&str; 0]>::default());
    assert_eq!(select(&tree, &[]).len(), 0);
}
