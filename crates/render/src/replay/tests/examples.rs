//! The requests of mail archives and of comments.

use super::*;

/// A thread page of a mail archive whose replies come in chunks of 6.
fn thread(list: &str, id: &str, chunks: usize, last_view: Option<&str>) -> Sample {
    let page = format!("https://lists.example.org/archives/list/{list}@lists.example.org/thread/{id}/");
    let requests: Vec<(String, String)> = (1..=chunks)
        .map(|chunk| {
            let view = last_view.map(|view| format!("&last_view={view}")).unwrap_or_default();
            let more = chunk < chunks;
            let body = format!(
                r#"{{"replies_html":"<div class=\"email\"><a href=\"/archives/m/{id}{chunk}\">x</a></div>","more_pending":{more},"next_offset":{}}}"#,
                if more { ((chunk + 1) * 6).to_string() } else { "null".into() }
            );
            (format!("{page}replies?sort=thread{view}&offset={}", chunk * 6), body)
        })
        .collect();
    let requests: Vec<(&str, &str)> = requests.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
    sample(&page, "<div class=thread data-x=1><a href='/archives/'>all</a></div>", &requests)
}

#[test]
fn replies_of_a_mail_archive_are_counted_until_there_are_no_more() {
    let template = check(&[
        thread("dev", "ABC123", 3, None),
        thread("dev", "QQQ777", 1, None),
        thread("dev", "ZYX987", 2, None),
        thread("users", "KKK555", 5, None),
    ]);
    assert_eq!(
        template.describe(),
        "{page}/replies?sort=thread&offset={counter from 6 by 6 until more_pending is false}"
    );
}

#[test]
fn a_volatile_parameter_is_left_out_or_filled() {
    let samples = [
        thread("dev", "ABC123", 3, Some("1699999999")),
        thread("dev", "QQQ777", 1, None),
        thread("dev", "ZYX987", 2, Some("1699999555.5")),
        thread("users", "KKK555", 5, Some("1688888888")),
    ];
    let learned = learn(&samples[..3]);
    assert_eq!(learned.rejected, []);
    assert_eq!(learned.template.slots[0].volatile_keys, ["last_view="]);
    assert_eq!(verify(&learned.template, &samples[3..]), Verification { useful: 5, found: 5, requests: 5 });
    assert!(!learned.template.describe().contains("last_view"));
    let filled = learned.template.with_sampled_values();
    assert!(filled.describe().contains("last_view=1699999999&"));
    assert_eq!(verify(&filled, &samples[3..]).share(), 1.0);
}

#[test]
fn fragments_whose_urls_stand_in_the_page_need_two_samples() {
    let page = |list: &str| {
        let base = format!("/archives/list/{list}/");
        let html = ["top", "new", "old"].map(|name| format!("<div class=tab data-load-from='{base}{name}'></div>"));
        let urls = ["top", "new", "old"].map(|name| format!("https://h.example{base}{name}"));
        let requests: Vec<(&str, &str)> = urls.iter().map(|url| (url.as_str(), "<a href='/x'>x</a>")).collect();
        sample(&format!("https://h.example{base}"), &html.concat(), &requests)
    };
    check(&[page("dev@h"), page("users@h"), page("news@h")]);
}

/// A page of a blog with comments, some of which have hidden replies.
fn comments(slug: &str, parents: &[u32]) -> Sample {
    let uri = format!("uri=%2F{slug}%2F");
    let list = |ids: &[u32]| {
        ids.iter().map(|id| format!(r#"{{"id":{id},"text":"<p>{slug}{id}</p>"}}"#)).collect::<Vec<_>>().join(",")
    };
    let first = format!("https://c.example/?{uri}&limit=10&nested_limit=5");
    let mut requests = vec![(first, format!(r#"{{"id":null,"replies":[{}]}}"#, list(parents)))];
    for parent in parents {
        let body = format!(r#"{{"id":{parent},"replies":[{}]}}"#, list(&[parent * 100, parent * 100 + 1]));
        requests.push((format!("https://c.example/?{uri}&limit=10&parent={parent}&offset=5"), body));
    }
    let requests: Vec<(&str, &str)> = requests.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
    sample(&format!("https://blog.example/{slug}/"), "<section id=comments></section>", &requests)
}

#[test]
fn comments_of_a_page_are_asked_for_by_its_path_and_replies_by_their_parents() {
    let template = check(&[
        comments("post-1", &[3, 9]),
        comments("a-second", &[14]),
        comments("third", &[21, 22, 30]),
        comments("fourth-post", &[41, 55]),
    ]);
    let text = template.describe();
    assert!(text.starts_with("https://c.example/?uri={path of the page's URL}&limit=10&nested_limit=5\n"), "{text}");
    assert!(text.contains("parent={each}&offset=5, each value of replies.*.id, after "), "{text}");
}

/// A page of comments. Replies of those that hide some are requested one by one.
fn hiding(article: u32, hidden: &[u32]) -> Sample {
    let api = format!("https://h.example/api/{article}");
    let number = |at: usize| 1_000 * article + 7 * at as u32;
    let comment = |(at, hidden): (usize, &u32)| {
        let id = number(at);
        let replies = format!(r#"[{{"id": {}, "parent": {id}}}]"#, id + 1);
        format!(r#"{{"id": {id}, "text": "comment {id}", "hidden_replies": {hidden}, "replies": {replies}}}"#)
    };
    let list = format!(r#"{{"replies": [{}]}}"#, hidden.iter().enumerate().map(comment).collect::<Vec<_>>().join(","));
    let more = hidden.iter().enumerate().filter(|(_, hidden)| **hidden > 0).map(|(at, _)| {
        (
            format!("{api}?parent={}&offset=5", number(at)),
            format!(r#"{{"replies": [{{"text": "reply to {}"}}]}}"#, number(at)),
        )
    });
    let requests: Vec<(String, String)> = std::iter::once((api.clone(), list)).chain(more).collect();
    let requests: Vec<(&str, &str)> = requests.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
    sample(&format!("https://h.example/a/{article}"), "<p>article</p>", &requests)
}

#[test]
fn values_whose_item_says_that_there_is_nothing_start_no_request() {
    let samples =
        [hiding(3, &[0, 2, 0]), hiding(5, &[1, 0, 0, 0]), hiding(8, &[0, 0, 4, 0]), hiding(9, &[0, 3, 0, 1, 0])];
    let text = check(&samples).describe();
    assert!(text.contains("each value of replies.*.id where replies.*.hidden_replies is not \"0\""), "{text}");
}

#[test]
fn a_browser_that_was_stopped_early_does_not_hide_the_condition() {
    let mut samples = [hiding(3, &[0, 2, 0]), hiding(5, &[1, 1, 0, 0, 0]), hiding(8, &[0, 0, 4, 0])];
    samples[1].requests.pop();
    let text = learn(&samples).template.describe();
    assert!(text.contains("where replies.*.hidden_replies is not"), "{text}");
}
