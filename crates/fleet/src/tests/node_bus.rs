//! A node's access to the model of the bus.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use super::model::{Lost, Model, Place, State};
use super::mutation::Mutation;
use crate::bus::{BoxFuture, Bus, BusError, KeyValue, Message, Stream, WatchEvent};

/// The longest time that any caller waits for an answer.
const GIVEN_UP: Duration = Duration::from_secs(20);

pub(super) struct NodeBus {
    pub(super) model: Arc<Model>,
    pub(super) node: String,
    /// The fault of this access: [`Mutation::NeverTrims`], [`Mutation::LosesSegments`] or [`Mutation::ForgetsCopies`].
    pub(super) mutation: Option<Mutation>,
}

type Answer<T> = Result<T, BusError>;

impl NodeBus {
    fn has(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    /// Performs a call, which takes effect even if its caller gives up.
    fn call<T: Send + 'static>(
        &self,
        place: Place,
        act: impl FnOnce(&Model) -> Answer<T> + Send + 'static,
    ) -> BoxFuture<'_, Answer<T>> {
        let (model, node) = (Arc::clone(&self.model), self.node.clone());
        Box::pin(async move {
            let (answers, answer) = oneshot::channel();
            tokio::spawn(async move {
                let fate = model.fate(place);
                model.clock.sleep(fate.there).await;
                while let Some(until) = model.unavailable(&node, place) {
                    if !fate.is_patient {
                        return;
                    }
                    model.clock.sleep_until(until + fate.there).await;
                }
                if fate.lost == Lost::Request {
                    return model.clock.sleep(GIVEN_UP).await;
                }
                let result = act(&model);
                model.clock.sleep(fate.back).await;
                if fate.lost == Lost::Answer || model.unavailable(&node, Place::Objects).is_some() {
                    return model.clock.sleep(GIVEN_UP).await;
                }
                let _ = answers.send(result);
            });
            answer.await.unwrap_or_else(|_| Err(BusError::Unreachable("a test".to_owned())))
        })
    }

    /// Creates a channel that delivers what `next` finds, in order and delayed.
    fn feed<T: Send + 'static>(
        &self,
        place: Place,
        mut next: impl FnMut(&State) -> Vec<T> + Send + 'static,
    ) -> BoxFuture<'_, Answer<Receiver<T>>> {
        let (model, node) = (Arc::clone(&self.model), self.node.clone());
        Box::pin(async move {
            let start = self.call(place, |_| Ok(()));
            start.await?;
            let (sender, receiver) = channel(64);
            tokio::spawn(async move {
                tokio::select! {
                    biased;
                    () = sender.closed() => {}
                    () = deliver(&model, &node, place, &sender, &mut next) => {}
                }
            });
            Ok(receiver)
        })
    }
}

async fn deliver<T>(
    model: &Model,
    node: &str,
    place: Place,
    sender: &Sender<T>,
    next: &mut (impl FnMut(&State) -> Vec<T> + Send),
) {
    loop {
        let seen = model.changed.count();
        if let Some(until) = model.unavailable(node, place) {
            model.clock.sleep_until(until).await;
            continue;
        }
        let found = next(&model.state.lock());
        if found.is_empty() {
            model.changed.after(seen).await;
            continue;
        }
        let Some(delay) = model.delivery() else { return };
        model.clock.sleep(delay).await;
        for item in found {
            if sender.send(item).await.is_err() {
                return;
            }
        }
    }
}

fn events(cursor: &mut u64, is_first: &mut bool, state: &State) -> Vec<WatchEvent> {
    let mut new: Vec<KeyValue> = state.keys.values().filter(|held| held.revision > *cursor).cloned().collect();
    new.sort_by_key(|held| held.revision);
    *cursor = state.revision;
    let mut events: Vec<WatchEvent> =
        new.into_iter().filter(|new| !*is_first || new.value.is_some()).map(WatchEvent::Key).collect();
    if std::mem::take(is_first) {
        events.push(WatchEvent::UpToDate);
    }
    events
}

fn messages(stream: Stream, subject: &str, from: &mut u64, state: &State) -> Vec<Message> {
    let Some(kept) = state.streams.get(&stream) else { return Vec::new() };
    let of_subject = kept.messages.range(*from..).filter(|(_, (of, _, _))| of == subject);
    let found: Vec<Message> = of_subject
        .map(|(sequence, (_, payload, _))| Message { sequence: *sequence, payload: payload.clone() })
        .collect();
    *from = kept.last.max(*from - 1) + 1;
    found
}

impl Bus for NodeBus {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Answer<Option<KeyValue>>> {
        let key = key.to_owned();
        let held =
            move |model: &Model| Ok(model.state.lock().keys.get(&key).filter(|held| held.value.is_some()).cloned());
        self.call(Place::Keys, held)
    }

    fn create<'a>(&'a self, key: &'a str, value: Bytes) -> BoxFuture<'a, Answer<u64>> {
        let key = key.to_owned();
        self.call(Place::Keys, move |model| model.write(&key, Some(value), None))
    }

    fn update<'a>(&'a self, key: &'a str, value: Bytes, revision: u64) -> BoxFuture<'a, Answer<u64>> {
        let key = key.to_owned();
        self.call(Place::Keys, move |model| model.write(&key, Some(value), Some(revision)))
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Answer<()>> {
        let key = key.to_owned();
        self.call(Place::Keys, move |model| model.write(&key, None, None).map(|_| ()))
    }

    fn watch(&self) -> BoxFuture<'_, Answer<Receiver<WatchEvent>>> {
        let (mut cursor, mut is_first) = (0, true);
        self.feed(Place::Keys, move |state| events(&mut cursor, &mut is_first, state))
    }

    fn append<'a>(&'a self, stream: Stream, subject: &'a str, payload: Bytes) -> BoxFuture<'a, Answer<u64>> {
        let subject = subject.to_owned();
        self.call(Place::Stream(stream), move |model| model.append(stream, &subject, payload))
    }

    fn read<'a>(&'a self, stream: Stream, subject: &'a str, from: u64) -> BoxFuture<'a, Answer<Receiver<Message>>> {
        let (subject, mut from) = (subject.to_owned(), from.max(1));
        self.feed(Place::Stream(stream), move |state| messages(stream, &subject, &mut from, state))
    }

    fn last<'a>(&'a self, stream: Stream, subject: &'a str) -> BoxFuture<'a, Answer<u64>> {
        let subject = subject.to_owned();
        let last = move |model: &Model| {
            let state = model.state.lock();
            let Some(kept) = state.streams.get(&stream) else { return Ok(0) };
            let mut of_subject = kept.messages.iter().rev().filter(|(_, (of, _, _))| *of == subject);
            Ok(of_subject.next().map_or(0, |(sequence, _)| *sequence))
        };
        self.call(Place::Stream(stream), last)
    }

    fn trim<'a>(&'a self, stream: Stream, subject: &'a str, below: u64) -> BoxFuture<'a, Answer<()>> {
        let (subject, never) = (subject.to_owned(), self.has(Mutation::NeverTrims));
        let trim = move |model: &Model| {
            model.act(|state, _| {
                let kept = state.streams.entry(stream).or_default();
                kept.messages.retain(|sequence, (of, _, _)| never || *of != subject || *sequence >= below);
            });
            Ok(())
        };
        self.call(Place::Stream(stream), trim)
    }

    fn put_object<'a>(&'a self, name: &'a str, object: Bytes) -> BoxFuture<'a, Answer<()>> {
        let name = name.to_owned();
        let put = move |model: &Model| {
            model.act(|state, _| state.objects.insert(name, object));
            Ok(())
        };
        self.call(Place::Objects, put)
    }

    fn object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Answer<Option<Bytes>>> {
        let (name, hides) = (name.to_owned(), (self.has(Mutation::ForgetsCopies), self.has(Mutation::LosesSegments)));
        let is_hidden = (hides.0 && name.ends_with(".copy")) || (hides.1 && name.starts_with("seen."));
        let held = move |model: &Model| Ok(model.state.lock().objects.get(&name).filter(|_| !is_hidden).cloned());
        self.call(Place::Objects, held)
    }

    fn remove_object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Answer<()>> {
        let name = name.to_owned();
        let remove = move |model: &Model| {
            model.act(|state, _| state.objects.remove(&name));
            Ok(())
        };
        self.call(Place::Objects, remove)
    }
}
