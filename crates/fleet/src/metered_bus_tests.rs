use std::collections::VecDeque;
use std::time::Duration;

use super::*;
use harvestman_metrics::Metrics;

type Answer = Result<u64, BusError>;

/// Answers appends as scripted, each after a delay; never answers anything else.
struct ScriptedBus(Mutex<VecDeque<(Duration, Answer)>>, Clock);

fn never<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T, BusError>> {
    Box::pin(std::future::pending())
}

impl Bus for ScriptedBus {
    fn get<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<KeyValue>, BusError>> {
        never()
    }
    fn create<'a>(&'a self, _: &'a str, _: Bytes) -> BoxFuture<'a, Answer> {
        never()
    }
    fn update<'a>(&'a self, _: &'a str, _: Bytes, _: u64) -> BoxFuture<'a, Answer> {
        never()
    }
    fn delete<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        never()
    }
    fn watch(&self) -> BoxFuture<'_, Result<Receiver<WatchEvent>, BusError>> {
        never()
    }
    fn append<'a>(&'a self, _: Stream, _: &'a str, _: Bytes) -> BoxFuture<'a, Answer> {
        let (after, answer) = self.0.lock().pop_front().unwrap();
        Box::pin(async move {
            self.1.sleep(after).await;
            answer
        })
    }
    fn read<'a>(&'a self, _: Stream, _: &'a str, _: u64) -> BoxFuture<'a, Result<Receiver<Message>, BusError>> {
        never()
    }
    fn last<'a>(&'a self, _: Stream, _: &'a str) -> BoxFuture<'a, Answer> {
        never()
    }
    fn trim<'a>(&'a self, _: Stream, _: &'a str, _: u64) -> BoxFuture<'a, Result<(), BusError>> {
        never()
    }
    fn put_object<'a>(&'a self, _: &'a str, _: Bytes) -> BoxFuture<'a, Result<(), BusError>> {
        never()
    }
    fn object<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Bytes>, BusError>> {
        never()
    }
    fn remove_object<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        never()
    }
    fn flows(&self) -> Vec<Flow> {
        vec![Flow { about: "log", way: "asked", messages: 1, bytes: 2 }]
    }
}

fn unreachable() -> BusError {
    BusError::Unreachable(String::new())
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A bus with scripted answers, and its metrics.
fn scripted(answers: impl IntoIterator<Item = (u64, Answer)>) -> (MeteredBus, Clock, Metrics) {
    let (clock, metrics) = (Clock::starting_at(Instant::EPOCH + seconds(1_000)), Metrics::of_node("a"));
    let answers = answers.into_iter().map(|(after, answer)| (seconds(after), answer)).collect();
    let bus = Arc::new(ScriptedBus(Mutex::new(answers), clock.clone()));
    (MeteredBus::new(bus, clock.clone(), Arc::clone(&metrics.fleet)), clock, metrics)
}

async fn append(bus: &MeteredBus) -> Answer {
    bus.append(Stream::Log(0), "a", Bytes::new()).await
}

#[tokio::test(start_paused = true)]
async fn each_call_is_counted_by_what_came_of_it() {
    let errors = [BusError::Conflict, unreachable(), BusError::Full(String::new()), BusError::Refused(String::new())];
    let answers = [Ok(7), Ok(8)].into_iter().chain(errors.map(Err));
    let (bus, _, metrics) = scripted(answers.map(|answer| (0, answer)));
    assert_eq!(append(&bus).await, Ok(7));
    for _ in 0..5 {
        let _ = append(&bus).await;
    }
    for (outcome, count) in
        [("ok", 2), ("conflict", 1), ("unreachable", 1), ("full", 1), ("refused", 1), ("abandoned", 0)]
    {
        assert_eq!(metrics.fleet.calls.by("append", outcome).get(), count, "{outcome}");
    }
    assert_eq!(metrics.fleet.call_seconds.by("append").count(), 6);
    assert_eq!(bus.flows()[0].bytes, 2, "what went over the wire is asked of the bus itself");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_any_more_is_counted_too() {
    let (bus, clock, metrics) = scripted([]);
    tokio::select! {
        _ = bus.get("a") => panic!("no answer comes"),
        () = clock.sleep(seconds(5)) => {}
    }
    assert_eq!((metrics.fleet.calls.by("keys", "abandoned").get(), metrics.fleet.reachable.get()), (1, 0));
    assert_eq!(metrics.fleet.away_seconds.get(), 5.0);
}

#[tokio::test(start_paused = true)]
async fn the_time_without_an_answer_is_counted_once_and_as_it_passes() {
    let unanswered = || (5, Err(unreachable()));
    let (bus, clock, metrics) =
        scripted([(3, Ok(1)), unanswered(), unanswered(), (1, Err(BusError::Conflict)), (9, Ok(2))]);
    let shown = || (metrics.fleet.away_seconds.get(), metrics.fleet.reachable.get());
    append(&bus).await.unwrap();
    assert_eq!(shown(), (0.0, 1), "a slow answer is one");
    append(&bus).await.unwrap_err();
    assert_eq!(shown(), (5.0, 0));
    clock.sleep(seconds(2)).await;
    append(&bus).await.unwrap_err();
    assert_eq!(shown(), (12.0, 0), "the pause between is counted");
    append(&bus).await.unwrap_err();
    assert_eq!(shown(), (13.0, 1), "a refusal is an answer");
    append(&bus).await.unwrap();
    assert_eq!(shown(), (13.0, 1));
}
