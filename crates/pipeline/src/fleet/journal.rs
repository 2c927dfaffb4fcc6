//! Writes the changes of the engine to its fleet.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::try_join_all;

use harvestman_core::model::ScheduledUrl;
use harvestman_fleet::bus::BoxFuture;
use harvestman_fleet::engine::{Journal, SessionEnded};
use harvestman_fleet::node::SessionLog;
use harvestman_fleet::{LogEntry, Partitions};

/// The exchange and the log of a session.
pub(super) struct SessionJournal {
    pub(super) log: Arc<SessionLog>,
    pub(super) partitions: Partitions,
}

impl Journal for SessionJournal {
    fn commit(&self, foreign: Vec<ScheduledUrl>, entries: Vec<LogEntry>) -> BoxFuture<'_, Result<(), SessionEnded>> {
        Box::pin(async move {
            let mut by_shard: BTreeMap<u16, Vec<ScheduledUrl>> = BTreeMap::new();
            for item in foreign {
                let partition = self.partitions.of_origin(item.url.origin());
                by_shard.entry(self.partitions.shard(partition)).or_default().push(item);
            }
            let publish = |(shard, links): (&u16, &Vec<ScheduledUrl>)| {
                let (shard, links) = (*shard, links.clone());
                async move { self.log.publish(shard, &links, 0).await }
            };
            try_join_all(by_shard.iter().map(publish)).await?;
            for entry in &entries {
                self.log.append(entry).await?;
            }
            Ok(())
        })
    }
}
