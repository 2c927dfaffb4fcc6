use proptest::prelude::*;

use super::*;
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::{NewLink, Outcome, PageFacts};

fn seen(number: u64) -> Observation {
    let url = CanonicalUrl::from_canonical(format!("http://h.test/{number}"));
    let class = LinkClass::unclassified(Apath(number));
    let facts = PageFacts { gist: vec![number; 3], body: Some((vec![7; 9].into(), None)), ..PageFacts::default() };
    let new = vec![NewLink::new(class, CanonicalUrl::from_canonical("http://h.test/new"))];
    Observation { url, class, via: Some("http://h.test/".into()), outcome: Outcome::Page(Box::new(facts)), new }
}

/// Reads a directory back. Returns the numbers of the observations, and what was restored.
fn read(directory: &Path, key: u64) -> (Vec<u64>, Recalled) {
    let mut numbers = Vec::new();
    let (_, recalled) = ObservationLog::open(directory, key, |recorded| {
        let ObservationEvent::Observed(seen, cluster) = recorded else { return };
        assert_eq!(u64::from(cluster.0), seen.class.apath.0 + 1);
        assert!(matches!(&seen.outcome, Outcome::Page(page) if page.body.is_some() && page.gist.len() == 3));
        assert_eq!((seen.new.len(), seen.via.as_deref()), (1, Some("http://h.test/")));
        numbers.push(seen.class.apath.0);
    })
    .unwrap();
    (numbers, recalled)
}

/// Simulates a run that makes these observations.
fn run(directory: &Path, key: u64, numbers: std::ops::Range<u64>) {
    let (mut log, _) = ObservationLog::open(directory, key, |_| {}).unwrap();
    for number in numbers {
        log.draft(&seen(number + 1_000), ClusterId(0));
        log.draft(&seen(number), ClusterId(number as u32 + 1));
        log.add_draft().unwrap();
    }
    log.draft(&seen(u64::MAX), ClusterId(0));
    log.flush(Instant::EPOCH, true).unwrap();
}

#[test]
fn observations_of_several_runs_are_read_in_order() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(read(dir.path(), 1), (vec![], Recalled::default()));
    run(dir.path(), 1, 0..150);
    run(dir.path(), 1, 150..160);
    run(dir.path(), 1, 160..160);
    assert_eq!(read(dir.path(), 1), ((0..160).collect(), Recalled { observations: 160, spoilt: 0 }));
}

#[test]
fn the_ends_of_runs_are_told_from_the_ends_of_full_segments() {
    let dir = tempfile::tempdir().unwrap();
    let ends = [7, 7 + SEGMENT + 70, 7 + SEGMENT + 80];
    let mut first = 0;
    for end in ends {
        run(dir.path(), 1, first..end);
        first = end;
    }
    let (mut observed, mut ended) = (0, Vec::new());
    let show = |recorded| match recorded {
        ObservationEvent::Observed(..) => observed += 1,
        ObservationEvent::RunEnded => ended.push(observed),
    };
    ObservationLog::open(dir.path(), 1, show).unwrap();
    assert_eq!((ended, observed), (ends[..2].to_vec(), ends[2]));
}

#[test]
fn a_log_can_be_read_without_a_change_to_it() {
    let dir = tempfile::tempdir().unwrap();
    let count = |key: u64| {
        let mut numbers = Vec::new();
        let recalled = replay(dir.path(), key, |seen, _| numbers.push(seen.class.apath.0)).unwrap();
        (numbers.len(), recalled)
    };
    assert_eq!(count(1), (0, Recalled::default()));
    assert!(!dir.path().join(OBSERVATIONS_DIRECTORY).exists());
    run(dir.path(), 1, 0..70);
    assert_eq!(count(2), (0, Recalled { observations: 0, spoilt: 1 }));
    assert_eq!(count(1), (70, Recalled { observations: 70, spoilt: 0 }));
}

#[test]
fn with_other_settings_nothing_is_restored_and_useless_segments_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 1, 0..5);
    fs::write(dir.path().join(OBSERVATIONS_DIRECTORY).join(segments::name(7)), b"something else").unwrap();
    assert_eq!(read(dir.path(), 2), (vec![], Recalled { observations: 0, spoilt: 2 }));
    assert_eq!(read(dir.path(), 1), (vec![], Recalled::default()));
    let mut config = Config::default();
    let before = key(&config);
    config.budget.pages = 7;
    assert_eq!(key(&config), before, "a budget changes nothing of what is known");
    config.policy.example.0 = vec!["http://h.test/1".to_owned()];
    assert_ne!(key(&config), before);
}

#[test]
fn the_first_and_the_latest_observations_are_retained() {
    let counts = |counts: &[u64]| -> Vec<Segment> {
        (0..).zip(counts).map(|(number, count)| Segment { number, count: *count }).collect()
    };
    assert_eq!(to_drop(&counts(&[4, 4, 4]), 4, 12), None);
    assert_eq!(to_drop(&counts(&[4, 4, 4, 4]), 4, 12), Some(1));
    assert_eq!(to_drop(&counts(&[1, 2, 3, 4, 4]), 4, 12), Some(3), "six are needed for the first four");
    assert_eq!(to_drop(&counts(&[20]), 4, 12), None);
    assert_eq!(to_drop(&counts(&[20, 1]), 4, 12), None, "the last is being written");
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), 1, 0..KEPT_MAX + 2 * SEGMENT);
    let (numbers, _) = read(dir.path(), 1);
    assert!(numbers.len() as u64 <= KEPT_MAX && numbers[..KEPT_FIRST as usize].iter().copied().eq(0..KEPT_FIRST));
    assert_eq!(*numbers.last().unwrap(), KEPT_MAX + 2 * SEGMENT - 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn intact_blocks_of_a_torn_file_are_read_and_no_bytes_do_harm(
        cut in 0.0..1.0_f64, noise in prop::collection::vec(any::<u8>(), 0..60), flipped in any::<prop::sample::Index>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        run(dir.path(), 1, 0..200);
        let path = dir.path().join(OBSERVATIONS_DIRECTORY).join(segments::name(0));
        let whole = fs::read(&path).unwrap();
        let mut torn = whole[..16 + ((whole.len() - 16) as f64 * cut) as usize].to_vec();
        torn.extend(noise);
        fs::write(&path, &torn).unwrap();
        let (numbers, _) = read(dir.path(), 1);
        prop_assert!(numbers.iter().copied().eq(0..numbers.len() as u64));
        prop_assert!(numbers.len() == 200 || numbers.len().is_multiple_of(BLOCK as usize));
        let mut spoilt = whole;
        let at = flipped.index(spoilt.len());
        spoilt[at] ^= 0x40;
        fs::write(&path, &spoilt).unwrap();
        let (numbers, _) = read(dir.path(), 1);
        prop_assert!(numbers.iter().copied().eq(0..numbers.len() as u64) && numbers.len() < 200);
    }
}

/// A fetch of a small site of lists and posts, as a worker shows it.
fn fetch(number: u64, read: &mut harvestman_policy::learned::ReadPage) -> Observation {
    let post = !number.is_multiple_of(3);
    let links: String = (0..4).map(|link| format!("<li><a class=l href=/{number}-{link}>x</a></li>")).collect();
    let words: String = (0..40).map(|word| format!("w{} ", number * 31 + word * 7)).collect();
    let html = if post {
        format!("<html><body><div class=post><p>{words}</p><p>by u{number}</p></div><ul>{links}</ul></body></html>")
    } else {
        format!("<html><body><table class=list><tr><td>{links}</td></tr></table></body></html>")
    };
    let page = read(html.as_bytes(), Some("text/html"), None);
    let facts = PageFacts {
        bag: page.leaf_paths,
        units: page.units,
        body: Some((html.into_bytes().into(), Some("text/html".into()))),
        ..PageFacts::default()
    };
    let place = LinkClass::unclassified(Apath(7 + number % 2));
    let link = |link: u64| {
        let url = format!("http://h.test/{}/{number}-{link}", if link.is_multiple_of(2) { "post" } else { "list" });
        NewLink::new(place, CanonicalUrl::from_canonical(url))
    };
    let url = format!("http://h.test/{}/{number}", if post { "post" } else { "list" });
    Observation {
        url: CanonicalUrl::from_canonical(url),
        class: place,
        via: (number > 0).then(|| format!("http://h.test/list/{}", number / 3 * 3).into()),
        outcome: if number % 11 == 10 { Outcome::Failed } else { Outcome::Page(Box::new(facts)) },
        new: (0..4).map(link).collect(),
    }
}

#[test]
fn a_replayed_policy_knows_exactly_the_same_and_continues_alike() {
    use harvestman_core::config::{ParseOptions, PolicyKind};
    use harvestman_core::seed::Seed;
    use harvestman_policy::{PolicyInputs, make};

    let options = ParseOptions::default();
    let reader = || crate::reader(&options);
    for kind in [PolicyKind::Ucc, PolicyKind::ClusterGraph] {
        let making = PolicyInputs { sample_pages: Some(60), ..PolicyInputs::new(Seed(5)) };
        let (mut first, mut second) = (make(kind, &making, reader()), make(kind, &making, reader()));
        let dir = tempfile::tempdir().unwrap();
        let (mut log, _) = ObservationLog::open(dir.path(), 1, |_| {}).unwrap();
        for number in 0..90 {
            let seen = fetch(number, &mut *reader());
            log.draft(&seen, ClusterId::UNKNOWN);
            log.add_draft().unwrap();
            first.observe(seen);
            if number % 7 == 0 {
                // Snapshots are taken in the meantime, which changes nothing.
                let _ = (first.snapshot(), first.proposals());
            }
        }
        log.flush(Instant::EPOCH, true).unwrap();
        let show = |recorded| match recorded {
            ObservationEvent::Observed(seen, _) => second.observe(*seen),
            ObservationEvent::RunEnded => panic!("there was one run"),
        };
        ObservationLog::open(dir.path(), 1, show).unwrap();
        let alike = |first: &mut dyn harvestman_policy::Policy, second: &mut dyn harvestman_policy::Policy| {
            let (a, b) = (first.snapshot(), second.snapshot());
            assert_eq!((a.version(), a.generation()), (b.version(), b.generation()), "{kind:?}");
            let url = "http://h.test/post/5";
            for place in [7, 8] {
                let class = a.class_of(LinkClass::unclassified(Apath(place)), url, Some("http://h.test/list/3"));
                assert_eq!(class, b.class_of(LinkClass::unclassified(Apath(place)), url, Some("http://h.test/list/3")));
                assert_eq!(a.score(class).to_bits(), b.score(class).to_bits());
            }
        };
        alike(&mut *first, &mut *second);
        for number in 90..140 {
            first.observe(fetch(number, &mut *reader()));
            second.observe(fetch(number, &mut *reader()));
        }
        alike(&mut *first, &mut *second);
        assert!(first.facts().model_updates > 0, "{kind:?} has updated its model");
        assert_eq!(first.site_model(&mut *reader()), second.site_model(&mut *reader()), "{kind:?}");
    }
}
