//! The request log of the server, for measuring politeness.
//!
//! Everything is counted per host as the request head is parsed. Memory: a few bytes per host, about 20 bytes per
//! distinct URL (if URLs are counted), about 100 bytes per kept entry.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

use harvestman_core::clock::Instant;
use harvestman_core::url::Fingerprint;

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// When its head was parsed, in microseconds since the Unix epoch; monotonic.
    pub us: u64,
    /// The requested host: name and port, as sent, in lower case.
    pub host: Arc<str>,
    /// Path and query.
    pub path: Box<str>,
    /// The status of the answer.
    pub status: u16,
    /// Microseconds from its arrival to its answer.
    pub took_us: u64,
    /// The number of its connection, from 0.
    pub connection: u64,
    /// The address of the client.
    pub peer: IpAddr,
    /// Requests to its host in flight when it arrived, including itself.
    pub in_flight: u32,
    /// Open connections that have carried requests to its host, including its own.
    pub open: u32,
    /// Number of earlier requests to its host.
    pub before: u64,
}

/// The counters and entries of a server. Shared; all methods take `&self`.
#[derive(Debug)]
pub struct RequestLog {
    state: Mutex<State>,
    keep: usize,
    count_urls: bool,
}

#[derive(Debug, Default)]
struct State {
    hosts: HashMap<Arc<str>, HostCounts>,
    by_url: HashMap<Fingerprint, UrlCounts>,
    statuses: BTreeMap<u16, u64>,
    connections: u64,
    requests: u64,
    entries: Vec<Entry>,
    file: Option<BufWriter<File>>,
    failed: Option<io::Error>,
}

#[derive(Debug, Default, Clone, Copy)]
struct UrlCounts {
    requests: u32,
    /// Number of answers other than 429, i.e. the number of the next attempt.
    answers: u32,
}

#[derive(Debug, Default)]
struct HostCounts {
    requests: u64,
    in_flight: u32,
    in_flight_most: u32,
    open: u32,
    open_most: u32,
    next_allowed: Instant,
}

/// The identity of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller {
    /// Its number, from 0.
    pub connection: u64,
    /// The address of the client.
    pub peer: IpAddr,
}

/// A request that has arrived and has not been answered yet.
#[derive(Debug)]
pub(super) struct Arrival {
    pub entry: Entry,
    /// Number of earlier answers of the URL with its content or with a transient error, i.e. the number of this
    /// attempt.
    pub attempt: u32,
    fingerprint: Option<Fingerprint>,
}

impl RequestLog {
    /// Creates a log that writes to `file`, if given, keeps the first `keep` entries in memory and optionally counts
    /// each URL.
    pub(super) fn new(file: Option<&Path>, keep: usize, count_urls: bool) -> io::Result<Self> {
        let file = file.map(File::create).transpose()?.map(|file| BufWriter::with_capacity(1 << 16, file));
        Ok(Self { state: Mutex::new(State { file, ..State::default() }), keep, count_urls })
    }

    /// Returns the kept entries, in the order of their answers.
    pub fn entries(&self) -> Vec<Entry> {
        self.state.lock().entries.clone()
    }

    /// Returns the number of requests, whatever their answers.
    pub fn requests(&self) -> u64 {
        self.state.lock().requests
    }

    /// Returns the number of accepted connections.
    pub fn connections(&self) -> u64 {
        self.state.lock().connections
    }

    /// Returns how often `url` (as spelled in the ground truth) was requested; 0 if URLs are not counted.
    pub fn requests_of(&self, url: &str) -> u32 {
        self.state.lock().by_url.get(&Fingerprint::of(url)).map_or(0, |counts| counts.requests)
    }

    /// Returns the number of distinct requested URLs; 0 if URLs are not counted.
    pub fn urls(&self) -> u64 {
        self.state.lock().by_url.len() as u64
    }

    /// Returns the number of answers by status.
    pub fn statuses(&self) -> BTreeMap<u16, u64> {
        self.state.lock().statuses.clone()
    }

    /// Returns for each host (name and port) the maximum number of requests in flight at once.
    pub fn most_in_flight(&self) -> BTreeMap<String, u32> {
        self.by_host(|counts| counts.in_flight_most)
    }

    /// Returns for each host (name and port) the maximum number of connections open at once that had carried its
    /// requests.
    pub fn most_open(&self) -> BTreeMap<String, u32> {
        self.by_host(|counts| counts.open_most)
    }

    fn by_host(&self, of: impl Fn(&HostCounts) -> u32) -> BTreeMap<String, u32> {
        self.state.lock().hosts.iter().map(|(host, counts)| (host.to_string(), of(counts))).collect()
    }

    /// Flushes the file. Returns an error if anything could not be written.
    pub fn flush(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        state.file.as_mut().map_or(Ok(()), BufWriter::flush)
    }

    /// Records an accepted connection from `peer`.
    pub(super) fn connected(&self, peer: IpAddr) -> Caller {
        let mut state = self.state.lock();
        state.connections += 1;
        Caller { connection: state.connections - 1, peer }
    }

    /// Records the end of a connection that carried requests to `hosts`.
    pub(super) fn disconnected(&self, hosts: &[Arc<str>]) {
        let mut state = self.state.lock();
        for host in hosts {
            if let Some(counts) = state.hosts.get_mut(host) {
                counts.open -= 1;
            }
        }
    }

    /// Records a request whose head was parsed at `at`. `hosts` are those that its connection has carried requests to.
    pub(super) fn arrived(
        &self,
        at: Instant,
        host: &str,
        path: &str,
        from: Caller,
        hosts: &mut Vec<Arc<str>>,
    ) -> Arrival {
        let mut state = self.state.lock();
        state.requests += 1;
        let fingerprint = self.count_urls.then(|| Fingerprint::of(&format!("http://{host}{path}")));
        let attempt = fingerprint.map_or(0, |fingerprint| {
            let counts = state.by_url.entry(fingerprint).or_default();
            counts.requests += 1;
            counts.answers
        });
        let host = match state.hosts.get_key_value(host) {
            Some((known, _)) => Arc::clone(known),
            None => Arc::from(host),
        };
        let counts = state.hosts.entry(Arc::clone(&host)).or_default();
        if !hosts.contains(&host) {
            hosts.push(Arc::clone(&host));
            counts.open += 1;
            counts.open_most = counts.open_most.max(counts.open);
        }
        counts.requests += 1;
        counts.in_flight += 1;
        counts.in_flight_most = counts.in_flight_most.max(counts.in_flight);
        let entry = Entry {
            us: at.as_micros(),
            path: path.into(),
            status: 0,
            took_us: 0,
            connection: from.connection,
            peer: from.peer,
            in_flight: counts.in_flight,
            open: counts.open,
            before: counts.requests - 1,
            host,
        };
        Arrival { entry, attempt, fingerprint }
    }

    /// Returns whether a rate-limited host may answer now; `interval` is the mean time between its requests, `burst`
    /// the number that may come at once. (The generic cell rate algorithm, ITU-T I.371, annex A.)
    pub(super) fn is_within_rate(&self, arrival: &Entry, interval_us: u64, burst: u64) -> bool {
        let mut state = self.state.lock();
        let Some(counts) = state.hosts.get_mut(&arrival.host) else { return true };
        let now = arrival.us;
        let expected = counts.next_allowed.as_micros().max(now);
        if expected - now > interval_us.saturating_mul(burst.saturating_sub(1)) {
            return false;
        }
        counts.next_allowed = Instant::from_micros(expected.saturating_add(interval_us));
        true
    }

    /// Records the end of a request: answered with `status` at `at`, or dropped (status 0).
    pub(super) fn answered(&self, at: Instant, status: u16, mut arrival: Arrival) {
        let mut state = self.state.lock();
        arrival.entry.status = status;
        arrival.entry.took_us = at.as_micros().saturating_sub(arrival.entry.us);
        *state.statuses.entry(status).or_default() += 1;
        if let Some(counts) = state.hosts.get_mut(&arrival.entry.host) {
            counts.in_flight -= 1;
        }
        if let Some(fingerprint) = arrival.fingerprint.filter(|_| status != 429 && status != 0) {
            state.by_url.entry(fingerprint).or_default().answers += 1;
        }
        state.write(&arrival.entry);
        if state.entries.len() < self.keep {
            state.entries.push(arrival.entry);
        }
    }
}

impl State {
    /// Writes an entry. The first error is kept for [`RequestLog::flush`]; serving continues.
    fn write(&mut self, entry: &Entry) {
        let Some(file) = &mut self.file else { return };
        let written =
            serde_json::to_writer(&mut *file, entry).map_err(io::Error::from).and_then(|()| file.write_all(b"\n"));
        if let Err(error) = written {
            self.file = None;
            self.failed = Some(error);
        }
    }
}
