//! What policies for a topic get: the terms, the pages of its tags, and sample pages of each type.

use bytes::Bytes;
use rand::seq::IndexedRandom;

use super::names::Variant;
use crate::corpus::{Corpus, PageId, Role};
use crate::measures::Topic;
use harvestman_core::config::ParseOptions;
use harvestman_core::seed::Seed;
use harvestman_core::url::CanonicalUrl;
use harvestman_papers::topic::{PageRole, PageRoles, RoleSample, TopicForm, TopicOptions, TopicPolicy};
use harvestman_policy::PageFacts;
use harvestman_policy::learned::{ReadPage, TopicTerms};
use harvestman_structure::parse::Parser;

/// Number of sample pages of each type (section 8.1: ten).
const SAMPLES: usize = 10;

/// The inputs of a policy for a topic.
#[derive(Debug, Clone)]
pub struct TopicInputs {
    /// The tags of the topic.
    pub terms: Vec<Box<str>>,
    /// The pages of these tags.
    pub tag_pages: Vec<CanonicalUrl>,
    /// Sample pages of each type, for the variants of the paper.
    pub samples: Vec<RoleSample>,
}

impl TopicInputs {
    /// Takes the inputs from the labels of a recording; `seed` draws the samples.
    pub fn of(corpus: &Corpus, topic: &Topic, seed: Seed) -> Self {
        let terms = TopicTerms::new(topic.tags.iter().map(|tag| &**tag));
        let truth = corpus.truth();
        let is_tag = |id: &PageId| truth.and_then(|truth| truth.page(*id)).is_some_and(|label| label.role == Role::Tag);
        let tag_pages = corpus.ids().filter(is_tag).map(|id| corpus.url(id));
        let tag_pages = tag_pages.filter(|url| terms.names(url.as_str())).cloned().collect();
        Self { terms: topic.tags.clone(), tag_pages, samples: samples(corpus, seed) }
    }

    /// Creates a policy as printed.
    pub fn paper(&self, variant: Variant) -> TopicPolicy {
        let (options, roles) = match variant {
            Variant::PaperByPattern => {
                (TopicOptions::new(self.tag_pages.clone()), PageRoles::by_templates(&self.samples))
            }
            _ => (TopicOptions::paper(self.tag_pages.clone()), PageRoles::learn(&self.samples, path_strings())),
        };
        let form = if variant == Variant::PaperCash { TopicForm::Cash } else { TopicForm::Stages };
        TopicPolicy::new(TopicOptions { form, ..options }, roles, &self.samples)
    }
}

fn path_strings() -> Box<ReadPage> {
    let mut parser = Parser::new(&ParseOptions::default()).with_path_strings();
    Box::new(move |body, content_type, _| parser.parse(body, content_type))
}

/// Draws sample pages of each labelled type.
fn samples(corpus: &Corpus, seed: Seed) -> Vec<RoleSample> {
    let Some(truth) = corpus.truth() else { return Vec::new() };
    let mut rng = seed.child("samples").rng();
    let mut parser = Parser::new(&ParseOptions::default());
    let mut samples = Vec::new();
    for page_type in truth.types().keys() {
        let of_type = |id: &PageId| truth.page(*id).is_some_and(|label| label.page_type == *page_type);
        let pages: Vec<PageId> = corpus.ids().filter(of_type).collect();
        let Some(label) = pages.first().and_then(|id| truth.page(*id)) else { continue };
        let mut sample = |id: &PageId| {
            let stored = corpus.page(*id);
            let bag = parser.parse(&stored.body, stored.content_type()).leaf_paths;
            let body: Option<(Bytes, _)> = Some((stored.body.clone(), stored.content_type().map(Into::into)));
            (Box::from(corpus.url(*id).as_str()), PageFacts { bag, body, ..PageFacts::default() })
        };
        let pages = pages.choose_multiple(&mut rng, SAMPLES).map(&mut sample).collect();
        samples.push(RoleSample { role: page_role(label.role), pages });
    }
    samples
}

const fn page_role(role: Role) -> PageRole {
    match role {
        Role::List => PageRole::List,
        Role::Detail => PageRole::Detail,
        Role::Profile => PageRole::Profile,
        Role::Tag => PageRole::Tag,
        Role::Other => PageRole::Other,
    }
}
