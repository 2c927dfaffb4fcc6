//! The posts of a crawl, read in one pass in bounded memory.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::render::block::{Block, Cell};

/// Number of values up to which distinct ones are counted exactly. Beyond it, their number is estimated with a standard
/// error of 0.2 %.
const EXACT_MAX: usize = 1 << 18;

/// The figures of the posts in `posts.jsonl`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PostFigures {
    /// Number of posts.
    pub posts: u64,
    /// Number of lines that repeat a post after its page showed another text.
    pub changes: u64,
    /// Number of threads.
    pub threads: u64,
    /// Number of authors.
    pub authors: u64,
    /// The earliest time of a post, as its page shows it.
    pub first_time: Option<String>,
    /// The latest time of a post.
    pub last_time: Option<String>,
    /// Number of posts per request of the crawl.
    pub per_request: Option<f64>,
    /// Whether numbers are estimated.
    pub is_estimated: bool,
    /// Number of lines that cannot be read.
    pub damaged: u64,
}

/// Returns the seconds since 1970 of the time of a post.
pub type PostSeconds = fn(&str) -> Option<i64>;

/// Reads posts line by line.
#[derive(Debug)]
pub struct PostReading {
    seconds: PostSeconds,
    lines: u64,
    damaged: u64,
    posts: Distinct,
    threads: Distinct,
    authors: Distinct,
    first: Option<(i64, String)>,
    last: Option<(i64, String)>,
}

#[derive(Deserialize)]
struct PostLine {
    id: String,
    thread_id: String,
    #[serde(default)]
    author: Option<String>,
    #[serde(default)]
    author_url: Option<String>,
    #[serde(default)]
    time: Option<String>,
}

impl PostReading {
    /// Starts reading.
    pub fn new(seconds: PostSeconds) -> Self {
        let new = Distinct::default;
        Self { seconds, lines: 0, damaged: 0, posts: new(), threads: new(), authors: new(), first: None, last: None }
    }

    /// Reads a line.
    pub fn add(&mut self, line: &[u8]) {
        let Ok(post) = serde_json::from_slice::<PostLine>(line) else { return self.damaged() };
        self.lines += 1;
        self.posts.add(&post.id);
        self.threads.add(&post.thread_id);
        if let Some(author) = post.author_url.or(post.author) {
            self.authors.add(&author);
        }
        if let Some((seconds, time)) = post.time.and_then(|time| Some(((self.seconds)(&time)?, time))) {
            if self.first.as_ref().is_none_or(|(first, _)| seconds < *first) {
                self.first = Some((seconds, time.clone()));
            }
            if self.last.as_ref().is_none_or(|(last, _)| seconds > *last) {
                self.last = Some((seconds, time));
            }
        }
    }

    /// Counts a line that cannot be read.
    pub fn damaged(&mut self) {
        self.damaged += 1;
    }

    /// Returns the figures. The number of requests is not known yet.
    pub fn finish(self) -> PostFigures {
        let posts = self.posts.count();
        PostFigures {
            posts,
            changes: self.lines.saturating_sub(posts),
            threads: self.threads.count(),
            authors: self.authors.count(),
            first_time: self.first.map(|(_, time)| time),
            last_time: self.last.map(|(_, time)| time),
            per_request: None,
            is_estimated: [&self.posts, &self.threads, &self.authors].iter().any(|values| values.is_full()),
            damaged: self.damaged,
        }
    }
}

/// Counts distinct values by the smallest of their hashes (Bar-Yossef et al., *Counting Distinct Elements in a Data
/// Stream*, RANDOM 2002).
#[derive(Debug, Default)]
struct Distinct {
    smallest: BTreeSet<u64>,
}

impl Distinct {
    fn add(&mut self, value: &str) {
        // The same hashes in each run.
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        let hash = hasher.finish();
        if self.smallest.len() < EXACT_MAX || self.smallest.last().is_some_and(|greatest| hash < *greatest) {
            self.smallest.insert(hash);
            if self.smallest.len() > EXACT_MAX {
                self.smallest.pop_last();
            }
        }
    }

    fn is_full(&self) -> bool {
        self.smallest.len() >= EXACT_MAX
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate"
    )]
    fn count(&self) -> u64 {
        match self.smallest.last() {
            Some(greatest) if self.is_full() => {
                ((self.smallest.len() - 1) as f64 / (*greatest as f64 / u64::MAX as f64)) as u64
            }
            _ => self.smallest.len() as u64,
        }
    }
}

pub(super) fn blocks(figures: Option<&PostFigures>) -> Vec<Block> {
    let Some(figures) = figures else { return Vec::new() };
    let PostFigures { posts, changes, threads, authors, first_time, last_time, per_request, is_estimated, damaged } =
        figures;
    let count = |key: &str, count: u64| Cell::count(count).at(format!("posts.{key}"));
    let mut facts = vec![
        ("Posts", count("posts", *posts)),
        ("Threads", count("threads", *threads)),
        ("Authors", count("authors", *authors)),
    ];
    if let Some((first, last)) = first_time.as_ref().zip(last_time.as_ref()) {
        facts.push(("Written", Cell::text(format!("{first} to {last}"))));
    }
    if let Some(each) = per_request {
        facts.push(("Posts per request", Cell::score(*each).at("posts.per_request")));
    }
    if *changes > 0 && !is_estimated {
        facts.push(("Changed texts", count("changes", *changes)));
    }
    if *damaged > 0 {
        facts.push(("Lines that cannot be read", count("damaged", *damaged)));
    }
    let facts = facts.into_iter().map(|(name, cell)| (name.to_owned(), cell));
    let mut text = "From posts.jsonl; excerpts and what needs the whole site are in the output of harvestman export posts only. Times are as the \
                    pages show them."
        .to_owned();
    if *is_estimated {
        text.push_str(" Numbers of posts, threads and authors above 262,144 are estimated (standard error 0.2 %).");
    }
    vec![Block::Facts(facts.collect()), Block::Text(text)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_are_counted_once_and_their_times_compared() {
        let mut reading = PostReading::new(|time| time.parse().ok());
        for line in [
            r#"{"id":"1","thread_id":"a","author":"ann","time":"9"}"#,
            r#"{"id":"2","thread_id":"a","author":"ann","author_url":"/u/ann","time":"10"}"#,
            r#"{"id":"2","thread_id":"a","author":"ann","author_url":"/u/ann","time":"10"}"#,
            r#"{"id":"3","thread_id":"b","author":null,"time":"yesterday"}"#,
            r#"{"id":"#,
        ] {
            reading.add(line.as_bytes());
        }
        let figures = reading.finish();
        let expected = PostFigures {
            posts: 3,
            changes: 1,
            threads: 2,
            authors: 2,
            first_time: Some("9".to_owned()),
            last_time: Some("10".to_owned()),
            damaged: 1,
            ..PostFigures::default()
        };
        assert_eq!(figures, expected);
    }

    #[test]
    fn many_values_are_estimated_in_bounded_memory() {
        let mut distinct = Distinct::default();
        let count = 2 * EXACT_MAX as u64;
        for value in (0..count).chain(0..1_000) {
            distinct.add(&value.to_string());
        }
        assert!(distinct.is_full() && distinct.smallest.len() == EXACT_MAX);
        assert!(distinct.count().abs_diff(count) < count / 100, "{} of {count}", distinct.count());
    }
}
