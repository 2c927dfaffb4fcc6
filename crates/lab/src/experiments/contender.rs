//! Who is compared.

use std::fmt;
use std::str::FromStr;

use crate::replay::{PolicyName, Unknown, Variant};
use harvestman_core::config::ClusterBy;

/// A policy in one of its forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contender {
    /// The policy.
    pub policy: PolicyName,
    /// Its form.
    pub form: Form,
}

/// A variant, what it tells kinds of pages by, and whether its sample counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Form {
    /// The variant.
    pub variant: Variant,
    /// What `cluster-graph` tells kinds of pages by; the other policies do not ask.
    pub by: ClusterBy,
    /// Whether a policy that starts with a sample takes it before the crawl, without counting, as the paper's authors
    /// measured. If not, every request for the sample is one of the budget.
    pub free_sample: bool,
}

/// What the name of a form with a free sample ends in.
const FREE_SAMPLE: &str = "+free-sample";

impl Form {
    /// The default.
    pub const DEFAULT: Self = Self::of(Variant::Default);
    /// The paper's.
    pub const PAPER: Self = Self::of(Variant::Paper);
    /// The paper's, measured as the paper does.
    pub const PAPER_FREE: Self = Self::of(Variant::Paper).with_free_sample();

    /// This variant, every request counted.
    pub const fn of(variant: Variant) -> Self {
        Self { variant, by: ClusterBy::Url, free_sample: false }
    }

    /// The same with a sample that does not count.
    #[must_use]
    pub const fn with_free_sample(self) -> Self {
        Self { free_sample: true, ..self }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.variant.fmt(f)?;
        if self.by != ClusterBy::default() {
            write!(f, "+{}", self.by.name())?;
        }
        f.write_str(if self.free_sample { FREE_SAMPLE } else { "" })
    }
}

impl FromStr for Form {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let (rest, free_sample) = name.strip_suffix(FREE_SAMPLE).map_or((name, false), |rest| (rest, true));
        let told_by = |by: ClusterBy| Some((rest.strip_suffix(by.name())?.strip_suffix('+')?, by));
        let (variant, by) = ClusterBy::ALL.into_iter().find_map(told_by).unwrap_or((rest, ClusterBy::default()));
        Ok(Self { variant: variant.parse()?, by, free_sample })
    }
}

impl Contender {
    /// Each policy in each of these forms, if it has several; one without variants once.
    pub fn all(policies: &[PolicyName], forms: &[Form]) -> Vec<Self> {
        let forms = |policy: &PolicyName| {
            let policy = *policy;
            let forms = if has_variants(policy) { forms } else { &[Form::DEFAULT] };
            forms.iter().map(move |form| Self { policy, form: *form })
        };
        policies.iter().flat_map(forms).collect()
    }
}

/// Whether a policy has other variants than the default.
pub fn has_variants(policy: PolicyName) -> bool {
    matches!(policy, PolicyName::Ucc | PolicyName::Target | PolicyName::ClusterGraph)
}

/// Whether a policy looks for pages like an example, and for nothing without one.
pub fn needs_example(policy: PolicyName) -> bool {
    policy == PolicyName::Target
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if has_variants(self.policy) { write!(f, "{} {}", self.policy, self.form) } else { self.policy.fmt(f) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_as_they_are_written() {
        for variant in Variant::ALL {
            for by in ClusterBy::ALL {
                let form = Form { by, ..Form::of(variant) };
                assert_eq!(form.to_string().parse(), Ok(form));
                assert_eq!(form.with_free_sample().to_string().parse(), Ok(form.with_free_sample()));
            }
        }
        let both = Form { by: ClusterBy::Both, ..Form::DEFAULT };
        assert_eq!(both.with_free_sample().to_string(), "default+both+free-sample");
        assert_eq!("default+url".parse(), Ok(Form::DEFAULT));
        assert_eq!(Form::PAPER_FREE.to_string(), "paper+free-sample");
        let unknown = "papre+free-sample".parse::<Form>().unwrap_err().to_string();
        assert!(unknown.starts_with("there is no variant papre; there are default, paper"), "{unknown}");
    }

    #[test]
    fn a_policy_without_variants_contends_once() {
        let all = Contender::all(&[PolicyName::Bfs, PolicyName::Ucc], &[Form::PAPER, Form::DEFAULT]);
        let names: Vec<_> = all.iter().map(Contender::to_string).collect();
        assert_eq!(names, ["bfs", "ucc paper", "ucc default"]);
    }
}
