//! The example pages of a policy, and readers that parse pages again.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use crate::error::Error;
use harvestman_core::config::{Config, ExampleNames, ParseOptions};
use harvestman_core::model::{ClassTokens, ParsedPage};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Scope};
use harvestman_policy::learned::ReadPage;
use harvestman_policy::{ExamplePage, PageFacts};
use harvestman_structure::parse::{Parser, Spelling};

/// The URL of an example page that does not name its own; further ones have a number after it. No page of a site has
/// it, or a URL of its form.
const NOWHERE: &str = "http://example.invalid/.page/.from/.a/.file";

/// Returns the examples that the settings name, each URL once.
pub(crate) fn examples(
    config: &Config,
    canonicaliser: &Canonicaliser,
    scope: &Scope,
) -> Result<Vec<ExamplePage>, Error> {
    let (mut examples, mut nameless) = (Vec::<ExamplePage>::new(), 0);
    for text in config.policy.example.0.iter().take(ExampleNames::MAX) {
        let mut page = example(text, config, canonicaliser, scope)?;
        if page.url.as_str() == NOWHERE {
            if nameless > 0 {
                page.url = CanonicalUrl::from_canonical(format!("{NOWHERE}/{nameless}"));
            }
            nameless += 1;
        }
        match examples.iter_mut().find(|known| known.url == page.url) {
            // A page at hand need not be fetched.
            Some(known) if known.facts.is_none() => *known = page,
            Some(_) => {}
            None => examples.push(page),
        }
    }
    Ok(examples)
}

/// Returns the example of this name: a file if there is one, otherwise a URL.
fn example(text: &str, config: &Config, canonicaliser: &Canonicaliser, scope: &Scope) -> Result<ExamplePage, Error> {
    if Path::new(text).is_file() {
        let wrong = |error| Error::Configuration(format!("cannot read the example page {text}: {error}"));
        let bytes = std::fs::read(text).map_err(wrong)?;
        return Ok(from_file(bytes, &config.parse, canonicaliser));
    }
    let url = canonicaliser.parse(text).map_err(|why| {
        let what = "the example page is neither a file nor an http or https URL";
        Error::Configuration(format!("{what} ({}): `{text}`", why.label()))
    })?;
    scope.check(url.as_str()).map_err(|why| {
        let what = "the example page is outside the scope, so it would not be fetched";
        Error::Configuration(format!("{what} ({}): {url}", why.label()))
    })?;
    Ok(ExamplePage { url, facts: None })
}

/// Parses the page in a file, under the URL that it names as its own.
fn from_file(bytes: Vec<u8>, options: &ParseOptions, canonicaliser: &Canonicaliser) -> ExamplePage {
    let mut parser = Parser::new(options);
    parser.set_texts(true, true, false);
    let page = parser.parse(&bytes, None);
    let own = page.canonical.as_deref().and_then(|url| canonicaliser.parse(url).ok());
    if own.is_none() {
        tracing::warn!("the example page does not name its URL (<link rel=canonical>); only its template is used");
    }
    let facts = PageFacts {
        bag: page.leaf_paths,
        units: page.units,
        text: Some(page.text),
        forms: page.forms,
        body: Some((Bytes::from(bytes), None)),
        ..PageFacts::default()
    };
    ExamplePage { url: own.unwrap_or_else(|| CanonicalUrl::from_canonical(NOWHERE)), facts: Some(facts) }
}

/// Returns a reader that parses pages again, for a policy that learns templates.
pub fn reader(options: &ParseOptions) -> Box<ReadPage> {
    reader_of(Parser::new(options))
}

/// Returns a reader that also spells out all places, for display; it is slower.
pub fn spelling_reader(options: &ParseOptions) -> Box<ReadPage> {
    reader_of(Parser::with_spelling(options, Spelling::On))
}

fn reader_of(parser: Parser) -> Box<ReadPage> {
    let mut parser = parser.with_token_list();
    Box::new(move |bytes: &[u8], content_type: Option<&str>, tokens: Option<&Arc<ClassTokens>>| -> ParsedPage {
        parser.set_class_tokens(tokens.cloned());
        parser.parse(bytes, content_type)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(texts: &[&str]) -> Result<Vec<ExamplePage>, Error> {
        let mut config = Config::default();
        config.policy.example = ExampleNames(texts.iter().map(|text| (*text).to_owned()).collect());
        let canonicaliser = Canonicaliser::new(&config.url).unwrap();
        let scope = Scope::new(&config.scope, &[CanonicalUrl::from_canonical("http://h.test/")]).unwrap();
        examples(&config, &canonicaliser, &scope)
    }

    #[test]
    fn a_url_in_scope_is_a_seed_and_anything_else_is_an_error() {
        let page = named(&["http://H.test/topic/1#post"]).unwrap().remove(0);
        assert_eq!((page.url.as_str(), page.facts.is_none()), ("http://h.test/topic/1", true));
        assert!(named(&[]).unwrap().is_empty());
        for (wrong, why) in [("http://other.test/", "outside the scope"), ("no/such.html", "neither a file nor")] {
            let error = named(&["http://h.test/1", wrong]).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_file_is_parsed_under_the_url_that_it_names() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("page.html");
        let path = file.display().to_string();
        std::fs::write(&file, "<link rel=canonical href='http://h.test/t/7'><div><p>words of it</p></div>").unwrap();
        let page = named(&[&path]).unwrap().remove(0);
        let facts = page.facts.unwrap();
        assert_eq!(page.url.as_str(), "http://h.test/t/7");
        assert!(!facts.bag.is_empty() && !facts.units.is_empty() && facts.body.is_some());
        std::fs::write(&file, "<p>words").unwrap();
        assert_eq!(named(&[&path]).unwrap().remove(0).url.as_str(), NOWHERE);
    }

    #[test]
    fn each_page_is_one_example_and_pages_without_a_url_stay_apart() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let file = dir.path().join(name);
            std::fs::write(&file, text).unwrap();
            file.display().to_string()
        };
        let own = file("own.html", "<link rel=canonical href='http://h.test/t/7'><p>words");
        let [one, other] = ["one", "other"].map(|name| file(name, "<p>words"));
        let pages = named(&["http://h.test/t/7", &one, "http://h.test/1", &other, &own, "http://h.test/1#a"]).unwrap();
        let urls: Vec<_> = pages.iter().map(|page| (page.url.as_str(), page.facts.is_some())).collect();
        let second = format!("{NOWHERE}/1");
        assert_eq!(urls, [("http://h.test/t/7", true), (NOWHERE, true), ("http://h.test/1", false), (&*second, true)]);
    }
}
