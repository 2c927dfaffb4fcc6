//! Streams: in order, each once, refusing what does not fit.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use harvestman::fleet::bus::{Bus, BusError, MESSAGE_MAX, Stream};
use harvestman::fleet::nats::{NatsBus, NatsError, NatsOptions, TrafficKind};

use super::server::Servers;
use super::{next, one, options, take};

const LOG: Stream = Stream::Log(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_subject_is_read_in_order_from_a_number_on() {
    let Some((_servers, bus)) = one().await else { return };
    let mut written = Vec::new();
    for n in 0..200 {
        let sequence = bus.append(LOG, "a.1", Bytes::from(n.to_string())).await.unwrap();
        bus.append(LOG, "b.1", Bytes::from("another's")).await.unwrap();
        written.push((sequence, n.to_string()));
    }
    let mut all = bus.read(LOG, "a.1", 0).await.unwrap();
    assert_eq!(take(&mut all, 200).await, written);
    let mut later = bus.read(LOG, "a.1", written[150].0).await.unwrap();
    assert_eq!(take(&mut later, 50).await, written[150..]);
    let sequence = bus.append(LOG, "a.1", Bytes::from("new")).await.unwrap();
    for reader in [&mut all, &mut later] {
        assert_eq!(take(reader, 1).await, [(sequence, "new".to_owned())]);
    }
    assert_eq!(bus.last(LOG, "a.1").await.unwrap(), sequence);
    assert_eq!(bus.last(LOG, "c.1").await.unwrap(), 0);
    assert_eq!(bus.last(Stream::Log(0), "a.1").await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_messages_wait_for_a_slow_reader() {
    let Some((_servers, bus)) = one().await else { return };
    let payload = |n: u8| Bytes::from(vec![n; MESSAGE_MAX]);
    let mut reader = bus.read(Stream::Exchange(0), "links", 1).await.unwrap();
    for n in 0..100 {
        bus.append(Stream::Exchange(0), "links", payload(n)).await.unwrap();
    }
    for n in 0..100 {
        let message = next(&mut reader).await;
        assert_eq!(message.sequence, u64::from(n) + 1);
        assert!(message.payload == payload(n));
    }
    let counts = bus.traffic().of(TrafficKind::Exchange);
    assert_eq!(counts.published.load(Ordering::Relaxed), 100);
    assert!(counts.published_bytes.load(Ordering::Relaxed) >= 100 * MESSAGE_MAX as u64);
    assert!(counts.received.load(Ordering::Relaxed) >= 200);
    assert!(counts.received_bytes.load(Ordering::Relaxed) >= 100 * MESSAGE_MAX as u64);
    assert_eq!(bus.traffic().of(TrafficKind::Observations).published.load(Ordering::Relaxed), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_trimmed_of_a_subject_is_gone_and_nothing_else() {
    let Some((_servers, bus)) = one().await else { return };
    let mut numbers = Vec::new();
    for n in 0..20 {
        numbers.push(bus.append(LOG, "a.1", Bytes::from(n.to_string())).await.unwrap());
        bus.append(LOG, "b.1", Bytes::from(n.to_string())).await.unwrap();
    }
    bus.trim(LOG, "a.1", 0).await.unwrap();
    bus.trim(LOG, "a.1", numbers[0]).await.unwrap();
    let mut whole = bus.read(LOG, "a.1", 1).await.unwrap();
    assert_eq!(take(&mut whole, 20).await[0], (numbers[0], "0".to_owned()));
    bus.trim(LOG, "a.1", numbers[15]).await.unwrap();
    let mut rest = bus.read(LOG, "a.1", 1).await.unwrap();
    assert_eq!(take(&mut rest, 5).await[0], (numbers[15], "15".to_owned()));
    let mut other = bus.read(LOG, "b.1", 1).await.unwrap();
    assert_eq!(take(&mut other, 20).await[0].1, "0");
    bus.trim(LOG, "a.1", u64::from(u32::MAX)).await.unwrap();
    assert_eq!(bus.last(LOG, "a.1").await.unwrap(), 0);
    assert_ne!(bus.last(LOG, "b.1").await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_stream_refuses_and_loses_nothing() {
    let Some(servers) = Servers::one("").await else { return };
    let bus = NatsBus::connect(NatsOptions { stream_bytes_max: 1 << 20, ..options(servers.url()) }).await.unwrap();
    bus.create_crawl().await.unwrap();
    let stream = Stream::Observations;
    let payload = Bytes::from(vec![7; 100_000]);
    let mut written = 0;
    let full = loop {
        match bus.append(stream, "o", payload.clone()).await {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 11, "more than fits");
    };
    assert!(matches!(full, BusError::Full(_)), "{full}");
    assert!(written >= 9, "{written}");
    let mut reader = bus.read(stream, "o", 1).await.unwrap();
    for sequence in 1..=written {
        assert_eq!(next(&mut reader).await.sequence, sequence);
    }
    bus.trim(stream, "o", written).await.unwrap();
    bus.append(stream, "o", payload).await.unwrap();
    bus.create("k", Bytes::from("keys have their own room")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_long_or_has_no_subject_is_refused() {
    let Some((_servers, bus)) = one().await else { return };
    bus.append(LOG, "a", Bytes::from(vec![0; MESSAGE_MAX])).await.unwrap();
    for (subject, size) in [("a", MESSAGE_MAX + 1), ("", 1), ("a.*", 1), ("a b", 1)] {
        let refused = bus.append(LOG, subject, Bytes::from(vec![0; size])).await;
        assert!(matches!(refused, Err(BusError::Refused(_))), "{subject}: {refused:?}");
    }
    let missing = Stream::Exchange(99);
    assert!(matches!(bus.append(missing, "a", Bytes::new()).await, Err(BusError::Refused(_))));
    assert!(matches!(bus.read(missing, "a", 1).await, Err(BusError::Refused(_))));
    assert!(matches!(bus.last(missing, "a").await, Err(BusError::Refused(_))));
    assert!(matches!(bus.trim(missing, "a", 2).await, Err(BusError::Refused(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_created_once_found_and_removed() {
    let Some(servers) = Servers::one("").await else { return };
    let bus = NatsBus::connect(options(servers.url())).await.unwrap();
    assert_eq!(bus.open_crawl().await, Err(NatsError::NoSuchCrawl("test-crawl_1".into())));
    assert_eq!(bus.remove_crawl().await, Err(NatsError::NoSuchCrawl("test-crawl_1".into())));
    let (one, two) = tokio::join!(bus.create_crawl(), bus.create_crawl());
    let kept = one.unwrap();
    assert_eq!(Ok(kept), two);
    assert_eq!((kept.shards, kept.log_shards, kept.replicas), (2, 2, 1));
    let other = NatsBus::connect(NatsOptions { crawl: "test".into(), ..options(servers.url()) }).await.unwrap();
    other.create_crawl().await.unwrap();
    bus.append(LOG, "a", Bytes::from("kept")).await.unwrap();
    let mut reader = bus.read(LOG, "a", 2).await.unwrap();
    let again = NatsBus::connect(NatsOptions { shards: 9, ..options(servers.url()) }).await.unwrap();
    assert_eq!(again.open_crawl().await.unwrap(), kept);
    other.remove_crawl().await.unwrap();
    assert_eq!(again.last(LOG, "a").await.unwrap(), 1);
    again.remove_crawl().await.unwrap();
    assert!(matches!(bus.open_crawl().await, Err(NatsError::NoSuchCrawl(_))));
    assert!(matches!(bus.append(LOG, "a", Bytes::new()).await, Err(BusError::Refused(_))));
    assert!(matches!(bus.get("k").await, Err(BusError::Refused(_))));
    let ended = tokio::time::timeout(super::PATIENCE, reader.recv()).await;
    assert_eq!(ended.expect("it ends"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_ends_what_reads() {
    let Some((_servers, bus)) = one().await else { return };
    let mut reader = bus.read(LOG, "a", 1).await.unwrap();
    let mut watcher = bus.watch().await.unwrap();
    super::until_up_to_date(&mut watcher).await;
    bus.close().await;
    assert_eq!(tokio::time::timeout(super::PATIENCE, reader.recv()).await.expect("it ends"), None);
    assert_eq!(tokio::time::timeout(super::PATIENCE, watcher.recv()).await.expect("it ends"), None);
    assert!(bus.append(LOG, "a", Bytes::new()).await.is_err());
}
