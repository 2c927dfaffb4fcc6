//! Orders over an unreliable bus: an acknowledged order is in effect.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use super::model::Model;
use super::node_bus::NodeBus;
use super::trace::Trace;
use crate::bus::Bus;
use crate::node::records::ORDERS;
use crate::order_submission::{SubmitError, decode_orders, submit};
use crate::orders::{List, Order, Orders};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::seed::Seed;

fn bus(seed: u64, is_calm: bool) -> (Arc<Model>, Clock) {
    let clock = Clock::starting_at(Instant::EPOCH + Duration::from_secs(100_000));
    let trace = Arc::new(Trace::new(false));
    (Arc::new(Model::new(clock.clone(), trace, Seed(seed), is_calm)), clock)
}

fn reach(model: &Arc<Model>, node: &str) -> NodeBus {
    NodeBus { model: Arc::clone(model), node: node.to_owned(), mutation: None }
}

async fn submit_all(model: Arc<Model>, clock: Clock, node: u32) -> Vec<(String, Result<Orders, SubmitError>)> {
    let bus = reach(&model, &format!("n{node}"));
    let mut answers = Vec::new();
    for turn in 0..6 {
        let what = format!("/{node}/{turn}");
        answers.push((what.clone(), submit(&bus, &clock, &Order::Add(List::Banned, what)).await));
    }
    answers
}

#[tokio::test(start_paused = true)]
async fn what_is_answered_holds_and_what_is_refused_does_not() {
    let (mut sure, mut not) = (0, 0);
    for seed in 0..30 {
        let (model, clock) = bus(seed, false);
        model.act(|state, now| state.cut.insert("n1".to_owned(), now + Duration::from_secs(20)));
        let mut tasks = JoinSet::new();
        (0..4).for_each(|node| drop(tasks.spawn(submit_all(Arc::clone(&model), clock.clone(), node))));
        let answers: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
        let (calm, _) = bus(seed, true);
        calm.act(|state, _| state.keys = model.act(|state, _| state.keys.clone()));
        let held = reach(&calm, "n9").get(ORDERS).await.unwrap();
        let held = decode_orders(held.as_ref()).unwrap().banned;
        let mut unsure = BTreeSet::new();
        for (what, answer) in answers {
            match answer {
                Ok(orders) => {
                    sure += 1;
                    assert!(orders.banned.contains(&what) && held.contains(&what), "seed {seed}: {what}");
                }
                Err(SubmitError::OutcomeUnknown(_)) => drop(unsure.insert(what)),
                Err(why) => {
                    not += 1;
                    assert!(!held.contains(&what), "seed {seed}: {what} holds, though {why}");
                }
            }
        }
    }
    assert!(sure > 100 && not > 20, "{sure} in effect, {not} not");
}

#[tokio::test(start_paused = true)]
async fn what_is_taken_back_is_gone_though_no_answer_came() {
    for seed in 0..40 {
        let (model, clock) = bus(seed, false);
        let bus = reach(&model, "n0");
        let (add, remove) = (Order::Add(List::Pinned, "/a".to_owned()), Order::Remove(List::Pinned, "/a".to_owned()));
        if submit(&bus, &clock, &add).await.is_ok() {
            let answer = submit(&bus, &clock, &remove).await;
            assert!(matches!(&answer, Ok(orders) if orders.pinned.is_empty()) || answer.is_err(), "{answer:?}");
            assert!(!matches!(answer, Err(SubmitError::Refused(_))), "seed {seed}: {answer:?}");
        }
    }
}
