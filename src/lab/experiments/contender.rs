//! Who is compared.

use std::fmt;

use crate::lab::replay::{PolicyName, Variant};

/// A policy in one of its forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contender {
    /// The policy.
    pub policy: PolicyName,
    /// Its form.
    pub variant: Variant,
}

impl Contender {
    /// Each policy in each of the variants that it has; one without variants once.
    pub fn all(policies: &[PolicyName], variants: &[Variant]) -> Vec<Self> {
        let forms = |policy: &PolicyName| {
            let policy = *policy;
            let variants = if has_variants(policy) { variants } else { &[Variant::Default] };
            variants.iter().map(move |variant| Self { policy, variant: *variant })
        };
        policies.iter().flat_map(forms).collect()
    }
}

/// Whether a policy has other variants than the default.
pub fn has_variants(policy: PolicyName) -> bool {
    matches!(policy, PolicyName::Ucc | PolicyName::Target)
}

/// Whether a policy looks for pages like an example, and for nothing without one.
pub fn needs_example(policy: PolicyName) -> bool {
    policy == PolicyName::Target
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if has_variants(self.policy) {
            write!(f, "{} {}", self.policy, self.variant)
        } else {
            self.policy.fmt(f)
        }
    }
}
