use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// A simulated host.
#[derive(Default)]
struct Host(SubstituteDetector, Duration);

const FRAME: std::ops::Range<u64> = 0..10;

impl Host {
    fn answer(&mut self, address: &str, kind: AnswerKind, (paths, words): (Vec<u64>, Vec<u32>)) -> Judgement {
        let paths = PathSet::from_hashes(paths);
        let status = if kind == AnswerKind::Page { 200 } else { 403 };
        let shown = AnswerContent::from_words(status, paths.clone(), words);
        self.judge(address, (kind, paths), shown)
    }

    fn judge(
        &mut self,
        address: &str,
        (kind, paths): (AnswerKind, PathSet),
        shown: Option<AnswerContent>,
    ) -> Judgement {
        let url = Fingerprint::of(address);
        self.1 += Duration::from_secs(1);
        let asked_at = Instant::EPOCH + self.1;
        self.0.judge(&SeenAnswer { address: Address::of(address), url, asked_at, kind, paths }, || shown)
    }

    /// A suspect challenge that has waited.
    fn challenge_again(&mut self, address: &str) -> Judgement {
        let (paths, url) = (PathSet::from_hashes(vec![900, 901]), Fingerprint::of(address));
        let shown = AnswerContent::from_words(200, paths.clone(), vec![7, 8, 9]);
        let (address, asked_at, kind) = (Address::of(address), Instant::EPOCH, AnswerKind::Page);
        self.0.judge_again(&SeenAnswer { address, url, asked_at, kind, paths }, || shown)
    }

    /// A topic with words of its own.
    fn topic(&mut self, number: u32) -> Judgement {
        let words = (0..50).map(|word| number * 1_000 + word).collect();
        self.answer(&format!("/topic/{number}"), AnswerKind::Page, (FRAME.chain(100..120).collect(), words))
    }

    /// A profile: few words, and those of its frame.
    fn profile(&mut self, number: u32) -> Judgement {
        self.answer(&format!("/user/{number}"), AnswerKind::Page, (FRAME.chain(200..206).collect(), vec![1, 2, number]))
    }

    fn topics(&mut self, numbers: std::ops::Range<u32>) {
        numbers.for_each(|number| assert_eq!(self.topic(number), Judgement::Own, "{number}"));
    }

    /// A page without the site's frame.
    fn challenge(&mut self, address: &str) -> Judgement {
        self.answer(address, AnswerKind::Page, (vec![900, 901], vec![7, 8, 9]))
    }

    /// A page in the site's frame.
    fn absent(&mut self, number: u32) -> Judgement {
        let paths = FRAME.chain([300]).collect();
        self.answer(&format!("/topic/{number}"), AnswerKind::Page, (paths, vec![1, 2, 3, 4, number]))
    }
}

#[test]
fn a_challenge_is_found_at_its_third_address_and_none_before_counts_as_a_page() {
    let mut host = Host::default();
    host.topics(1..9);
    let judged: Vec<_> = (20..24).map(|number| host.challenge(&format!("/topic/{number}"))).collect();
    assert_eq!(judged, [Judgement::Suspect, Judgement::Suspect, Judgement::Blocked, Judgement::Blocked]);
    assert!(host.0.is_blocked());
    assert_eq!(host.challenge("/never/met/9"), Judgement::Blocked, "a form that is new");
    assert_eq!(host.topic(20), Judgement::Lifted);
    assert_eq!(host.topic(21), Judgement::Own);
    assert_eq!(host.challenge("/topic/31"), Judgement::Absent);
}

#[test]
fn what_has_waited_is_asked_for_again_if_its_text_is_a_substitute_and_counts_if_it_is_alone() {
    let mut host = Host::default();
    host.topics(1..9);
    assert_eq!(host.challenge("/topic/20"), Judgement::Suspect);
    host.topics(21..27);
    assert_eq!(host.challenge_again("/topic/20"), Judgement::Own);

    let mut host = Host::default();
    host.topics(1..9);
    let judged = [30, 31, 32].map(|number| host.challenge(&format!("/topic/{number}")));
    assert_eq!(judged, [Judgement::Suspect, Judgement::Suspect, Judgement::Blocked]);
    assert_eq!(host.challenge_again("/topic/30"), Judgement::Suspect);
    assert!(host.0.is_blocked(), "what is judged again says nothing of now");
    assert_eq!(host.topic(30), Judgement::Lifted);
}

#[test]
fn an_error_of_a_block_is_asked_for_again_even_if_the_block_is_over_when_it_is_judged() {
    let mut host = Host::default();
    host.topics(1..9);
    let words = vec![7, 8, 9];
    let judged =
        [30, 31, 32].map(|number| host.answer(&format!("/topic/{number}"), AnswerKind::Error, (vec![], words.clone())));
    assert_eq!(judged, [Judgement::Suspect, Judgement::Suspect, Judgement::Blocked]);
    let in_block = Instant::EPOCH + host.1;
    assert_eq!(host.topic(40), Judgement::Lifted);
    let answer = |asked_at| {
        let (paths, url) = (PathSet::default(), Fingerprint::of("/topic/30"));
        SeenAnswer { address: Address::of("/topic/30"), url, asked_at, kind: AnswerKind::Error, paths }
    };
    let shown = || AnswerContent::from_words(403, PathSet::default(), words.clone());
    let (late, after) = (answer(in_block), answer(in_block + Duration::from_secs(10)));
    assert_eq!(host.0.judge_again(&late, shown), Judgement::Suspect);
    assert_eq!(host.0.judge_again(&after, shown), Judgement::Own, "an error after the block");
    assert_eq!(host.0.judge(&late, shown), Judgement::Suspect);
    assert_eq!(host.0.judge(&after, shown), Judgement::Absent, "an error after the block");
}

#[test]
fn a_page_that_leads_ever_deeper_to_itself_blocks_nothing() {
    let mut host = Host::default();
    host.topics(1..9);
    (1..9).for_each(|number| assert_eq!(host.profile(number), Judgement::Own));
    let ways = ["left", "right", "up", "down", "left/left", "left/right", "left/up", "left/down", "right/left"];
    let judged: Vec<_> = ways.iter().map(|way| host.challenge(&format!("/deeper/{way}"))).collect();
    assert_eq!(judged[..2], [Judgement::Suspect; 2]);
    assert!(judged[2..].iter().all(|judgement| *judgement == Judgement::Absent), "{judged:?}");
    assert!(!host.0.is_blocked());
    assert_eq!(host.challenge("/topic/40"), Judgement::Blocked, "where pages were known");
    assert_eq!(host.challenge("/deeper/right/up"), Judgement::Blocked, "while it blocks");
}

#[test]
fn a_soft_404_among_pages_is_absent_and_blocks_nothing() {
    let mut host = Host::default();
    host.topics(1..9);
    (1..9).for_each(|number| assert_eq!(host.profile(number), Judgement::Own));
    let mut judged = Vec::new();
    for number in 20..40 {
        judged.push(host.absent(number));
        assert_eq!(host.topic(number + 100), Judgement::Own);
    }
    assert_eq!(judged[..2], [Judgement::Suspect; 2]);
    assert!(judged[2..].iter().all(|judgement| *judgement == Judgement::Absent), "{judged:?}");
}

#[test]
fn a_wall_before_topics_alone_blocks_though_profiles_are_answered() {
    let mut host = Host::default();
    host.topics(1..9);
    let mut judged = Vec::new();
    for number in 20..24 {
        judged.push(host.challenge(&format!("/topic/{number}")));
        assert_eq!(host.profile(number), Judgement::Own);
    }
    assert_eq!(judged, [Judgement::Suspect, Judgement::Suspect, Judgement::Blocked, Judgement::Blocked]);
}

#[test]
fn private_pages_that_are_forbidden_among_others_do_not_block() {
    let mut host = Host::default();
    host.topics(1..9);
    let forbidden =
        |host: &mut Host, number| host.answer(&format!("/topic/{number}"), AnswerKind::Error, (vec![], vec![5]));
    let mut blocked = 0;
    for number in 20..220 {
        // Runs of one to five.
        if number % 7 < 5 && number % 11 > 3 {
            blocked += u32::from(forbidden(&mut host, number) == Judgement::Blocked);
        } else {
            host.topic(number);
        }
    }
    assert!(blocked <= 2, "{blocked}");
}

#[test]
fn redirects_to_one_target_are_a_wall_and_redirects_to_many_are_none() {
    let mut host = Host::default();
    host.topics(1..9);
    let to = |host: &mut Host, number: u32, target: &str| {
        let redirect = (AnswerKind::Redirect, PathSet::default());
        host.judge(&format!("/topic/{number}"), redirect, Some(AnswerContent::redirect_to(target)))
    };
    for number in 10..20 {
        let judged = to(&mut host, number, &format!("/thread/{}", number + 1));
        assert_eq!(judged, Judgement::Suspect, "{number}");
        assert_eq!(to(&mut host, number, &format!("/thread/{}", number + 1)), Judgement::Own, "{number}");
    }
    host.topics(1..2);
    let judged: Vec<_> =
        (30..35).map(|number| to(&mut host, number, &format!("/login?next=/topic/{number}"))).collect();
    assert_eq!(judged[..2], [Judgement::Suspect; 2]);
    assert_eq!(judged[2..], [Judgement::Blocked; 3]);
}

#[test]
fn a_form_whose_pages_were_always_the_same_is_what_it_is() {
    let mut host = Host::default();
    host.topics(1..9);
    for number in 0..50 {
        let form = host.answer(&format!("/topic/{number}/reply"), AnswerKind::Page, (FRAME.collect(), vec![1, 2]));
        assert_eq!(form, Judgement::Own);
    }
}

#[test]
fn a_form_that_says_the_same_everywhere_may_come_to_say_something_else() {
    let mut host = Host::default();
    host.topics(1..9);
    (1..9).for_each(|number| assert_eq!(host.profile(number), Judgement::Own));
    // A log-in form with a message above it at first, as after a redirect.
    let log_in = |host: &mut Host, number: u32, paths: std::ops::Range<u64>, words: std::ops::Range<u32>| {
        let page = (FRAME.chain(paths).collect(), words.collect());
        host.answer(&format!("/log/in?next=/topic/{number}/reply"), AnswerKind::Page, page)
    };
    for number in 0..6 {
        assert_eq!(log_in(&mut host, number, 800..812, 0..20), Judgement::Own, "{number}");
    }
    for number in 6..9 {
        assert_eq!(log_in(&mut host, number, 800..804, 4..20), Judgement::Suspect, "{number}");
    }
    let mut again = (6..9).map(|number| log_in(&mut host, number, 800..804, 4..20));
    assert!(again.all(|judged| judged == Judgement::Own));
    for number in 9..30 {
        assert_eq!(log_in(&mut host, number, 800..804, 4..20), Judgement::Own, "{number}");
    }
    assert_eq!(host.topic(10), Judgement::Own);
}

#[test]
fn several_addresses_of_one_thread_are_no_evidence() {
    let mut host = Host::default();
    host.topics(1..9);
    let poll = |host: &mut Host, address: &str| {
        host.answer(address, AnswerKind::Page, (FRAME.chain(400..420).collect(), vec![1, 2, 3]))
    };
    let mut judged = vec![poll(&mut host, "/topic/77")];
    judged.extend((0..9).map(|page| poll(&mut host, &format!("/topic/77?page={page}"))));
    assert!(!judged.iter().any(|judgement| matches!(judgement, Judgement::Absent | Judgement::Blocked)), "{judged:?}");
}

#[test]
fn a_second_template_of_a_form_comes_free() {
    let mut host = Host::default();
    host.topics(1..9);
    let mut suspect = 0;
    for number in 100..160 {
        let words: Vec<u32> = (0..30).map(|word| number * 500 + word).collect();
        let judged = host.answer(
            &format!("/topic/{number}"),
            AnswerKind::Page,
            (FRAME.chain(500..530).collect(), words.clone()),
        );
        if judged == Judgement::Suspect {
            suspect += 1;
            let again =
                host.answer(&format!("/topic/{number}"), AnswerKind::Page, (FRAME.chain(500..530).collect(), words));
            assert_eq!(again, Judgement::Own);
        }
    }
    assert_eq!(suspect, 1);
}

#[test]
fn pages_without_the_frame_are_asked_for_again_only_at_first() {
    let mut host = Host::default();
    host.topics(1..9);
    (1..9).for_each(|number| assert_eq!(host.profile(number), Judgement::Own));
    let message = |host: &mut Host, number: u32| {
        let words = (0..30).map(|word| number * 500 + word).collect();
        host.answer(&format!("/msg{number}.html"), AnswerKind::Page, ((700..720).collect(), words))
    };
    let suspect = (0..100).filter(|number| message(&mut host, *number) == Judgement::Suspect).count();
    assert_eq!(suspect, OPEN_SUSPECTS_MAX as usize);
}

proptest! {
    #[test]
    fn whatever_comes_memory_is_bounded_and_an_address_is_suspect_once(
        answers in prop::collection::vec((0_u32..40, 0_u8..3, 0_u64..4, 0_u32..6), 0..400)
    ) {
        let mut host = Host::default();
        let mut suspects = std::collections::HashSet::new();
        for (number, kind, paths, words) in answers {
            let kind = [AnswerKind::Page, AnswerKind::Error, AnswerKind::Redirect][usize::from(kind)];
            let shown = ((0..5 + paths * 5).collect(), (0..words * 20).collect());
            let judged = host.answer(&format!("/t{}/{number}", number % 3), kind, shown);
            prop_assert!(judged != Judgement::Suspect || suspects.insert(number));
        }
        prop_assert!(host.0.forms.len() <= FORMS_MAX && host.0.texts.len() <= TEXTS_MAX);
        prop_assert!(host.0.suspects.len() <= SUSPECTS_MAX);
        prop_assert!(host.0.texts.iter().all(|text| text.addresses.len() <= ADDRESSES_MIN));
    }
}
