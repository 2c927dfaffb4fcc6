//! Follows a crawl with `archive.posts`: a thread that writes `posts.jsonl` behind it.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::cli::exit::Failure;
use crate::cli::signals;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::Config;
use harvestman_core::config::archive::LineCompression;
use harvestman_core::recent_trees::RecentTrees;
use harvestman_extraction::{FollowStep, Followed, Follower, POSTS_FILE};
use harvestman_metrics::{ArchiveMetrics, Metrics};
use harvestman_report::{PostBoard, PostProgress, Report, StopFlag, StopReason, figures};
use harvestman_stages::fetch::recorded_response;

/// The crawl has not prepared its directory.
const WAITING: u8 = 0;
/// The crawl is running.
const RUNNING: u8 = 1;
/// The crawl has ended: what is left is read.
const OVER: u8 = 2;
/// The crawl was stopped: nothing more is read.
const STOPPED: u8 = 3;

/// How long the follower waits for new pages.
const IDLE: Duration = Duration::from_millis(250);
/// While the crawl runs, the follower rests this many times as long as it works, so that it takes half a processor at
/// most.
const REST: u32 = 1;
/// It rests when it owes this much: a page takes a fraction of a millisecond, and going to sleep and waking up a tenth
/// of that.
const REST_MIN: Duration = Duration::from_millis(5);
/// Maximum number of bytes of the pages that the crawl has parsed and that the follower has not read yet; others are
/// read from the archive.
const TREE_BYTES_MAX: usize = 64 << 20;
/// The interval at which it keeps how far it is.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// How long a follower that was stopped may take for what it is doing, and how often it is asked whether it has ended.
const STOPPING_MAX: Duration = Duration::from_secs(5);
const ENDED_EVERY: Duration = Duration::from_millis(20);

/// The thread of a follower.
type Following = JoinHandle<io::Result<Option<Outcome>>>;

/// What a follower has done, and the earliest and the latest time of the posts.
struct Outcome {
    done: Followed,
    times: Option<(String, String)>,
}

/// Tells the follower of a crawl that the directory is prepared, and the crawl how far the follower is.
#[derive(Clone, Default)]
pub(in crate::cli) struct FollowSignal {
    phase: Arc<AtomicU8>,
    /// Where the follower shows how far it is.
    pub board: PostBoard,
    /// The pages that the crawl has just parsed.
    pub trees: RecentTrees,
    /// Whether the crawl was asked to stop, be it while its files were closed.
    pub stop: StopFlag,
}

impl FollowSignal {
    /// Lets the follower begin.
    pub fn begin(&self) {
        let _ = self.phase.compare_exchange(WAITING, RUNNING, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Crawls, and writes the posts behind the crawl if `archive.posts` is set.
pub(in crate::cli) fn with_posts(
    config: &Config,
    metrics: &Metrics,
    crawl: impl FnOnce(&FollowSignal) -> Result<Report, Failure>,
) -> Result<Report, Failure> {
    let mut signal = FollowSignal::default();
    if !config.archive.posts {
        return crawl(&signal);
    }
    if !config.archive.enabled || config.archive.pages_compress != LineCompression::None {
        let what = "archive.posts needs archive.enabled = true and archive.pages_compress = \"none\"";
        return Err(Failure::usage(format!("{what}: posts are read from the WARC files by the page log")));
    }
    signal.trees = RecentTrees::new(TREE_BYTES_MAX);
    let following = start(Path::new(&config.crawl.out), &signal, &metrics.archive);
    let result = crawl(&signal);
    let is_interrupted = result.as_ref().map_or(true, |report| report.stop_reason == StopReason::Interrupted);
    let is_stopped = is_interrupted || signal.stop.requested();
    signal.phase.store(if is_stopped { STOPPED } else { OVER }, Ordering::Relaxed);
    let requests = result.as_ref().ok().map(|report| report.requests);
    match ended(following, &signal) {
        Some(of_thread) => {
            let is_stopped = signal.phase.load(Ordering::Relaxed) == STOPPED;
            log_result(of_thread, &config.crawl.out, is_stopped, requests);
        }
        None => tracing::warn!(
            "the posts of a page take long to find and are left; what is missing in {POSTS_FILE} is written when the crawl is \
             resumed, or by: harvestman export posts {}",
            config.crawl.out
        ),
    }
    result
}

/// Waits for the follower of a crawl that has ended, which a signal stops. Returns `None` if it is in the middle of a
/// page for too long: it is left alone, and the next run writes again what it has not completed.
fn ended(following: Following, signal: &FollowSignal) -> Option<thread::Result<io::Result<Option<Outcome>>>> {
    // Without a runtime there are no signals to wait for.
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
        runtime.block_on(until_ended(&following, signal));
        if !following.is_finished() {
            return None;
        }
    }
    Some(following.join())
}

/// Waits until the follower has ended, or has had its time to do so after it was stopped.
async fn until_ended(following: &Following, signal: &FollowSignal) {
    let mut stopping = Duration::ZERO;
    let next_signal = async {
        if signals::next().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let mut next_signal = std::pin::pin!(next_signal);
    while !following.is_finished() && stopping < STOPPING_MAX {
        let is_stopped = signal.phase.load(Ordering::Relaxed) == STOPPED;
        tokio::select! {
            () = &mut next_signal, if !is_stopped => {
                tracing::warn!("stopping: the pages that were not read for posts yet are left");
                signal.phase.store(STOPPED, Ordering::Relaxed);
            }
            () = tokio::time::sleep(ENDED_EVERY) => stopping += if is_stopped { ENDED_EVERY } else { Duration::ZERO },
        }
    }
}

fn start(directory: &Path, signal: &FollowSignal, metrics: &Arc<ArchiveMetrics>) -> Following {
    let (directory, signal) = (directory.to_owned(), signal.clone());
    let mut counts = Counts { metrics: Arc::clone(metrics), board: signal.board.clone(), counted: Followed::default() };
    thread::spawn(move || follow(&directory, &signal, &mut counts))
}

/// Follows until the crawl is over. Returns `None` if it did not begin.
fn follow(directory: &Path, signal: &FollowSignal, counts: &mut Counts) -> io::Result<Option<Outcome>> {
    let Some(mut follower) = opened(directory, signal)? else { return Ok(None) };
    let clock = Clock::system();
    let (mut saved, mut owed) = (clock.now(), Duration::ZERO);
    loop {
        let phase = signal.phase.load(Ordering::Relaxed);
        if phase == STOPPED {
            break;
        }
        let before = clock.now();
        match follower.step(phase == OVER)? {
            FollowStep::UpToDate if phase == OVER => {
                follower.write_waiting()?;
                break;
            }
            FollowStep::UpToDate => {
                thread::sleep(IDLE);
                owed = Duration::ZERO;
            }
            FollowStep::Page if phase == RUNNING => owed += clock.now().since(before) * REST,
            FollowStep::Page => {}
        }
        if owed >= REST_MIN {
            thread::sleep(std::mem::take(&mut owed));
        }
        name_given_up(&mut follower);
        counts.show(follower.done());
        save_if_due(&mut follower, &clock, &mut saved)?;
    }
    follower.save()?;
    name_given_up(&mut follower);
    counts.show(follower.done());
    Ok(Some(Outcome { done: follower.done(), times: follower.times() }))
}

/// Names the pages whose posts take too long to find.
fn name_given_up(follower: &mut Follower) {
    for url in follower.take_given_up() {
        tracing::warn!(url, "the posts of the page are given up: it takes too long to find them");
    }
}

/// Shows what a follower has done.
struct Counts {
    metrics: Arc<ArchiveMetrics>,
    board: PostBoard,
    /// What the metrics have.
    counted: Followed,
}

impl Counts {
    fn show(&mut self, done: Followed) {
        let metrics = &self.metrics;
        metrics.posts.add(done.written - self.counted.written);
        metrics.posts_pages.add(done.pages - self.counted.pages);
        metrics.posts_given_up.add(done.given_up - self.counted.given_up);
        metrics.posts_threads.set(done.threads);
        metrics.posts_behind_bytes.set(done.behind);
        let Followed { posts, threads, authors, behind, .. } = done;
        self.board.show(PostProgress { posts, threads, authors, behind_bytes: behind });
        self.counted = done;
    }
}

fn save_if_due(follower: &mut Follower, clock: &Clock, saved: &mut Instant) -> io::Result<()> {
    if clock.now().since(*saved) < SAVE_EVERY {
        return Ok(());
    }
    follower.save()?;
    if let Err(error) = follower.take_corrections() {
        tracing::warn!("corrections of posts are not used: {error}");
    }
    *saved = clock.now();
    Ok(())
}

/// Waits for the page log and opens it.
fn opened(directory: &Path, signal: &FollowSignal) -> io::Result<Option<Follower>> {
    loop {
        let phase = signal.phase.load(Ordering::Relaxed);
        if phase != WAITING {
            match Follower::open(directory, recorded_response, signal.trees.clone()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && phase == RUNNING => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                opened => return opened.map(Some),
            }
        }
        thread::sleep(IDLE);
    }
}

fn log_result(
    result: thread::Result<io::Result<Option<Outcome>>>,
    directory: &str,
    is_stopped: bool,
    requests: Option<u64>,
) {
    let again = format!("harvestman export posts {directory}");
    match result {
        Ok(Ok(Some(Outcome { done, times }))) => {
            let unreadable = done.unreadable;
            let [posts, threads, authors] = [done.posts, done.threads, done.authors].map(figures::count);
            let times = times.map_or_else(String::new, |(first, last)| format!(", written from {first} to {last}"));
            let requests = requests.filter(|requests| *requests > 0);
            let each = requests.map_or_else(String::new, |requests| {
                format!("; {:.2} posts per request", done.posts as f64 / requests as f64)
            });
            tracing::info!("{POSTS_FILE} has {posts} posts in {threads} threads by {authors} authors{times}{each}");
            if is_stopped && done.behind > 0 {
                tracing::info!(
                    "the pages that were not read for posts yet are read when the crawl is resumed, or by: {again}"
                );
            }
            if unreadable > 0 {
                tracing::warn!("{unreadable} pages could not be read for posts");
            }
        }
        Ok(Ok(None)) => {}
        Ok(Err(error)) => {
            tracing::error!("cannot write {POSTS_FILE}: {error}; the crawl itself is complete, retry with: {again}")
        }
        Err(_) => tracing::error!(
            "the thread that writes {POSTS_FILE} panicked; the crawl itself is complete, retry with: {again}"
        ),
    }
}
