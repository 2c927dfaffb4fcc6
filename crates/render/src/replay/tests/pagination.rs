//! Lists in several answers.

use super::*;

/// A page whose items come in answers that name the next cursor.
fn cursors(user: &str, cursors: &[&str]) -> Sample {
    let mut requests = Vec::new();
    for (at, cursor) in [""].iter().chain(cursors).enumerate() {
        let after = if at == 0 { String::new() } else { format!("?after={cursor}") };
        let next = cursors.get(at).map_or("null".into(), |next| format!("\"{next}\""));
        let body = format!(r#"{{"items":[{{"url":"/i/{user}{at}"}}],"paging":{{"cursor":{next}}}}}"#);
        requests.push((format!("https://h.example/api/{user}/items{after}"), body));
    }
    let requests: Vec<(&str, &str)> = requests.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
    sample(&format!("https://h.example/users/{user}"), "", &requests)
}

#[test]
fn cursors_come_from_the_answer_before() {
    let template = check(&[
        cursors("ann", &["xa1", "xb2"]),
        cursors("bob", &["yc3"]),
        cursors("cyd", &["zd4", "ze5", "zf6"]),
        cursors("dan", &["wg7", "wh8", "wi9", "wj0"]),
    ]);
    assert!(template.describe().contains("after={paging.cursor in the answer before"), "{}", template.describe());
}

#[test]
fn cursors_are_followed_further_than_in_the_samples() {
    check(&[
        cursors("ann", &["xa1"]),
        cursors("bob", &["yc3"]),
        cursors("cyd", &["zd4"]),
        cursors("dan", &["wg7", "wh8", "wi9"]),
    ]);
}

#[test]
fn links_to_the_next_answer_are_followed() {
    let page = |id: u32, count: usize| {
        let address = |at: usize| format!("https://h.example/api/{id}/items?x={}", id as usize * 31 + at * at);
        let mut requests = Vec::new();
        for at in 0..count {
            let next = if at + 1 < count { format!("\"{}\"", address(at + 1)) } else { "null".into() };
            requests
                .push((format!("https://h.example{}", address(at)), format!(r#"{{"t":"{id} {at}","next":{next}}}"#)));
        }
        let requests: Vec<(&str, &str)> = requests.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
        sample(&format!("https://h.example/p/{id}"), &format!("<ul data-more='{}'></ul>", address(0)), &requests)
    };
    check(&[page(11, 3), page(12, 1), page(15, 2), page(28, 5)]);
}

/// A thread whose posts come in numbered pages of two, the first of which stands in the page.
fn numbered(id: u32, pages: u32) -> Sample {
    let requests: Vec<(String, String)> = (2..=pages)
        .map(|page| {
            let count = if page == pages { 1 } else { 2 };
            let posts: Vec<String> = (0..count).map(|post| format!(r#"{{"link":"/p/{id}-{page}-{post}"}}"#)).collect();
            let body = format!(r#"{{"posts":[{}]}}"#, posts.join(","));
            (format!("https://h.example/api/thread/{id}/posts?page={page}"), body)
        })
        .collect();
    let requests: Vec<(&str, &str)> = requests.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
    sample(&format!("https://h.example/t/some-title-{id}.html"), "<p>x</p>", &requests)
}

#[test]
fn page_numbers_are_counted_until_a_list_is_shorter() {
    let template = check(&[numbered(17, 3), numbered(204, 2), numbered(5_117, 5), numbered(888, 4)]);
    assert_eq!(
        template.describe(),
        "/api/thread/{number 1 from the end of the page's URL}/posts\
         ?page={counter from 2 by 1 until posts: length is below 2}"
    );
}

#[test]
fn an_id_is_found_in_an_inline_script() {
    let page = |slug: &str, id: u32| {
        let html = format!(r#"<script>window.__DATA__={{"topicId":{id}}}</script>"#);
        let request = format!("https://h.example/api/topics/{id}.json");
        sample(&format!("https://h.example/t/{slug}"), &html, &[(&request, r#"{"a":"b"}"#)])
    };
    let template = check(&[page("one", 17), page("two", 23), page("three", 5), page("four", 99)]);
    assert_eq!(template.describe(), "/api/topics/{script window.__DATA__.topicId in the page}.json");
}

#[test]
fn further_samples_decide_between_explanations_that_fit() {
    let page = |attribute: u32, id: u32| {
        let html = format!("<b data-a={attribute}></b><i data-b={id}></i>");
        let request = format!("https://h.example/api/topics/{id}");
        sample("https://h.example/t/x", &html, &[(&request, "{}")])
    };
    let template = learn(&[page(1, 1), page(2, 2), page(3, 3)]).template;
    let further = [page(7, 8), page(9, 10)];
    assert_eq!(verify(&template, &further), Verification { useful: 2, found: 0, requests: 2 });
    let settled = settle(&template, &further);
    assert_eq!(verify(&settled, &further).share(), 1.0);
    assert_eq!(settled.describe(), "/api/topics/{i[data-b] in the page}");
}

#[test]
fn requests_are_bounded() {
    let samples = [numbered(17, 30), numbered(204, 30), numbered(5_117, 30)];
    let template = Arc::new(learn(&samples).template);
    let limits = |requests, barren| ReplayLimits { requests, barren };
    let count = |limits: ReplayLimits, with_links: bool| {
        let (mut replay, mut queue) = Replay::first(Arc::clone(&template), &url("https://h.example/t/a-1"), "", limits);
        let mut number = 0;
        while let Some(next) = queue.pop() {
            number += 1;
            let post = if with_links { number } else { 0 };
            let body = format!(r#"{{"posts":[{{"link":"/p/{post}"}},{{"n":{number}}}]}}"#);
            queue.extend(replay.next(&next, body.as_bytes()));
        }
        replay.requests()
    };
    assert_eq!(count(limits(7, 20), true), 7);
    assert_eq!(count(limits(200, 5), false), 6, "the first answer has a link that is new");
    assert_eq!(count(limits(0, 5), true), 0);
}

/// A thread whose replies come in parts of six, the first part by an address of its own, each with whether there are
/// more.
fn replies(id: u32, count: u32) -> Sample {
    let part = |offset: u32| {
        let address = format!("https://h.example/t/{id}/replies?sort=thread");
        let address = if offset == 0 { address } else { format!("{address}&offset={offset}") };
        let links: Vec<String> = (offset..count.min(offset + 6)).map(|reply| format!("\"/r/{id}-{reply}\"")).collect();
        (address, format!(r#"{{"links":[{}],"more":{}}}"#, links.join(","), count > offset + 6))
    };
    let parts: Vec<(String, String)> = (0..count.div_ceil(6)).map(|number| part(6 * number)).collect();
    let parts: Vec<(&str, &str)> = parts.iter().map(|(url, body)| (url.as_str(), body.as_str())).collect();
    sample(&format!("https://h.example/t/{id}/"), "<p>x</p>", &parts)
}

#[test]
fn parts_that_continue_a_first_one_are_not_requested_where_it_is_the_last() {
    let template =
        check(&[replies(17, 20), replies(204, 3), replies(5_117, 13), replies(888, 15), replies(6, 27), replies(7, 2)]);
    assert_eq!(
        template.describe(),
        "{page}/replies?sort=thread\n{page}/replies?sort=thread&offset={counter from 6 by 6 until more is false}, \
         after https://h.example/*/*/replies?sort=, unless more is false"
    );
    let page = url::Url::parse("https://h.example/t/31/").unwrap();
    let requests = |is_more: bool| {
        let (mut replay, first) = Replay::first(Arc::new(template.clone()), &page, "<p>x</p>", ReplayLimits::default());
        assert_eq!(first.len(), 1, "{first:?}");
        replay.next(&first[0], format!(r#"{{"links":["/r/31-0"],"more":{is_more}}}"#).as_bytes())
    };
    assert_eq!((requests(false).len(), requests(true).len()), (0, 1));
}
