use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use crate::learned::worth::Worth;
use crate::learned::yields::Yield;
use harvestman_core::model::{Apath, ClusterId, LinkClass, PatternId, UrlPattern};

fn model(evidence: Evidence, yields: Yields) -> SiteModel {
    let facts = Facts { hosts: vec!["http://h.test".to_owned()], pages: 7, ..Facts::default() };
    let learned = LearnedClasses {
        templates: None,
        patterns: UrlPatterns::default(),
        evidence,
        yields,
        best: 0.1 + 0.2,
        places: Vec::new(),
    };
    SiteModel::new(facts, learned)
}

fn empty() -> SiteModel {
    model(Evidence::default(), Yields::default())
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn error(bytes: &[u8]) -> ModelError {
    SiteModel::from_bytes(bytes).expect_err("this is no model")
}

#[test]
fn other_files_are_distinguished_from_truncated_models() {
    for other in ["", "{}", "[1]", "text", "{\"magic\":\"another\",\"format\":1}", "{\"magic\":1,\"format\":1}"] {
        assert_eq!(error(&gzip(other)), ModelError::NotAModel, "{other:?}");
        assert_eq!(error(other.as_bytes()), ModelError::NotAModel, "{other:?}");
    }
    let whole = empty().to_bytes().unwrap();
    for length in 2..whole.len() {
        assert_eq!(error(&whole[..length]), ModelError::Truncated, "{length} of {} bytes", whole.len());
    }
    let begun = "{\"magic\":\"harvestman site model\",\"format\":2,\"model\":{\"facts\":";
    assert_eq!(error(&gzip(begun)), ModelError::Truncated);
}

#[test]
fn errors_name_newer_and_older_formats_and_where_a_model_is_damaged() {
    let newer = "{\"magic\":\"harvestman site model\",\"format\":3,\"pages\":[]}";
    assert_eq!(error(&gzip(newer)), ModelError::Newer(3));
    let older = "{\"magic\":\"harvestman site model\",\"format\":1,\"model\":{\"facts\":3}}";
    assert_eq!(error(&gzip(older)), ModelError::Older(1));
    let damaged = "{\"magic\":\"harvestman site model\",\"format\":2,\"model\":{\"facts\":3}}";
    assert!(matches!(error(&gzip(damaged)), ModelError::Damaged(why) if why.contains("line 1")));
}

#[test]
fn a_model_of_an_earlier_version_with_a_graph_alone_is_read_and_nothing_starts_from_it() {
    let text = serde_json::to_string(&empty()).unwrap();
    assert!(!text.contains("graph") && !text.contains("kinds"), "{text}");
    assert!(SiteModel::from_bytes(&empty().to_bytes().unwrap()).unwrap().knows_classes());
    let graph_alone = "{\"magic\":\"harvestman site model\",\"format\":2,\"model\":\
                       {\"facts\":{\"hosts\":[],\"pages\":1,\"clusters\":[],\"kinds\":[]},\"graph\":{}}}";
    assert!(!SiteModel::from_bytes(&gzip(graph_alone)).unwrap().knows_classes());
}

#[test]
fn the_same_model_is_the_same_file() {
    assert_eq!(empty().to_bytes(), empty().to_bytes());
}

fn classes() -> impl Strategy<Value = LinkClass> {
    (any::<u32>(), any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(cluster, apath, coarse, fine)| {
        let pattern = UrlPattern { coarse: PatternId(coarse), fine: PatternId(fine) };
        LinkClass::at(ClusterId(cluster), Apath(apath)).with_pattern(pattern)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_model_is_read_as_it_was_written_to_the_last_bit(
        seen in prop::collection::vec((classes(), 0.0_f64..=1.0, 0.0_f64..100.0), 0..40)
    ) {
        let (mut evidence, mut yields) = (Evidence::default(), Yields::default());
        for (class, value, links) in seen {
            evidence.add(class, Worth { value, wanted: value > 0.5 }, 40.0);
            yields.add(class, Yield { links, worth: value * links, wanted: links / 3.0 });
        }
        let model = model(evidence, yields);
        prop_assert_eq!(SiteModel::from_bytes(&model.to_bytes().unwrap()), Ok(model));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>(), with: u8) {
        prop_assert!(SiteModel::from_bytes(&bytes).is_err());
        let mut whole = empty().to_bytes().unwrap();
        let at = at.index(whole.len());
        whole[at] ^= with;
        // Some bytes of gzip's header have no meaning; a file that is read gives the same model.
        if let Ok(read) = SiteModel::from_bytes(&whole) {
            prop_assert_eq!(read, empty());
        }
    }
}
