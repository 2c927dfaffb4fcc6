//! Keys: exact, whoever else writes.

use bytes::Bytes;
use harvestman::fleet::bus::{Bus, BusError, WatchEvent};

use super::{next, one, until_up_to_date};

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_written_only_at_the_revision_that_is_named() {
    let Some((_servers, bus)) = one().await else { return };
    assert_eq!(bus.get("session.a.1").await.unwrap(), None);
    let first = Bus::create(&bus, "session.a.1", Bytes::from("one")).await.unwrap();
    assert_eq!(bus.create("session.a.1", Bytes::from("x")).await, Err(BusError::Conflict));
    let second = bus.update("session.a.1", Bytes::from("two"), first).await.unwrap();
    assert!(second > first);
    assert_eq!(bus.update("session.a.1", Bytes::from("x"), first).await, Err(BusError::Conflict));
    let now = bus.get("session.a.1").await.unwrap().unwrap();
    assert_eq!((now.value.as_deref(), now.revision), (Some(&b"two"[..]), second));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_key_is_not_there_and_can_be_created_again() {
    let Some((_servers, bus)) = one().await else { return };
    let first = bus.create("k", Bytes::from("one")).await.unwrap();
    bus.delete("k").await.unwrap();
    assert_eq!(bus.get("k").await.unwrap(), None);
    assert_eq!(bus.update("k", Bytes::from("x"), first).await, Err(BusError::Conflict));
    let again = bus.create("k", Bytes::new()).await.unwrap();
    assert!(again > first + 1);
    assert_eq!(bus.get("k").await.unwrap().unwrap().value, Some(Bytes::new()));
    bus.delete("never-written").await.unwrap();
    assert_eq!(bus.get("never-written").await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_sixteen_that_write_at_once_one_wins() {
    let Some((_servers, bus)) = one().await else { return };
    let mut revision = 0;
    for round in 0..20 {
        let writers: Vec<_> = (0..16)
            .map(|writer| {
                let bus = bus.clone();
                let value = Bytes::from(format!("{writer}"));
                tokio::spawn(async move {
                    match round {
                        0 => bus.create("contested", value).await.map(|revision| (writer, revision)),
                        _ => bus.update("contested", value, revision).await.map(|revision| (writer, revision)),
                    }
                })
            })
            .collect();
        let mut won = Vec::new();
        for writer in writers {
            match writer.await.unwrap() {
                Ok(winner) => won.push(winner),
                Err(error) => assert_eq!(error, BusError::Conflict),
            }
        }
        assert_eq!(won.len(), 1, "round {round}: {won:?}");
        let now = bus.get("contested").await.unwrap().unwrap();
        assert_eq!((now.value, now.revision), (Some(Bytes::from(won[0].0.to_string())), won[0].1));
        revision = won[0].1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_is_told_what_there_is_and_then_what_changes() {
    let Some((_servers, bus)) = one().await else { return };
    let mut empty = bus.watch().await.unwrap();
    assert_eq!(until_up_to_date(&mut empty).await, []);
    for n in 0..100 {
        bus.create(&format!("partition.{n}"), Bytes::from("old")).await.unwrap();
    }
    let revision = bus.get("partition.7").await.unwrap().unwrap().revision;
    bus.update("partition.7", Bytes::from("new"), revision).await.unwrap();
    bus.delete("partition.8").await.unwrap();
    let mut watcher = bus.watch().await.unwrap();
    let told = until_up_to_date(&mut watcher).await;
    assert_eq!(told.len(), 100);
    assert!(told.contains(&("partition.7".into(), Some("new".into()))));
    assert!(told.contains(&("partition.8".into(), None)));
    bus.create("orders", Bytes::from("stop")).await.unwrap();
    bus.delete("orders").await.unwrap();
    let mut seen = Vec::new();
    while seen.last() != Some(&None) {
        let WatchEvent::Key(key) = next(&mut watcher).await else { panic!("up to date twice") };
        assert_eq!(key.key, "orders");
        seen.push(key.value);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_a_key_is_refused() {
    let Some((_servers, bus)) = one().await else { return };
    for bad in ["", "a b", "a..b", "*", ">", "ä"] {
        assert!(matches!(bus.get(bad).await, Err(BusError::Refused(_))), "{bad}");
        assert!(matches!(bus.create(bad, Bytes::new()).await, Err(BusError::Refused(_))), "{bad}");
    }
}
