//! `harvestman inspect url`: shows how Harvestman interprets a URL.

use std::io::{self, Write};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer_lines;
use super::usv::UsvLines;
use harvestman_core::config::url::UrlOptions;
use harvestman_core::url::{CanonicalUrl, Canonicaliser, OutOfScope, TrapGuard, registrable_domain, surt, whatwg_href};
use harvestman_report::terminal;

/// Show the canonical form of a URL, its politeness key, and signs of a trap
///
/// Without a URL, questions are read from standard input as JSON lines, {"id", "op": "parse" or "canon" or "surt",
/// "input", "base"}, and each is answered with a line {"id", "href"} or {"id", "failure": true}. "parse" applies the
/// URL standard, "canon" returns Harvestman's canonical form, "surt" the key that web archive indexes use.
#[derive(Debug, Clone, clap::Args)]
pub struct UrlArgs {
    /// URL, or a link on the page given with --base
    pub url: Option<String>,
    /// URL of the page with the link
    #[arg(long, value_name = "URL")]
    pub base: Option<String>,
}

/// Prints the answer.
///
/// # Errors
/// The URL is invalid, or standard input or output fails.
pub fn run(args: &UrlArgs) -> anyhow::Result<()> {
    let canonicaliser = Canonicaliser::new(&UrlOptions::default())?;
    let output = terminal::stdout();
    match &args.url {
        Some(url) => describe(&canonicaliser, url, args.base.as_deref(), output),
        None => answer_lines(UsvLines::new(io::stdin().lock()), output, |question| answer(&canonicaliser, &question))
            .context("cannot answer any further"),
    }
}

#[derive(Debug, Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    op: Operation,
    input: String,
    #[serde(default)]
    base: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Parse,
    Canon,
    Surt,
}

fn answer(canonicaliser: &Canonicaliser, question: &Question) -> Value {
    let (input, base) = (question.input.as_str(), question.base.as_deref());
    let href = match question.op {
        Operation::Parse => whatwg_href(input, base),
        Operation::Surt => surt(input),
        Operation::Canon => canonical(canonicaliser, input, base).ok().map(|url| url.as_str().to_owned()),
    };
    match href {
        Some(href) => json!({"id": question.id, "href": href}),
        None => json!({"id": question.id, "failure": true}),
    }
}

/// Returns the canonical form of `input` on the page `base`, with the code that a crawl uses.
fn canonical(canonicaliser: &Canonicaliser, input: &str, base: Option<&str>) -> Result<CanonicalUrl, OutOfScope> {
    let Some(base) = base else { return canonicaliser.parse(input) };
    match canonicaliser.parse(base) {
        Ok(page) => canonicaliser.resolver(&page, None).resolve(input).map(|url| url.to_url()),
        // No page can have this base, but an absolute input may be valid nevertheless.
        Err(_) => canonicaliser.parse(&whatwg_href(input, Some(base)).ok_or(OutOfScope::Invalid)?),
    }
}

fn describe(canonicaliser: &Canonicaliser, url: &str, base: Option<&str>, mut out: impl Write) -> anyhow::Result<()> {
    let standard = whatwg_href(url, base).with_context(|| match base {
        Some(base) => format!("`{url}` on the page `{base}` is not a URL"),
        None => format!(
            "`{url}` is not a URL; write it with its scheme, as in https://example.org/, or give its page with --base"
        ),
    })?;
    let mut line = |name: &str, value: &str| writeln!(out, "{name:<18}{value}");
    line("URL standard", &standard)?;
    let canonical = match canonical(canonicaliser, url, base) {
        Ok(canonical) => canonical,
        Err(refusal) => return Ok(line("refused", refusal.label())?),
    };
    let host_key = canonical.host_key();
    let (path, query) = match canonical.path_and_query().split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (canonical.path_and_query(), None),
    };
    let trap = TrapGuard::default().shape(canonical.path_and_query());
    line("canonical", canonical.as_str())?;
    line("host key", host_key.as_str())?;
    line("host", host_key.host())?;
    line("registrable", registrable_domain(host_key.host()))?;
    line("path", path)?;
    for parameter in query.into_iter().flat_map(|query| query.split('&')) {
        line("parameter", parameter)?;
    }
    line("trap", trap.map_or("no", |shape| shape.label()))?;
    line("archive key", &surt(canonical.as_str()).unwrap_or_default())?;
    line("fingerprint", &format!("{:032x}", canonical.fingerprint().0))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonicaliser() -> Canonicaliser {
        Canonicaliser::new(&UrlOptions::default()).unwrap()
    }

    fn answers(input: &str) -> Vec<Value> {
        let canonicaliser = canonicaliser();
        let mut output = Vec::new();
        answer_lines(UsvLines::new(input.as_bytes()), &mut output, |question| answer(&canonicaliser, &question))
            .unwrap();
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn questions_are_answered_by_the_standard_or_by_the_canonical_form() {
        for (question, wanted) in [
            (r#"{"id":1,"op":"parse","input":"HTTP://H/a/../%7e#f"}"#, json!({"id": 1, "href": "http://h/%7e#f"})),
            (r#"{"id":"a","op":"parse","input":"x","base":"ftp://h/"}"#, json!({"id": "a", "href": "ftp://h/x"})),
            (r#"{"id":2,"op":"parse","input":"x","base":null}"#, json!({"id": 2, "failure": true})),
            (r##"{"id":3,"op":"parse","input":"#f","base":"about:blank"}"##, json!({"id": 3, "href": "about:blank#f"})),
            (r#"{"id":4,"op":"parse","input":"http://h/\ud800"}"#, json!({"id": 4, "href": "http://h/%EF%BF%BD"})),
            (r#"{"id":5,"op":"canon","input":"HTTP://H.:80/%7e?#f"}"#, json!({"id": 5, "href": "http://h/~"})),
            (
                r#"{"id":6,"op":"canon","input":"../x","base":"http://h/a/b/"}"#,
                json!({"id": 6, "href": "http://h/a/x"}),
            ),
            (r#"{"id":7,"op":"canon","input":"http://h","base":"about:blank"}"#, json!({"id": 7, "href": "http://h/"})),
            (r#"{"id":8,"op":"canon","input":"x","base":"ftp://h/"}"#, json!({"id": 8, "failure": true})),
            (r#"{"id":9,"op":"canon","input":"http://h","base":"nonsense"}"#, json!({"id": 9, "failure": true})),
            (
                r#"{"id":11,"op":"surt","input":"https://www.H.org:443/A/?b&a#f"}"#,
                json!({"id": 11, "href": "org,h)/a?a&b"}),
            ),
            (r#"{"id":12,"op":"surt","input":"http://h:x/"}"#, json!({"id": 12, "failure": true})),
            (r#"{"id":10,"op":"canon","input":"mailto:a@b"}"#, json!({"id": 10, "failure": true})),
        ] {
            assert_eq!(answers(question), [wanted], "{question}");
        }
    }

    #[test]
    fn malformed_questions_are_answered_with_an_error() {
        let all = answers(
            "{\"id\":1,\"op\":\"eat\",\"input\":\"x\"}\n{\"id\":2,\"op\":\"parse\"}\n\u{0}\n{\"op\":\"canon\",\"input\":\"\"}",
        );
        assert!(all[..3].iter().all(|answer| answer["error"].is_string()), "{all:?}");
        assert_eq!(all[3], json!({"id": null, "failure": true}));
    }

    #[test]
    fn the_listing_shows_parts_canonical_form_and_verdict() {
        let shown = |url: &str, base: Option<&str>| {
            let mut out = Vec::new();
            describe(&canonicaliser(), url, base, &mut out).map(|()| String::from_utf8(out).unwrap())
        };
        let text = shown("/a/b/a/b/a/b?x=1&utm_source=y", Some("https://www.example.co.uk:8443/z")).unwrap();
        for line in [
            "canonical         https://www.example.co.uk:8443/a/b/a/b/a/b?x=1\n",
            "host key          https://www.example.co.uk:8443\n",
            "registrable       example.co.uk\n",
            "parameter         x=1\n",
            "trap              repeated sequence of segments\n",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
        assert!(shown("mailto:a@b", None).unwrap().ends_with("refused           scheme\n"));
        assert!(shown("example.org", None).unwrap_err().to_string().contains("--base"));
    }
}
