//! `harvestman inspect url`: shows how Harvestman interprets a URL.
//!
//! It also reads JSON lines from programs whose strings are not valid Unicode: JSON strings may contain lone surrogates
//! (`"\ud800"`), and URL test data does; Rust strings cannot. The URL standard takes its input as a USVString, in which
//! each lone surrogate is U+FFFD, so it is replaced here, before the line is parsed. Invalid UTF-8 becomes U+FFFD
//! likewise.

use std::io;
use std::io::{BufRead, Read, Write};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer_lines;
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

/// Reads lines from `inner` and converts them to Unicode.
struct UsvLines<R> {
    inner: R,
    line: Vec<u8>,
    given: usize,
}

impl<R: BufRead> UsvLines<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, line: Vec::new(), given: 0 }
    }
}

impl<R: BufRead> BufRead for UsvLines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.given >= self.line.len() {
            self.given = 0;
            self.line.clear();
            self.inner.read_until(b'\n', &mut self.line)?;
            replace_lone_surrogates(&mut self.line);
            if let Err(error) = std::str::from_utf8(&self.line) {
                tracing::debug!(%error, "a line is not UTF-8");
                self.line = String::from_utf8_lossy(&self.line).into_owned().into_bytes();
            }
        }
        Ok(&self.line[self.given..])
    }

    fn consume(&mut self, amount: usize) {
        self.given += amount;
    }
}

impl<R: BufRead> Read for UsvLines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

/// Replaces each escaped lone surrogate with the escape of U+FFFD, which has the same length.
fn replace_lone_surrogates(json: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &json[at..]) {
        at += found;
        at += match (code_unit(&json[at..]), json.get(at + 6..).and_then(code_unit)) {
            (None, _) => 2,
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                json[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (Some(_), _) => 6,
        };
        if at >= json.len() {
            return;
        }
    }
}

/// Returns the code unit that `text` starts with, escaped as in `\ud83d`.
fn code_unit(text: &[u8]) -> Option<u16> {
    let digits = text.get(..6)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    fn read(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        UsvLines::new(bytes).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_remain() {
        for (given, wanted) in [
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""\uDFFFx\uD83D\ude00""#, r#""\ufffdx\uD83D\ude00""#),
            (r#""\ud800\ud83d\ude00\udc00""#, r#""\ufffd\ud83d\ude00\ufffd""#),
            (r#""\\ud800""#, r#""\\ud800""#),
            (r#""\\\ud800""#, r#""\\\ufffd""#),
            (r#""\u00e9\n""#, r#""\u00e9\n""#),
            (r#""\ud80"#, r#""\ud80"#),
            (r#"\"#, r#"\"#),
        ] {
            assert_eq!(read(given.as_bytes()), wanted.as_bytes(), "{given}");
        }
        assert_eq!(read(b"a\xff\nb\xed\xa0\x80"), "a\u{fffd}\nb\u{fffd}\u{fffd}\u{fffd}".as_bytes());
    }

    proptest! {
        #[test]
        fn any_bytes_become_text_and_any_json_string_stays_readable(
            bytes in any::<Vec<u8>>(),
            units in proptest::collection::vec(prop_oneof![any::<u16>(), 0xD700_u16..0xE100], 0..8),
        ) {
            prop_assert!(String::from_utf8(read(&bytes)).is_ok());
            let json = units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            let text: String = serde_json::from_slice(&read(format!("\"{json}\"").as_bytes())).unwrap();
            prop_assert_eq!(text, String::from_utf16_lossy(&units));
        }
    }
}
