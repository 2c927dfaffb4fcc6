//! Follows a crawl: reads its page log and WARC files behind it, and appends new and changed posts to `posts.jsonl`.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::corrections_file::{CorrectionsError, corrections_of, read_corrections};
use super::logged_page::{Content, LoggedPage, LoggedPages};
use super::page::{DecodeMessage, Sample};
use harvestman_core::crawl_file;
use harvestman_core::recent_trees::RecentTrees;
use harvestman_posts::site::{LivePosts, PageNeighbours, Post};
use harvestman_posts::{Correction, Corrections, Extractor, Page};
use serde::{Deserialize, Serialize};

const PAGE_LOG: &str = "pages.jsonl";
/// File with the posts.
pub const POSTS_FILE: &str = "posts.jsonl";
const STATE_FILE: &str = "posts.state.json";
/// Number of pages of a host that are learned from before its posts are written.
const LEARNED_FIRST: usize = 200;
/// Maximum number of pages of all hosts that wait until enough was learned.
const WAITING_MAX: usize = 20_000;
/// Maximum number of nodes of pages that wait with their content: some 50 MB.
const WAITING_NODES_MAX: usize = 300_000;
/// Maximum length of a line of the page log.
const LINE_BYTES_MAX: u64 = 16 << 20;

/// How far a follower is, as it is kept on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// Bytes of the page log that need not be read again.
    log_bytes: u64,
    /// Bytes of the posts that are complete.
    posts_bytes: u64,
}

/// What a follower has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Followed {
    /// Number of pages that it has looked at in this run.
    pub pages: u64,
    /// Number of posts that are in the file, each counted once.
    pub posts: u64,
    /// Number of new and changed posts that were written in this run.
    pub written: u64,
    /// Number of threads of the posts in the file.
    pub threads: u64,
    /// Number of their authors.
    pub authors: u64,
    /// Number of pages that could not be read.
    pub unreadable: u64,
    /// Number of pages that were given up, because finding their posts takes too long.
    pub given_up: u64,
    /// Bytes of the page log that are not read yet.
    pub behind: u64,
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowStep {
    /// A line of the page log was read.
    Page,
    /// There is no complete line, or its page is not written yet.
    UpToDate,
}

/// A page that waits until enough of its host was learned from.
struct WaitingPage {
    /// Where its line starts.
    line: u64,
    logged: LoggedPage,
    /// Its content, unless too many wait.
    page: Option<Page>,
}

/// Follows a crawl in a directory.
pub struct Follower {
    directory: PathBuf,
    pages: LoggedPages,
    log: BufReader<File>,
    /// Where the next line of the log starts.
    next: u64,
    posts: File,
    posts_bytes: u64,
    extractor: Extractor,
    /// What users say of the places of fields.
    corrections: Vec<Correction>,
    has_bad_corrections: bool,
    sample: Sample,
    live: LivePosts,
    waiting: HashMap<String, VecDeque<WaitingPage>>,
    waiting_count: usize,
    /// Number of nodes of the waiting pages whose content is kept.
    waiting_nodes: usize,
    /// Numbers of pages of hosts that were seen, up to [`LEARNED_FIRST`].
    seen: HashMap<String, usize>,
    done: Followed,
    /// The addresses of pages that were given up, until they are taken.
    given_up: Vec<String>,
}

impl Follower {
    /// Opens the files in the directory of a crawl whose page log exists, and continues where an earlier run ended:
    /// cuts what it had not completed, and learns again from the pages that it had learned from. What `trees` has is
    /// not read from the archive.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub fn open(directory: &Path, decode: DecodeMessage, trees: RecentTrees) -> io::Result<Self> {
        let log = crawl_file::open(&directory.join(PAGE_LOG))?;
        let state = read_state(directory, &log)?;
        let posts = crawl_file::open_with(
            &directory.join(POSTS_FILE),
            OpenOptions::new().read(true).append(true).create(true),
        )?;
        let posts_bytes = complete_bytes(&posts, state.posts_bytes)?;
        posts.set_len(posts_bytes)?;
        let mut follower = Self {
            directory: directory.to_owned(),
            pages: LoggedPages { directory: directory.to_owned(), decode, trees },
            log: BufReader::with_capacity(1 << 16, log),
            next: 0,
            live: given_out(&posts)?,
            posts,
            posts_bytes,
            extractor: Extractor::default(),
            corrections: Vec::new(),
            has_bad_corrections: false,
            sample: Sample::default(),
            waiting: HashMap::new(),
            waiting_count: 0,
            waiting_nodes: 0,
            seen: HashMap::new(),
            done: Followed::default(),
            given_up: Vec::new(),
        };
        if follower.take_corrections().is_err() {
            // The next call tells it.
            follower.has_bad_corrections = false;
        }
        follower.learn_again(state.log_bytes)?;
        Ok(follower)
    }

    /// Returns what was done so far.
    pub fn done(&self) -> Followed {
        let length = self.log.get_ref().metadata().map_or(0, |metadata| metadata.len());
        let (posts, threads) = (self.live.len() as u64, self.live.threads() as u64);
        let authors = self.live.authors() as u64;
        Followed { behind: length.saturating_sub(self.next), posts, threads, authors, ..self.done }
    }

    /// Takes the addresses of the pages that were given up since the last call.
    pub fn take_given_up(&mut self) -> Vec<String> {
        std::mem::take(&mut self.given_up)
    }

    /// Returns the earliest and the latest time of the posts in the file.
    pub fn times(&self) -> Option<(String, String)> {
        self.live.times()
    }

    /// Reads the next line of the page log. With `is_over`, the crawl writes no more: what cannot be read then is
    /// counted.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or the posts cannot be written.
    pub fn step(&mut self, is_over: bool) -> io::Result<FollowStep> {
        let start = self.next;
        let Some(logged) = self.next_line()? else { return Ok(FollowStep::UpToDate) };
        let Some(mut logged) = logged.filter(LoggedPage::may_have_posts) else { return Ok(FollowStep::Page) };
        let Some(content) = self.pages.read(&mut logged) else {
            if is_over {
                self.done.unreadable += 1;
                return Ok(FollowStep::Page);
            }
            // The record is not written yet: the line is read again.
            self.seek(start)?;
            return Ok(FollowStep::UpToDate);
        };
        self.done.pages += 1;
        // It is no page, or one beyond the bounds on pages.
        let Content::Page(page) = content else { return Ok(FollowStep::Page) };
        self.learn(&page);
        let host = page.url.host_str().unwrap_or_default().to_owned();
        let seen = self.seen.entry(host.clone()).or_default();
        *seen = (*seen + 1).min(LEARNED_FIRST);
        if *seen < LEARNED_FIRST {
            self.wait(host, WaitingPage { line: start, logged, page: Some(*page) })?;
            return Ok(FollowStep::Page);
        }
        self.write_waiting_of(&host)?;
        self.write_posts(&logged, &page)?;
        Ok(FollowStep::Page)
    }

    /// Lets a page wait until enough of its host was learned from.
    fn wait(&mut self, host: String, mut waiting: WaitingPage) -> io::Result<()> {
        let nodes = waiting.nodes();
        if self.waiting_nodes + nodes > WAITING_NODES_MAX {
            waiting.page = None;
        }
        self.waiting_nodes += waiting.nodes();
        self.waiting.entry(host).or_default().push_back(waiting);
        self.waiting_count += 1;
        if self.waiting_count > WAITING_MAX { self.write_waiting() } else { Ok(()) }
    }

    /// Writes the posts of the pages that wait, at the end of a crawl.
    ///
    /// # Errors
    ///
    /// The posts cannot be written.
    pub fn write_waiting(&mut self) -> io::Result<()> {
        let mut hosts: Vec<String> = self.waiting.keys().cloned().collect();
        hosts.sort();
        for host in hosts {
            self.seen.insert(host.clone(), LEARNED_FIRST);
            self.write_waiting_of(&host)?;
        }
        Ok(())
    }

    /// Uses the corrections of the crawl from now on, if they have changed.
    ///
    /// # Errors
    ///
    /// The file of corrections cannot be used, and is not used. This is told once, until it can be used again.
    pub fn take_corrections(&mut self) -> Result<(), CorrectionsError> {
        let taken = self.changed_corrections().map(|changed| {
            if let Some((list, corrections)) = changed {
                self.extractor.correct(corrections);
                self.extractor.settle();
                self.corrections = list;
            }
        });
        let is_known = std::mem::replace(&mut self.has_bad_corrections, taken.is_err());
        taken.or_else(|error| if is_known { Ok(()) } else { Err(error) })
    }

    /// Returns the corrections if they are others than those in use.
    fn changed_corrections(&self) -> Result<Option<(Vec<Correction>, Corrections)>, CorrectionsError> {
        let list = read_corrections(&self.directory)?;
        if list == self.corrections {
            return Ok(None);
        }
        let corrections = corrections_of(std::slice::from_ref(&self.directory))?;
        Ok(Some((list, corrections)))
    }

    /// Keeps how far it is, after the posts are on disk.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn save(&mut self) -> io::Result<()> {
        self.posts.sync_data()?;
        let first = self.waiting.values().filter_map(|pages| pages.front()).map(|page| page.line).min();
        let state = State { log_bytes: first.unwrap_or(self.next), posts_bytes: self.posts_bytes };
        let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
        serde_json::to_writer(&mut file, &state)?;
        file.flush()?;
        file.as_file().sync_all()?;
        file.persist(self.directory.join(STATE_FILE)).map(drop).map_err(|error| error.error)
    }

    /// Returns the next line, with `None` for a damaged one; `None` if there is no complete line.
    fn next_line(&mut self) -> io::Result<Option<Option<LoggedPage>>> {
        let mut line = Vec::new();
        let read = self.log.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            if read as u64 == LINE_BYTES_MAX {
                // Not a line of a page log: the rest of it is the next one, and damaged too.
                self.next += read as u64;
                return Ok(Some(None));
            }
            self.seek(self.next)?;
            return Ok(None);
        }
        self.next += read as u64;
        Ok(Some(serde_json::from_slice(&line).ok()))
    }

    fn seek(&mut self, to: u64) -> io::Result<()> {
        self.next = to;
        self.log.seek(SeekFrom::Start(to)).map(drop)
    }

    /// Learns from a page if it is in the sample.
    fn learn(&mut self, page: &Page) {
        let host = page.url.host_str().unwrap_or_default();
        if !self.sample.chooses(host) {
            return;
        }
        self.extractor.learn(page);
        if self.sample.has_doubled(host) {
            self.extractor.settle();
        }
    }

    /// Learns from the pages before a place of the log that were learned from before.
    fn learn_again(&mut self, until: u64) -> io::Result<()> {
        while self.next < until {
            let Some(logged) = self.next_line()? else { break };
            let Some(mut logged) = logged.filter(LoggedPage::may_have_posts) else { continue };
            let host = url::Url::parse(&logged.url).ok().and_then(|url| url.host_str().map(str::to_owned));
            let host = host.unwrap_or_default();
            let Some(Content::Page(page)) = self.pages.read(&mut logged) else { continue };
            self.learn(&page);
            let seen = self.seen.entry(host).or_default();
            *seen += 1;
            if *seen == LEARNED_FIRST {
                self.extractor.settle();
            }
            *seen = (*seen).min(LEARNED_FIRST);
        }
        Ok(())
    }

    fn write_waiting_of(&mut self, host: &str) -> io::Result<()> {
        let Some(pages) = self.waiting.remove(host) else { return Ok(()) };
        self.extractor.settle();
        self.waiting_count -= pages.len();
        for waiting in pages {
            self.waiting_nodes -= waiting.nodes();
            let WaitingPage { mut logged, page, .. } = waiting;
            match page.map(Box::new).map(Content::Page).or_else(|| self.pages.read(&mut logged)) {
                Some(Content::Page(page)) => self.write_posts(&logged, &page)?,
                Some(Content::Other) => {}
                None => self.done.unreadable += 1,
            }
        }
        Ok(())
    }

    fn write_posts(&mut self, logged: &LoggedPage, page: &Page) -> io::Result<()> {
        let records = self.extractor.extract(page);
        if records.is_given_up {
            self.done.given_up += 1;
            self.given_up.push(logged.url.clone());
        }
        if records.posts.is_empty() {
            return Ok(());
        }
        let origin = logged.origin(PageNeighbours::of(page));
        let new = self.live.add(&origin, &records);
        self.done.written += new.len() as u64;
        let mut lines = Vec::new();
        for post in new {
            serde_json::to_writer(&mut lines, &post)?;
            lines.push(b'\n');
        }
        self.posts.write_all(&lines)?;
        self.posts_bytes += lines.len() as u64;
        Ok(())
    }
}

impl WaitingPage {
    fn nodes(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.tree.nodes().len())
    }
}

/// Returns the state of an earlier run. Where the log was cut since then, it is read from its beginning.
fn read_state(directory: &Path, mut log: &File) -> io::Result<State> {
    let text = match crawl_file::read(&directory.join(STATE_FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::default()),
        Err(error) => return Err(error),
    };
    let Ok(mut state) = serde_json::from_slice::<State>(&text) else { return Ok(State::default()) };
    if state.log_bytes > 0 {
        let mut last = [0];
        log.seek(SeekFrom::Start(state.log_bytes - 1))?;
        let is_line_end = log.read(&mut last)? == 1 && last == *b"\n";
        log.seek(SeekFrom::Start(0))?;
        if !is_line_end {
            state.log_bytes = 0;
        }
    }
    Ok(state)
}

/// Returns the length of the complete lines within the first bytes of a file.
fn complete_bytes(mut file: &File, bytes: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let mut lines = BufReader::with_capacity(1 << 16, file.take(bytes));
    let mut complete = 0;
    loop {
        let mut line = Vec::new();
        let read = lines.read_until(b'\n', &mut line)?;
        if read == 0 || !line.ends_with(b"\n") {
            return Ok(complete);
        }
        complete += read as u64;
    }
}

/// Returns the posts that are in the file.
fn given_out(mut file: &File) -> io::Result<LivePosts> {
    file.seek(SeekFrom::Start(0))?;
    let mut live = LivePosts::default();
    let mut lines = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        if let Ok(post) = serde_json::from_slice::<Post>(&line) {
            live.note(&post);
        }
        line.clear();
    }
    Ok(live)
}

#[cfg(test)]
#[path = "follower_tests.rs"]
mod tests;
