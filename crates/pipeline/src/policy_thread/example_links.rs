//! The links of example pages, for a topic that examples show.

use std::sync::Arc;

use crate::error::Error;
use harvestman_core::config::{Config, PolicyKind};
use harvestman_core::url::{CanonicalUrl, Canonicaliser};
use harvestman_policy::learned::ExampleLink;
use harvestman_policy::{ExamplePage, ReadLinks, topic_of_examples};
use harvestman_validators::{PageView, anchors};

/// Returns what reads the links of examples.
pub(crate) fn links_reader(canonicaliser: &Canonicaliser) -> Arc<ReadLinks> {
    let canonicaliser = canonicaliser.clone();
    Arc::new(move |example: &ExamplePage| {
        let body = example.facts.as_ref().and_then(|facts| facts.body.as_ref());
        body.map(|(body, kind)| links(&example.url, body, kind.as_deref(), &canonicaliser)).unwrap_or_default()
    })
}

/// Returns the links of a page that have a text; what is no address is left out.
fn links(url: &CanonicalUrl, body: &[u8], kind: Option<&str>, canonicaliser: &Canonicaliser) -> Vec<ExampleLink> {
    let page = PageView::new(url.as_str(), body).with_content_type(kind);
    let mut resolver = canonicaliser.resolver(url, None);
    let found = anchors(&page).unwrap_or_default().into_iter();
    let link = |anchor: harvestman_validators::Anchor| {
        let address = resolver.resolve(&anchor.href).ok()?.as_str().to_owned();
        Some(ExampleLink { place: anchor.place, text: anchor.text, address })
    };
    found.filter_map(link).collect()
}

/// Checks that examples which are all at hand have a topic, if the policy takes its topic from them.
///
/// # Errors
/// They share no tag.
pub(crate) fn check_topic(config: &Config, examples: &[ExamplePage], links: &ReadLinks) -> Result<(), Error> {
    let asks = config.crawl.policy == PolicyKind::Topic && config.policy.topic.is_empty();
    if !asks || examples.iter().any(|example| example.facts.is_none()) {
        return Ok(());
    }
    let topic = topic_of_examples(examples, links);
    if !topic.is_empty() {
        tracing::info!(topic = topic.terms().collect::<Vec<_>>().join(", "), "the examples have a topic in common");
        return Ok(());
    }
    Err(Error::Configuration(format!(
        "policy.example: the {} examples share no tag: a tag is a link whose text is a part of its address, on at least \
         half of the examples; give the topic in `policy.topic` instead",
        examples.len()
    )))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use harvestman_policy::PageFacts;

    fn example(number: u32, html: &str) -> ExamplePage {
        let facts = PageFacts { body: Some((Bytes::from(html.to_owned()), None)), ..PageFacts::default() };
        let url = CanonicalUrl::from_canonical(format!("http://h.test/photo/{number}/"));
        ExamplePage { url, facts: Some(facts) }
    }

    fn tagged(number: u32, tags: &[&str]) -> ExamplePage {
        let tag = |tag: &&str| format!("<li><a href=\"../../tags/{}\">{tag}</a>", tag.replace(' ', "-"));
        example(
            number,
            &format!("<nav><a href=/all/photos>Photos</a></nav><ul>{}</ul>", tags.iter().map(tag).collect::<String>()),
        )
    }

    fn reader() -> Arc<ReadLinks> {
        links_reader(&Canonicaliser::new(&Config::default().url).unwrap())
    }

    #[test]
    fn links_are_resolved_and_have_texts_and_places() {
        let found = reader()(&tagged(7, &["Macro lens", "bees"]));
        let addresses: Vec<_> = found.iter().map(|link| link.address.as_str()).collect();
        assert_eq!(addresses, ["http://h.test/all/photos", "http://h.test/tags/Macro-lens", "http://h.test/tags/bees"]);
        assert!(found[1].place == found[2].place && found[0].place != found[1].place);
    }

    #[test]
    fn examples_at_hand_must_share_a_tag() {
        let mut config = Config::default();
        config.crawl.policy = PolicyKind::Topic;
        let share = [tagged(1, &["Macro lens", "bees"]), tagged(2, &["Macro lens", "cats"])];
        assert!(topic_of_examples(&share, &*reader()).names("http://h.test/tags/macro-lens/"));
        assert!(check_topic(&config, &share, &*reader()).is_ok());
        let apart = [tagged(1, &["bees"]), tagged(2, &["cats"])];
        let error = check_topic(&config, &apart, &*reader()).unwrap_err().to_string();
        assert!(error.contains("the 2 examples share no tag") && error.contains("policy.topic"), "{error}");
        config.policy.topic = vec!["cats".to_owned()];
        assert!(check_topic(&config, &apart, &*reader()).is_ok());
    }
}
