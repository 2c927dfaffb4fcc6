//! Policies that learn a site while they crawl it: page templates, what each class of links leads to, what that is worth.
//!
//! It follows SOUrCe (Xu, Gao, Callan 2018) in what it looks at: the cluster of the page that a link stands on and the link's
//! Apath there. It departs from it where real sites asked for it:
//!
//! * There is no separate sample. Learning starts with the first page and each fetch is an observation; templates are found
//!   anew at a growing number of pages.
//! * A class has the URL's pattern too, and what is seldom seen leans on what is less specific (`evidence`).
//! * A page's worth is measured by what it says that no other page says (`content`), not by the graph; near-duplicates,
//!   redirects and errors are worth nothing, and of two pages alike the less canonical address is to blame.
//! * Where pages turn up in number that no template made, templates are learnt anew (`drift`).
//! * Hubs are worth what they lead to, by the index of a branching bandit ([`LearnedSnapshot::terms`]).

mod canonicality;
mod content;
mod describe;
mod drift;
mod evidence;
mod extension;
mod goal;
mod learner;
mod log;
mod model;
mod note;
mod snapshot;
mod stored;
mod templates;
mod tuning;
mod worth;
mod yields;

pub use content::{ContentId, ContentIndex, Found, Kin};
pub use evidence::{Estimate, Evidence, Level, Smoothing, Sums, levels};
pub use extension::Extensions;
pub use goal::{Example, Goal, Likeness};
pub use learner::Learned;
pub use model::{ClusterFacts, Destination, Facts, KindFacts, LinkFacts, ModelError, SiteModel};
pub use snapshot::{LearnedSnapshot, Terms};
pub use stored::Ground;
pub use templates::{ReadPage, SamplePage, StoredTemplates, TemplateOptions, Templates};
pub use tuning::Tuning;
pub use yields::{Yield, Yields};
