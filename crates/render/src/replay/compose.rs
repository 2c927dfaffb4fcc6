//! Puts what the requests of a page brought into its plain document, so that it is read like a rendered one.

use std::fmt::Write;

use serde_json::Value;
use url::Url;

use super::content::StringKind;
use super::html::HTML_BYTES_MAX;
use super::json::{answer_text, json_field, parse_json, visit_json};

/// Returns the plain page with the contents of `answers` and with `links` at the end of its body.
///
/// Answers that are HTML stay as they are. Of JSON, strings that are HTML stay so, the URLs of `link_fields` become
/// links and those of other fields nothing, and other strings paragraphs; the names of their fields are the classes of
/// their elements, as those of a script's elements would be, so that links of one field form a class. `links` are given
/// with the number of what made them. The document has at most about 4 MiB more than the page; the answers beyond are
/// left out.
pub fn compose(html: &str, answers: &[impl AsRef<[u8]>], links: &[(usize, Url)], link_fields: &[String]) -> String {
    let end = html.rfind("</body").or_else(|| html.rfind("</BODY")).unwrap_or(html.len());
    let mut added = String::new();
    for answer in answers {
        if added.len() >= HTML_BYTES_MAX {
            break;
        }
        added.push_str("<div class=\"answer\">");
        add_answer(&mut added, answer.as_ref(), link_fields);
        added.push_str("</div>");
    }
    for (slot, link) in links {
        let _ = write!(added, "<a class=\"made-{slot}\" href=\"{}\"></a>", htmlize::escape_attribute(link.as_str()));
    }
    [&html[..end], &added, &html[end..]].concat()
}

fn add_answer(added: &mut String, body: &[u8], link_fields: &[String]) {
    match parse_json(body) {
        Some(json) => visit_json(&json, &mut |path, value| {
            if let Value::String(text) = value
                && added.len() < HTML_BYTES_MAX
            {
                add_string(added, path, text, link_fields);
            }
        }),
        None => added.push_str(&answer_text(body)),
    }
}

fn add_string(added: &mut String, path: &str, text: &str, link_fields: &[String]) {
    let class = json_field(path);
    let _ = match StringKind::of(path, text) {
        StringKind::Html => write!(added, "<div class=\"{class}\">{text}</div>"),
        StringKind::Link if !link_fields.contains(&class) => Ok(()),
        StringKind::Link => {
            write!(added, "<a class=\"{class}\" href=\"{}\"></a>", htmlize::escape_attribute(text))
        }
        StringKind::Text => write!(added, "<p class=\"{class}\">{}</p>", htmlize::escape_text(text)),
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::content::scan_answer;
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn answers_stand_at_the_end_of_the_body() {
        let answers = [
            r#"{"replies":[{"text":"<p>one</p>","author":"A & B","permalink":"/p/1?x=1&y=2","vote":"/p/1/vote"}],"n":3}"#,
            "<a href=/2>two</a>",
        ];
        let page = compose(
            "<body><p>plain</p></body></html>",
            &answers,
            &[(4, url("http://h.example/t/3"))],
            &["replies-permalink".to_owned()],
        );
        let expected = "<body><p>plain</p>\
            <div class=\"answer\"><p class=\"replies-author\">A &amp; B</p>\
            <a class=\"replies-permalink\" href=\"/p/1?x=1&amp;y=2\"></a>\
            <div class=\"replies-text\"><p>one</p></div></div>\
            <div class=\"answer\"><a href=/2>two</a></div>\
            <a class=\"made-4\" href=\"http://h.example/t/3\"></a></body></html>";
        assert_eq!(page, expected);
    }

    proptest! {
        /// What is found in the answers is found in the page.
        #[test]
        fn nothing_is_lost(plain in "[a-z <>/b]{0,40}(</body>)?", texts in proptest::collection::vec("[a-z&\"'é ]{1,20}", 0..8)) {
            let base = url("http://h.example/");
            let items: Vec<Value> = texts.iter().enumerate().map(|(n, text)| {
                serde_json::json!({"title": text, "url": format!("/t/{n}"), "html": format!("<p>html{n}</p>")})
            }).collect();
            let answer = serde_json::to_vec(&serde_json::json!({"items": items})).unwrap();
            let (wanted, found) = (scan_answer(&answer, &base), compose(&plain, &[answer], &[], &["items-url".to_owned()]));
            // A tag that the plain page leaves open swallows what follows, as it does in a browser.
            let closed = found.replacen("<div class=\"answer\">", "><div class=\"answer\">", 1);
            let found = scan_answer(closed.as_bytes(), &base);
            prop_assert!(wanted.links.iter().all(|link| found.links.contains(link)));
            prop_assert!(wanted.texts.iter().all(|text| found.texts.contains(text)), "{:?} {:?}", wanted.texts, found.texts);
        }
    }
}
