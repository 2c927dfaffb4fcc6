//! Watching keys: first all, then every change. A watcher that is slow is told a key's newest value, not each between.

use tokio::sync::mpsc::{self, Receiver, Sender};

use super::NatsBus;
use super::keys::says_deleted;
use super::names::Names;
use super::read::{Delivery, Reader, Source, Start};
use super::traffic::TrafficKind;
use crate::bus::{BusError, KeyValue, WatchEvent};

/// How many changes may wait for the watcher.
const WAITING_MAX: usize = 1_024;

pub(super) async fn watch(bus: &NatsBus) -> Result<Receiver<WatchEvent>, BusError> {
    let (stream, subject) = (bus.names.keys_stream(), bus.names.keys_subjects());
    // The leader says how far everything goes: the server that tells may be behind it, and would call itself up to date too soon.
    let newest = bus.connection.last(TrafficKind::Keys, &stream, &subject).await?.map_or(0, |kept| kept.sequence);
    let source = Source { kind: TrafficKind::Keys, stream, subject };
    let reader = Reader::begin(bus.connection.clone(), source, Start::LastOfEach).await?;
    let (tell, told) = mpsc::channel(WAITING_MAX);
    tokio::spawn(run(reader, bus.names.clone(), newest, tell));
    Ok(told)
}

/// Tells until nobody listens or the bucket is gone.
async fn run(mut reader: Reader, names: Names, newest: u64, tell: Sender<WatchEvent>) {
    let mut up_to_date = newest == 0;
    if up_to_date && tell.send(WatchEvent::UpToDate).await.is_err() {
        return;
    }
    loop {
        let next = tokio::select! {
            next = reader.next() => next,
            () = tell.closed() => None,
        };
        let Some(delivery) = next else { return };
        let reached = delivery.sequence >= newest;
        if let Some(seen) = seen(&names, delivery)
            && tell.send(seen).await.is_err()
        {
            return;
        }
        if reached && !std::mem::replace(&mut up_to_date, true) && tell.send(WatchEvent::UpToDate).await.is_err() {
            return;
        }
    }
}

fn seen(names: &Names, delivery: Delivery) -> Option<WatchEvent> {
    let Delivery { sequence, message } = delivery;
    let key = names.key_of(&message.subject)?.to_owned();
    let value = (!says_deleted(message.headers.as_ref())).then_some(message.payload);
    Some(WatchEvent::Key(KeyValue { key, value, revision: sequence }))
}
