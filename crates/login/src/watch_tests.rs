use proptest::prelude::*;

use super::*;

fn at(second: u64) -> Instant {
    Instant::EPOCH + Duration::from_secs(second)
}

fn watch() -> SessionWatch<&'static str> {
    let mut watch = SessionWatch::new(WatchLimits { unsure: 3, unsure_time: Duration::from_secs(10) }, Vec::new());
    watch.logged_in(at(1));
    watch
}

fn answered(asked_at: u64, evidence: Evidence, address: &str) -> SessionAnswer {
    SessionAnswer { asked_at: at(asked_at), evidence, address: address.to_owned(), is_large: false }
}

#[test]
fn a_sign_of_the_session_vouches_for_all_that_was_asked_before() {
    let mut watch = watch();
    assert_eq!(watch.answered(answered(2, Evidence::None, "/a"), "a", at(3)), []);
    assert_eq!(watch.answered(answered(4, Evidence::None, "/b"), "b", at(5)), []);
    let decided = watch.answered(answered(3, Evidence::Member, "/c"), "c", at(6));
    assert_eq!(decided, [("a", Verdict::Member), ("c", Verdict::Member)]);
    // Answered late, asked for before.
    assert_eq!(watch.answered(answered(3, Evidence::Guest, "/d"), "d", at(7)), [("d", Verdict::Member)]);
    assert_eq!(watch.holds(at(8)), [("b", Verdict::Member)]);
    assert_eq!(watch.check_at(), None);
}

#[test]
fn the_session_is_checked_at_once_for_what_guests_see_and_later_for_what_shows_nothing() {
    let mut watch = watch();
    assert_eq!(watch.check_at(), None);
    watch.answered(answered(2, Evidence::None, "/a"), "a", at(3));
    assert_eq!(watch.check_at(), Some(at(13)));
    watch.answered(answered(3, Evidence::None, "/b"), "b", at(4));
    watch.answered(answered(4, Evidence::None, "/c"), "c", at(5));
    assert_eq!(watch.check_at(), Some(at(3)), "as many as may wait");
    watch.holds(at(6));
    watch.answered(answered(7, Evidence::Guest, "/d"), "d", at(8));
    assert_eq!(watch.check_at(), Some(at(8)));
    watch.holds(at(9));
    watch.answered(SessionAnswer { is_large: true, ..answered(10, Evidence::None, "/film") }, "film", at(11));
    assert_eq!(watch.check_at(), Some(at(11)));
}

#[test]
fn without_the_session_nothing_counts_but_what_shows_it() {
    let mut watch = watch();
    watch.answered(answered(2, Evidence::None, "/a"), "a", at(3));
    watch.answered(answered(3, Evidence::Guest, "/b"), "b", at(4));
    assert_eq!(watch.lost(), [("a", Verdict::Lost), ("b", Verdict::Lost)]);
    assert!(!watch.is_logged_in());
    assert_eq!(watch.answered(answered(4, Evidence::None, "/c"), "c", at(5)), [("c", Verdict::Lost)]);
    watch.logged_in(at(10));
    // It was on its way.
    assert_eq!(watch.answered(answered(5, Evidence::None, "/d"), "d", at(11)), [("d", Verdict::Lost)]);
    assert_eq!(watch.answered(answered(5, Evidence::Member, "/e"), "e", at(11)), [("e", Verdict::Member)]);
}

#[test]
fn what_ends_sessions_that_hold_is_avoided_after_the_second_time() {
    let mut watch = watch();
    members(&mut watch, 30);
    for round in 0..2 {
        let start = 10 * round + 1;
        watch.logged_in(at(start));
        watch.answered(answered(start + 1, Evidence::None, "/bye?*"), "bye", at(start + 2));
        watch.answered(answered(start + 3, Evidence::Guest, "/b"), "b", at(start + 4));
        let verdict = if round == 0 { Verdict::Lost } else { Verdict::EndsSession };
        assert_eq!(watch.lost(), [("bye", verdict), ("b", Verdict::Lost)], "{round}");
        assert_eq!(watch.avoids("/bye?*"), round == 1);
    }
    assert!(!watch.avoids("/b"));
    let next = SessionWatch::<()>::new(watch.limits, watch.avoided().cloned().collect());
    assert!(next.avoids("/bye?*"));
}

/// Answers that show the session.
fn members(watch: &mut SessionWatch<&str>, count: u64) {
    watch.logged_in(at(0));
    for number in 0..count {
        watch.answered(answered(0, Evidence::Member, &format!("/page/{number}")), "page", at(0));
    }
}

#[test]
fn where_sessions_end_often_by_themselves_more_proof_is_needed() {
    let mut watch = watch();
    let mut tries = 0;
    for round in 0_u64..40 {
        // After four pages the session ends by itself, and another page is asked for next; each third time it is what
        // ends sessions.
        members(&mut watch, 4);
        let address = if round % 3 == 0 { "/bye".to_owned() } else { format!("/page/{}", 100 + round) };
        if watch.avoids(&address) {
            break;
        }
        tries += u32::from(address == "/bye");
        watch.answered(answered(1, Evidence::Guest, &address), "", at(2));
        watch.lost();
    }
    assert!(watch.avoids("/bye"));
    assert!((3..=u32::from(BLAMED_MAX)).contains(&tries), "{tries}");
    assert_eq!(watch.avoided().count(), 1);
}

#[test]
fn few_are_avoided_by_mistake_where_sessions_end_at_random() {
    const CRAWLS: u64 = 300;
    let (mut mistakes, mut random) = (0, 1_u64);
    for _ in 0..CRAWLS {
        let mut watch = watch();
        watch.logged_in(at(0));
        let mut queue: VecDeque<String> = (0..60).map(|number| format!("/page/{number}")).collect();
        for _ in 0..2_000 {
            let Some(address) = queue.pop_front() else { break };
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let has_ended = (random >> 33) % 4 == 0;
            let evidence = if has_ended { Evidence::Guest } else { Evidence::Member };
            watch.answered(answered(1, evidence, &address), "", at(2));
            if has_ended {
                watch.lost();
                watch.logged_in(at(0));
                if !watch.avoids(&address) {
                    queue.push_front(address);
                }
            }
        }
        assert!(queue.is_empty());
        mistakes += watch.avoided().count();
    }
    // Where each second end was enough, it would be 60 · 1/16 in each crawl.
    assert!(mistakes <= CRAWLS as usize / 4, "{mistakes}");
}

#[test]
fn what_is_only_near_the_end_of_a_session_is_cleared() {
    let mut watch = watch();
    members(&mut watch, 60);
    // The image was asked for before the trap, which nobody can know.
    watch.answered(answered(2, Evidence::None, "/image"), "image", at(3));
    watch.answered(answered(3, Evidence::None, "/bye"), "bye", at(4));
    watch.answered(answered(4, Evidence::Guest, "/b"), "b", at(5));
    watch.lost();
    watch.logged_in(at(10));
    // What was asked for again is checked one by one.
    watch.answered(answered(11, Evidence::None, "/image"), "image", at(12));
    assert_eq!(watch.check_at(), Some(at(12)));
    assert_eq!(watch.holds(at(13)), [("image", Verdict::Member)]);
    for end in [14, 24] {
        watch.answered(answered(end, Evidence::None, "/bye"), "bye", at(end + 1));
        assert_eq!(watch.check_at(), Some(at(end + 1)));
        watch.lost();
        watch.logged_in(at(end + 5));
    }
    assert!(watch.avoids("/bye") && !watch.avoids("/image") && !watch.avoids("/b"));
}

#[test]
fn a_session_that_ends_by_itself_is_nobodys_fault() {
    let mut watch = watch();
    for round in 0..5 {
        let start = 10 * round + 1;
        watch.logged_in(at(start));
        watch.answered(answered(start + 1, Evidence::Guest, "/a"), "a", at(start + 2));
        watch.lost();
        watch.logged_in(at(start + 4));
        assert_eq!(
            watch.answered(answered(start + 5, Evidence::Member, "/a"), "a", at(start + 6)),
            [("a", Verdict::Member)]
        );
    }
    assert_eq!(watch.avoided().count(), 0);
}

#[test]
fn what_cannot_be_found_out_is_given_up() {
    let mut watch = watch();
    watch.answered(answered(2, Evidence::None, "/a"), "a", at(3));
    assert_eq!(watch.give_up(), [("a", Verdict::Lost)]);
    assert_eq!((watch.give_up(), watch.check_at()), (Vec::new(), None));
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut watch = SessionWatch::new(WatchLimits { unsure: 3, unsure_time: Duration::from_secs(1) }, Vec::new());
    for number in 0..3 * REMEMBERED_MAX as u64 {
        watch.logged_in(at(10 * number));
        watch.answered(answered(10 * number + 1, Evidence::Guest, &format!("/{number}")), (), at(10 * number + 2));
        watch.lost();
    }
    assert!(watch.blamed.len() <= REMEMBERED_MAX && watch.suspects.len() <= REMEMBERED_MAX);
}

/// One step of a session on a simulated site.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// A page that shows the session.
    Page,
    /// A page that does not.
    Image,
    /// What ends the session.
    Bye,
    /// The site ends the session.
    Expiry,
    /// The session is checked, and the crawl logs in again if it is lost.
    Check,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens in whatever order: what counts was answered to the member, each answer is decided once, and
    /// only what ends sessions is avoided.
    #[test]
    fn only_answers_to_the_member_count(events in prop::collection::vec(prop::sample::select(vec![
        Event::Page, Event::Page, Event::Image, Event::Image, Event::Bye, Event::Expiry, Event::Check,
    ]), 0..60)) {
        let mut watch = SessionWatch::new(WatchLimits { unsure: 3, unsure_time: Duration::from_secs(5) }, Vec::new());
        watch.logged_in(at(0));
        let (mut holds, mut decided, mut asked) = (true, Vec::new(), 0);
        for (number, event) in (1_u64..).zip(events) {
            let (address, evidence) = match event {
                Event::Page => (format!("/page/{number}"), if holds { Evidence::Member } else { Evidence::Guest }),
                Event::Image => (format!("/image/{number}"), Evidence::None),
                Event::Bye if watch.avoids("/bye") => continue,
                Event::Bye => { holds = false; ("/bye".to_owned(), Evidence::None) }
                Event::Expiry => { holds = false; continue }
                Event::Check if holds => { decided.extend(watch.holds(at(number))); continue }
                Event::Check => {
                    decided.extend(watch.lost());
                    watch.logged_in(at(number));
                    holds = true;
                    continue;
                }
            };
            asked += 1;
            let what = (address.clone(), holds);
            decided.extend(watch.answered(SessionAnswer { asked_at: at(number), evidence, address, is_large: false }, what, at(number)));
        }
        decided.extend(watch.give_up());
        prop_assert_eq!(decided.len(), asked);
        for ((address, held), verdict) in decided {
            // The answer to what ends the session was the last one to the member.
            prop_assert!(verdict != Verdict::Member || held || address == "/bye", "{}", address);
            prop_assert!(verdict != Verdict::EndsSession || address == "/bye");
        }
        let avoided: Vec<&String> = watch.avoided().collect();
        prop_assert!(avoided.is_empty() || avoided == ["/bye"], "{:?}", avoided);
    }
}
