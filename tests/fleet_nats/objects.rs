//! Objects: whole or not at all.

use bytes::Bytes;
use harvestman::fleet::bus::{Bus, BusError};
use tokio::io::AsyncReadExt;

use super::one;

/// Bytes that look like no others.
fn content(length: usize, seed: u32) -> Bytes {
    let mut state = seed.wrapping_mul(2_654_435_761).max(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_is_read_as_it_was_written() {
    let Some((_servers, bus)) = one().await else { return };
    assert_eq!(bus.object("part/1 ä").await.unwrap(), None);
    for (seed, length) in [0, 1, 256 << 10, (256 << 10) + 1, 5 << 20].into_iter().enumerate() {
        let object = content(length, seed as u32 + 1);
        bus.put_object("part/1 ä", object.clone()).await.unwrap();
        assert!(bus.object("part/1 ä").await.unwrap().unwrap() == object, "{length} bytes");
    }
    bus.put_object("another", content(10, 9)).await.unwrap();
    bus.remove_object("part/1 ä").await.unwrap();
    bus.remove_object("part/1 ä").await.unwrap();
    assert_eq!(bus.object("part/1 ä").await.unwrap(), None);
    assert_eq!(bus.object("another").await.unwrap(), Some(content(10, 9)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_replaced_or_removed_takes_no_room() {
    let Some((servers, bus)) = one().await else { return };
    for seed in 1..5 {
        bus.put_object("a", content(1 << 20, seed)).await.unwrap();
        bus.put_object(&format!("b{seed}"), content(1_000, seed)).await.unwrap();
        bus.remove_object(&format!("b{seed}")).await.unwrap();
    }
    let client = async_nats::connect(servers.url()).await.unwrap();
    let stream = async_nats::jetstream::new(client).get_stream("OBJ_hm-test-crawl_1-objects").await.unwrap();
    // Four chunks, and what is said of them.
    assert_eq!(stream.cached_info().state.messages, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_with_a_wrong_or_missing_chunk_is_refused() {
    let Some((servers, bus)) = one().await else { return };
    let client = async_nats::connect(servers.url()).await.unwrap();
    let stream = async_nats::jetstream::new(client).get_stream("OBJ_hm-test-crawl_1-objects").await.unwrap();
    bus.put_object("a", content(1 << 20, 1)).await.unwrap();
    stream.delete_message(2).await.unwrap();
    assert!(matches!(bus.object("a").await, Err(BusError::Refused(_))));
    bus.put_object("a", content(1 << 20, 2)).await.unwrap();
    assert!(bus.object("a").await.unwrap().unwrap() == content(1 << 20, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_clients_read_and_write_the_same_keys_and_objects() {
    let Some((servers, bus)) = one().await else { return };
    let client = async_nats::connect(servers.url()).await.unwrap();
    let jetstream = async_nats::jetstream::new(client);
    let store = jetstream.get_object_store("hm-test-crawl_1-objects").await.unwrap();
    bus.put_object("ours", content(600_000, 1)).await.unwrap();
    let mut read = Vec::new();
    store.get("ours").await.unwrap().read_to_end(&mut read).await.unwrap();
    assert!(read == content(600_000, 1));
    let theirs = content(600_000, 2);
    store.put("theirs", &mut theirs.as_ref()).await.unwrap();
    assert!(bus.object("theirs").await.unwrap().unwrap() == theirs);
    store.delete("theirs").await.unwrap();
    assert_eq!(bus.object("theirs").await.unwrap(), None);
}
