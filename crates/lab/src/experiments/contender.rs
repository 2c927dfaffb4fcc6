//! The contenders of a comparison.

use harvestman_core::config::PolicyKind;
use std::fmt;
use std::str::FromStr;

use crate::replay::{Unknown, Variant, WalkParameters};

/// A policy in one of its forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contender {
    /// The policy.
    pub policy: PolicyKind,
    /// Its form.
    pub form: Form,
}

/// A variant, what it varies, and whether the sample is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Form {
    /// The variant.
    pub variant: Variant,
    /// Whether the initial sample of a policy is taken before the crawl without being counted, as the paper's authors
    /// measured. Otherwise every request of the sample counts towards the budget.
    pub free_sample: bool,
    /// The parameters of the walks of the printed `xcrawl`; the other policies and variants have none.
    pub walks: WalkParameters,
}

/// The name part of a form with a free sample.
const FREE_SAMPLE: &str = "free-sample";

impl Form {
    /// The default form.
    pub const DEFAULT: Self = Self::of(Variant::Default);
    /// The form of the paper.
    pub const PAPER: Self = Self::of(Variant::Paper);
    /// The form of the paper, measured as in the paper.
    pub const PAPER_FREE: Self = Self::of(Variant::Paper).with_free_sample();

    /// Returns this variant with a counted sample.
    pub const fn of(variant: Variant) -> Self {
        let walks = WalkParameters { restart: None, iterations: None };
        Self { variant, free_sample: false, walks }
    }

    /// Returns the same form with a sample that is not counted.
    #[must_use]
    pub const fn with_free_sample(self) -> Self {
        Self { free_sample: true, ..self }
    }

    /// Returns the same form with a restart probability of this many thousandths.
    #[must_use]
    pub const fn with_restart(self, thousandths: u16) -> Self {
        Self { walks: WalkParameters { restart: Some(thousandths), ..self.walks }, ..self }
    }

    /// Returns the same form with this number of walks without a new hub after which a search for hubs ends.
    #[must_use]
    pub const fn with_iterations(self, iterations: u32) -> Self {
        Self { walks: WalkParameters { iterations: Some(iterations), ..self.walks }, ..self }
    }

    /// Returns whether a policy has this form.
    pub const fn is_of(self, policy: PolicyKind) -> bool {
        let walks =
            matches!((policy, self.variant), (PolicyKind::Xcrawl, variant) if !matches!(variant, Variant::Default));
        self.variant.is_of(policy) && (walks || self.walks.is_default())
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.variant.fmt(f)?;
        self.walks.fmt(f)?;
        if self.free_sample { write!(f, "+{FREE_SAMPLE}") } else { Ok(()) }
    }
}

impl FromStr for Form {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let mut parts = name.split('+');
        let mut form = Self::of(parts.next().unwrap_or_default().parse()?);
        for part in parts {
            match part {
                FREE_SAMPLE => form.free_sample = true,
                _ if form.walks.read(part) => {}
                _ => return Err(unknown_part(part)),
            }
        }
        Ok(form)
    }
}

/// An error that lists what may follow a variant.
fn unknown_part(name: &str) -> Unknown {
    Unknown::new("part of a variant", name, format!("{FREE_SAMPLE}, {}", WalkParameters::SYNTAX))
}

impl Contender {
    /// Returns each policy in each of these forms that it has; a policy without variants once.
    pub fn all(policies: &[PolicyKind], forms: &[Form]) -> Vec<Self> {
        let forms = |policy: &PolicyKind| {
            let policy = *policy;
            let forms = if has_variants(policy) { forms } else { &[Form::DEFAULT] };
            forms.iter().filter(move |form| form.is_of(policy)).map(move |form| Self { policy, form: *form })
        };
        policies.iter().flat_map(forms).collect()
    }
}

/// Returns whether a policy has variants other than the default.
pub fn has_variants(policy: PolicyKind) -> bool {
    Variant::Paper.is_of(policy)
}

/// Returns whether a policy requires an example page.
pub fn needs_example(policy: PolicyKind) -> bool {
    matches!(policy, PolicyKind::Target | PolicyKind::Xcrawl)
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
            let form = Form::of(variant);
            assert_eq!(form.to_string().parse(), Ok(form));
            assert_eq!(form.with_free_sample().to_string().parse(), Ok(form.with_free_sample()));
            let varied = form.with_restart(300).with_iterations(20).with_free_sample();
            assert_eq!(varied.to_string().parse(), Ok(varied));
        }
        assert_eq!(Form::PAPER_FREE.to_string(), "paper+free-sample");
        let unknown = "papre+free-sample".parse::<Form>().unwrap_err().to_string();
        assert!(unknown.starts_with("unknown variant papre; expected one of default, paper"), "{unknown}");
        let unknown = "paper+restart=7".parse::<Form>().unwrap_err().to_string();
        assert!(unknown.starts_with("unknown part of a variant restart=7; expected one of "), "{unknown}");
        assert!(unknown.ends_with("free-sample, restart=0.3, iterations=20"), "{unknown}");
    }

    #[test]
    fn only_the_printed_xcrawl_has_walks() {
        let varied = Form::PAPER.with_iterations(5);
        let all = Contender::all(&[PolicyKind::Ucc, PolicyKind::Xcrawl], &[varied, Form::DEFAULT.with_restart(50)]);
        let names: Vec<_> = all.iter().map(Contender::to_string).collect();
        assert_eq!(names, ["xcrawl paper+iterations=5"]);
    }

    #[test]
    fn a_policy_without_variants_contends_once() {
        let all = Contender::all(&[PolicyKind::Bfs, PolicyKind::Ucc], &[Form::PAPER, Form::DEFAULT]);
        let names: Vec<_> = all.iter().map(Contender::to_string).collect();
        assert_eq!(names, ["bfs", "ucc paper", "ucc default"]);
    }
}
