//! The policies of the laboratory and their variants.

use std::fmt;
use std::str::FromStr;

use harvestman_core::config::PolicyKind;
use harvestman_papers::BASELINES;

/// Returns the policies that can be replayed: those of the crawler, and the baselines.
pub fn policies() -> impl Iterator<Item = PolicyKind> {
    PolicyKind::ALL.into_iter().chain(BASELINES)
}

/// Returns the policy with this name, of those that can be replayed.
///
/// # Errors
/// There is none; the error lists them.
pub fn policy_named(name: &str) -> Result<PolicyKind, Unknown> {
    let known = || policies().map(PolicyKind::name).collect::<Vec<_>>().join(", ");
    policies().find(|policy| policy.name() == name).ok_or_else(|| Unknown::new("policy", name, known()))
}

/// Returns the names of the variants of a policy, separated by commas.
pub fn variant_names(policy: PolicyKind) -> String {
    let names = Variant::ALL.into_iter().filter(|variant| variant.is_of(policy)).map(Variant::name);
    names.collect::<Vec<_>>().join(", ")
}

/// A variant of a policy. `ucc`, `target` and `xcrawl` have variants of their own besides the default and the paper's,
/// `cluster-graph` has these two, the others only the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Variant {
    /// The one with the best measures.
    #[default]
    Default,
    /// SOUrCe as printed, with the radius by the printed rule over distinct pages.
    Paper,
    /// The same with the radius strictly by the printed rule.
    PaperLiteralEps,
    /// The same with the radius within which 95 % of the sample have their neighbours.
    PaperQuantileEps,
    /// The same with links per page in eq. 6.
    PaperLinksPerPage,
    /// The same with links to outliers counted as worthless.
    PaperOutliersWorthNothing,
    /// The same with hub and authority scores that sum to 1.
    PaperL1,
    /// The same without moving a URL that is seen again at a better position.
    PaperFirstPlace,
    /// The same with a breadth-first sample.
    PaperBfsSample,
    /// The same without Info in the score.
    PaperWithoutInfo,
    /// The same without Dsim in the score.
    PaperWithoutDsim,
    /// The same without Balance in the score.
    PaperWithoutBalance,
    /// xCrawl as printed, with the weights of HITS only.
    PaperHits,
    /// The same with HITS and PageRank without a topic.
    PaperHitsPageRank,
    /// xCrawl as printed but for what keeps it from working: standard operators of HITS, links drawn by weight.
    PaperRepaired,
    /// The same with walks and hubs in turns.
    PaperRepeated,
    /// The crawl by profiles as printed, as OPIC with reset scores (Zhang, Nasraoui 2009, section 8.3).
    PaperCash,
    /// The same in two stages, with roles of links by URL pattern, all tags of a user, and links ordered by rank.
    PaperByPattern,
}

/// An unknown name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} {name}; expected one of {known}")]
pub struct Unknown {
    kind: &'static str,
    name: String,
    known: String,
}

impl Unknown {
    /// Creates an error for a name of this kind, with what is expected.
    pub(crate) fn new(kind: &'static str, name: &str, known: String) -> Self {
        Self { kind, name: name.to_owned(), known }
    }
}

impl Variant {
    /// All names.
    pub const ALL: [Self; 18] = [
        Self::Default,
        Self::Paper,
        Self::PaperLiteralEps,
        Self::PaperQuantileEps,
        Self::PaperLinksPerPage,
        Self::PaperOutliersWorthNothing,
        Self::PaperL1,
        Self::PaperFirstPlace,
        Self::PaperBfsSample,
        Self::PaperWithoutInfo,
        Self::PaperWithoutDsim,
        Self::PaperWithoutBalance,
        Self::PaperHits,
        Self::PaperHitsPageRank,
        Self::PaperRepaired,
        Self::PaperRepeated,
        Self::PaperCash,
        Self::PaperByPattern,
    ];

    /// Whether a policy has this variant.
    pub const fn is_of(self, policy: PolicyKind) -> bool {
        match (policy, self) {
            (_, Self::Default) => true,
            (PolicyKind::Topic, variant) => matches!(variant, Self::Paper | Self::PaperCash | Self::PaperByPattern),
            (_, Self::PaperCash | Self::PaperByPattern) => false,
            (PolicyKind::Ucc | PolicyKind::Target | PolicyKind::ClusterGraph | PolicyKind::Xcrawl, Self::Paper) => true,
            (PolicyKind::Xcrawl, variant) => variant.is_of_xcrawl(),
            (PolicyKind::Ucc | PolicyKind::Target, variant) => !variant.is_of_xcrawl(),
            _ => false,
        }
    }

    const fn is_of_xcrawl(self) -> bool {
        matches!(self, Self::PaperHits | Self::PaperHitsPageRank | Self::PaperRepaired | Self::PaperRepeated)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Paper => "paper",
            Self::PaperLiteralEps => "paper-literal-eps",
            Self::PaperQuantileEps => "paper-quantile-eps",
            Self::PaperLinksPerPage => "paper-links-per-page",
            Self::PaperOutliersWorthNothing => "paper-outliers-worth-nothing",
            Self::PaperL1 => "paper-l1",
            Self::PaperFirstPlace => "paper-first-place",
            Self::PaperBfsSample => "paper-bfs-sample",
            Self::PaperWithoutInfo => "paper-without-info",
            Self::PaperWithoutDsim => "paper-without-dsim",
            Self::PaperWithoutBalance => "paper-without-balance",
            Self::PaperHits => "paper-hits",
            Self::PaperHitsPageRank => "paper-hits-pagerank",
            Self::PaperRepaired => "paper-repaired",
            Self::PaperRepeated => "paper-repeated",
            Self::PaperCash => "paper-cash",
            Self::PaperByPattern => "paper-by-pattern",
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Variant {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let unknown = || Unknown::new("variant", name, Self::ALL.map(Self::name).join(", "));
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variant_is_found_by_its_name() {
        for variant in Variant::ALL {
            assert_eq!(variant.name().parse(), Ok(variant));
        }
    }
}
