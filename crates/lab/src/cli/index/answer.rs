//! The answers of the search engine: JSON, RSS, HTML, and its description.

use std::fmt::Write as _;

use serde::Serialize;

use super::question::{AnswerFormat, Question};
use crate::index::{Hit, QueryAnswer};
use harvestman::cli::site::formats::escaped;

/// The form of the addresses of searches, for those who fill it in.
pub(super) const TEMPLATE: &str = "/search?q={query}";

/// The page at `/`.
pub(super) const START: &str = "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Recorded pages</title>\n\
    <form action=\"/search\"><input type=\"hidden\" name=\"format\" value=\"html\">\n\
    <label>Search the recorded pages <input name=\"q\" autofocus></label> <button>Search</button></form></html>\n";

/// Returns the media type and the body of the answer to a question. `base` is the address of the server, without a
/// slash at the end.
pub(super) fn of(question: &Question, found: &QueryAnswer, base: &str) -> (&'static str, String) {
    match question.format {
        AnswerFormat::Json => ("application/json", json(question, found)),
        AnswerFormat::Rss => ("application/rss+xml; charset=utf-8", rss(question, found, base)),
        AnswerFormat::Html => ("text/html; charset=utf-8", html(question, found)),
    }
}

/// An answer of SearXNG, without the lists that are always empty here.
#[derive(Serialize)]
struct Answer<'a> {
    query: &'a str,
    number_of_results: u64,
    results: Vec<AnswerResult<'a>>,
}

#[derive(Serialize)]
struct AnswerResult<'a> {
    url: &'a str,
    title: &'a str,
    content: &'a str,
    score: f32,
}

fn json(question: &Question, found: &QueryAnswer) -> String {
    let results = found.results.iter().map(|hit| AnswerResult {
        url: &hit.url,
        title: title(hit),
        content: &hit.excerpt,
        score: hit.score,
    });
    let results = results.collect();
    let answer = Answer { query: &question.query, number_of_results: found.hits, results };
    // Strings and finite numbers can always be written.
    serde_json::to_string(&answer).unwrap_or_default()
}

fn title(hit: &Hit) -> &str {
    hit.title.as_deref().unwrap_or(&hit.url)
}

fn rss(question: &Question, found: &QueryAnswer, base: &str) -> String {
    let query = escaped(&question.query);
    let (hits, page) = (found.hits, question.page);
    let (start, count) = (question.offset().saturating_add(1), question.count);
    let link = escaped(&format!("{base}{}", question.path_of(page)));
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <rss version=\"2.0\" xmlns:opensearch=\"http://a9.com/-/spec/opensearch/1.1/\">\n<channel>\n\
         <title>{query}</title>\n<link>{link}</link>\n<description>Recorded pages</description>\n\
         <opensearch:totalResults>{hits}</opensearch:totalResults>\n\
         <opensearch:startIndex>{start}</opensearch:startIndex>\n\
         <opensearch:itemsPerPage>{count}</opensearch:itemsPerPage>\n\
         <opensearch:Query role=\"request\" searchTerms=\"{query}\" startPage=\"{page}\"/>\n"
    );
    for hit in &found.results {
        let (url, title, excerpt) = (escaped(&hit.url), escaped(title(hit)), escaped(&hit.excerpt));
        let _ =
            writeln!(text, "<item><title>{title}</title><link>{url}</link><description>{excerpt}</description></item>");
    }
    text.push_str("</channel>\n</rss>\n");
    text
}

fn html(question: &Question, found: &QueryAnswer) -> String {
    let (query, hits) = (escaped(&question.query), found.hits);
    let start = question.offset().saturating_add(1);
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{query}</title>\n\
         <p>{hits} results</p>\n<ol start=\"{start}\">\n"
    );
    for hit in &found.results {
        let (url, title, excerpt) = (escaped(&hit.url), escaped(title(hit)), escaped(&hit.excerpt));
        let _ = writeln!(text, "<li><a href=\"{url}\">{title}</a><p>{excerpt}</p></li>");
    }
    text.push_str("</ol>\n");
    if !found.results.is_empty() && (question.offset() + found.results.len()) < found.hits as usize {
        let next = escaped(&question.path_of(question.page.saturating_add(1)));
        let _ = writeln!(text, "<a rel=\"next\" href=\"{next}\">Next</a>");
    }
    text.push_str("</html>\n");
    text
}

/// Returns the OpenSearch 1.1 description document of the server at `base`.
pub(super) fn description(base: &str) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <OpenSearchDescription xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">\n\
         <ShortName>Recorded</ShortName>\n<Description>Search recorded pages</Description>\n\
         <InputEncoding>UTF-8</InputEncoding>\n<OutputEncoding>UTF-8</OutputEncoding>\n",
    );
    for (media_type, format) in [
        ("application/rss+xml", AnswerFormat::Rss),
        ("text/html", AnswerFormat::Html),
        ("application/json", AnswerFormat::Json),
    ] {
        let parameters = "q={searchTerms}&count={count?}&page={startPage?}";
        let template = escaped(&format!("{base}/search?{parameters}&format={}", format.name()));
        let _ = writeln!(text, "<Url type=\"{media_type}\" template=\"{template}\"/>");
    }
    text.push_str("</OpenSearchDescription>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> QueryAnswer {
        let hit = |url: &str, title: Option<&str>| Hit {
            url: url.into(),
            title: title.map(Into::into),
            excerpt: "1 < 2 & \u{1}3".into(),
            score: 1.5,
        };
        QueryAnswer {
            hits: 25,
            results: vec![hit("http://a.example/?x=1&y=2", Some("<b>\"A\"</b>")), hit("http://b/", None)],
        }
    }

    fn answer(format: &str) -> String {
        let question = Question::parse(&format!("q=%3Ca%3E+%22b%22&count=2&page=3&format={format}")).unwrap();
        of(&question, &found(), "http://127.0.0.1:1").1
    }

    #[test]
    fn json_has_the_form_of_searxng() {
        let answer: serde_json::Value = serde_json::from_str(&answer("json")).unwrap();
        assert_eq!(answer["query"], "<a> \"b\"");
        assert_eq!(answer["number_of_results"], 25);
        assert_eq!(answer["results"][0]["url"], "http://a.example/?x=1&y=2");
        assert_eq!(answer["results"][0]["content"], "1 < 2 & \u{1}3");
        assert_eq!(answer["results"][1]["title"], "http://b/");
    }

    #[test]
    fn texts_are_escaped_in_rss_and_html() {
        let rss = answer("rss");
        for part in [
            "<opensearch:totalResults>25<",
            "<opensearch:startIndex>5<",
            "<opensearch:itemsPerPage>2<",
            "searchTerms=\"&lt;a&gt; &quot;b&quot;\" startPage=\"3\"",
            "<item><title>&lt;b&gt;&quot;A&quot;&lt;/b&gt;</title><link>http://a.example/?x=1&amp;y=2</link>\
             <description>1 &lt; 2 &amp; 3</description></item>",
        ] {
            assert!(rss.contains(part), "{part}\nis not in\n{rss}");
        }
        let html = answer("html");
        for part in [
            "<ol start=\"5\">",
            "<li><a href=\"http://a.example/?x=1&amp;y=2\">&lt;b&gt;&quot;A&quot;&lt;/b&gt;</a>",
            "<a rel=\"next\" href=\"/search?q=%3Ca%3E+%22b%22&amp;count=2&amp;page=4&amp;format=html\">",
        ] {
            assert!(html.contains(part), "{part}\nis not in\n{html}");
        }
    }

    #[test]
    fn the_description_has_a_template_for_each_format() {
        let text = description("http://127.0.0.1:1");
        let template = "http://127.0.0.1:1/search?q={searchTerms}&amp;count={count?}&amp;page={startPage?}&amp;format=";
        assert_eq!(text.matches(template).count(), 3, "{text}");
    }
}
