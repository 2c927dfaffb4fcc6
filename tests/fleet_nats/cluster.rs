//! Servers that die, stand still and come back.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use harvestman::fleet::bus::{Bus, BusError, Stream, WatchEvent};
use harvestman::fleet::nats::{CLUSTER_VERSION_MIN, NatsBus, NatsError, NatsOptions};
use tokio::time::timeout;

use super::server::{Servers, program, version};
use super::{PATIENCE, again_and_again, bus, next, one, options, until_up_to_date};

const STREAM: Stream = Stream::Exchange(1);
const STREAM_NAME: &str = "HM_test-crawl_1_X1";
const KEYS: &str = "KV_hm-test-crawl_1";

/// Appends until each number was acknowledged; some may be there twice.
async fn append_all(bus: &NatsBus, numbers: std::ops::Range<u32>) {
    for n in numbers {
        again_and_again(|| bus.append(STREAM, "links", Bytes::from(n.to_string()))).await;
    }
}

/// Reads until all numbers were there: in the order of the stream, each place once.
async fn read_all(
    mut reader: tokio::sync::mpsc::Receiver<harvestman::fleet::bus::Message>,
    count: u32,
) -> Vec<(u64, u32)> {
    let mut read: Vec<(u64, u32)> = Vec::new();
    let mut missing: BTreeSet<u32> = (0..count).collect();
    while !missing.is_empty() {
        let message = next(&mut reader).await;
        let number = std::str::from_utf8(&message.payload).unwrap().parse().unwrap();
        assert!(read.last().is_none_or(|(last, _)| *last < message.sequence), "out of order");
        missing.remove(&number);
        read.push((message.sequence, number));
    }
    read
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_go_on_when_servers_are_killed_and_when_they_stand_still() {
    let Some(mut servers) = Servers::three().await else { return };
    let bus = bus(servers.url()).await;
    assert_eq!(bus.open_crawl().await.unwrap().replicas, 3);
    let readers: Vec<_> = [bus.read(STREAM, "links", 1).await.unwrap(), bus.read(STREAM, ">", 0).await.unwrap()]
        .into_iter()
        .map(|reader| tokio::spawn(read_all(reader, 600)))
        .collect();
    append_all(&bus, 0..100).await;

    let leader = servers.leader(STREAM_NAME).await;
    servers.servers[leader].kill();
    append_all(&bus, 100..200).await;
    servers.servers[leader].restart().await;
    append_all(&bus, 200..300).await;

    let leader = servers.leader(STREAM_NAME).await;
    servers.servers[leader].pause();
    append_all(&bus, 300..400).await;
    servers.servers[leader].resume();
    append_all(&bus, 400..500).await;

    // Each in turn, so that the one that the reader's consumer lives on is among them.
    for server in 0..3 {
        servers.servers[server].kill();
        let n = 500 + server as u32 * 33;
        append_all(&bus, n..n + 33).await;
        servers.servers[server].restart().await;
        servers.leader(STREAM_NAME).await;
    }
    append_all(&bus, 599..600).await;

    let mut all = Vec::new();
    for reader in readers {
        all.push(timeout(PATIENCE, reader).await.expect("all comes").unwrap());
    }
    // One that begins now is given the same.
    let again = bus.read(STREAM, "links", 0).await.unwrap();
    let again = read_all(again, 600).await;
    for read in all {
        assert_eq!(read, again);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_stay_exact_while_their_leader_is_killed() {
    let Some(mut servers) = Servers::three().await else { return };
    let bus = bus(servers.url()).await;
    let mut watcher = bus.watch().await.unwrap();
    assert_eq!(until_up_to_date(&mut watcher).await, []);
    bus.create("count", Bytes::from("0")).await.unwrap();
    let counters: Vec<_> = (0..4).map(|_| tokio::spawn(count_up(bus.clone(), 50))).collect();
    let leader = servers.leader(KEYS).await;
    servers.servers[leader].kill();
    let (mut sure, mut unsure) = (0, 0);
    for counter in counters {
        let (done, perhaps) = counter.await.unwrap();
        sure += done;
        unsure += perhaps;
    }
    let counted = again_and_again(|| bus.get("count")).await.unwrap();
    let count: u64 = std::str::from_utf8(counted.value.as_deref().unwrap()).unwrap().parse().unwrap();
    assert_eq!(sure, 4 * 50);
    assert!((sure..=sure + unsure).contains(&count), "{count} of {sure} + {unsure}");
    let last = async {
        loop {
            if let WatchEvent::Key(key) = next(&mut watcher).await
                && key.revision == counted.revision
            {
                return key.value;
            }
        }
    };
    assert_eq!(timeout(PATIENCE, last).await.unwrap(), counted.value);
}

/// Counts a key up so often, by compare-and-swap: how often it surely did, and perhaps.
async fn count_up(bus: NatsBus, times: u64) -> (u64, u64) {
    let (mut sure, mut unsure) = (0, 0);
    while sure < times {
        let now = again_and_again(|| bus.get("count")).await.unwrap();
        let count: u64 = std::str::from_utf8(now.value.as_deref().unwrap()).unwrap().parse().unwrap();
        match bus.update("count", Bytes::from((count + 1).to_string()), now.revision).await {
            Ok(_) => sure += 1,
            Err(BusError::Conflict) => (),
            Err(BusError::Unreachable(_)) => unsure += 1,
            Err(error) => panic!("{error}"),
        }
    }
    (sure, unsure)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_and_a_reader_outlive_a_restart_of_the_only_server() {
    let Some((mut servers, bus)) = one().await else { return };
    let mut connected = bus.connected();
    assert!(*connected.borrow_and_update());
    bus.create("before", Bytes::from("1")).await.unwrap();
    let mut watcher = bus.watch().await.unwrap();
    until_up_to_date(&mut watcher).await;
    let mut reader = bus.read(STREAM, "links", 1).await.unwrap();
    append_all(&bus, 0..10).await;
    super::take(&mut reader, 10).await;

    servers.servers[0].kill();
    timeout(PATIENCE, connected.wait_for(|connected| !connected)).await.expect("it is noticed").unwrap();
    let unreachable = bus.append(STREAM, "links", Bytes::new()).await;
    assert!(matches!(unreachable, Err(BusError::Unreachable(_))), "{unreachable:?}");
    assert!(matches!(bus.get("before").await, Err(BusError::Unreachable(_))));
    servers.servers[0].restart().await;
    timeout(PATIENCE, connected.wait_for(|connected| *connected)).await.expect("it comes back").unwrap();

    again_and_again(|| bus.delete("before")).await;
    append_all(&bus, 10..11).await;
    let WatchEvent::Key(key) = next(&mut watcher).await else { panic!("up to date twice") };
    assert_eq!((key.key.as_str(), key.value), ("before", None));
    assert_eq!(next(&mut reader).await.payload, "10");
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_survive_a_server_and_too_many_replicas_are_refused() {
    let Some(mut servers) = Servers::three().await else { return };
    let bus = bus(servers.url()).await;
    let object = Bytes::from(vec![7; 5 << 20]);
    bus.put_object("a", object.clone()).await.unwrap();
    let five = NatsOptions { replicas: Some(5), crawl: "five".into(), ..options(servers.url()) };
    let error = NatsBus::connect(five).await.unwrap().create_crawl().await.unwrap_err();
    assert!(matches!(error, NatsError::Replicas { asked: 5, .. }), "{error}");
    let leader = servers.leader("OBJ_hm-test-crawl_1-objects").await;
    servers.servers[leader].kill();
    let read = again_and_again(|| bus.object("a")).await.unwrap();
    assert!(read == object);
    again_and_again(|| bus.put_object("b", object.clone())).await;
    again_and_again(|| bus.remove_object("a")).await;
    assert_eq!(again_and_again(|| bus.object("a")).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_most_of_the_servers_nothing_is_acknowledged() {
    let Some(mut servers) = Servers::three().await else { return };
    let bus = NatsBus::connect(NatsOptions { request_timeout: Duration::from_secs(1), ..options(servers.url()) });
    let bus = bus.await.unwrap();
    bus.create_crawl().await.unwrap();
    append_all(&bus, 0..1).await;
    servers.servers[0].kill();
    servers.servers[1].kill();
    for _ in 0..3 {
        let alone = bus.append(STREAM, "links", Bytes::from("1")).await;
        assert!(matches!(alone, Err(BusError::Unreachable(_))), "{alone:?}");
    }
    servers.servers[0].restart().await;
    append_all(&bus, 2..3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_is_too_old_is_used_without_replicas_only() {
    let Some(program) = program() else { return };
    let servers = Servers::three_of(&program).await;
    let new = version(&program) >= CLUSTER_VERSION_MIN;
    let made = NatsBus::connect(options(servers.url())).await.unwrap().create_crawl().await;
    match made {
        Ok(kept) => assert!(new && kept.replicas == 3),
        Err(error) => assert!(!new && matches!(error, NatsError::TooOldForReplicas { .. }), "{error}"),
    }
    let alone = NatsOptions { replicas: Some(1), crawl: "alone".into(), ..options(servers.url()) };
    let bus = NatsBus::connect(alone).await.unwrap();
    assert_eq!(bus.create_crawl().await.unwrap().replicas, 1);
    bus.create("k", Bytes::from("v")).await.unwrap();
    assert_eq!(bus.get("k").await.unwrap().unwrap().value.as_deref(), Some(&b"v"[..]));
}
