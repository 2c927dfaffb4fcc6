//! Policies that learn a site while they crawl it: page templates, where each class of links leads, and what that is
//! worth.
//!
//! They use the features of SOUrCe (Xu, Gao, Callan 2018): the cluster of the page with a link, and the link's Apath
//! there. They deviate where real sites required it:
//!
//! * There is no separate sample. Learning starts with the first page and each fetch is an observation; templates are
//!   learned again at growing numbers of pages.
//! * A class includes the URL's pattern, and rare classes are estimated from less specific ones (`evidence`).
//! * A page's worth is measured by the text that it adds to the crawl (`text`), not by the graph; near-duplicates,
//!   pages within others, redirects and errors are worth nothing, and of two equal pages the one with the less
//!   canonical address, or of a kind that could be left out, is the duplicate.
//! * When many pages fit no template, templates are learned again (`drift`).
//! * `cluster-graph` takes the same values and rejects links of classes below a threshold, before they are looked up
//!   ([`LearnedSnapshot::admit`](crate::PolicySnapshot::admit)); the filter of ClusterGraph (Jiang, Lv 2009) rejects by
//!   the edges of its graph.
//! * Hubs are worth what they lead to, by the index of a branching bandit ([`LearnedSnapshot::terms`]).

mod derivation;
mod drift;
mod duplicate_share;
mod evidence;
mod example_tags;
mod examples;
mod goal;
mod item_views;
mod judgement;
mod learner;
mod link_evidence;
mod log;
mod model;
mod note;
mod reading;
mod sample_page;
mod snapshot;
mod stored;
mod stored_predictor;
mod tag_listings;
mod templates;
mod text;
mod text_history;
mod topic_relevance;
mod topic_terms;
mod tuning;
mod worth;
mod yields;

pub use evidence::{Estimate, Evidence, Level, Smoothing, Sums, levels};
pub use example_tags::{ExampleLink, shared_tags};
pub use examples::{EXAMPLES_MAX, Examples};
pub use goal::{Goal, Likeness};
pub use judgement::{Expectation, Judgement, TopicJudgement, WaitingLink};
pub(crate) use learner::SAMPLE_BYTES_MAX;
pub use learner::{LearnedPolicy, TextTracer};
pub use model::{ClusterFacts, Destination, Facts, LinkFacts, ModelError, SiteModel};
pub use sample_page::{ReadPage, SamplePage};
pub use snapshot::{LearnedSnapshot, Terms};
pub use stored::ClassModel;
pub use templates::{StoredTemplates, TemplateOptions, Templates, common_class_names};
pub use text::{ContentId, Kin, Overlap, Relation, TextAccount, TextIndex, TextKey, excerpt};
pub use text_history::{HOLDERS_MAX, RepeatedAt, Repetition, SaidBy, SharedText, TextHistory, TextShare, TextTrace};
pub use topic_relevance::TopicRelevance;
pub use topic_terms::{TERMS_MAX, TopicTerms};
pub use tuning::Tuning;
pub use worth::RecentYield;
pub use yields::{Yield, Yields};
