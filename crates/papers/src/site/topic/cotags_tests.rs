use proptest::prelude::*;

use super::*;

const FLOWERS: u64 = 1;
const YELLOW: u64 = 2;
const SKY: u64 = 3;
const NIKON: u64 = 4;
const RARE: u64 = 5;

/// Every choice as printed, without a minimum of votes.
fn printed() -> CotagOptions {
    CotagOptions { votes_min: 1, ..CotagOptions::paper() }
}

fn count(pictures: &[(u64, &[u64])], noise: &[u64], options: CotagOptions) -> Cotags {
    let mut cotags = Cotags::new([FLOWERS], noise.iter().copied().collect(), options);
    for (uploader, tags) in pictures {
        cotags.add(&Picture::new(*uploader, tags.iter().copied()));
    }
    cotags
}

/// Ten pictures: four with flowers, three with yellow (two of them flowers), five with sky (two of them flowers).
fn ten() -> Vec<(u64, &'static [u64])> {
    let tags: [&[u64]; 10] = [
        &[FLOWERS, YELLOW],
        &[FLOWERS, YELLOW, SKY],
        &[FLOWERS, SKY],
        &[FLOWERS, NIKON, RARE],
        &[YELLOW],
        &[SKY],
        &[SKY, NIKON],
        &[SKY, 6],
        &[7],
        &[8],
    ];
    tags.into_iter().enumerate().map(|(user, tags)| (user as u64, tags)).collect()
}

#[test]
fn phi_is_the_number_of_common_pictures_by_the_product_of_both_numbers() {
    let cotags = count(&ten(), &[], CotagOptions { order: CotagOrder::Score, ..printed() });
    assert_eq!((cotags.pictures(), cotags.pictures_with(FLOWERS), cotags.pictures_with(SKY)), (10, 4, 0));
    let found = cotags.found();
    // rare: 1 / (4 · 1); yellow: 2 / (4 · 3); nikon: 1 / (4 · 2); sky: 2 / (4 · 5).
    let wanted = [(RARE, 1, 0.25), (YELLOW, 2, 1.0 / 6.0), (NIKON, 1, 0.125), (SKY, 2, 0.1)];
    assert_eq!(found, wanted.map(|(tag, votes, score)| Cotag { tag, votes, score }));
}

#[test]
fn a_floor_of_votes_a_threshold_and_noise_keep_tags_out() {
    let tags = |noise: &[u64], options| count(&ten(), noise, options).found().iter().map(|c| c.tag).collect::<Vec<_>>();
    assert_eq!(tags(&[], CotagOptions { votes_min: 2, ..printed() }), [YELLOW, SKY]);
    assert_eq!(tags(&[], CotagOptions { score_min: 0.12, ..printed() }), [YELLOW, RARE, NIKON]);
    assert_eq!(tags(&[NIKON, RARE], printed()), [YELLOW, SKY]);
    assert_eq!(tags(&[], CotagOptions::default()), [0; 0], "none is with flowers three times");
    // Sky is with flowers on 2 of 10 pictures; by chance it would be on 4 · 5 / 10.
    let lift = CotagOptions { votes_min: 1, ..CotagOptions::default() };
    assert_eq!(tags(&[], lift), [YELLOW, RARE, NIKON]);
}

#[test]
fn identical_tag_sets_count_once_for_a_user_or_overall() {
    let pictures: [(u64, &[u64]); 4] = [(1, &[1, 2]), (1, &[2, 1]), (2, &[1, 2]), (2, &[])];
    let votes = |same_sets| {
        let cotags = count(&pictures, &[], CotagOptions { same_sets, ..printed() });
        (cotags.pictures(), cotags.found()[0].votes)
    };
    assert_eq!(votes(SameSets::Each), (3, 3));
    assert_eq!(votes(SameSets::OncePerUploader), (2, 2));
    assert_eq!(votes(SameSets::OnceOverall), (1, 1));
}

#[test]
fn in_a_collection_of_one_tag_phi_is_the_same_for_all_cotags_and_votes_order_them() {
    let found = count(&ten()[..4], &[], printed()).found();
    assert!(found.iter().all(|cotag| cotag.score == 0.25));
    assert_eq!(
        found.iter().map(|cotag| (cotag.tag, cotag.votes)).collect::<Vec<_>>(),
        [(2, 2), (3, 2), (4, 1), (5, 1)]
    );
}

#[test]
fn full_tables_understate_scores() {
    let small = CotagOptions { tags_max: 2, cotags_max: 2, ..printed() };
    let exact = count(&ten(), &[], printed()).found();
    for cotag in count(&ten(), &[], small).found() {
        let true_one = exact.iter().find(|other| other.tag == cotag.tag).unwrap();
        assert!(cotag.votes <= true_one.votes && cotag.score <= true_one.score);
    }
}

/// Eq. 6 by counting the pictures of each pair anew.
fn phi(pictures: &[Vec<u64>], topic: &[u64], tag: u64) -> Option<(u64, f64)> {
    let with = |tags: &[u64]| pictures.iter().filter(|picture| tags.iter().all(|tag| picture.contains(tag))).count();
    let one = |t: &u64| {
        let common = with(&[*t, tag]);
        (common as u64, common as f64 / (with(&[*t]) as f64 * with(&[tag]) as f64))
    };
    let best = |x: &(u64, f64), y: &(u64, f64)| x.partial_cmp(y).unwrap();
    topic.iter().map(one).filter(|(common, _)| *common > 0).max_by(best)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cotags_are_those_of_counting_each_pair_anew(
        pictures in prop::collection::vec(prop::collection::vec(1..9_u64, 0..5), 0..25), topic in 1..4_u64,
    ) {
        let topic: Vec<u64> = (1..=topic).collect();
        let mut cotags = Cotags::new(topic.clone(), BTreeSet::new(), CotagOptions { same_sets: SameSets::Each, ..printed() });
        pictures.iter().for_each(|tags| { cotags.add(&Picture::new(0, tags.iter().copied())); });
        let found = cotags.found();
        for tag in 1..9 {
            let wanted = if topic.contains(&tag) { None } else { phi(&pictures, &topic, tag) };
            let cotag = found.iter().find(|cotag| cotag.tag == tag).map(|cotag| (cotag.votes, cotag.score));
            prop_assert_eq!(cotag, wanted);
        }
        prop_assert!(found.windows(2).all(|pair| pair[0].votes >= pair[1].votes));
    }
}

#[test]
fn a_set_is_recognised_until_as_many_others_came_as_are_remembered() {
    let mut sets = RepeatedSets::new(2);
    assert!(sets.is_new([1, 2].as_slice()) && !sets.is_new([1, 2].as_slice()));
    assert!(sets.is_new(1) && !sets.is_new([1, 2].as_slice()));
    assert!(sets.is_new(3) && sets.is_new(4) && sets.is_new(5));
    assert!(sets.is_new([1, 2].as_slice()), "forgotten");
    assert!(sets.latest.len() + sets.earlier.len() <= 4);
}
