//! The requests of a crawl with full knowledge of a small recorded site.

use std::fmt::Write as _;

use super::*;
use crate::corpus::tests::{load_labelled, response};

fn html(url: &str, body: &str) -> Vec<u8> {
    response(url, &format!("HTTP/1.1 200 OK\nContent-Type: text/html\n\n<html>{body}</html>"))
}

/// A list of eight members. All have a page of posts; that of the last one is linked by nobody.
fn members() -> Corpus {
    let member = |n: u32| format!("http://h/member/{n}/");
    let list: String = (1..=8).map(|n| format!("<a href={}>{n}</a>", member(n))).collect();
    let mut records = vec![html("http://h/", &list)];
    let mut labels = "url,page_type,is_ucc\nhttp://h/,list,0\n".to_owned();
    for n in 1..=8 {
        records.push(html(&member(n), if n < 8 { "<a href=posts/>posts</a>" } else { "no link" }));
        records.push(html(&format!("{}posts/", member(n)), "posts"));
        writeln!(labels, "{0},member,1\n{0}posts/,posts,1", member(n)).unwrap();
    }
    load_labelled(&records, &labels).unwrap()
}

#[test]
fn a_crawl_that_derives_addresses_reaches_what_many_pages_link_alike() {
    let corpus = members();
    let reference = Reference::of(&corpus);
    let posts = Task::Target("posts".into());
    // The list, and for each page of posts the member's page before it; or the page of posts at once.
    assert_eq!(reference.choice(&posts, &[], false, 9).1, 4);
    assert_eq!(reference.choice(&posts, &[], true, 9).1, 8);
    assert_eq!((reference.choice(&posts, &[], false, 99).1, reference.choice(&posts, &[], true, 99).1), (7, 8));
    let example = corpus.find("http://h/member/8/posts/");
    assert_eq!(reference.choice(&posts, &[example.unwrap()], false, 1).1, 1, "the example is a second start");
}

#[test]
fn feeds_are_followed_and_links_that_robots_must_not_follow_are_not() {
    let closed = "<meta name=robots content=nofollow><a href=/b>b</a>";
    let feed = "<?xml version='1.0'?><rss><channel><item><link>http://h/a</link></item></channel></rss>";
    let records = [
        html("http://h/", "<a href=/feed>feed</a><a href=/closed>closed</a>"),
        response("http://h/feed", &format!("HTTP/1.1 200 OK\nContent-Type: application/rss+xml\n\n{feed}")),
        html("http://h/closed", closed),
        html("http://h/a", "a"),
        html("http://h/b", "b"),
        response("http://h/list.txt", "HTTP/1.1 200 OK\nContent-Type: text/plain\n\nhttp://h/b\n"),
    ];
    let corpus = load_labelled(&records, "url,page_type,is_ucc\nhttp://h/a,post,1\nhttp://h/b,post,1\n").unwrap();
    assert_eq!(LinkTable::followed(&corpus).into_lists(), [vec![1, 2], vec![3], vec![], vec![], vec![], vec![]]);
    assert_eq!(LinkTable::of(&corpus).into_lists()[2], [4]);
    let (order, harvest) = Reference::of(&corpus).choice(&Task::Ucc, &[], false, 9);
    assert_eq!((order, harvest), (vec![0, 1, 3], 1), "what is linked by a closed page only cannot be reached");
}
