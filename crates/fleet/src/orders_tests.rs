use proptest::prelude::*;

use super::*;
use crate::node::records::{read, written};

fn add(list: List, what: &str) -> Order {
    Order::Add(list, what.to_owned())
}

fn remove(list: List, what: &str) -> Order {
    Order::Remove(list, what.to_owned())
}

fn set(settings: &[(&str, &str)]) -> Order {
    Order::Set(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
}

/// A node that obeys one order after the other.
#[derive(Debug, Default, PartialEq)]
struct Naive {
    paused: bool,
    stopped: bool,
    set: BTreeMap<String, String>,
    lists: BTreeMap<List, Vec<String>>,
}

impl Naive {
    fn obey(&mut self, order: &Order) {
        match order {
            Order::Pause => self.paused = true,
            Order::Resume => self.paused = false,
            Order::Stop => self.stopped = true,
            Order::Reopen => self.stopped = false,
            Order::Set(settings) => settings.iter().for_each(|(name, value)| {
                self.set.insert(name.clone(), value.clone());
            }),
            Order::Add(list, what) => {
                let list = self.lists.entry(*list).or_default();
                list.retain(|other| other != what);
                list.push(what.clone());
                list.sort_unstable();
            }
            Order::Remove(list, what) => self.lists.entry(*list).or_default().retain(|other| other != what),
        }
        self.lists.retain(|_, list| !list.is_empty());
    }
}

fn order() -> impl Strategy<Value = Order> {
    let list = prop::sample::select(List::ALL.to_vec());
    let what = prop::sample::select(vec!["/a", "/b*", "c.test"]);
    let setting = (prop::sample::select(vec!["host.delay", "budget.pages", "host.retries"]), 0_u8..3);
    prop_oneof![
        Just(Order::Pause),
        Just(Order::Resume),
        Just(Order::Stop),
        Just(Order::Reopen),
        prop::collection::vec(setting, 1..3).prop_map(|settings| {
            Order::Set(settings.into_iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect())
        }),
        (list.clone(), what.clone()).prop_map(|(list, what)| add(list, what)),
        (list, what).prop_map(|(list, what)| remove(list, what)),
    ]
}

proptest! {
    #[test]
    fn who_sees_only_some_states_ends_like_one_who_did_all_that_was_said(orders in prop::collection::vec((order(), any::<bool>()), 0..40)) {
        let (mut state, mut seen) = (Orders::default(), Orders::default());
        let (mut always, mut sometimes) = (Naive::default(), Naive::default());
        for (order, looks) in &orders {
            if let Ok(Some(new)) = state.with(order) {
                prop_assert_eq!(new.number, state.number + 1);
                state = new;
                always.obey(order);
            }
            if *looks {
                let seen = std::mem::replace(&mut seen, state.clone());
                state.since(&seen).iter().for_each(|order| sometimes.obey(order));
                prop_assert_eq!(&always, &sometimes);
            }
        }
        let mut joins = Naive::default();
        state.since(&Orders::default()).iter().for_each(|order| joins.obey(order));
        prop_assert_eq!(&always, &joins);
        prop_assert!(state.since(&state).is_empty());
        prop_assert_eq!(read::<Orders>(&written(&state)), Ok(state));
    }
}

#[test]
fn what_is_so_already_changes_nothing_and_what_is_not_there_cannot_be_taken_back() {
    let none = Orders::default();
    assert_eq!(none.with(&Order::Resume), Ok(None));
    let banned = none.with(&add(List::Banned, "/tag/*")).unwrap().unwrap();
    assert_eq!(banned.with(&add(List::Banned, "/tag/*")), Ok(None));
    let refused = banned.with(&remove(List::Banned, "/x")).unwrap_err();
    assert_eq!(refused.to_string(), "`/x` is not banned; entries: /tag/*");
    assert!(none.with(&remove(List::Pinned, "/x")).unwrap_err().to_string().ends_with("the list is empty"));
}

#[test]
fn settings_come_together_and_what_is_taken_back_comes_first() {
    let before = Orders::default().with(&add(List::Blocked, "a.test")).unwrap().unwrap();
    let after = before.with(&set(&[("host.delay", "1s"), ("host.delay_max", "9s")])).unwrap().unwrap();
    let after = after.with(&remove(List::Blocked, "a.test")).unwrap().unwrap();
    let after = after.with(&add(List::Blocked, "b.test")).unwrap().unwrap();
    let settings = set(&[("host.delay", "1s"), ("host.delay_max", "9s")]);
    assert_eq!(after.since(&before), [remove(List::Blocked, "a.test"), add(List::Blocked, "b.test"), settings]);
}

#[test]
fn a_list_and_the_whole_have_a_bound() {
    let mut orders = Orders::default();
    for number in 0..LIST_MAX {
        orders = orders.with(&add(List::Banned, &format!("/{number}"))).unwrap().unwrap();
    }
    assert_eq!(orders.with(&add(List::Banned, "/more")), Err(OrderRefusal::ListFull(List::Banned)));
    // An entry that is in the list already does not count against the limit.
    assert_eq!(orders.with(&add(List::Banned, "/0")), Ok(None));
    let long = "x".repeat(BYTES_MAX);
    assert_eq!(orders.with(&add(List::Pinned, &long)), Err(OrderRefusal::Full));
    assert!(OrderRefusal::Full.to_string().contains("remove some entries"));
}

#[test]
fn a_state_of_another_version_is_read_as_far_as_it_is_known() {
    let orders: Orders = read(br#"{"number":3,"paused":true,"later":7}"#).unwrap();
    assert_eq!(orders, Orders { number: 3, paused: true, ..Orders::default() });
}
