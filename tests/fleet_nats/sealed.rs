//! A fleet with a key: what is on the servers tells nothing, and who has no key neither joins nor changes anything.

use std::collections::BTreeSet;
use std::path::Path;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use harvestman::config::Config;
use harvestman::fleet::bus::Bus;
use harvestman::pipeline;
use harvestman::report::StopReason;

use super::PATIENCE;
use super::metrics::{Node, beside, config, holds, site, until};
use super::server::Servers;

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const SECRETS: [&str; 3] = ["cookiesecret", "headersecret", "proxysecret"];

fn secretive(seeds: Vec<String>, servers: &Servers, dir: &Path, node: &str) -> Config {
    let mut config = config(seeds, servers, dir, node);
    config.fetch.cookie = format!("session={}", SECRETS[0]);
    config.fetch.headers = vec![format!("Authorization: Bearer {}", SECRETS[1])];
    config.budget.pages = 400;
    config
}

/// All messages of all streams on the server.
async fn stored(servers: &Servers) -> Vec<Bytes> {
    let client = async_nats::connect(servers.url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    let names: Vec<String> = context.stream_names().try_collect().await.unwrap();
    let mut all = Vec::new();
    for name in names {
        let stream = context.get_stream(&name).await.unwrap();
        let (first, last) = (stream.cached_info().state.first_sequence, stream.cached_info().state.last_sequence);
        for sequence in first..=last {
            // Trimmed messages are gone.
            all.extend(stream.get_raw_message(sequence).await.ok().map(|message| message.payload));
        }
    }
    all
}

fn holds_any(bytes: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| bytes.windows(word.len()).any(|part| part == word.as_bytes()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_sealed_fleet_puts_on_its_servers_tells_nothing_to_who_has_no_key() {
    let Some(servers) = Servers::one("").await else { return };
    let (site, dir) = (site(), tempfile::tempdir().unwrap());
    let of = |node: &str, seal: &str| {
        let mut config = secretive(site.world().seeds(), &servers, dir.path(), node);
        config.fleet.seal = seal.to_owned();
        config
    };
    let given = BTreeSet::from(["fetch.private_addresses".to_owned()]);
    let mut a = Node::start("a", of("a", KEY));
    until("it crawls", &mut [&mut a], |nodes| holds(nodes[0]) > 0).await;

    let mut own = of("b", KEY);
    (own.fetch.cookie, own.fetch.headers) = (String::new(), Vec::new());
    let joined = pipeline::fleet_configuration(&own, &given).await.unwrap();
    assert!(
        joined.fetch.cookie.contains(SECRETS[0]) && joined.fetch.headers[0].contains(SECRETS[1]),
        "it is handed them"
    );
    let refused = pipeline::fleet_configuration(&of("b", ""), &given).await.unwrap_err().to_string();
    assert!(refused.contains("HARVESTMAN_FLEET_SEAL"), "{refused}");
    let refused =
        pipeline::fleet_configuration(&of("b", &KEY.replace('0', "1")), &given).await.unwrap_err().to_string();
    assert!(refused.contains("fleet.seal"), "{refused}");

    let mut b = Node::start("b", joined);
    until("both crawl", &mut [&mut a, &mut b], |nodes| nodes.iter().all(|node| holds(node) > 0)).await;
    let stored = stored(&servers).await;
    assert!(stored.len() > 10);
    for bytes in &stored {
        assert!(!holds_any(bytes, &SECRETS) && !holds_any(bytes, &["localhost", "[fetch]"]), "{:?}", bytes);
    }
    for node in [&a, &b] {
        node.hooks.stop.request();
        // A busy machine may take so long to read the servers that the budget is used up.
        let reason = node.ended.recv_timeout(PATIENCE).unwrap();
        assert!(matches!(reason, StopReason::Interrupted | StopReason::PagesBudget), "{reason:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_key_credentials_stay_on_their_node_and_what_others_write_chooses_nothing() {
    let Some(servers) = Servers::one("").await else { return };
    let (site, dir) = (site(), tempfile::tempdir().unwrap());
    let config = |node: &str| {
        let mut config = secretive(site.world().seeds(), &servers, dir.path(), node);
        config.fetch.proxy = format!("http://user:{}@127.0.0.1:9", SECRETS[2]);
        config
    };
    let mut a = Node::start("a", config("a"));
    until("it crawls", &mut [&mut a], |nodes| holds(nodes[0]) > 0).await;
    let bus = beside(&servers).await;
    let held = bus.get("config").await.unwrap().unwrap();
    let (text, revision) = (held.value.unwrap(), held.revision);
    for bytes in stored(&servers).await {
        assert!(!holds_any(&bytes, &SECRETS));
    }
    let mut own = config("b");
    own.fetch.headers.clear();
    let none = pipeline::fleet_configuration(&own, &BTreeSet::new()).await.unwrap_err().to_string();
    for name in ["fetch.proxy (--proxy URL)", "fetch.cookie", "fetch.headers", "fetch.private_addresses"] {
        assert!(none.contains(name), "{name}: {none}");
    }

    // Whoever reaches the servers may write there.
    let text = String::from_utf8(text.to_vec()).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    let mut set = |section: &str, key: &str, value: &str| {
        table[section].as_table_mut().unwrap().insert(key.to_owned(), toml::Value::String(value.to_owned()));
    };
    set("fetch", "proxy", "http://evil.test:1");
    set("render", "browser", "/tmp/evil");
    set("login", "url", "http://evil.test/");
    set("archive", "upload", "s3://evil/x");
    let injected = table.to_string();
    let revision = bus.update("config", injected.into(), revision).await.unwrap();
    let joined = pipeline::fleet_configuration(&own, &BTreeSet::new()).await.unwrap();
    assert_eq!((&joined.fetch.proxy, &joined.render), (&own.fetch.proxy, &own.render));
    assert_eq!(
        (&joined.login, &joined.archive.upload, &joined.fetch.headers),
        (&own.login, &own.archive.upload, &vec![])
    );

    table["fleet"].as_table_mut().unwrap().insert("partitions".to_owned(), 3.into());
    bus.update("config", table.to_string().into(), revision).await.unwrap();
    let invalid = pipeline::fleet_configuration(&own, &BTreeSet::new()).await.unwrap_err().to_string();
    assert!(invalid.contains("fleet.partitions"), "{invalid}");
    a.hooks.stop.request();
    a.ended.recv_timeout(PATIENCE).unwrap();
}
