//! The names of policies and of their variants.

use std::fmt;
use std::str::FromStr;

use harvestman_core::config::PolicyKind;

/// A policy that can be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyName {
    /// Breadth-first.
    Bfs,
    /// In random order.
    Random,
    /// What users wrote.
    Ucc,
    /// Pages like an example.
    Target,
    /// By the cash that pages give their links.
    Opic,
    /// By paths through a sitemap, without its human.
    IRobot,
    /// By URL rules along the ways to the wanted pages.
    Tpm,
    /// By sleeping bandits over tag paths.
    Sb,
    /// By a graph of the site's kinds of pages.
    ClusterGraph,
}

/// Which form of a policy. `ucc` and `target` have all of them, `cluster-graph` the default and the paper's, the others the default
/// alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Variant {
    /// The one that measures best.
    #[default]
    Default,
    /// SOUrCe as printed, with the radius by the printed rule over distinct pages.
    Paper,
    /// The same with the radius by the letter of the printed rule.
    PaperLiteralEps,
    /// The same with the radius that 95 % of the sample have their neighbours within.
    PaperQuantileEps,
    /// The same with links a page in eq. 6.
    PaperLinksPerPage,
    /// The same with links to outliers as links to something of no worth.
    PaperOutliersWorthNothing,
    /// The same with hubs and authorities that add up to 1.
    PaperL1,
    /// The same without moving a URL that is seen at a better place.
    PaperFirstPlace,
    /// The same with a sample that is taken breadth-first.
    PaperBfsSample,
    /// The same without Info in the score.
    PaperWithoutInfo,
    /// The same without Dsim in the score.
    PaperWithoutDsim,
    /// The same without Balance in the score.
    PaperWithoutBalance,
}

/// A name that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} {name}; there are {known}")]
pub struct Unknown {
    kind: &'static str,
    name: String,
    known: String,
}

impl PolicyName {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Bfs,
        Self::Random,
        Self::Ucc,
        Self::Target,
        Self::Opic,
        Self::IRobot,
        Self::Tpm,
        Self::Sb,
        Self::ClusterGraph,
    ];

    /// The same in the settings of a crawl.
    pub const fn kind(self) -> PolicyKind {
        match self {
            Self::Bfs => PolicyKind::Bfs,
            Self::Random => PolicyKind::Random,
            Self::Ucc => PolicyKind::Ucc,
            Self::Target => PolicyKind::Target,
            Self::Opic => PolicyKind::Opic,
            Self::IRobot => PolicyKind::Irobot,
            Self::Tpm => PolicyKind::Tpm,
            Self::Sb => PolicyKind::Sb,
            Self::ClusterGraph => PolicyKind::ClusterGraph,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.kind().name()
    }
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PolicyName {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        by_name("policy", &Self::ALL, Self::name, name)
    }
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 12] = [
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
    ];

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
        by_name("variant", &Self::ALL, Self::name, name)
    }
}

fn by_name<T: Copy>(kind: &'static str, all: &[T], of: fn(T) -> &'static str, name: &str) -> Result<T, Unknown> {
    let unknown = || Unknown {
        kind,
        name: name.to_owned(),
        known: all.iter().map(|known| of(*known)).collect::<Vec<_>>().join(", "),
    };
    all.iter().copied().find(|known| of(*known) == name).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_and_variant_is_found_by_its_name() {
        for policy in PolicyName::ALL {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        for variant in Variant::ALL {
            assert_eq!(variant.name().parse(), Ok(variant));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_are_known() {
        let error = "dfs".parse::<PolicyName>().unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no policy dfs; there are bfs, random, ucc, target, opic, irobot, tpm, sb, cluster-graph"
        );
    }
}
