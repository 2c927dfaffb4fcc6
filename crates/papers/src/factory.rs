//! Creates the baselines and the systems of the papers.

use harvestman_core::config::PolicyKind;
use harvestman_policy::learned::EXAMPLES_MAX;
use harvestman_policy::{AwaitsExamples, ExamplePage, Policy, PolicyInputs};

use crate::baselines::{
    Apprentice, IRobot, IRobotOptions, Opic, OpicOptions, Random, SbOptions, SleepingBandit, Spelling, Tpm, Wanted,
};
use crate::source::{SourceGoal, SourceOptions};

/// In random order.
pub const RANDOM: PolicyKind = PolicyKind::Added("random");
/// By their share of the cash that pages pass on to the pages that they link to.
pub const OPIC: PolicyKind = PolicyKind::Added("opic");
/// By a map of the site from a sample.
pub const IROBOT: PolicyKind = PolicyKind::Added("irobot");
/// By a map of the paths to wanted pages.
pub const TPM: PolicyKind = PolicyKind::Added("tpm");
/// By a bandit over link places.
pub const SB: PolicyKind = PolicyKind::Added("sb");
/// Pages that a validator accepts, by the words around links.
pub const APPRENTICE: PolicyKind = PolicyKind::Added("apprentice");

/// The baselines. Those with a goal look for pages like the examples; without examples, for text that users wrote.
pub const BASELINES: [PolicyKind; 6] = [RANDOM, OPIC, IROBOT, TPM, SB, APPRENTICE];

/// Makes a baseline; `None` for other policies. `spelling` spells Apaths out, for `sb`.
pub fn baseline(kind: PolicyKind, inputs: &PolicyInputs<'_>, spelling: Option<Spelling>) -> Option<Box<dyn Policy>> {
    let (seed, sample_pages) = (inputs.seed, inputs.sample_max());
    Some(match kind {
        RANDOM => Box::new(Random::new(seed)),
        OPIC => Box::new(Opic::new(OpicOptions::default())),
        IROBOT => {
            let options = IRobotOptions { sample_pages, ..IRobotOptions::default() };
            looking_for(inputs, move |wanted| Box::new(IRobot::new(wanted, options, seed)))
        }
        APPRENTICE => looking_for(inputs, move |wanted| Box::new(Apprentice::new(wanted))),
        TPM => looking_for(inputs, move |wanted| Box::new(Tpm::new(wanted, sample_pages))),
        SB => {
            let options = SbOptions::default();
            looking_for(inputs, move |wanted| Box::new(SleepingBandit::new(wanted, options, spelling, seed)))
        }
        _ => return None,
    })
}

/// Makes a policy that looks for pages like the examples: at once where all are available, otherwise once they have
/// been fetched.
fn looking_for(
    inputs: &PolicyInputs<'_>,
    policy: impl FnOnce(Wanted) -> Box<dyn Policy> + Send + 'static,
) -> Box<dyn Policy> {
    let like = |examples: &[ExamplePage]| {
        Wanted::Like(examples.iter().filter_map(|example| Some(example.facts.as_ref()?.bag.clone())).collect())
    };
    let examples = &inputs.examples[..inputs.examples.len().min(EXAMPLES_MAX)];
    match examples {
        [] => policy(Wanted::Content),
        _ if examples.iter().all(|example| example.facts.is_some()) => policy(like(examples)),
        _ => Box::new(AwaitsExamples::new(examples.to_vec(), Box::new(move |known| policy(like(&known))))),
    }
}

/// The options of SOUrCe as printed: it looks for pages like the first example, or for text that users wrote.
pub fn source_options(example: Option<&ExamplePage>, inputs: &PolicyInputs<'_>) -> SourceOptions {
    let mut options = SourceOptions::paper(example.map_or(SourceGoal::Content, |example| {
        let bag = example.facts.as_ref().map(|facts| facts.bag.clone()).unwrap_or_default();
        SourceGoal::Like { url: example.url.fingerprint(), bag }
    }));
    options.sampling.pages_max = inputs.sample_max();
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::{Apath, LinkClass};
    use harvestman_core::seed::Seed;
    use harvestman_core::url::CanonicalUrl;
    use harvestman_policy::PageFacts;

    #[test]
    fn every_baseline_is_made_with_and_without_an_example_and_learns() {
        let url = CanonicalUrl::from_canonical("http://h.test/topic/1/");
        let elsewhere = ExamplePage { url: url.clone(), facts: None };
        let at_hand = ExamplePage { url, facts: Some(PageFacts::default()) };
        let both = [elsewhere, at_hand];
        for kind in BASELINES {
            for examples in [&[], &both[..1], &both[1..], &both] {
                let inputs = PolicyInputs { examples, ..PolicyInputs::new(Seed(1)) };
                let mut policy = baseline(kind, &inputs, None).unwrap();
                assert!(policy.learns(), "{}", kind.name());
                let score = policy.snapshot().score(LinkClass::unclassified(Apath::SEED));
                assert!(!score.is_nan(), "{}", kind.name());
            }
        }
        assert!(baseline(PolicyKind::Ucc, &PolicyInputs::new(Seed(1)), None).is_none());
    }
}
