//! The validator of a crawl: which pages `policy.want` accepts, and what `policy.worth` values.

use std::sync::Arc;

use crate::error::Error;
use crate::page::document::Document;
use crate::page::gate::{Feature, Gate};
use crate::page::page_in_work::{Content, PageInWork, Verdict};
use crate::page::page_processor::PageProcessor;
use crate::page::rules::{Acceptance, AcceptsPage, ReadsPosts};
use harvestman_core::clock::Clock;
use harvestman_core::config::{PageWorth, PolicyOptions};
use harvestman_policy::ExamplePage;
use harvestman_validators::{All, PageView, Validator, Want, check_examples, text_of_posts};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Returns what decides which pages are wanted; `None` if the policy does, by the examples.
///
/// # Errors
/// A value is invalid, or the validator does not accept all examples that are at hand.
pub(crate) fn validator(options: &PolicyOptions, examples: &[ExamplePage]) -> Result<Option<Arc<AcceptsPage>>, Error> {
    let examples = views(examples);
    let all = all(&options.want, &examples)?;
    check_examples(&all, &examples).map_err(|error| Error::Configuration(format!("policy.want: {error}")))?;
    Ok(asking(all))
}

/// Returns the examples that are at hand.
fn views(examples: &[ExamplePage]) -> Vec<PageView<'_>> {
    let at_hand = examples.iter().filter_map(|example| Some((&example.url, example.facts.as_ref()?.body.as_ref()?)));
    at_hand.map(|(url, (body, kind))| PageView::new(url.as_str(), body).with_content_type(kind.as_deref())).collect()
}

/// Returns what decides which pages these values of `policy.want` accept; `None` if all are `like`.
///
/// # Errors
/// A value is invalid, or learns from examples.
pub fn accepting(want: &[String]) -> Result<Option<Arc<AcceptsPage>>, Error> {
    all(want, &[]).map(asking)
}

/// Returns what reads the posts of pages, if these make pages worth a request.
pub(crate) fn reads_posts(options: &PolicyOptions) -> Option<Arc<ReadsPosts>> {
    (options.worth == PageWorth::Posts).then(|| -> Arc<ReadsPosts> {
        let now = now();
        Arc::new(move |url, body, content_type| {
            let page = PageView::new(url, body).with_content_type(content_type);
            let text = text_of_posts(&page, now).unwrap_or_default();
            (!page.is_given_up()).then_some(text)
        })
    })
}

fn now() -> DateTime {
    Clock::system().now().timestamp().to_zoned(TimeZone::UTC).datetime()
}

fn all(want: &[String], examples: &[PageView<'_>]) -> Result<All, Error> {
    let now = now();
    let mut all = All::default();
    for text in want {
        let want = text.parse::<Want>().and_then(|want| want.validator(examples, now));
        all.0.extend(want.map_err(|error| Error::Configuration(format!("policy.want: {error}")))?);
    }
    Ok(all)
}

fn asking(all: All) -> Option<Arc<AcceptsPage>> {
    if all.0.is_empty() {
        return None;
    }
    Some(Arc::new(move |url: &str, body: &[u8], content_type: Option<&str>| {
        let page = PageView::new(url, body).with_content_type(content_type);
        let accepted = all.accepts(&page);
        Acceptance { accepted, is_given_up: page.is_given_up() }
    }))
}

/// Asks the validator of the crawl about each page.
pub(crate) struct ValidatorGate(pub(crate) Arc<AcceptsPage>);

impl Gate for ValidatorGate {
    fn feature(&self) -> Feature {
        Feature::Validator
    }

    fn judge(&self, processor: &mut PageProcessor, page: &mut PageInWork) -> Verdict {
        let item = &page.fetched.lease.item;
        let (Content::Page(parsed), Ok(answer)) = (&mut page.content, &page.fetched.exchange.result) else {
            return Verdict::Pass;
        };
        let Document { body, content_type } = parsed.body.shown(&page.arrival, answer);
        parsed.acceptance = (self.0)(item.url.as_str(), body, content_type);
        let rules = processor.rules();
        let is_wanted = parsed.acceptance.accepted == Some(true);
        if is_wanted && rules.searches.as_ref().is_some_and(|searches| searches.is_named_result(item)) {
            // Before its links are checked: they belong to the crawl from now on.
            rules.urls.scope.add_found_site(item.url.as_str());
        }
        Verdict::Pass
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use harvestman_core::url::CanonicalUrl;
    use harvestman_policy::PageFacts;

    fn options(want: &[&str]) -> PolicyOptions {
        PolicyOptions { want: want.iter().map(|want| (*want).to_owned()).collect(), ..PolicyOptions::default() }
    }

    #[test]
    fn all_values_must_hold_and_like_is_left_to_the_policy() {
        assert!(validator(&options(&[]), &[]).unwrap().is_none());
        assert!(validator(&options(&["like"]), &[]).unwrap().is_none());
        let accepts = validator(&options(&["selector:p.post", "regex:(?i)lens"]), &[]).unwrap().unwrap();
        let of = |body: &str| accepts("http://h.test/", body.as_bytes(), Some("text/html")).accepted;
        assert_eq!(of("<p class=post>a Lens"), Some(true));
        assert_eq!(of("<p class=post>a camera"), Some(false));
        assert_eq!(of("<p>a lens"), Some(false));
        assert_eq!(accepts("http://h.test/", b"x", Some("image/png")).accepted, None);
    }

    #[test]
    fn invalid_values_and_rejected_examples_are_errors_that_say_what_is_wrong() {
        let fails = |want: &str, examples: &[ExamplePage]| {
            let error = validator(&options(&[want]), examples).err().expect("it is an error");
            error.to_string()
        };
        assert!(fails("xpath://a", &[]).contains("regex:PATTERN"), "{}", fails("xpath://a", &[]));
        let facts = PageFacts { body: Some((Bytes::from("<p>other"), None)), ..PageFacts::default() };
        let url = CanonicalUrl::from_canonical("http://h.test/1");
        let example = ExamplePage { url, facts: Some(facts) };
        let text = fails("selector:table", &[example]);
        assert!(text.contains("does not accept") && text.contains("http://h.test/1"), "{text}");
    }
}
