//! Pages whose markup is not what the rules of HTML make of it: XHTML that is served as XML, and elements that never
//! end. What their authors link to is followed, and the page log says how they were read.

use harvestman::model::PageRecord;

use crate::crawling::{Crawled, config, crawl};
use crate::scripted::{Reply, Scripted};

fn xhtml(body: &str) -> Reply {
    let page = format!("<html xmlns=\"http://www.w3.org/1999/xhtml\">{body}</html>");
    let reply = Reply::html(page);
    Reply { headers: vec![("Content-Type", "application/xhtml+xml; charset=utf-8".to_owned())], ..reply }
}

/// Crawls a page at `/` and all it links to.
fn crawled(page: Reply) -> (Vec<String>, PageRecord) {
    let server = Scripted::start(move |_, path, _| match path {
        "/" => page.clone(),
        "/robots.txt" => Reply::status(404),
        _ => Reply::html("<p>x</p>"),
    });
    let seed = server.url("site", "/");
    let Crawled { pages, .. } = crawl(config(vec![seed.clone()]));
    let mut paths: Vec<String> =
        server.paths("site").into_iter().filter(|path| path.len() < 8 && path != "/").collect();
    paths.sort();
    (paths, pages.into_iter().find(|page| page.url == seed).unwrap())
}

#[test]
fn xhtml_that_is_served_as_xml_is_read_by_the_rules_of_xml() {
    let (paths, line) = crawled(xhtml(
        "<head><title/><script src=\"/s.js\"/></head><body><iframe src=\"about:blank\"/><p><a href=\"/a\">a</a></p>\
         <pre><![CDATA[<a href=\"/no\">no</a>]]></pre><textarea/><p><a href=\"/b\">b</a></p></body>",
    ));
    assert_eq!(paths, ["/a", "/b"]);
    assert_eq!((line.markup.as_deref(), line.unended, line.links), (Some("xml"), None, Some(3)));
}

#[test]
fn xhtml_that_is_not_well_formed_is_read_as_html_and_marked() {
    let (paths, line) = crawled(xhtml("<script src=\"/s.js\"/><p><br><a href=\"/a\">a</a><script>1</script>"));
    assert_eq!(paths, ["/a"]);
    assert_eq!(line.markup.as_deref(), Some("broken_xml"));
}

#[test]
fn links_behind_an_element_that_never_ends_are_followed_and_marked() {
    let (paths, line) = crawled(Reply::html(
        "<title>t</title><a href=\"/a\">a</a><iframe src=\"about:blank\"/><p><a href=\"/b\">b</a>",
    ));
    assert_eq!(paths, ["/a", "/b"]);
    assert_eq!((line.markup, line.unended.as_deref(), line.recovered), (None, Some("iframe"), vec!["/b".to_owned()]));
    let (paths, line) = crawled(Reply::html("<title>t</title><a href=\"/a\">a</a><iframe></iframe>"));
    assert_eq!((paths.len(), line.unended, line.recovered.len()), (1, None, 0));
}
