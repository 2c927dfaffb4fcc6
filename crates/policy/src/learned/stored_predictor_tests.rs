use proptest::prelude::*;

use super::*;
use crate::NewLink;
use crate::learned::link_evidence::LinkEvidence;
use harvestman_core::model::{Apath, LinkClass, PatternId, UrlPattern};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

fn class(pattern: u64) -> LinkClass {
    let pattern = PatternId::new(pattern << 8, 1);
    LinkClass::unclassified(Apath(9)).with_pattern(UrlPattern { coarse: pattern, fine: pattern })
}

fn url(number: u32) -> String {
    format!("http://h.test/{}/{number}", ["macro", "car", "macro-lens"][number as usize % 3])
}

fn read(bytes: &[u8]) -> Result<Predictor, &'static str> {
    let stored: StoredPredictor = postcard::from_bytes(bytes).map_err(|_| "cut")?;
    stored.try_into()
}

fn written(predictor: &Predictor) -> Vec<u8> {
    postcard::to_allocvec(&StoredPredictor::from(predictor)).unwrap()
}

/// What a learner knows that was shown links with these contexts, of which some were fetched and wanted.
fn taught(topic: Option<TopicTerms>, shown: &[(u32, Vec<u32>, Option<bool>)]) -> LinkEvidence {
    let mut evidence = LinkEvidence::new(topic);
    for (number, context, fetched) in shown {
        let link = NewLink::new(class(1), CanonicalUrl::from_canonical(url(*number)));
        let via = url(number / 5);
        evidence.add(&mut [NewLink { context: context.as_slice().into(), ..link }], &via, None);
        if let Some(wanted) = fetched {
            evidence.learn(context, *wanted);
        }
    }
    evidence.publish();
    evidence
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn whoever_reads_it_predicts_as_whoever_wrote_it(
        shown in prop::collection::vec((0_u32..60, prop::collection::vec(0_u32..20, 0..6), prop::option::of(any::<bool>())), 0..80),
        asked in prop::collection::vec((0_u32..90, prop::collection::vec(0_u32..25, 0..6), 0_u64..3, any::<u8>()), 0..40),
        for_topic: bool,
    ) {
        let evidence = taught(for_topic.then(|| TopicTerms::new(["macro"])), &shown);
        let writer = evidence.predictor();
        let bytes = written(writer);
        let reader = read(&bytes).unwrap();
        prop_assert_eq!(written(&reader), bytes);
        prop_assert_eq!(reader.is_for_topic(), writer.is_for_topic());
        for (number, context, pattern, step) in asked {
            let (url, via) = (url(number), url(number / 7));
            let waited = class(pattern).with_prediction(Prediction::from(step & 0x3f));
            prop_assert_eq!(reader.predict_link(&context, &url, &via), writer.predict_link(&context, &url, &via));
            let of = |predictor: &Predictor| predictor.class_of(class(1), waited, Fingerprint::of(&url));
            prop_assert_eq!(of(&reader), of(writer));
            // The learner counts fetches under the same classes.
            if shown.iter().any(|(shown, context, _)| *shown == number && (for_topic || !context.is_empty())) {
                let url = Fingerprint::of(&url);
                prop_assert_eq!(reader.class_of(class(1), class(1), url), evidence.class_of(class(1), url));
            }
        }
    }

    /// The naive twin: the numbers summed up again.
    #[test]
    fn differences_sum_up_to_the_numbers(numbers in prop::collection::btree_set(any::<u64>(), 0..60)) {
        let all: Vec<u64> = numbers.into_iter().collect();
        let shuffled: Vec<u64> = all.iter().rev().copied().collect();
        let summed: Vec<u64> = differences(shuffled).iter().scan(0, |sum, next| { *sum += next; Some(*sum) }).collect();
        prop_assert_eq!(summed, all);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), cut in any::<prop::sample::Index>()) {
        let whole = written(taught(Some(TopicTerms::new(["macro"])), &[(1, vec![3], Some(true))]).predictor());
        let _ = read(&bytes);
        prop_assert!(read(&whole[..cut.index(whole.len())]).is_err());
    }
}

#[test]
fn what_exceeds_the_bounds_or_is_out_of_order_is_refused() {
    let with = |links| StoredPredictor { bayes: NaiveBayes::default(), topic: None, links };
    assert!(Predictor::try_from(with(vec![(1.into(), vec![7, 1])])).is_ok());
    assert!(Predictor::try_from(with(vec![(1.into(), vec![7, u64::MAX])])).is_err());
    assert!(Predictor::try_from(with(vec![(1.into(), vec![1; LINKS_MAX]), (2.into(), vec![1])])).is_err());
    let terms: TopicTerms = serde_json::from_str(r#"{"terms":["b","a"],"words":[[],[]]}"#).unwrap();
    assert!(Predictor::try_from(StoredPredictor { topic: Some(terms), ..with(Vec::new()) }).is_err());
}

#[test]
fn a_known_link_takes_seven_bytes_or_fewer() {
    let shown: Vec<_> =
        (0..20_000).map(|number| (number, vec![number % 9], (number < 60).then_some(number % 2 == 0))).collect();
    let evidence = taught(Some(TopicTerms::new(["macro"])), &shown);
    let bytes = written(evidence.predictor()).len();
    assert!((100_000..20_000 * 8).contains(&bytes), "{bytes}");
}
