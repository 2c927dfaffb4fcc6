//! Tests of posts found on pages of made-up templates.

use std::collections::HashSet;

use jiff::civil::date;
use url::Url;

use super::*;
use crate::records::{PagePost, ParentRef};
use crate::tree::Tree;

fn find(source: &str) -> Vec<PagePost> {
    let page = Page::parse(&Url::parse("http://h.test/t/1").unwrap(), source, date(2020, 4, 25).at(12, 0, 0, 0));
    Extractor::default().extract(&page.unwrap()).posts
}

const NAMES: [&str; 3] = ["ann", "bob", "cy"];
const TEXTS: [&str; 5] = [
    "how do I clean the lens of an old camera without scratches",
    "use a soft brush and blow the dust away before you wipe",
    "my father did that with a drop of alcohol on paper",
    "that removes the coating so please try water first of all",
    "thank you all it looks like new again after an hour",
];

/// Posts by the function that writes one from its number, author, date and text.
fn thread(post: impl Fn(usize, &str, &str, &str) -> String) -> String {
    let posts = TEXTS
        .iter()
        .enumerate()
        .map(|(number, text)| post(number, NAMES[number % 3], &format!("{} Apr 2020 1{number}:30", number + 10), text));
    format!(
        "<title>t</title><div id=nav><a href=/>home</a> now: 25.04.2020</div><div id=posts>{}</div><p>footer",
        posts.collect::<String>()
    )
}

fn check(source: &str) {
    let found = find(source);
    assert_eq!(found.iter().map(|post| post.text.as_str()).collect::<Vec<_>>(), TEXTS, "{source}");
    for (number, post) in found.iter().enumerate() {
        assert_eq!(post.author.as_deref(), Some(NAMES[number % 3]));
        assert_eq!(post.date.as_deref(), Some(&*format!("2020-04-{}T1{number}:30:00", number + 10)));
        assert_eq!(post.author_url.as_deref(), Some(&*format!("http://h.test/user/{}", NAMES[number % 3])));
    }
}

#[test]
fn posts_in_elements_of_their_own() {
    check(&thread(|number, name, date, text| {
        format!(
            "<div class='post p{number}'><p class=author><a href=/user/{name}>{name}</a> Joined: 0{}.02.2015 Posts: {number}7</p>\
             <p class=date>{date}</p><div class=content>{text}</div><p class=signature>I am {name} of {name}ville</p></div>",
            (number * 3) % 7 + 1
        )
    }));
}

#[test]
fn posts_in_rows_of_a_table() {
    let rows = thread(|_, name, date, text| {
        format!(
            "<tr><td class=head><a href=/user/{name}>{name}</a>: {date}</td></tr><tr><td class=text>{text}</td></tr>"
        )
    });
    check(&rows.replace("<div id=posts>", "<table>").replace("</div><p>footer", "</table><p>footer"));
}

#[test]
fn replies_within_the_posts_that_they_answer() {
    let open = thread(|_, name, date, text| {
        format!(
            "<li><div class=head><a href=/user/{name}>{name}</a> <time>{date}</time></div><div class=body>{text}</div><ul>"
        )
    });
    check(&open);
}

/// Comments have their dates at another place than the answers that they are in, and an answer has a second date if it
/// was changed.
#[test]
fn comments_in_answers_answer_them() {
    let comment = |of: usize, number: usize| {
        let (name, text) = (NAMES[(of + number) % 3], TEXTS[(of + number) % 5]);
        format!(
            "<div class=comment id=c{of}{number}><p class=said>note {of}{number} {text}</p><a class=nick href=/user/{name}>{name}</a> \
             <i>({} Apr 2020 2{number}:30)</i></div>",
            of + 10
        )
    };
    let answers = thread(|number, name, date, text| {
        let changed = if number == 1 { " changed <a href=/log><b>20 Apr 2020 10:30</b></a>" } else { "" };
        let comments: String = (0..(number + 1) % 3).map(|at| comment(number, at)).collect();
        format!(
            "<div class=answer id=a{number}><div class=body><p>{text}</p></div><p class=by><a class=user href=/user/{name}>{name}</a> \
             wrote <a href=/log/{number}><b>{date}</b></a>{changed}</p><div class=comments>{comments}</div></div>"
        )
    });
    let found = find(&answers);
    let ids: Vec<&str> = found.iter().filter_map(|post| post.id.as_deref()).collect();
    assert_eq!(ids, ["0", "00", "1", "10", "11", "2", "3", "30", "4", "40", "41"], "{found:?}");
    for (post, id) in found.iter().zip(ids) {
        let (of, number) =
            (id[..1].parse::<usize>().unwrap(), id.get(1..).and_then(|number| number.parse::<usize>().ok()));
        let above = found.iter().position(|post| post.id.as_deref() == Some(&id[..1])).map(ParentRef::Index);
        let (text, parent) = match number {
            Some(number) => (format!("note {id} {}", TEXTS[(of + number) % 5]), above),
            None => (TEXTS[of].to_owned(), None),
        };
        assert_eq!((&post.text, &post.parent), (&text, &parent));
        assert_eq!(post.author.as_deref(), Some(NAMES[(of + number.unwrap_or_default()) % 3]));
        assert!(post.date.as_deref().is_some_and(|date| date.starts_with(&format!("2020-04-{}", of + 10))), "{post:?}");
    }
}

/// A cell names the author behind its label, a link is named after the message that it leads to, and lines with `>` are
/// a quote.
#[test]
fn labels_in_cells_tell_authors() {
    let rows = thread(|number, name, date, text| {
        let quote = if number == 2 { format!("&gt; {}\n", TEXTS[1]) } else { String::new() };
        format!(
            "<tr><th><a href=/msg{number}>msg{number} (view)</a></th><th>Author: {name}</th><th>Date: {date}</th></tr>\
             <tr><td colspan=3><pre>{quote}{text}</pre></td></tr>"
        )
    });
    let found = find(&rows.replace("<div id=posts>", "<table>").replace("</div><p>footer", "</table><p>footer"));
    assert_eq!(found.len(), TEXTS.len());
    for (number, post) in found.iter().enumerate() {
        assert_eq!(post.author.as_deref(), Some(NAMES[number % 3]), "{post:?}");
        assert_eq!(post.url.as_deref(), Some(&*format!("http://h.test/msg{number}")));
        let quote = ParentRef::Quote { author: None, text: TEXTS[1].to_owned() };
        assert_eq!((post.parent.as_ref(), post.is_excerpt), ((number == 2).then_some(&quote), false));
    }
}

/// Among posts with an identifier and an address, a record without them is an event.
#[test]
fn events_among_posts_are_none() {
    let list = thread(|number, name, date, text| {
        let (id, link) = (format!(" id=p{number}"), format!("<a href=#p{number}>#{number}</a>"));
        let (id, link) = if number == 2 { (String::new(), String::new()) } else { (id, link) };
        format!(
            "<div class=change{id}><p class=by>{link} <a class=user href=/user/{name}>{name}</a> <i>{date}</i></p>\
             <div class=body>{text}</div></div>"
        )
    });
    let texts: Vec<String> = find(&list).into_iter().map(|post| post.text).collect();
    assert_eq!(texts, [TEXTS[0], TEXTS[1], TEXTS[3], TEXTS[4]]);
}

/// The page of one message has the date of the message and those of a table of changes.
#[test]
fn a_table_of_changes_has_no_posts() {
    let page = |number: usize| {
        let (name, text) = (NAMES[number % 3], TEXTS[number % 5]);
        let change = |what: &str| format!("<tr><td>2020-04-20 10:3{number}</td><td>admin</td><td>{what}</td></tr>");
        let source = format!(
            "<div class=userbox><a href=http://other.test>About us</a></div><table class=form><tr><th>Author</th><td>{name}</td></tr>\
             <tr><th>Date</th><td>2020-03-1{number} 12:00</td></tr></table><table class=text><tr><td><pre>{number} is why \
             I ask {text} and so on for quite a while {number}</pre></td></tr></table><table class=log>{}{}</table>",
            change("set"),
            change("create")
        );
        let url = Url::parse(&format!("http://h.test/msg{number}")).unwrap();
        Page::parse(&url, &source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap()
    };
    let pages: Vec<Page> = (0..5).map(page).collect();
    let mut extractor = Extractor::default();
    pages.iter().for_each(|page| extractor.learn(page));
    extractor.settle();
    for (number, page) in pages.iter().enumerate() {
        let found = extractor.extract(page).posts;
        let of: Vec<_> = found.iter().map(|post| (post.author.as_deref(), post.date.as_deref())).collect();
        assert_eq!(of, [(Some(NAMES[number % 3]), Some(&*format!("2020-03-1{number}T12:00:00")))], "{found:?}");
    }
}

#[test]
fn pages_without_posts_have_none() {
    for source in ["", "<p>a text", "<p>posted on 3 Apr 2020", "<ul><li>1 Apr 2020<li>2 Apr 2020</ul>"] {
        assert_eq!(find(source), [], "{source}");
    }
}

/// A list that cuts texts shows other texts under the same identifiers: their dates tell that the posts are the same.
#[test]
fn lists_that_cut_texts_leave_identifiers() {
    let post = |thread: usize, is_cut: bool, (number, name, date, text): (usize, &str, &str, &str)| {
        let (text, id) = (format!("thread {thread} of {name}: {text}"), 10 * thread + number);
        let text = if is_cut { format!("{}…", &text[..40]) } else { text };
        format!(
            "<div class=post id=p{id}><h4><a href=/t/{thread}?p={id}#p{id}>a title</a></h4><p class=date>{date}, by \
             <a href=/user/{name}>{name}</a></p><div class=content>{text}</div></div>"
        )
    };
    let mut extractor = Extractor::default();
    let page = |path: String, is_cut| {
        let of = path[3..].parse().unwrap();
        let source = thread(|number, name, date, text| post(of, is_cut, (number, name, date, text)));
        let url = Url::parse("http://h.test").unwrap().join(&path).unwrap();
        Page::parse(&url, &source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap()
    };
    let pages: Vec<Page> =
        (1..9).flat_map(|n| [page(format!("/t/{n}"), false), page(format!("/u/{n}"), true)]).collect();
    pages.iter().for_each(|page| extractor.learn(page));
    extractor.settle();
    for (number, page) in pages.iter().enumerate() {
        let found = extractor.extract(page).posts;
        let ids: Vec<_> = found.iter().filter_map(|post| post.id.clone()).collect();
        let thread = number / 2 + 1;
        assert_eq!(ids, (0..5).map(|at| (10 * thread + at).to_string()).collect::<Vec<_>>(), "{}", page.url);
        assert!(found.iter().all(|post| post.url.as_ref().is_some_and(|url| url.contains("#p"))), "{found:?}");
    }
}

#[test]
fn a_list_of_threads_has_no_posts() {
    let list = thread(|number, name, date, text| {
        format!("<div class=row><a href=/thread/{number}>{text}</a> by <a href=/user/{name}>{name}</a> {date}</div>")
    });
    assert_eq!(find(&list), []);
}

proptest::proptest! {
    /// Whatever a page has, its posts are found in bounded time, the same ones each time, with texts that it shows.
    #[test]
    fn any_page_is_read(source in "(<(div|li|tr|table|p|a href=/u|b|ul)( class=[a-c])?>|</(div|li|p|a|ul)>|[0-3]?[0-9] (Apr|mai) (20[01][0-9])?|[0-9]{1,2}:[0-9]{2}|[a-zé ]{0,9}){0,40}") {
        let found = find(&source);
        proptest::prop_assert_eq!(&found, &find(&source));
        let words: HashSet<String> = Tree::parse(&source).unwrap().text(0).split_whitespace().map(str::to_owned).collect();
        for post in found {
            let is_shown = |word: &str| words.iter().any(|shown| shown.contains(word));
            proptest::prop_assert!(post.text.split_whitespace().all(is_shown), "{:?}", post.text);
        }
    }
}

/// Finds posts on pages of which all are learned from.
fn find_on_all(pages: &[(String, String)]) -> Vec<Vec<PagePost>> {
    let read = |(url, source): &(String, String)| {
        Page::parse(&Url::parse(url).unwrap(), source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap()
    };
    let pages: Vec<Page> = pages.iter().map(read).collect();
    let mut extractor = Extractor::default();
    pages.iter().for_each(|page| extractor.learn(page));
    extractor.settle();
    pages.iter().map(|page| extractor.extract(page).posts).collect()
}

/// Articles without replies: this is what is around the text of each.
fn articles(around: impl Fn(usize, &str) -> String) -> Vec<(String, String)> {
    let article = |number: usize| {
        let text = format!("{} {}", TEXTS[number % 5], TEXTS[(number + 2) % 5]);
        let shown = around(number, &format!("<p>{text} and that is number {}</p>", NAMES[number % 3]));
        (format!("http://h.test/a/{number}"), format!("<body><h1>Title {number}</h1>{shown}</body>"))
    };
    (0..7).map(article).collect()
}

#[test]
fn the_line_with_the_date_names_the_author_rather_than_a_link_to_the_next_page() {
    let pages = articles(|number, text| {
        let next = NAMES[(number + 1) % 3];
        let name = NAMES[number % 3];
        format!("<p>By {name}, {} April 2020</p>{text}<nav><a href=/a/{next}>On {next}</a></nav>", number + 1)
    });
    for (number, posts) in find_on_all(&pages).into_iter().enumerate() {
        assert_eq!(posts.len(), 1, "{posts:?}");
        assert_eq!(posts[0].author.as_deref(), Some(NAMES[number % 3]));
        assert!(!posts[0].text.contains("On "), "{}", posts[0].text);
    }
}

#[test]
fn a_link_to_all_posts_of_the_author_names_the_author_as_the_line_before_it_does() {
    let pages = articles(|number, text| {
        let name = NAMES[number % 3];
        format!(
            "<article><div class=text>{text}</div><p><time>{} April 2020</time></p><h2>By {name}</h2>\
             <a rel=author href=/by/{name}>View all of {name}'s posts.</a></article>",
            number + 1
        )
    });
    for (number, posts) in find_on_all(&pages).into_iter().enumerate() {
        assert_eq!(posts.iter().map(|post| post.author.as_deref()).collect::<Vec<_>>(), [Some(NAMES[number % 3])]);
    }
}

#[test]
fn a_page_at_two_addresses_does_not_make_the_texts_those_of_their_authors() {
    let page = |at: usize| {
        let post = |number: usize| {
            let name = ((b'a' + (3 * at + number) as u8) as char).to_string().repeat(4);
            format!(
                "<li><div class=head><b class=by>{name}</b> <time>{} April 2020</time></div>\
                 <div class=body><p>{} said {name}</p></div></li>",
                number + 1,
                TEXTS[(at + number) % 5]
            )
        };
        format!("<body><h1>Title</h1><ul>{}</ul></body>", (0..3).map(post).collect::<String>())
    };
    let pages: Vec<_> = (0..4).map(|at| (format!("http://h.test/t/{at}"), page(at))).collect();
    let pages: Vec<_> = pages
        .iter()
        .flat_map(|(url, source)| [url.clone(), format!("{url}/1")].map(|url| (url, source.clone())))
        .collect();
    for posts in find_on_all(&pages) {
        assert_eq!(posts.len(), 3);
        assert!(posts.iter().all(|post| post.text.contains(" said ")), "{posts:?}");
    }
}

/// A page on which the dates of each class stand at its beginning and at its end: each class may be that of two posts.
fn page_of_many_classes(classes: usize) -> Page {
    let name = |number: usize| char::from(b'a' + (number % 26) as u8);
    let class = |at: usize| [name(at), name(at / 26), name(at / 676)].into_iter().collect::<String>();
    let part = |at: usize| format!("<div class=a><i class={}>{} May 2020</i><p>word</div>", class(at), at % 28 + 1);
    let half: String = (0..classes).map(part).collect();
    let url = Url::parse("http://h.test/t/1").unwrap();
    Page::parse(&url, &format!("{half}{half}"), date(2020, 6, 25).at(12, 0, 0, 0)).unwrap()
}

#[test]
fn a_page_whose_posts_take_too_long_to_find_is_given_up_and_others_are_not_affected() {
    let (hostile, good) = (page_of_many_classes(200), thread_page());
    let expected = Extractor::default().extract(&good);
    assert!(!expected.posts.is_empty() && !expected.is_given_up);
    let records = Extractor::default().extract(&hostile);
    assert!(records.is_given_up && records.posts.is_empty() && records.thread.is_none());
    let explained = Extractor::default().explain(&hostile);
    assert_eq!(explained.why_none(), Some(crate::NoPosts::GivenUp));
    // It is not learned from either.
    let mut extractor = Extractor::default();
    extractor.learn(&good);
    extractor.learn(&hostile);
    extractor.settle();
    let of_both = extractor.extract(&good);
    assert_eq!((of_both.posts, of_both.is_given_up), (expected.posts, false));
    assert!(!Extractor::default().extract(&page_of_many_classes(2)).is_given_up);
}

fn thread_page() -> Page {
    let source = thread(|number, author, date, text| {
        format!("<div class=post id=p{number}><b class=author>{author}</b> <i>{date}</i><p>{text}</p></div>")
    });
    Page::parse(&Url::parse("http://h.test/t/2").unwrap(), &source, date(2020, 4, 25).at(12, 0, 0, 0)).unwrap()
}
