//! A node that comes too early waits, and one that comes when others have fetched everything has done what it was asked
//! for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use harvestman::config::Config;
use harvestman::fleet::bus::Bus;
use harvestman::fleet::nats::{NatsBus, NatsError, NatsOptions};
use harvestman::pipeline;
use harvestman::report::{Hooks, Report, StopReason};
use harvestman::seed::Seed;
use harvestman::sim::{Family, Server, ServerOptions, World, WorldOptions};
use tokio::time::timeout;

use super::PATIENCE;
use super::metrics::config;
use super::server::Servers;

async fn crawled(config: Config) -> Report {
    let run = move || {
        let hooks = Hooks { metrics: pipeline::metrics(&config), ..Hooks::none() };
        pipeline::runtime(&config).block_on(pipeline::run(&config, hooks)).unwrap()
    };
    timeout(PATIENCE, tokio::task::spawn_blocking(run)).await.expect("it ends").unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn who_comes_when_all_is_fetched_says_that_it_was_over() {
    let Some(servers) = Servers::one("").await else { return };
    let world = WorldOptions { pages: 40, hosts: 3, families: vec![Family::Forum], ..WorldOptions::default() };
    let world = World::new(&world, Seed(5)).unwrap();
    let site = Server::start(Arc::new(world), "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let config = |node| config(site.world().seeds(), &servers, dir.path(), node);

    let first = crawled(config("a")).await;
    let fleet = first.fleet.clone().unwrap();
    assert!(first.pages >= 40 && !first.has_nothing(), "{first}");
    assert_eq!((&*fleet.crawl, &*fleet.node, fleet.pages_of_others, fleet.was_over), ("counted", "a", 0, false));

    let late = crawled(config("b")).await;
    let fleet = late.fleet.clone().unwrap();
    assert_eq!((late.pages, late.stop_reason, late.has_nothing()), (0, StopReason::FrontierEmpty, false), "{late}");
    assert!(fleet.was_over && late.to_string().contains("it had ended before this node joined"), "{late}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_fleet_whose_seeds_cannot_be_fetched_has_nothing() {
    let Some(servers) = Servers::one("").await else { return };
    let dir = tempfile::tempdir().unwrap();
    let seed = format!("http://127.0.0.1:{}/", super::server::free_port());
    let mut config = config(vec![seed], &servers, dir.path(), "a");
    config.host.retries_max = 0;
    config.scope.hosts.clear();
    let report = crawled(config).await;
    assert!(report.has_nothing(), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_comes_while_the_crawl_is_being_made_waits_for_it() {
    let Some(servers) = Servers::one("").await else { return };
    let dir = tempfile::tempdir().unwrap();
    let config = config(vec!["http://a.localhost/".to_owned()], &servers, dir.path(), "a");
    let given = BTreeSet::from(["fetch.private_addresses".to_owned()]);
    let early = || async { pipeline::fleet_configuration(&config, &given).await.map_err(|error| error.to_string()) };
    let bus = NatsBus::connect(NatsOptions { shards: 2, log_shards: 2, ..NatsOptions::new(servers.url(), "counted") });
    let bus = bus.await.unwrap();
    assert!(early().await.unwrap_err().contains("there is no crawl"));

    // As far as it is made when its last stream is still missing.
    bus.create_crawl().await.unwrap();
    let client = async_nats::connect(servers.url()).await.unwrap();
    client.request("$JS.API.STREAM.DELETE.HM_counted_OBS", "".into()).await.unwrap();
    let (opened, _) = tokio::join!(bus.open_crawl(), async {
        tokio::time::sleep(Duration::from_millis(800)).await;
        bus.create_crawl().await.unwrap();
    });
    assert_eq!(opened.map(|kept| kept.shards), Ok(2));

    // And as far as it is when its configuration is.
    let (joined, _) = tokio::join!(early(), async {
        tokio::time::sleep(Duration::from_millis(800)).await;
        let text = toml::to_string(&Config { fleet: Default::default(), ..config.clone() }).unwrap();
        bus.create("config", Bytes::from(text)).await.unwrap();
    });
    assert_eq!(joined.map(|joined| joined.crawl.seeds), Ok(config.crawl.seeds.clone()));

    client.request("$JS.API.STREAM.DELETE.HM_counted_X1", "".into()).await.unwrap();
    client.request("$JS.API.STREAM.DELETE.HM_counted_OBS", "".into()).await.unwrap();
    let gone = bus.open_crawl().await.unwrap_err();
    assert!(matches!(&gone, NatsError::Incomplete { stream, .. } if stream == "HM_counted_OBS"), "{gone}");
}
