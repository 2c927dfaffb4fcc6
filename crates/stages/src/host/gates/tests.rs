//! Worked cases, and random sequences of events compared with a reference model that stores all requests.

use proptest::prelude::*;

use super::*;

const GROUP: GateId = GateId::Group(HostGroup(0));
const ADDRESS: GateId = GateId::Address(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

fn terms(group: u32, address: (u64, u32)) -> GateTerms {
    GateTerms {
        group: Terms { delay: Duration::ZERO, at_once: group },
        address: Terms { delay: millis(address.0), at_once: address.1 },
    }
}

fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Instant {
    Instant::EPOCH + millis(1_000_000 + n)
}

fn host(n: usize) -> HostKey {
    HostKey::from_origin(&format!("http://h{n}.test"))
}

fn groups() -> HostGroups {
    HostGroups::new(&["*.test".to_owned()]).unwrap()
}

fn answered(n: u64, delay: u64) -> Return {
    Return { delay: millis(delay), answered: Some(at(n)), pause: None }
}

/// Returns the hosts that are admitted by now, at any gate.
fn let_in(gates: &mut Gates, now: u64) -> Vec<HostKey> {
    std::iter::from_fn(|| gates.admit_next(at(now))).map(|(_, host)| host).collect()
}

#[test]
fn without_a_delay_a_full_gate_admits_hosts_in_order_of_asking() {
    let mut gates = Gates::new(terms(1, (0, 2)));
    let mut enter = |n| gates.enter(ADDRESS, &host(n), millis(50), at(0));
    assert!(enter(0) && enter(1) && !enter(2) && !enter(3));
    gates.leave(ADDRESS, &host(0), answered(0, 50), at(1));
    assert_eq!(let_in(&mut gates, 1), [host(2)]);
    gates.leave(ADDRESS, &host(1), Return::default(), at(1));
    assert_eq!(let_in(&mut gates, 1), [host(3)]);
    assert_eq!(gates.next_due(), None);
    gates.leave(ADDRESS, &host(2), answered(2, 50), at(2));
    gates.leave(ADDRESS, &host(3), answered(2, 50), at(2));
    assert!(gates.gates.is_empty(), "unused gates are removed");
}

#[test]
fn the_delay_of_a_group_is_the_longest_of_its_hosts_in_use() {
    let mut gates = Gates::new(terms(4, (0, 4)));
    assert!(gates.enter(GROUP, &host(0), millis(100), at(0)));
    assert!(!gates.enter(GROUP, &host(1), millis(500), at(1)), "one at a time where there is a delay");
    gates.leave(GROUP, &host(0), answered(10, 100), at(60));
    assert_eq!(gates.next_due(), Some(at(510)), "the delay of the host that waits counts too");
    assert!(let_in(&mut gates, 509).is_empty());
    assert_eq!(let_in(&mut gates, 510), [host(1)]);
    gates.leave(GROUP, &host(1), answered(600, 700), at(610));
    gates.asleep(HostGroup(0), &host(1));
    assert!(!gates.enter(GROUP, &host(0), millis(100), at(650)));
    assert_eq!(gates.next_due(), Some(at(700)), "the delay of a sleeping host no longer counts, its responses do");
    gates.change_delay(HostGroup(0), &host(1), millis(700));
    assert_eq!(gates.next_due(), Some(at(1_300)));
}

#[test]
fn a_host_with_nothing_to_send_makes_way_for_the_next_one_at_once() {
    let mut gates = Gates::new(terms(1, (100, 4)));
    assert!(gates.enter(ADDRESS, &host(0), Duration::ZERO, at(0)));
    for n in 1..4 {
        assert!(!gates.enter(ADDRESS, &host(n), Duration::ZERO, at(1)));
    }
    gates.leave(ADDRESS, &host(0), answered(5, 0), at(5));
    assert_eq!(let_in(&mut gates, 105), [host(1)]);
    gates.leave(ADDRESS, &host(1), Return::default(), at(106));
    assert_eq!(let_in(&mut gates, 106), [host(2)]);
    gates.leave(ADDRESS, &host(2), answered(110, 0), at(110));
    assert_eq!(gates.next_due(), Some(at(210)));
    gates.forget(&[host(3)].into(), &groups());
    assert_eq!(gates.next_due(), None, "removed hosts are not waited for");
}

#[test]
fn a_pause_that_a_server_asks_for_applies_to_its_group_and_not_to_its_address() {
    let mut gates = Gates::new(terms(4, (0, 1)));
    let refused = Return { pause: Some(at(5_000)), ..answered(10, 0) };
    for gate in [GROUP, ADDRESS] {
        assert!(gates.enter(gate, &host(0), Duration::ZERO, at(0)));
        gates.leave(gate, &host(0), refused, at(20));
    }
    assert!(gates.enter(ADDRESS, &host(1), Duration::ZERO, at(30)));
    assert!(!gates.enter(GROUP, &host(1), Duration::ZERO, at(30)));
    assert!(gates.paused(ADDRESS, at(30)).is_none());
    let (until, waiting) = gates.paused(GROUP, at(30)).unwrap();
    assert_eq!((until, waiting.collect::<Vec<_>>()), (at(5_000), vec![&host(1)]));
    assert_eq!(gates.opens(GROUP), Some(at(5_000)));
    assert_eq!(let_in(&mut gates, 5_000), [host(1)]);
}

#[test]
fn a_group_is_unknown_once_and_again_after_its_hosts_moved_away() {
    let mut gates = Gates::new(terms(1, (0, 1)));
    assert!(gates.mark_known(HostGroup(0)) && !gates.mark_known(HostGroup(0)));
    gates.pause_group(HostGroup(0), at(300));
    assert!(!gates.enter(GROUP, &host(0), Duration::ZERO, at(0)));
    assert_eq!(let_in(&mut gates, 300), [host(0)]);
    gates.forget(&[host(7)].into(), &groups());
    assert!(gates.mark_known(HostGroup(0)));
}

#[test]
fn unused_address_gates_are_removed_except_during_a_delay() {
    let mut gates = Gates::new(terms(1, (100, 4)));
    let address = |n: u16| GateId::Address(IpAddr::from([10, 0, (n >> 8) as u8, n as u8]));
    for n in 0..1_000 {
        let now = u64::from(n) * 10;
        assert!(gates.enter(address(n), &host(0), Duration::ZERO, at(now)));
        gates.leave(address(n), &host(0), answered(now, 0), at(now));
        assert!(gates.gates.len() <= SWEPT_LEAST);
        assert!(!gates.enter(address(n), &host(1), Duration::ZERO, at(now)), "the delay is respected");
        gates.forget(&[host(1)].into(), &groups());
    }
}

/// A request in the reference model, or an admission without a request.
#[derive(Debug, Clone, Copy)]
struct Visit {
    host: usize,
    over: bool,
    answered: Option<u64>,
}

/// A reference model of one gate that stores everything that ever happened there.
#[derive(Debug, Default)]
struct Model {
    visits: Vec<Visit>,
    pauses: Vec<u64>,
    queue: Vec<usize>,
    delays: HashMap<usize, u64>,
}

impl Model {
    fn opens(&self, own_delay: u64, at_once: u32) -> Option<u64> {
        let delay = self.delays.values().copied().chain([own_delay]).max().unwrap();
        let under_way = self.visits.iter().filter(|visit| !visit.over).count();
        let full = if delay == 0 { under_way >= at_once as usize } else { under_way > 0 };
        let spaced = self.visits.iter().filter_map(|visit| visit.answered).map(|answered| answered + delay);
        (!full).then(|| spaced.chain(self.pauses.iter().copied()).max().unwrap_or(0))
    }

    fn begin(&mut self, host: usize) {
        self.visits.push(Visit { host, over: false, answered: None });
    }
}

#[derive(Debug, Clone)]
enum Event {
    Ask { host: usize, delay: u64 },
    Return { nth: usize, answered: Option<u64>, pause: u64, delay: u64 },
    Pass(u64),
    Sleep(usize),
    Forget(usize),
    Change { at_once: u32, delay: u64 },
}

fn event() -> impl Strategy<Value = Event> {
    let delay = || prop_oneof![Just(0_u64), Just(0), 1_u64..60];
    prop_oneof![
        4 => (0_usize..6, delay()).prop_map(|(host, delay)| Event::Ask { host, delay }),
        4 => (0_usize..6, prop::option::of(0_u64..20), prop_oneof![9 => Just(0_u64), 1 => 1_u64..90], delay())
            .prop_map(|(nth, answered, pause, delay)| Event::Return { nth, answered, pause, delay }),
        4 => (1_u64..40).prop_map(Event::Pass),
        1 => (0_usize..6).prop_map(Event::Sleep),
        1 => (0_usize..6).prop_map(Event::Forget),
        1 => (1_u32..4, delay()).prop_map(|(at_once, delay)| Event::Change { at_once, delay }),
    ]
}

/// Plays events at one gate and its reference model. Returns the number of admissions.
fn play(id: GateId, events: &[Event]) -> usize {
    let grouped = matches!(id, GateId::Group(_));
    let both = |at_once, delay| terms(at_once, (delay, at_once));
    let (mut gates, mut model) = (Gates::new(both(2, 0)), Model::default());
    let (mut now, mut own, mut at_once) = (0, 0, 2);
    for event in events {
        match *event {
            Event::Pass(by) => now += by,
            Event::Ask { host: n, delay } => {
                let here = model.queue.contains(&n) || model.visits.iter().any(|visit| visit.host == n && !visit.over);
                if here {
                    continue;
                }
                if grouped {
                    model.delays.insert(n, delay);
                }
                let open = model.queue.is_empty() && model.opens(own, at_once).is_some_and(|opens| opens <= now);
                assert_eq!(gates.enter(id, &host(n), millis(delay), at(now)), open, "{event:?} at {now}");
                if open { model.begin(n) } else { model.queue.push(n) }
            }
            Event::Return { nth, answered, pause, delay } => {
                let under_way: Vec<usize> = (0..model.visits.len()).filter(|n| !model.visits[*n].over).collect();
                let Some(visit) = under_way.get(nth % under_way.len().max(1)) else { continue };
                let visit = &mut model.visits[*visit];
                // The first byte came some time before the end.
                let answered = answered.map(|before| now.saturating_sub(before));
                (visit.over, visit.answered) = (true, answered);
                let by = Return { delay: millis(delay), answered: answered.map(at), pause: Some(at(now + pause)) };
                if grouped {
                    model.delays.insert(visit.host, delay);
                    model.pauses.push(now + pause);
                }
                gates.leave(id, &host(visit.host), by, at(now));
            }
            Event::Sleep(n) => {
                if !model.queue.contains(&n) {
                    model.delays.remove(&n);
                    gates.asleep(HostGroup(0), &host(n));
                }
            }
            Event::Forget(n) => {
                model.queue.retain(|waiting| *waiting != n);
                model.delays.remove(&n);
                gates.forget(&[host(n)].into(), &groups());
            }
            Event::Change { at_once: new, delay } => {
                (at_once, own) = (new, if grouped { 0 } else { delay });
                gates.change(both(at_once, delay));
            }
        }
        let mut expected = Vec::new();
        while !model.queue.is_empty() && model.opens(own, at_once).is_some_and(|opens| opens <= now) {
            let next = model.queue.remove(0);
            model.begin(next);
            expected.push(host(next));
        }
        assert_eq!(let_in(&mut gates, now), expected, "{event:?} at {now}");
        let due = model.opens(own, at_once).filter(|_| !model.queue.is_empty());
        assert_eq!(gates.next_due(), due.map(at), "{event:?} at {now}");
    }
    model.visits.len()
}

proptest! {
    #[test]
    fn a_gate_agrees_with_the_reference_model(events in prop::collection::vec(event(), 1..120)) {
        play(GROUP, &events);
        play(ADDRESS, &events);
    }

    /// A waiting host is admitted after those that asked before it and no others, however often these ask again.
    #[test]
    fn no_host_is_passed_over(hosts in 2_usize..8, delay in 0_u64..30, rounds in 1_usize..6) {
        let mut gates = Gates::new(terms(1, (delay, 1)));
        let mut now = 0;
        let mut order = Vec::new();
        prop_assert!(gates.enter(ADDRESS, &host(0), Duration::ZERO, at(now)));
        for n in 1..hosts {
            gates.enter(ADDRESS, &host(n), Duration::ZERO, at(now));
        }
        let mut inside = host(0);
        for _ in 0..hosts * rounds {
            order.push(inside.clone());
            gates.leave(ADDRESS, &inside, answered(now, 0), at(now));
            gates.enter(ADDRESS, &inside, Duration::ZERO, at(now));
            now += delay;
            inside = let_in(&mut gates, now).pop().unwrap();
        }
        let expected: Vec<HostKey> = (0..rounds).flat_map(|_| (0..hosts).map(host)).collect();
        prop_assert_eq!(order, expected);
    }
}
