use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::learned::link_evidence::LinkEvidence;
use crate::learned::topic_terms::TopicTerms;
use crate::learned::worth::Worth;
use crate::learned::yields::Yield;
use crate::{Link, NewLink, PolicySnapshot};
use harvestman_core::model::{Apath, ClassOrder, LinkClass, UrlPattern};
use harvestman_core::url::CanonicalUrl;
use harvestman_structure::site::UrlPatternLearner;

fn class(cluster: u32, apath: u64, pattern: u64) -> LinkClass {
    let pattern = UrlPattern { coarse: PatternId::new(pattern << 2, 0), fine: PatternId::new(pattern << 3, 0) };
    LinkClass::at(ClusterId(cluster), Apath(apath)).with_pattern(pattern)
}

fn snapshot(shown: &[(u32, u64, u64, f64)], urls: &[String], by_example: bool) -> LearnedSnapshot {
    let (mut evidence, mut yields, mut recent_yield) = (Evidence::default(), Yields::default(), RecentYield::default());
    for (cluster, apath, pattern, value) in shown {
        let worth = Worth { value: *value, wanted: *value > 0.5 };
        evidence.add(class(*cluster, *apath, *pattern), worth, 40.0);
        yields.add(class(*cluster, *apath, *pattern), Yield { links: *value * 9.0, worth: *value, wanted: 0.1 });
        recent_yield.see(worth);
    }
    let mut learner = UrlPatternLearner::default();
    urls.iter().for_each(|url| learner.see(url));
    LearnedSnapshot {
        links: None,
        version: 12,
        generation: 3,
        patterns_version: 3,
        seed: 77,
        templates: None,
        patterns: Arc::new(learner.patterns()),
        clusters: Arc::new(
            (2..).map(ClusterId).zip(urls).map(|(cluster, url)| (Fingerprint::of(url), cluster)).collect(),
        ),
        evidence,
        yields,
        recent_yield,
        reads_all: by_example,
        repeated: Arc::new(HashSet::from_iter([class(1, 1, 1).pattern.coarse])),
        tuning: Tuning { followed_from: by_example.then_some(0.3), ..Tuning::default() },
        by_example,
        lost: by_example.then(|| vec![class(1, 1, 1).pattern.coarse]),
    }
}

/// What is known of what stands around links: those with an odd token lead to wanted pages.
fn predictor(for_topic: bool, urls: &[String]) -> Arc<Predictor> {
    let mut evidence = LinkEvidence::new(for_topic.then(|| TopicTerms::new(["topic"])));
    for (number, url) in (0_u32..).zip(urls) {
        let link = NewLink::new(class(1, 1, 1), CanonicalUrl::from_canonical(url.as_str()));
        evidence.add(&mut [NewLink { context: [number % 4, 9].into(), ..link }], "http://h.test/topic", None);
        evidence.learn(&[number % 4, 9], number % 2 == 1);
    }
    evidence.publish();
    Arc::clone(evidence.predictor())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn whoever_reads_it_decides_as_whoever_wrote_it(
        shown in prop::collection::vec((0_u32..4, 0_u64..4, 0_u64..4, 0.0_f64..=1.0), 0..60),
        numbers in prop::collection::vec(0_u32..99, 0..30),
        by_example: bool,
        links in prop::option::of(any::<bool>()),
        context in prop::collection::vec(0_u32..12, 0..5),
    ) {
        let urls: Vec<String> = numbers.iter().map(|number| format!("http://h.test/topic/{number}/?page={}", number % 7)).collect();
        let mut written = snapshot(&shown, &urls, by_example);
        written.links = links.map(|for_topic| predictor(for_topic, &urls[..urls.len() / 2]));
        let stored = written.to_stored();
        let class_model = ClassModel::read(&stored.class_model).unwrap();
        let read = LearnedSnapshot::on(&class_model, &stored.counts, 5, 9).unwrap();
        prop_assert_eq!((read.version(), read.generation()), (5, 9));
        prop_assert_eq!(read.to_stored(), stored);
        prop_assert_eq!(read.recent_yield(), written.recent_yield());
        for (cluster, apath, pattern, _) in shown {
            let class = class(cluster, apath, pattern);
            prop_assert_eq!(read.score(class).to_bits(), written.score(class).to_bits());
            prop_assert_eq!(read.curiosity(class), written.curiosity(class));
            prop_assert_eq!(read.prospect(class), written.prospect(class));
            prop_assert_eq!(read.explain(class), written.explain(class));
            for url in &urls {
                prop_assert_eq!(read.pattern(url), written.pattern(url));
                let waits = written.class_of(class, url, Some(url));
                prop_assert_eq!(read.class_of(class, url, Some(url)), waits);
                prop_assert_eq!(read.explain(waits), written.explain(waits));
                prop_assert_eq!(read.reads_text(waits), written.reads_text(waits));
                let (via, context) = (urls[0].as_str(), context.as_slice());
                let found = written.class_of_new(class, url, via, context);
                prop_assert_eq!(read.class_of_new(class, url, via, context), found);
                let link = Link::New { class, url, via, context };
                prop_assert_eq!(read.admit(&link), written.admit(&link));
                prop_assert_eq!(read.spell(url), written.spell(url));
            }
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), cut in any::<prop::sample::Index>()) {
        let stored = snapshot(&[(1, 1, 1, 0.4)], &["http://h.test/".to_owned()], false).to_stored();
        let class_model = ClassModel::read(&stored.class_model).unwrap();
        let _ = (ClassModel::read(&bytes), LearnedSnapshot::on(&class_model, &bytes, 1, 1));
        prop_assert!(ClassModel::read(&stored.class_model[..cut.index(stored.class_model.len())]).is_err());
        prop_assert!(LearnedSnapshot::on(&class_model, &stored.counts[..cut.index(stored.counts.len())], 1, 1).is_err());
    }
}
