//! One pass over a page log: everything that a report tells of it, in bounded memory.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use super::bounded::Bounded;
use super::curve::{Breaks, Curve, CurvePoint};
use super::groups::{GroupFigures, Groups};
use super::hosts::{HostFigures, Hosts};
use super::line::LogLine;
use super::spread::{Millis, Spread};
use harvestman_core::clock::Instant;

/// Media types that are told apart.
const TYPES_MAX: usize = 1_000;
/// Pairs of a fate and its reason that are told apart.
const FATES_MAX: usize = 200;
/// WARC files that are told apart.
const FILES_MAX: usize = 10_000;
/// Hosts, places and media types that a report names.
const HOSTS_TOLD: usize = 20;
const PLACES_TOLD: usize = 20;
const TYPES_TOLD: usize = 15;

/// What a report tells of a log.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LogFigures {
    /// Lines that could be read.
    pub lines: u64,
    /// Lines that could not.
    pub damaged: u64,
    /// The number of the first of them.
    pub first_damaged: Option<u64>,
    /// Requests for pages, further tries among them.
    pub requests: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Visits to pages that were known before.
    pub visits: u64,
    /// Those of them that found a change.
    pub changed: u64,
    /// When the first request started, and the last.
    pub first: Option<String>,
    /// See there.
    pub last: Option<String>,
    /// Fates: name, reason (may be empty) and how many lines.
    pub fates: Vec<(String, String, u64)>,
    /// Lines by the status of their last answer.
    pub statuses: BTreeMap<u16, u64>,
    /// Media types with their answers and bytes, the commonest first.
    pub types: Vec<(String, u64, u64)>,
    /// Fetched pages by their distance from the seeds; what is farther than 30 links is counted at 30.
    pub depths: BTreeMap<u16, u64>,
    /// From the start of a request to the head of its answer.
    pub first_byte_median_ms: Option<Millis>,
    /// What one of twenty answers exceeds.
    pub first_byte_95_ms: Option<Millis>,
    /// The harvest.
    pub curve: Vec<CurvePoint>,
    /// Times that are left out of it.
    pub breaks: Breaks,
    /// Hosts.
    pub hosts: HostFigures,
    /// Clusters and places.
    pub groups: GroupFigures,
    /// WARC files by name.
    #[serde(skip)]
    pub files: BTreeMap<String, FileFigures>,
    /// Titles of the pages that were asked for by name.
    #[serde(skip)]
    pub titles: BTreeMap<String, String>,
    /// A page that failed, as an example.
    pub failed_example: Option<String>,
}

/// What the log says of a WARC file.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FileFigures {
    /// Answers in it.
    pub responses: u64,
    /// When the first was asked for, and the last.
    pub first: Option<Instant>,
    /// See there.
    pub last: Option<Instant>,
}

/// Whose log it is, where logs of several directories are read as one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// The directory as it was named; empty where there is but one.
    pub directory: String,
    /// What a page of each of its clusters is worth.
    pub worth: BTreeMap<u32, f64>,
}

/// Reads a log, line by line.
pub struct LogReading {
    figures: LogFigures,
    origins: Vec<Origin>,
    clusters: bool,
    shown: BTreeSet<String>,
    span: Option<(Instant, Instant)>,
    fates: Bounded<u64>,
    types: Bounded<(u64, u64)>,
    files: Bounded<FileFigures>,
    first_byte: Spread,
    curve: Curve,
    hosts: Hosts,
    groups: Groups,
    numbered: u64,
}

impl LogReading {
    /// Keeps the titles of these pages besides.
    #[must_use]
    pub fn with_titles_of(self, shown: BTreeSet<String>) -> Self {
        Self { shown, ..self }
    }

    /// Puts no pages together by their clusters: those of several policies have nothing in common but their numbers.
    #[must_use]
    pub fn without_clusters(self) -> Self {
        Self { clusters: false, ..self }
    }

    /// Begins. `worth` is what a page of a cluster is worth to the policy, `delay` the shortest that was asked for.
    pub fn new(worth: BTreeMap<u32, f64>, delay: Duration) -> Self {
        Self::of_several(vec![Origin { worth, ..Origin::default() }], delay)
    }

    /// The same of the logs of several directories, whose lines are added by time.
    pub fn of_several(origins: Vec<Origin>, delay: Duration) -> Self {
        Self {
            figures: LogFigures::default(),
            origins,
            clusters: true,
            shown: BTreeSet::new(),
            span: None,
            fates: Bounded::new(FATES_MAX),
            types: Bounded::new(TYPES_MAX),
            files: Bounded::new(FILES_MAX),
            first_byte: Spread::default(),
            curve: Curve::default(),
            hosts: Hosts::new(delay),
            groups: Groups::default(),
            numbered: 0,
        }
    }

    /// Reads a line, without its line break.
    pub fn add(&mut self, line: &[u8]) {
        self.add_of(0, line);
    }

    /// Reads a line of the log of `origin`, by its place among those that were named.
    pub fn add_of(&mut self, origin: usize, line: &[u8]) {
        match LogLine::read(line) {
            Some(line) => {
                self.numbered += 1;
                self.count(origin, &line);
            }
            None => self.damaged(),
        }
    }

    /// Counts a line that could not be read.
    pub fn damaged(&mut self) {
        self.numbered += 1;
        self.figures.damaged += 1;
        self.figures.first_damaged.get_or_insert(self.numbered);
    }

    fn count(&mut self, origin: usize, line: &LogLine<'_>) {
        let (figures, started) = (&mut self.figures, line.started());
        figures.lines += 1;
        if let Some(status) = line.status {
            *figures.statuses.entry(status).or_default() += 1;
            let (answers, bytes) = self.types.row(&media_type(line.content_type.as_deref()));
            *answers += 1;
            *bytes += line.bytes;
        }
        let reason = line.reason.as_deref().unwrap_or_default();
        *self.fates.row(&format!("{}\n{reason}", line.fate)) += 1;
        if line.fate == "failed" && figures.failed_example.is_none() {
            figures.failed_example = Some(super::bounded::cut(&line.url, 300));
        }
        figures.visits += u64::from(line.visit.is_some_and(|visit| visit > 1));
        if line.is_fetched() {
            *figures.depths.entry(line.depth.min(30)).or_default() += 1;
            group(&mut self.groups, self.clusters, line);
            if let Some(title) = line.title.as_deref().filter(|_| self.shown.contains(line.url.as_ref())) {
                let title = super::bounded::cut(title.trim(), super::groups::TITLE_MAX);
                figures.titles.insert(line.url.clone().into_owned(), title);
            }
        }
        if let Some(millis) = line.first_byte_ms {
            self.first_byte.add(Duration::from_millis(millis));
        }
        if let Some(at) = started {
            let (first, last) = self.span.get_or_insert((at, at));
            (*first, *last) = ((*first).min(at), (*last).max(at));
        }
        self.note_file(origin, line, started);
        self.curve.add(self.brought(origin, line), started);
        self.hosts.add(line);
    }

    fn brought(&self, origin: usize, line: &LogLine<'_>) -> CurvePoint {
        let fetched = line.is_fetched();
        let worth = self.origins.get(origin).and_then(|origin| origin.worth.get(&line.cluster.unwrap_or(0)));
        let worth = worth.copied().unwrap_or(0.0);
        CurvePoint {
            requests: line.requests(),
            seconds: 0.0,
            pages: u64::from(fetched),
            worth: if fetched { worth } else { 0.0 },
            changed: u64::from(line.changed == Some(true)),
            bytes: line.bytes,
        }
    }

    fn note_file(&mut self, origin: usize, line: &LogLine<'_>, started: Option<Instant>) {
        let Some(name) = line.warc_file.as_deref() else { return };
        let directory =
            self.origins.get(origin).map(|origin| origin.directory.as_str()).filter(|name| !name.is_empty());
        let file = match directory {
            Some(directory) => self.files.row(&super::within(directory, name)),
            None => self.files.row(name),
        };
        file.responses += 1;
        file.first = file.first.into_iter().chain(started).min();
        file.last = file.last.max(started);
    }

    /// What there was.
    pub fn finish(self) -> LogFigures {
        let end = self.curve.end();
        let text = |at: Instant| at.timestamp().to_string();
        let (fates, other_fates) = self.fates.by_weight(|count| *count);
        let split = |(name, count): (String, u64)| {
            let (fate, reason) = name.split_once('\n').unwrap_or((&name, ""));
            (fate.to_owned(), reason.to_owned(), count)
        };
        let others = other_fates.map(|count| ("others".to_owned(), String::new(), count));
        let (mut types, other_types) = self.types.by_weight(|(answers, _)| *answers);
        let cut = types.split_off(TYPES_TOLD.min(types.len()));
        let rest = cut.into_iter().map(|(_, row)| row).chain(other_types);
        let rest = rest.reduce(|a, b| (a.0 + b.0, a.1 + b.1)).map(|row| ("others".to_owned(), row));
        LogFigures {
            requests: end.requests,
            pages: end.pages,
            bytes: end.bytes,
            changed: end.changed,
            first: self.span.map(|(first, _)| text(first)),
            last: self.span.map(|(_, last)| text(last)),
            fates: fates.into_iter().map(split).chain(others).collect(),
            types: types.into_iter().chain(rest).map(|(name, (answers, bytes))| (name, answers, bytes)).collect(),
            first_byte_median_ms: self.first_byte.quantile(0.5).map(Millis::from),
            first_byte_95_ms: self.first_byte.quantile(0.95).map(Millis::from),
            curve: self.curve.points(),
            breaks: self.curve.breaks(),
            hosts: self.hosts.finish(HOSTS_TOLD),
            groups: self.groups.finish(PLACES_TOLD),
            files: self.files.by_weight(|file| file.responses).0.into_iter().collect(),
            ..self.figures
        }
    }
}

fn group(groups: &mut Groups, clusters: bool, line: &LogLine<'_>) {
    if clusters {
        groups.add(line);
    } else {
        groups.add(&LogLine { cluster: None, ..line.clone() });
    }
}

/// A media type without its parameters, in small letters.
fn media_type(declared: Option<&str>) -> String {
    let essence = declared.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence.is_empty() { "none declared".to_owned() } else { super::bounded::cut(&essence, 80) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> LogFigures {
        let mut reading = LogReading::new([(2, 0.5)].into(), Duration::ZERO);
        lines.iter().for_each(|line| reading.add(line.as_bytes()));
        reading.finish()
    }

    #[test]
    fn every_line_is_counted_once_and_damage_is_told() {
        let figures = read(&[
            r#"{"url":"http://h.test/","time":"1970-01-01T00:00:03Z","fate":"fetched","status":200,"content_type":"Text/HTML; charset=x","bytes":7,"attempts":1,"depth":0,"cluster":2,"first_byte_ms":40,"warc_file":"warc/a"}"#,
            "{\"url\":\"http://h.te",
            r#"{"url":"http://h.test/x","time":"1970-01-01T00:00:01Z","fate":"failed","reason":"http_404","status":404,"bytes":1,"attempts":3,"depth":1,"warc_file":"warc/a"}"#,
            r#"{"url":"http://h.test/y","fate":"robots","reason":"disallowed","bytes":0,"attempts":0,"depth":1}"#,
            "",
        ]);
        assert_eq!((figures.lines, figures.damaged, figures.first_damaged), (3, 2, Some(2)));
        assert_eq!((figures.requests, figures.pages, figures.bytes), (4, 1, 8));
        assert_eq!(figures.fates.iter().map(|(_, _, count)| count).sum::<u64>(), figures.lines);
        assert_eq!(figures.types, [("none declared".to_owned(), 1, 1), ("text/html".to_owned(), 1, 7)]);
        assert_eq!(figures.statuses, [(200, 1), (404, 1)].into());
        assert_eq!(figures.first.as_deref(), Some("1970-01-01T00:00:01Z"));
        let file = &figures.files["warc/a"];
        assert_eq!((file.responses, file.first), (2, Some(Instant::from_micros(1_000_000))));
        let end = figures.curve.last().unwrap();
        assert_eq!((end.pages, end.worth, end.requests), (1, 0.5, 4));
        assert_eq!(figures.failed_example.as_deref(), Some("http://h.test/x"));
    }

    #[test]
    fn an_empty_log_has_figures_of_nothing() {
        let figures = read(&[]);
        assert_eq!((figures.lines, figures.damaged, figures.first), (0, 0, None));
        assert_eq!(figures.curve.len(), 1);
    }

    #[test]
    fn what_a_hostile_log_holds_is_bounded() {
        let mut reading = LogReading::new(BTreeMap::new(), Duration::ZERO);
        for n in 0..30_000 {
            let line = format!(
                r#"{{"url":"http://h{n}.test/p{n}/","fate":"f{n}","status":200,"content_type":"t/{n}","cluster":{n},"warc_file":"w{n}"}}"#
            );
            reading.add(line.replace("f29", "fetched").as_bytes());
        }
        let figures = reading.finish();
        assert_eq!(figures.fates.iter().map(|(_, _, count)| count).sum::<u64>(), 30_000);
        assert_eq!(figures.types.iter().map(|(_, count, _)| count).sum::<u64>(), 30_000);
        assert!(figures.fates.len() <= FATES_MAX + 1 && figures.types.len() == TYPES_TOLD + 1);
        assert!(figures.hosts.more && figures.hosts.top.len() == HOSTS_TOLD && figures.files.len() <= FILES_MAX);
        assert!(figures.groups.clusters.len() <= 4_096 && figures.groups.places.len() <= PLACES_TOLD);
    }
}
