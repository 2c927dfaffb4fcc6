//! Settings of the policy: what is wanted, and how what was learnt is handed on.

use serde::{Deserialize, Serialize};

use super::Period;

crate::options! {
    /// The policy that `crawl.policy` names: what it looks for, how often what it has learnt is put to use, what is kept of it.
    pub struct PolicyOptions in "policy" {
        /// A page like those that are wanted: its URL, which is then fetched as one more seed, or a file that holds it. `target`
        /// needs one. `irobot`, `tpm` and `sb` look for pages like it too; without one they look for text of its own.
        example: String = String::new(),
        /// A site model that the crawl starts from, as `harvestman learn` or an earlier crawl of the site wrote it: for `ucc` and
        /// `target` in their default form one that either of them learnt, for `cluster-graph` one that it learnt itself. That
        /// filters by it from the first page on, in the variant that the model was learnt in, and learns no more. With the model
        /// of another site or policy the crawl says so and learns anew.
        model: String = String::new(),
        /// Which form of the policy: `default`, the one that measures best, or `paper`, as its authors describe it.
        variant: PolicyVariant = PolicyVariant::Default,
        /// What `cluster-graph` tells kinds of pages by: `url`, their addresses; `structure`, their templates; `both`, addresses, and
        /// templates where they tell pages of one kind of address that are worth having from others that are not.
        by: ClusterBy = ClusterBy::Url,
        /// Observations after which a new snapshot of what was learnt is published. It is published sooner when no
        /// observation waits or `publish_interval` has passed, and later when publishing would take more than a tenth of the
        /// time. Raising it costs pages that are chosen by what was known before.
        publish_pages: u32 = 20,
        /// Time after which a new snapshot is published, if there was anything to learn from.
        publish_interval: Period = Period::millis(250),
        /// Whether `policy.jsonl` is written to the crawl directory: what each snapshot changed, so that `harvestman explain`
        /// can say why a URL's turn came. A line has 500 link classes at most.
        log: bool = true,
    }
}

/// Which form of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyVariant {
    /// The one that measures best.
    #[default]
    Default,
    /// As its authors describe it.
    Paper,
}

/// What kinds of pages are told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterBy {
    /// By their addresses.
    #[default]
    Url,
    /// By their templates.
    Structure,
    /// By their addresses, and by their templates where those tell what is worth having from what is not.
    Both,
}

impl ClusterBy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Url, Self::Structure, Self::Both];

    /// Its name in settings and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Structure => "structure",
            Self::Both => "both",
        }
    }
}
