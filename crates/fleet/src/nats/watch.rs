//! Watches the keys: delivers all of them, and then every change. A slow watcher gets a key's latest value, not every
//! intermediate one.

use tokio::sync::mpsc::{self, Receiver, Sender};

use super::NatsBus;
use super::keys::says_deleted;
use super::names::Names;
use super::read::{Delivery, Reader, Source, Start};
use super::traffic::TrafficKind;
use crate::bus::{BusError, KeyValue, WatchEvent};

/// The most changes that wait for the watcher.
const WAITING_MAX: usize = 1_024;

pub(super) async fn watch(bus: &NatsBus) -> Result<Receiver<WatchEvent>, BusError> {
    let (stream, subject) = (bus.names.keys_stream(), bus.names.keys_subjects());
    // The leader defines the end of the initial listing: the delivering server may lag behind and would report up to
    // date too soon.
    let newest = bus.connection.last(TrafficKind::Keys, &stream, &subject).await?.map_or(0, |kept| kept.sequence);
    let source = Source { kind: TrafficKind::Keys, stream, subject };
    let reader = Reader::begin(bus.connection.clone(), source, Start::LastOfEach).await?;
    let (sender, receiver) = mpsc::channel(WAITING_MAX);
    tokio::spawn(run(reader, bus.names.clone(), newest, sender));
    Ok(receiver)
}

/// Delivers events until the receiver is dropped or the bucket is gone.
async fn run(mut reader: Reader, names: Names, newest: u64, sender: Sender<WatchEvent>) {
    let mut up_to_date = newest == 0;
    if up_to_date && sender.send(WatchEvent::UpToDate).await.is_err() {
        return;
    }
    loop {
        let next = tokio::select! {
            next = reader.next() => next,
            () = sender.closed() => None,
        };
        let Some(delivery) = next else { return };
        let reached = delivery.sequence >= newest;
        if let Some(seen) = seen(&names, delivery)
            && sender.send(seen).await.is_err()
        {
            return;
        }
        if reached && !std::mem::replace(&mut up_to_date, true) && sender.send(WatchEvent::UpToDate).await.is_err() {
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
