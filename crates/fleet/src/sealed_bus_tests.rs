use super::*;
use crate::tests::calm_bus;

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";
const OTHER: &str = "10112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF";
const SECRETS: [&str; 3] = ["session=topsecret", "Bearer topsecret", "http://user:topsecret@proxy.test"];

fn key(text: &str) -> SealKey {
    SealKey::read(text).unwrap()
}

/// Does everything that a node does on a bus. Returns what it read again.
async fn used(bus: &dyn Bus) -> Vec<Bytes> {
    let [one, two, three] = SECRETS.map(Bytes::from_static_str);
    let mut events = bus.watch().await.unwrap();
    let revision = bus.create("config", one.clone()).await.unwrap();
    bus.update("config", two.clone(), revision).await.unwrap();
    bus.append(Stream::Exchange(0), "links", three.clone()).await.unwrap();
    bus.put_object("part", one.clone()).await.unwrap();
    let mut read = vec![bus.get("config").await.unwrap().unwrap().value.unwrap()];
    read.push(bus.object("part").await.unwrap().unwrap());
    read.push(bus.read(Stream::Exchange(0), "links", 1).await.unwrap().recv().await.unwrap().payload);
    loop {
        if let WatchEvent::Key(KeyValue { value: Some(value), .. }) = events.recv().await.unwrap()
            && value == two
        {
            break;
        }
    }
    assert_eq!(read, [two, one, three]);
    read
}

trait FromStaticStr {
    fn from_static_str(text: &'static str) -> Self;
}

impl FromStaticStr for Bytes {
    fn from_static_str(text: &'static str) -> Self {
        Self::from_static(text.as_bytes())
    }
}

#[tokio::test(start_paused = true)]
async fn no_value_of_a_secret_is_on_a_sealed_bus_and_its_nodes_read_all_of_it() {
    let (bus, held) = calm_bus();
    let plain = used(&*bus).await;
    assert!(held().iter().any(|bytes| bytes.windows(9).any(|part| part == b"topsecret")), "it would be found");
    let (bus, held) = calm_bus();
    let sealed = SealedBus::new(bus, key(KEY), "crawl");
    assert_eq!(used(&sealed).await, plain);
    let held = held();
    assert!(held.len() >= 3);
    for bytes in held {
        assert!(is_sealed(&bytes) && !bytes.windows(9).any(|part| part == b"topsecret"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_not_sealed_with_the_key_for_its_place_is_refused_or_ignored() {
    let (bus, _) = calm_bus();
    let ours = SealedBus::new(Arc::clone(&bus), key(KEY), "crawl");
    ours.create("budget", Bytes::from_static(b"7")).await.unwrap();
    ours.append(Stream::Log(0), "a", Bytes::from_static(b"log")).await.unwrap();
    // Another key, another crawl, no key.
    for other in [
        Arc::new(SealedBus::new(Arc::clone(&bus), key(OTHER), "crawl")) as Arc<dyn Bus>,
        Arc::new(SealedBus::new(Arc::clone(&bus), key(KEY), "other")),
    ] {
        let refused = other.get("budget").await.unwrap_err();
        assert!(matches!(&refused, BusError::Refused(why) if why.contains("fleet.seal")), "{refused}");
    }
    let budget = bus.get("budget").await.unwrap().unwrap().value.unwrap();
    // Moved by somebody else.
    bus.create("orders", budget.clone()).await.unwrap();
    bus.create("config", Bytes::from_static(b"[fetch]")).await.unwrap();
    bus.put_object("part", budget.clone()).await.unwrap();
    bus.append(Stream::Exchange(0), "links", budget.clone()).await.unwrap();
    ours.append(Stream::Exchange(0), "links", Bytes::from_static(b"ours")).await.unwrap();
    for key in ["orders", "config"] {
        assert!(matches!(ours.get(key).await, Err(BusError::Refused(_))), "{key}");
    }
    assert!(matches!(ours.object("part").await, Err(BusError::Refused(_))));
    let mut links = ours.read(Stream::Exchange(0), "links", 1).await.unwrap();
    assert_eq!(&links.recv().await.unwrap().payload[..], b"ours", "the foreign one is left out");
    let mut events = ours.watch().await.unwrap();
    let mut keys = Vec::new();
    while let Some(WatchEvent::Key(held)) = events.recv().await {
        keys.push(held.key);
    }
    assert_eq!(keys, ["budget"]);
    // Cut, changed or empty.
    let opened = |bytes: &[u8]| key(KEY).open("crawl key budget", bytes);
    assert_eq!(opened(&budget).as_deref(), Some(&b"7"[..]));
    for length in 0..budget.len() {
        assert_eq!(opened(&budget[..length]), None, "{length}");
    }
    for at in 0..budget.len() {
        let mut changed = budget.to_vec();
        changed[at] ^= 1;
        assert_eq!(opened(&changed), None, "{at}");
    }
}

#[test]
fn sealing_adds_what_the_bus_allows_for() {
    let sealed = key(KEY).seal("place", &[0; 100]).unwrap();
    assert_eq!(sealed.len(), 100 + SEAL_BYTES);
    assert_ne!(sealed, key(KEY).seal("place", &[0; 100]).unwrap(), "a nonce is used once");
    for text in ["", "00", &KEY[1..], &KEY.replace('0', "g")] {
        assert!(SealKey::read(text).is_none(), "{text}");
    }
}
