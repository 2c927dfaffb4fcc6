//! Tests of what is learned of classes.

use proptest::prelude::*;
use url::Url;

use super::*;
use crate::replay::{SampleKind, SampleRequest};

/// A thread whose replies come from `/api/{api}/{id}`.
fn sample(api: &str, id: u32) -> Sample {
    let url = |path: String| Url::parse(&format!("https://h.example{path}")).unwrap();
    let request = SampleRequest {
        url: url(format!("/api/{api}/{id}")),
        body: format!(r#"{{"text":"reply {id}"}}"#).into_bytes(),
        content_type: "application/json".to_owned(),
        is_useful: true,
        kind: SampleKind::Get,
        headers: vec![("X-Requested-With".to_owned(), "XMLHttpRequest".to_owned())],
        link_fields: vec!["url".to_owned()],
    };
    Sample { page_url: url(format!("/t/{id}")), html: "<p>thread</p>".to_owned(), requests: vec![request] }
}

/// Renders a page whose requests bring all that it gains, or the share `gain`.
fn render(replays: &mut Replays<u8>, class: u8, sample: Sample, gain: f64) {
    let held = ReplayShare { found: 10.0 * gain, all: 10.0 };
    let candidate = replays.candidate(&class, &sample).map(|template| (template, held));
    replays.learn(class, sample, candidate);
}

fn state(replays: &Replays<u8>, class: u8) -> Option<ReplayState> {
    replays.state(&class)
}

fn ready(class: u8) -> Replays<u8> {
    let mut replays = Replays::default();
    (0..6).for_each(|id| render(&mut replays, class, sample("replies", 100 + 7 * id), 1.0));
    assert_eq!(state(&replays, class), Some(ReplayState::Ready));
    replays
}

#[test]
fn three_samples_teach_and_three_verify() {
    let mut replays = Replays::default();
    for id in 0..5 {
        assert_eq!(replays.means(&1), Means::Browser);
        render(&mut replays, 1, sample("replies", 100 + 7 * id), 1.0);
        assert_eq!(state(&replays, 1), Some(ReplayState::Learning), "{id}");
    }
    render(&mut replays, 1, sample("replies", 5), 0.9);
    let Means::Requests(template) = replays.means(&1) else { panic!("it is not ready") };
    assert_eq!(template.headers, [("x-requested-with".to_owned(), "XMLHttpRequest".to_owned())]);
    assert_eq!(template.link_fields, ["url"]);
    assert_eq!(verify(&template, &[sample("replies", 77)]).share(), 1.0);
}

#[test]
fn pages_that_show_more_than_their_answers_stay_with_the_browser() {
    let mut replays = Replays::default();
    let renders = SAMPLES_MAX as u32 + RETRY_AFTER;
    for id in 0..renders {
        assert_eq!(replays.means(&1), Means::Browser);
        render(&mut replays, 1, sample("replies", 100 + 7 * id), 0.89);
        let given_up = (SAMPLES_MAX as u32 - 1..renders - 1).contains(&id);
        assert_eq!(state(&replays, 1) == Some(ReplayState::GivenUp), given_up, "{id}");
    }
}

#[test]
fn a_page_whose_requests_brought_nothing_says_nothing() {
    let mut replays = Replays::default();
    for id in 0..20 {
        let mut page = sample("replies", id);
        page.requests[0].is_useful = false;
        render(&mut replays, 1, page, 1.0);
    }
    assert_eq!(state(&replays, 1), None);
}

#[test]
fn a_template_of_another_class_only_has_to_be_verified() {
    let mut replays = ready(1);
    (0..3).for_each(|id| render(&mut replays, 2, sample("replies", 900 + 3 * id), 1.0));
    assert_eq!(state(&replays, 2), Some(ReplayState::Ready));
}

#[test]
fn a_template_that_holds_no_more_is_given_up() {
    let mut replays = ready(1);
    for _ in 0..CHECK_AFTER {
        assert!(matches!(replays.means(&1), Means::Requests(_)));
    }
    for id in 0..FAILURES_MAX {
        assert_eq!(replays.means(&1), Means::Check, "a failed check is followed by another");
        render(&mut replays, 1, sample("messages", 100 + 7 * id), 1.0);
    }
    assert_eq!(state(&replays, 1), Some(ReplayState::Learning));
}

#[test]
fn pages_that_verify_a_template_are_judged_together() {
    let mut replays = Replays::default();
    let mut render = |id: u32, found: f64, all: f64| {
        let sample = sample("replies", 100 + 7 * id);
        let candidate = replays.candidate(&1, &sample).map(|template| (template, ReplayShare { found, all }));
        replays.learn(1, sample, candidate);
        replays.state(&1)
    };
    for id in 0..3 {
        render(id, 0.0, 9.0);
    }
    assert_eq!(render(3, 20.0, 20.0), Some(ReplayState::Learning));
    assert_eq!(render(4, 1.0, 2.0), Some(ReplayState::Learning), "it shows little that is new");
    assert_eq!(render(5, 0.0, 0.0), Some(ReplayState::Ready), "it shows nothing that is new");
}

proptest! {
    /// A naive twin of the checks: page numbers at which a browser is asked, while the template holds.
    #[test]
    fn checks_become_more_seldom(pages in 1_u32..2_000) {
        let mut replays = ready(1);
        let (mut next, mut gap, mut checks) = (CHECK_AFTER, CHECK_AFTER, Vec::new());
        for page in 0..pages {
            if page == next {
                gap *= 2;
                next += gap + 1;
                checks.push(page);
            }
            let is_check = replays.means(&1) == Means::Check;
            prop_assert_eq!(is_check, checks.last() == Some(&page));
            if is_check {
                render(&mut replays, 1, sample("replies", page), 1.0);
            }
        }
    }

    /// Whatever comes: no class is ready before it was verified, and only a ready one is replayed.
    #[test]
    fn only_verified_classes_are_replayed(steps in proptest::collection::vec((0_u8..3, 0_u32..50, 0_u8..3), 0..60)) {
        let (mut replays, mut renders) = (Replays::default(), [0_u32; 3]);
        for (class, id, what) in steps {
            let was_ready = state(&replays, class) == Some(ReplayState::Ready);
            match what {
                0 => prop_assert!(was_ready || replays.means(&class) == Means::Browser),
                _ => {
                    let api = if what == 1 { "replies" } else { "messages" };
                    render(&mut replays, class, sample(api, id), f64::from(id % 3) / 2.0);
                    renders[usize::from(class)] += 1;
                }
            }
            let is_ready = state(&replays, class) == Some(ReplayState::Ready);
            prop_assert!(!is_ready || renders[usize::from(class)] >= VERIFIED);
        }
    }
}

/// Returns the same in the next run.
fn restarted(replays: &Replays<u8>) -> Replays<u8> {
    let mut next = Replays::default();
    for class in 0..4 {
        let kept = replays.kept(&class).map(|kept| serde_json::to_string(&kept).unwrap());
        kept.into_iter().for_each(|kept| next.restore(class, serde_json::from_str(&kept).unwrap()));
    }
    next.restore_templates(replays.templates());
    next
}

#[test]
fn the_next_run_replays_what_this_one_does() {
    let replays = ready(1);
    let mut next = restarted(&replays);
    assert_eq!(next.template(&1), replays.template(&1));
    assert!(matches!(next.means(&1), Means::Requests(_)));
    assert!(next.candidate(&2, &sample("replies", 7)).is_some(), "the template is tried for other classes");
}

#[test]
fn a_template_that_is_being_verified_needs_no_new_samples_in_the_next_run() {
    let mut replays = Replays::default();
    (0..5).for_each(|id| render(&mut replays, 1, sample("replies", 100 + 7 * id), 1.0));
    let mut next = restarted(&replays);
    assert_eq!(state(&next, 1), Some(ReplayState::Learning));
    render(&mut next, 1, sample("replies", 5), 1.0);
    assert_eq!(state(&next, 1), Some(ReplayState::Ready));
}

#[test]
fn a_template_of_another_version_is_learned_again() {
    let text = serde_json::to_string(&ready(1).kept(&1)).unwrap();
    let version = format!("\"version\":{}", crate::replay::REPLAY_VERSION);
    assert!(text.contains(&version));
    let other = text.replace(&version, "\"version\":1").replace("\"failures\":0", "\"failures\":4294967295");
    let mut next: Replays<u8> = Replays::default();
    next.restore(1, serde_json::from_str::<Option<KeptReplay>>(&other).unwrap().unwrap());
    assert_eq!((state(&next, 1), next.means(&1)), (Some(ReplayState::Learning), Means::Browser));
}
