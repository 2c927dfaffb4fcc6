//! Orders: told at one node, seen by all.

use std::time::Duration;

use harvestman::clock::Clock;
use harvestman::fleet::bus::{Bus, WatchEvent};
use harvestman::fleet::nats::NatsBus;
use harvestman::fleet::node::records::{self, ORDERS};
use harvestman::fleet::order_submission::{SubmitError, decode_orders, submit};
use harvestman::fleet::orders::{List, Order, Orders};
use tokio::time::timeout;

use super::{bus, next, one, server, until_up_to_date};

fn ban(what: String) -> Order {
    Order::Add(List::Banned, what)
}

/// What the fleet was told.
async fn told(bus: &NatsBus) -> Orders {
    decode_orders(bus.get(ORDERS).await.unwrap().as_ref()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_many_tell_at_once_all_holds_and_is_seen_within_two_seconds() {
    let Some((_servers, bus)) = one().await else { return };
    let mut watcher = bus.watch().await.unwrap();
    until_up_to_date(&mut watcher).await;
    let telling: Vec<_> = (0..6)
        .map(|number| {
            let bus = bus.clone();
            tokio::spawn(async move { submit(&bus, &Clock::system(), &ban(format!("/{number}"))).await })
        })
        .collect();
    let mut sure = Vec::new();
    for (number, answer) in telling.into_iter().enumerate() {
        match answer.await.unwrap() {
            Ok(_) => sure.push(format!("/{number}")),
            Err(error) => assert_eq!(error, SubmitError::Contended),
        }
    }
    assert!(!sure.is_empty());
    let all = told(&bus).await;
    assert!(sure.iter().all(|what| all.banned.contains(what)), "{sure:?} of {all:?}");
    let seen = timeout(Duration::from_secs(2), async {
        loop {
            let WatchEvent::Key(key) = next(&mut watcher).await else { panic!("up to date twice") };
            assert_eq!(key.key, ORDERS);
            let orders: Orders = records::read(&key.value.unwrap()).unwrap();
            if orders.number == all.number {
                return orders;
            }
        }
    });
    assert_eq!(seen.await.unwrap(), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_told_to_who_asks_later_until_the_crawl_is_opened_again() {
    let Some((_servers, bus)) = one().await else { return };
    let clock = Clock::system();
    assert_eq!(told(&bus).await, Orders::default());
    assert!(submit(&bus, &clock, &Order::Stop).await.unwrap().stopped);
    assert!(told(&bus).await.stopped);
    assert!(!submit(&bus, &clock, &Order::Reopen).await.unwrap().stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_told_where_the_servers_are_away() {
    let Some(mut servers) = server::Servers::one("").await else { return };
    let bus = bus(servers.url()).await;
    servers.servers[0].kill();
    let answer = submit(&bus, &Clock::system(), &Order::Pause).await;
    assert!(matches!(answer, Err(SubmitError::Unavailable(_))), "{answer:?}");
    assert!(answer.unwrap_err().to_string().contains("nothing was changed"));
}
