use proptest::prelude::*;

use super::*;
use crate::node::records::{read, written};

fn session(number: usize) -> SessionId {
    SessionId(format!("n{number}.1"))
}

/// Sessions that spend what they may, over one key; each step is one compare-and-swap.
struct World {
    limits: Limits,
    budget: Budget,
    /// For each live session: its allowance and its spending.
    live: BTreeMap<SessionId, (Amounts, Amounts)>,
    /// The amounts spent by sessions that left or died, and what was lost with them.
    spent: Amounts,
    lost: Amounts,
}

impl World {
    fn said(&self, session: &SessionId, rate: u64, lacks: bool) -> BudgetUsage {
        let (allowed, spent) = self.live[session];
        let lacks = BudgetKind::ALL.into_iter().filter(|kind| lacks && spent.of(*kind) >= allowed.of(*kind)).collect();
        let least = Amounts { pages: 4, requests: 8, bytes: 100 };
        BudgetUsage { allowed, spent, rate: Amounts { pages: rate, requests: rate, bytes: rate }, least, lacks }
    }

    /// Returns the surplus, then draws.
    fn look(&mut self, session: &SessionId, rate: u64, lacks: bool) {
        let said = self.said(session, rate, lacks);
        let keeps = self.budget.retainable(session, &self.limits, &said);
        let held = said.allowed.each(|kind, allowed| keeps.of(kind).clamp(said.spent.of(kind).min(allowed), allowed));
        let said = BudgetUsage { allowed: held, ..said };
        self.budget = self.budget.with_draw(session, held, &self.limits, &said, self.live.len() as u64);
        self.live.insert(session.clone(), (self.budget.granted(session), said.spent));
    }

    fn spend(&mut self, session: &SessionId, wanted: u64) {
        let Some((allowed, spent)) = self.live.get_mut(session) else { return };
        *spent = spent.each(|kind, spent| spent + wanted.min(allowed.of(kind) - spent));
    }

    fn total(&self) -> Amounts {
        self.live.values().map(|(_, spent)| *spent).fold(self.spent, Amounts::plus)
    }

    /// The same value computed without the key: the grants of live sessions, and what is known of the others.
    fn naive_left(&self, kind: BudgetKind) -> u64 {
        let held: u64 = self.live.values().map(|(allowed, _)| allowed.of(kind)).sum();
        self.limits.of(kind).unwrap() - held - self.spent.of(kind) - self.lost.of(kind)
    }
}

proptest! {
    #[test]
    fn nothing_is_overshot_and_all_that_is_given_back_is_used(
        limit in (0_u64..200, 0_u64..300, 0_u64..5_000),
        steps in prop::collection::vec((0_usize..4, 0_u8..12, 0_u64..40), 1..200),
    ) {
        let limits = Limits { pages: Some(limit.0), requests: Some(limit.1), bytes: Some(limit.2), time: None };
        let live: BTreeMap<_, _> = (0..4).map(|number| (session(number), Default::default())).collect();
        let mut world = World { limits, budget: Budget::default(), live, spent: Amounts::default(), lost: Amounts::default() };
        for (number, what, much) in steps {
            let session = session(number);
            if !world.live.contains_key(&session) {
                continue;
            }
            match what {
                0..5 => world.look(&session, much / 4, much % 2 == 0),
                5..10 => world.spend(&session, much),
                10 if world.live.len() > 1 => {
                    let (_, spent) = world.live.remove(&session).unwrap();
                    world.budget = world.budget.with_settlement(&session, spent);
                    world.spent = world.spent.plus(spent);
                }
                11 if world.live.len() > 1 => {
                    let (allowed, spent) = world.live.remove(&session).unwrap();
                    world.budget = world.budget.with_dead(&session);
                    world.spent = world.spent.plus(spent);
                    world.lost = world.lost.plus(allowed.each(|kind, allowed| allowed - spent.of(kind)));
                }
                _ => {}
            }
            for kind in BudgetKind::ALL {
                prop_assert!(world.total().of(kind) <= limits.of(kind).unwrap());
                prop_assert_eq!(world.budget.left(kind, &limits).unwrap(), world.naive_left(kind));
            }
        }
        // From here on only one session spends; the others only poll from time to time.
        let greedy = world.live.keys().next().unwrap().clone();
        let names: Vec<SessionId> = world.live.keys().cloned().collect();
        for _ in 0..300 {
            world.spend(&greedy, 1_000);
            names.iter().for_each(|name| world.look(name, 0, *name == greedy));
        }
        world.spend(&greedy, 10_000);
        for kind in BudgetKind::ALL {
            prop_assert_eq!(world.total().of(kind) + world.lost.of(kind), limits.of(kind).unwrap());
        }
        prop_assert_eq!(read::<Budget>(&written(&world.budget)), Ok(world.budget));
    }
}

#[test]
fn a_slice_is_what_some_seconds_need_but_no_more_than_a_part_of_what_is_left() {
    let limits = Limits { pages: Some(1_000), ..Limits::default() };
    let said =
        |rate: u64| BudgetUsage { rate: Amounts { pages: rate, ..Amounts::default() }, ..BudgetUsage::default() };
    let (none, me) = (Budget::default(), session(0));
    assert_eq!(none.with_draw(&me, Amounts::default(), &limits, &said(20), 3).granted(&me).pages, 100);
    assert_eq!(none.with_draw(&me, Amounts::default(), &limits, &said(90), 3).granted(&me).pages, 334);
    // A kind without a limit is not counted.
    assert_eq!(none.with_draw(&me, Amounts::default(), &limits, &said(90), 3).granted(&me).requests, 0);
    let held = Amounts { pages: 60, ..Amounts::default() };
    let has = BudgetUsage { allowed: held, ..said(20) };
    assert_eq!(none.with_draw(&me, held, &limits, &has, 3).granted(&me).pages, 60, "it has enough");
}

#[test]
fn whoever_gets_nothing_is_hungry_and_others_give_back_what_they_do_not_use() {
    let limits = Limits { requests: Some(10), ..Limits::default() };
    let (me, other) = (session(0), session(1));
    let ten = Amounts { requests: 10, ..Amounts::default() };
    let least = ten;
    let budget = Budget::default().with_draw(
        &me,
        Amounts::default(),
        &limits,
        &BudgetUsage { least, ..BudgetUsage::default() },
        1,
    );
    assert_eq!(budget.granted(&me), ten);
    let lacks = BudgetUsage { lacks: [BudgetKind::Requests].into(), ..BudgetUsage::default() };
    let budget = budget.with_draw(&other, Amounts::default(), &limits, &lacks, 2);
    assert!(budget.shares[&other].hungry.contains(&BudgetKind::Requests));
    let said = |rate: u64| BudgetUsage {
        allowed: ten,
        spent: Amounts { requests: 4, ..Amounts::default() },
        rate: Amounts { requests: rate, ..Amounts::default() },
        ..BudgetUsage::default()
    };
    assert_eq!(budget.retainable(&me, &limits, &said(0)).requests, 4);
    assert_eq!(budget.retainable(&me, &limits, &said(1)).requests, 7);
    assert_eq!(budget.retainable(&other, &limits, &said(0)).requests, 10, "nobody else lacks any");
}

#[test]
fn it_is_used_up_when_all_that_may_be_spent_is_spent_or_the_time_is_over() {
    let limits = Limits { pages: Some(10), time: Some(Duration::from_secs(60)), ..Limits::default() };
    let began = Instant::from_micros(1_000_000);
    let mut budget = Budget::beginning(began);
    budget.settled.pages = 4;
    budget.shares.insert(session(0), BudgetGrant::default());
    let spent = |pages: u64| move |_: &SessionId| Amounts { pages, ..Amounts::default() };
    assert_eq!(budget.used_up(&limits, began, spent(5)), None);
    assert_eq!(budget.used_up(&limits, began, spent(6)), Some(ExhaustedBudget::Of(BudgetKind::Pages)));
    assert_eq!(budget.used_up(&limits, began + Duration::from_secs(60), spent(5)), Some(ExhaustedBudget::Time));
    assert_eq!(budget.used_up(&Limits::default(), began + Duration::from_secs(60), spent(9)), None);
}

#[test]
fn bytes_that_were_under_way_are_booked_though_they_were_not_granted() {
    let limits = Limits { bytes: Some(100), ..Limits::default() };
    let me = session(0);
    let bytes = |bytes: u64| Amounts { bytes, ..Amounts::default() };
    let said = BudgetUsage { allowed: bytes(40), spent: bytes(130), ..BudgetUsage::default() };
    let budget = Budget::default().with_draw(&me, bytes(40), &limits, &said, 1);
    assert_eq!((budget.granted(&me).bytes, budget.left(BudgetKind::Bytes, &limits)), (130, Some(0)));
}
