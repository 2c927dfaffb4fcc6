//! Creates, finds and removes the streams, the bucket and the object store of a crawl.

use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy, Info, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, ErrorCode};
use serde_json::{Value, json};

use super::NatsBus;
use super::connect::check_replication;
use super::error::{NatsError, classify_api};
use super::options::NatsOptions;
use super::traffic::TrafficKind;
use crate::bus::{BusError, Stream};
use crate::retry::retry;
use harvestman_core::clock::Clock;

/// The default number of replicas in a cluster.
const REPLICAS: usize = 3;
/// How long servers that have just started may take to find each other, and another node to create what is missing; and
/// the polling interval.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The most pages of stream names that are requested. A page has a few hundred.
const PAGES_MAX: u32 = 1_000;

/// How a crawl is stored on the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrawlStorage {
    /// The number of streams of the exchange.
    pub shards: u16,
    /// The number of streams of the session logs.
    pub log_shards: u16,
    /// The number of servers that store everything.
    pub replicas: usize,
}

/// Creates what does not exist yet. What exists is not changed.
pub(super) async fn create(bus: &NatsBus) -> Result<CrawlStorage, NatsError> {
    let (names, options) = (&bus.names, &bus.options);
    // The key stream comes first: its number of replicas applies to everything else.
    let mut asked = options.replicas.unwrap_or(REPLICAS);
    let server = bus.connection.client().server_info();
    if server.cluster.is_some() {
        check_replication(&server, asked)?;
    }
    let keys = match make(bus, keys_config(bus, asked)).await? {
        Err(Refusal::NoCluster(_)) if options.replicas.is_none() => {
            asked = 1;
            make(bus, keys_config(bus, asked)).await?
        }
        made => made,
    };
    let replicas = keys.map_err(|refusal| refusal.explained(asked))?.config.num_replicas.max(1);
    let made = |refusal: Refusal| refusal.explained(replicas);
    make(bus, objects_config(bus, replicas)).await?.map_err(made)?;
    for stream in all(options) {
        make(bus, config(names.stream(stream), vec![names.subjects(stream)], replicas, options))
            .await?
            .map_err(made)?;
    }
    open(bus).await
}

fn all(options: &NatsOptions) -> impl Iterator<Item = Stream> {
    let exchange = (0..options.shards.max(1)).map(Stream::Exchange);
    // The observations come last: if they exist, everything does.
    exchange.chain((0..options.log_shards.max(1)).map(Stream::Log)).chain([Stream::Observations])
}

/// Builds the configuration of a stream that refuses new messages when it is full, rather than dropping old ones. Reads
/// go to its leader: a replica may lag behind and miss what was just written (so `allow_direct` stays off).
fn config(name: String, subjects: Vec<String>, replicas: usize, options: &NatsOptions) -> Config {
    Config {
        name,
        subjects,
        retention: RetentionPolicy::Limits,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        num_replicas: replicas,
        max_bytes: match options.stream_bytes_max {
            0 => -1,
            bytes => i64::try_from(bytes).unwrap_or(i64::MAX),
        },
        max_messages: -1,
        max_messages_per_subject: -1,
        max_consumers: -1,
        allow_direct: false,
        ..Config::default()
    }
}

fn keys_config(bus: &NatsBus, replicas: usize) -> Config {
    let (name, subjects) = (bus.names.keys_stream(), vec![bus.names.keys_subjects()]);
    Config {
        max_messages_per_subject: 1,
        max_bytes: -1,
        allow_rollup: true,
        deny_delete: true,
        ..config(name, subjects, replicas, &bus.options)
    }
}

fn objects_config(bus: &NatsBus, replicas: usize) -> Config {
    let (name, subjects) = (bus.names.objects_stream(), bus.names.objects_subjects());
    Config { allow_rollup: true, max_bytes: -1, ..config(name, subjects, replicas, &bus.options) }
}

/// Why a stream cannot be created as requested.
enum Refusal {
    /// The server is not in a cluster, so there are no replicas.
    NoCluster(String),
    /// There are too few servers.
    TooFew(String),
}

impl Refusal {
    fn of(error: &jetstream::Error) -> Result<Self, BusError> {
        match error.error_code() {
            ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED => Ok(Self::NoCluster(error.to_string())),
            ErrorCode::CLUSTER_NO_PEERS => Ok(Self::TooFew(error.to_string())),
            _ if error.to_string().contains("no suitable peers") => Ok(Self::TooFew(error.to_string())),
            _ => Err(classify_api(error)),
        }
    }

    fn explained(self, asked: usize) -> NatsError {
        let (Self::NoCluster(why) | Self::TooFew(why)) = self;
        NatsError::Replicas { asked, why }
    }
}

/// Creates a stream, or finds it. Retries for a while if there seem to be too few servers: servers that have just
/// started do not know each other yet.
async fn make(bus: &NatsBus, config: Config) -> Result<Result<Info, Refusal>, BusError> {
    let clock = Clock::system();
    let until = clock.now() + SETTLE_TIMEOUT;
    loop {
        match retry(&clock, || make_once(bus, &config)).await? {
            Err(Refusal::TooFew(_)) if clock.now() < until => clock.sleep(POLL_INTERVAL).await,
            made => return Ok(made),
        }
    }
}

async fn make_once(bus: &NatsBus, config: &Config) -> Result<Result<Info, Refusal>, BusError> {
    if let Some(info) = find(bus, &config.name).await? {
        return Ok(Ok(info));
    }
    let with = serde_json::to_value(config).map_err(|error| BusError::Refused(error.to_string()))?;
    match bus.connection.request_raw(TrafficKind::Servers, &format!("STREAM.CREATE.{}", config.name), &with).await? {
        Ok(info) => Ok(Ok(info)),
        // Another node was first.
        Err(error) if error.error_code() == ErrorCode::STREAM_NAME_EXIST => {
            let found = find(bus, &config.name).await?;
            found.map(Ok).ok_or_else(|| BusError::Unreachable(error.to_string()))
        }
        Err(error) => Refusal::of(&error).map(Err),
    }
}

/// Looks up a stream. Retries while it has no leader.
async fn look_up(bus: &NatsBus, stream: &str) -> Result<Option<Info>, BusError> {
    retry(&Clock::system(), || find(bus, stream)).await
}

async fn find(bus: &NatsBus, stream: &str) -> Result<Option<Info>, BusError> {
    match bus.connection.request_raw(TrafficKind::Servers, &format!("STREAM.INFO.{stream}"), &Value::Null).await? {
        Ok(info) => Ok(Some(info)),
        Err(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => Ok(None),
        Err(error) => Err(classify_api(&error)),
    }
}

/// Returns how an existing crawl is stored. Retries for a while if a part is missing: another node may be creating it.
pub(super) async fn open(bus: &NatsBus) -> Result<CrawlStorage, NatsError> {
    let clock = Clock::system();
    let until = clock.now() + SETTLE_TIMEOUT;
    loop {
        match found(bus).await {
            Err(NatsError::Incomplete { .. }) if clock.now() < until => clock.sleep(POLL_INTERVAL).await,
            done => return done,
        }
    }
}

async fn found(bus: &NatsBus) -> Result<CrawlStorage, NatsError> {
    let crawl = bus.names.crawl();
    let Some(keys) = look_up(bus, &bus.names.keys_stream()).await? else {
        return Err(NatsError::NoSuchCrawl(crawl.to_owned()));
    };
    let missing = |stream: String| NatsError::Incomplete { crawl: crawl.to_owned(), stream };
    let objects = bus.names.objects_stream();
    if look_up(bus, &objects).await?.is_none() {
        return Err(missing(objects));
    }
    let streams = streams(bus).await?;
    let count = |of: fn(u16) -> Stream| (0..).take_while(|shard| streams.contains(&of(*shard))).count() as u16;
    let (shards, log_shards) = (count(Stream::Exchange), count(Stream::Log));
    let wanted = [(shards == 0, Stream::Exchange(0)), (log_shards == 0, Stream::Log(0))];
    let observations = (!streams.contains(&Stream::Observations), Stream::Observations);
    for (is_missing, stream) in wanted.into_iter().chain([observations]) {
        if is_missing {
            return Err(missing(bus.names.stream(stream)));
        }
    }
    // A later shard exists although an earlier one is missing: a stream was removed.
    if streams.len() != usize::from(shards) + usize::from(log_shards) + 1 {
        let beyond = streams.iter().any(|stream| matches!(stream, Stream::Exchange(shard) if *shard > shards));
        return Err(missing(bus.names.stream(if beyond { Stream::Exchange(shards) } else { Stream::Log(log_shards) })));
    }
    let replicas = keys.config.num_replicas.max(1);
    check_replication(&bus.connection.client().server_info(), replicas)?;
    Ok(CrawlStorage { shards, log_shards, replicas })
}

#[derive(serde::Deserialize)]
struct Page {
    total: usize,
    #[serde(default)]
    streams: Option<Vec<String>>,
}

/// Lists the crawl's own streams.
async fn streams(bus: &NatsBus) -> Result<Vec<Stream>, BusError> {
    let (mut all, mut seen) = (Vec::new(), 0);
    let clock = Clock::system();
    for _ in 0..PAGES_MAX {
        let with = json!({"subject": bus.names.all_subjects(), "offset": seen});
        let page: Page = retry(&clock, || bus.connection.request(TrafficKind::Servers, "STREAM.NAMES", &with)).await?;
        let names = page.streams.unwrap_or_default();
        seen += names.len();
        all.extend(names.iter().filter_map(|name| bus.names.parse_stream(name)));
        if names.is_empty() || seen >= page.total {
            break;
        }
    }
    Ok(all)
}

/// Removes everything of a crawl, the keys last: while they exist, the removal can be repeated.
pub(super) async fn remove(bus: &NatsBus) -> Result<(), NatsError> {
    if look_up(bus, &bus.names.keys_stream()).await?.is_none() {
        return Err(NatsError::NoSuchCrawl(bus.names.crawl().to_owned()));
    }
    let streams = streams(bus).await?.into_iter().map(|stream| bus.names.stream(stream));
    let clock = Clock::system();
    for stream in streams.chain([bus.names.objects_stream(), bus.names.keys_stream()]) {
        let what = format!("STREAM.DELETE.{stream}");
        let delete = || bus.connection.request_raw::<Value>(TrafficKind::Servers, &what, &Value::Null);
        match retry(&clock, delete).await? {
            Err(error) if error.error_code() != ErrorCode::STREAM_NOT_FOUND => return Err(classify_api(&error).into()),
            _ => (),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_refuse_what_does_not_fit_and_keep_what_they_hold() {
        let options = NatsOptions { stream_bytes_max: 1 << 30, ..NatsOptions::new("a", "c") };
        let made = config("S".into(), vec!["s.>".into()], 3, &options);
        assert_eq!(
            (made.discard, made.retention, made.storage),
            (DiscardPolicy::New, RetentionPolicy::Limits, StorageType::File)
        );
        assert_eq!((made.max_bytes, made.num_replicas, made.allow_direct), (1 << 30, 3, false));
        assert_eq!(config("S".into(), vec![], 1, &NatsOptions::new("a", "c")).max_bytes, -1);
    }

    #[test]
    fn a_crawl_has_all_its_shards() {
        let options = NatsOptions { shards: 2, log_shards: 1, ..NatsOptions::new("a", "c") };
        let all: Vec<_> = all(&options).collect();
        assert_eq!(all, [Stream::Exchange(0), Stream::Exchange(1), Stream::Log(0), Stream::Observations]);
    }
}
