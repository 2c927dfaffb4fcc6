//! Follows a crawl: reads its page log and WARC files behind it, and appends new and changed posts to `posts.jsonl`.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use harvestman_core::model::MediaType;
use harvestman_posts::Extractor;
use harvestman_posts::site::{LivePosts, PageNeighbours, Post};
use harvestman_storage::archive::OPEN_SUFFIX;
use serde::{Deserialize, Serialize};

use super::page::{DecodeMessage, RecordedPage};
use super::sample::Sample;
use super::warc_pages::{WarcInput, read_page};

const PAGE_LOG: &str = "pages.jsonl";
/// File with the posts.
pub const POSTS_FILE: &str = "posts.jsonl";
const STATE_FILE: &str = "posts.state.json";
/// Number of pages of a host that are learned from before its posts are written.
const LEARNED_FIRST: usize = 200;
/// Maximum number of pages of all hosts that wait until enough was learned.
const WAITING_MAX: usize = 20_000;
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

/// A page that the log names.
#[derive(Debug, Clone, Deserialize)]
struct LoggedPage {
    #[serde(default)]
    url: String,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    visit: Option<u32>,
    #[serde(default)]
    cluster: Option<u32>,
    #[serde(default)]
    warc_file: Option<String>,
    #[serde(default)]
    warc_offset: Option<u64>,
}

/// A page that waits until enough of its host was learned from.
struct WaitingPage {
    /// Where its line starts.
    line: u64,
    logged: LoggedPage,
}

/// Follows a crawl in a directory.
pub struct Follower {
    directory: PathBuf,
    decode: DecodeMessage,
    log: BufReader<File>,
    /// Where the next line of the log starts.
    next: u64,
    posts: File,
    posts_bytes: u64,
    extractor: Extractor,
    sample: Sample,
    live: LivePosts,
    waiting: HashMap<String, VecDeque<WaitingPage>>,
    waiting_count: usize,
    /// Numbers of pages of hosts that were seen, up to [`LEARNED_FIRST`].
    seen: HashMap<String, usize>,
    done: Followed,
}

impl Follower {
    /// Opens the files in the directory of a crawl whose page log exists, and continues where an earlier run ended: cuts what it had
    /// not completed, and learns again from the pages that it had learned from.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub fn open(directory: &Path, decode: DecodeMessage) -> io::Result<Self> {
        let log = File::open(directory.join(PAGE_LOG))?;
        let state = read_state(directory, &log)?;
        let posts = OpenOptions::new().read(true).append(true).create(true).open(directory.join(POSTS_FILE))?;
        let posts_bytes = complete_bytes(&posts, state.posts_bytes)?;
        posts.set_len(posts_bytes)?;
        let mut follower = Self {
            directory: directory.to_owned(),
            decode,
            log: BufReader::with_capacity(1 << 16, log),
            next: 0,
            live: given_out(&posts)?,
            posts,
            posts_bytes,
            extractor: Extractor::default(),
            sample: Sample::default(),
            waiting: HashMap::new(),
            waiting_count: 0,
            seen: HashMap::new(),
            done: Followed::default(),
        };
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

    /// Returns the earliest and the latest time of the posts in the file.
    pub fn times(&self) -> Option<(String, String)> {
        self.live.times()
    }

    /// Reads the next line of the page log. With `is_over`, the crawl writes no more: what cannot be read then is counted.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or the posts cannot be written.
    pub fn step(&mut self, is_over: bool) -> io::Result<FollowStep> {
        let start = self.next;
        let Some(logged) = self.next_line()? else { return Ok(FollowStep::UpToDate) };
        let Some(logged) = logged.filter(LoggedPage::may_have_posts) else { return Ok(FollowStep::Page) };
        let Some(page) = self.page(&logged) else {
            if is_over {
                self.done.unreadable += 1;
                return Ok(FollowStep::Page);
            }
            // The record is not written yet: the line is read again.
            self.seek(start)?;
            return Ok(FollowStep::UpToDate);
        };
        self.done.pages += 1;
        self.learn(&page);
        let host = page.url.host_str().unwrap_or_default().to_owned();
        let seen = self.seen.entry(host.clone()).or_default();
        *seen = (*seen + 1).min(LEARNED_FIRST);
        if *seen < LEARNED_FIRST {
            self.waiting.entry(host).or_default().push_back(WaitingPage { line: start, logged });
            self.waiting_count += 1;
            if self.waiting_count > WAITING_MAX {
                self.write_waiting()?;
            }
            return Ok(FollowStep::Page);
        }
        self.write_waiting_of(&host)?;
        self.write_posts(&logged, &page)?;
        Ok(FollowStep::Page)
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

    /// Reads the record of a page; `None` if it cannot be read.
    fn page(&self, logged: &LoggedPage) -> Option<RecordedPage> {
        let (name, offset) = (logged.warc_file.as_ref()?, logged.warc_offset?);
        let path = self.directory.join(name);
        let open = || File::open(&path).or_else(|_| File::open(self.directory.join(format!("{name}{OPEN_SUFFIX}"))));
        // It may be renamed in between.
        let mut file = open().or_else(|_| File::open(&path)).ok()?;
        file.seek(SeekFrom::Start(offset)).ok()?;
        let mut page = read_page(WarcInput { name: name.clone(), reader: file })?;
        page.offset = offset;
        Some(page)
    }

    /// Learns from a page if it is in the sample.
    fn learn(&mut self, page: &RecordedPage) {
        let host = page.url.host_str().unwrap_or_default();
        if !self.sample.chooses(host) {
            return;
        }
        if let Some(parsed) = page.parse(self.decode) {
            self.extractor.learn(&parsed);
        }
        if self.sample.has_doubled(host) {
            self.extractor.settle();
        }
    }

    /// Learns from the pages before a place of the log that were learned from before.
    fn learn_again(&mut self, until: u64) -> io::Result<()> {
        while self.next < until {
            let Some(logged) = self.next_line()? else { break };
            let Some(logged) = logged.filter(LoggedPage::may_have_posts) else { continue };
            let host = url::Url::parse(&logged.url).ok().and_then(|url| url.host_str().map(str::to_owned));
            let host = host.unwrap_or_default();
            let Some(page) = self.page(&logged) else { continue };
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
        for WaitingPage { logged, .. } in pages {
            match self.page(&logged) {
                Some(page) => self.write_posts(&logged, &page)?,
                None => self.done.unreadable += 1,
            }
        }
        Ok(())
    }

    fn write_posts(&mut self, logged: &LoggedPage, page: &RecordedPage) -> io::Result<()> {
        let Some(parsed) = page.parse(self.decode) else { return Ok(()) };
        let mut origin = page.origin(PageNeighbours::of(&parsed));
        (origin.visit, origin.cluster) = (Some(logged.visit.unwrap_or(1)), logged.cluster);
        let new = self.live.add(&origin, &self.extractor.extract(&parsed));
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

impl LoggedPage {
    fn may_have_posts(&self) -> bool {
        let is_html = MediaType::of(self.content_type.as_deref()) == MediaType::Html;
        self.status == Some(200) && self.warc_file.is_some() && is_html
    }
}

/// Returns the state of an earlier run. Where the log was cut since then, it is read from its beginning.
fn read_state(directory: &Path, mut log: &File) -> io::Result<State> {
    let text = match std::fs::read(directory.join(STATE_FILE)) {
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
