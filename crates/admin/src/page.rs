//! The live page: a single document, assembled from its parts, that sends requests only to this server.

use std::sync::LazyLock;

use axum::http::HeaderValue;
use data_encoding::BASE64;
use sha2::{Digest, Sha256};

const HTML: &str = include_str!("page/page.html");
const CSS: &str = include_str!("page/page.css");
/// The parts of one script: each can use the definitions of the parts before it.
const SCRIPTS: &[&str] = &[
    include_str!("page/dom.js"),
    include_str!("page/format.js"),
    include_str!("page/access.js"),
    include_str!("page/stream.js"),
    include_str!("page/actions.js"),
    include_str!("page/header.js"),
    include_str!("page/funnel.js"),
    include_str!("page/layout.js"),
    include_str!("page/drawing.js"),
    include_str!("page/map.js"),
    include_str!("page/detail.js"),
    include_str!("page/taken.js"),
    include_str!("page/tables.js"),
    include_str!("page/force.js"),
    include_str!("page/main.js"),
];

/// The document and its content security policy.
pub struct Page {
    /// The HTML.
    pub html: String,
    /// Its `Content-Security-Policy`: allows its own style and script and requests to this server, nothing else.
    pub policy: HeaderValue,
}

/// The live page.
pub static PAGE: LazyLock<Page> = LazyLock::new(|| {
    let script = format!("'use strict';(()=>{{\n{}}})();", terse(&SCRIPTS.concat()));
    let style = terse(CSS);
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; connect-src 'self'; img-src data:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        hash(&script),
        hash(&style)
    );
    Page {
        html: HTML.replacen("/*css*/", &style, 1).replacen("/*js*/", &script, 1),
        policy: HeaderValue::from_str(&policy).expect("hashes are ASCII"),
    }
});

/// Removes indentation and comment lines. No string of the scripts may span several lines.
fn terse(text: &str) -> String {
    let is_comment = |line: &str| line.starts_with("//") || (line.starts_with("/*") && line.ends_with("*/"));
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(&Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_one_small_document_that_refers_to_no_other_server() {
        let html = &PAGE.html;
        assert!(!html.contains("/*css*/") && !html.contains("/*js*/"));
        assert!(html.len() < 72 * 1024, "{} bytes", html.len());
        for other in
            ["src=\"http", "href=\"http", "url(http", "@import", "<link rel=\"stylesheet\"", " style=\"", " onclick="]
        {
            assert!(!html.contains(other), "{other}");
        }
    }

    #[test]
    fn no_string_of_the_scripts_spans_several_lines() {
        for line in SCRIPTS.iter().flat_map(|script| script.lines()) {
            assert_eq!(line.matches('`').count() % 2, 0, "{line}");
        }
    }

    #[test]
    fn the_policy_allows_only_its_own_script_and_style() {
        let policy = PAGE.policy.to_str().unwrap();
        let between = |from: &str, to: &str| {
            let start = PAGE.html.find(from).unwrap() + from.len();
            &PAGE.html[start..start + PAGE.html[start..].find(to).unwrap()]
        };
        assert!(policy.contains(&hash(between("<script>", "</script>"))));
        assert!(policy.contains(&hash(between("<style>", "</style>"))));
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
    }
}
