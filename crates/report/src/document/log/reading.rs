//! Reads a page log line by line.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{FileFigures, LogFigures, LoggedFate, MediaType};
use crate::document::bounded::{Bounded, Millis, Spread, cut};
use crate::document::groups::{Groups, TITLE_MAX};
use crate::document::line::LogLine;
use crate::document::signals::Signals;
use crate::sections::harvest::{Curve, CurvePoint};
use crate::sections::politeness::Hosts;
use harvestman_core::clock::Instant;
use harvestman_core::model::ContentType;

/// The number of media types that are counted apart.
const TYPES_MAX: usize = 1_000;
/// The number of pairs of a fate and its reason that are counted apart.
const FATES_MAX: usize = 200;
/// The number of WARC files that are counted apart.
const FILES_MAX: usize = 10_000;
/// The numbers of hosts, places and media types in a report.
const HOSTS_SHOWN: usize = 20;
const PLACES_SHOWN: usize = 20;
const TYPES_SHOWN: usize = 15;
/// Depths from this one on are counted together.
const DEPTH_MAX: u16 = 30;
/// Characters of the URL of an example.
const EXAMPLE_MAX: usize = 300;

/// The directory of a log, where logs of several directories are read as one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// The directory as it was named; empty if there is only one.
    pub directory: String,
    /// The worth of a page, by cluster.
    pub worth: BTreeMap<u32, f64>,
}

/// Returns the path of `name` in `directory`, from where the directory is named.
pub fn within(directory: &str, name: &str) -> String {
    format!("{}/{name}", directory.trim_end_matches('/'))
}

/// Reads a log, line by line.
pub struct LogReading {
    figures: LogFigures,
    origins: Vec<Origin>,
    /// Whether pages are grouped by cluster.
    clusters: bool,
    /// The pages whose titles are stored.
    titled: BTreeSet<String>,
    /// The first and the last request.
    span: Option<(Instant, Instant)>,
    fates: Bounded<u64>,
    types: Bounded<TypeCount>,
    files: Bounded<FileFigures>,
    first_byte: Spread,
    curve: Curve,
    hosts: Hosts,
    groups: Groups,
    signals: Signals,
    /// The number of the line.
    line: u64,
}

/// The responses of a media type.
#[derive(Debug, Clone, Copy, Default)]
struct TypeCount {
    responses: u64,
    bytes: u64,
}

impl LogReading {
    /// Prepares to read a log. `worth` is the worth of a page by cluster; `delay` is the shortest configured delay.
    pub fn new(worth: BTreeMap<u32, f64>, delay: Duration) -> Self {
        Self::of_several(vec![Origin { worth, ..Origin::default() }], delay)
    }

    /// Prepares to read the logs of several directories, whose lines are added in the order of their times.
    pub fn of_several(origins: Vec<Origin>, delay: Duration) -> Self {
        Self {
            figures: LogFigures::default(),
            origins,
            clusters: true,
            titled: BTreeSet::new(),
            span: None,
            fates: Bounded::new(FATES_MAX),
            types: Bounded::new(TYPES_MAX),
            files: Bounded::new(FILES_MAX),
            first_byte: Spread::default(),
            curve: Curve::default(),
            hosts: Hosts::new(delay),
            groups: Groups::default(),
            signals: Signals::default(),
            line: 0,
        }
    }

    /// Stores the titles of these pages.
    #[must_use]
    pub fn with_titles_of(self, titled: BTreeSet<String>) -> Self {
        Self { titled, ..self }
    }

    /// Groups no pages by cluster: the clusters of several policies have nothing in common but their numbers.
    #[must_use]
    pub fn without_clusters(self) -> Self {
        Self { clusters: false, ..self }
    }

    /// Reads a line, without its line break.
    pub fn add(&mut self, line: &[u8]) {
        self.add_of(0, line);
    }

    /// Reads a line of the log of `origin`, an index of the origins given.
    pub fn add_of(&mut self, origin: usize, line: &[u8]) {
        match LogLine::read(line) {
            Some(line) => {
                self.line += 1;
                self.count(origin, &line);
            }
            None => self.damaged(),
        }
    }

    /// Counts a line that could not be read.
    pub fn damaged(&mut self) {
        self.line += 1;
        self.figures.damaged += 1;
        self.figures.first_damaged.get_or_insert(self.line);
    }

    fn count(&mut self, origin: usize, line: &LogLine<'_>) {
        let started = line.started();
        self.count_response(line);
        self.count_fate(line);
        if line.is_fetched() {
            self.count_page(line);
        }
        if let Some(at) = started {
            let (first, last) = self.span.get_or_insert((at, at));
            (*first, *last) = ((*first).min(at), (*last).max(at));
        }
        self.count_file(origin, line, started);
        self.curve.add(self.gain(origin, line), started);
        self.hosts.add(line);
        self.signals.add(line);
    }

    fn count_response(&mut self, line: &LogLine<'_>) {
        if let Some(status) = line.status {
            *self.figures.statuses.entry(status).or_default() += 1;
            let count = self.types.row(&media_type(line.content_type.as_deref()));
            count.responses += 1;
            count.bytes += line.bytes;
        }
        if let Some(millis) = line.first_byte_ms {
            self.first_byte.add(Duration::from_millis(millis));
        }
    }

    fn count_fate(&mut self, line: &LogLine<'_>) {
        let figures = &mut self.figures;
        figures.lines += 1;
        figures.visits += u64::from(line.visit.is_some_and(|visit| visit > 1));
        *self.fates.row(&LoggedFate::key(&line.fate, line.reason.as_deref().unwrap_or_default())) += 1;
        if line.fate == "failed" && figures.failed_example.is_none() {
            figures.failed_example = Some(cut(&line.url, EXAMPLE_MAX));
        }
    }

    fn count_page(&mut self, line: &LogLine<'_>) {
        *self.figures.depths.entry(line.depth.min(DEPTH_MAX)).or_default() += 1;
        if self.clusters {
            self.groups.add(line);
        } else {
            self.groups.add(&LogLine { cluster: None, ..line.clone() });
        }
        if let Some(title) = line.title.as_deref().filter(|_| self.titled.contains(line.url.as_ref())) {
            self.figures.titles.insert(line.url.clone().into_owned(), cut(title.trim(), TITLE_MAX));
        }
    }

    /// Returns what a line adds to the curve.
    fn gain(&self, origin: usize, line: &LogLine<'_>) -> CurvePoint {
        let fetched = line.is_fetched();
        let worth = self.origins.get(origin).and_then(|origin| origin.worth.get(&line.cluster.unwrap_or(0)));
        CurvePoint {
            requests: line.requests(),
            seconds: 0.0,
            pages: u64::from(fetched),
            worth: worth.copied().filter(|_| fetched).unwrap_or(0.0),
            changed: u64::from(line.changed == Some(true)),
            bytes: line.bytes,
        }
    }

    fn count_file(&mut self, origin: usize, line: &LogLine<'_>, started: Option<Instant>) {
        let Some(name) = line.warc_file.as_deref() else { return };
        let directory = self.origins.get(origin).map_or("", |origin| origin.directory.as_str());
        let file = match directory {
            "" => self.files.row(name),
            directory => self.files.row(&within(directory, name)),
        };
        file.responses += 1;
        file.first = file.first.into_iter().chain(started).min();
        file.last = file.last.max(started);
    }

    /// Returns the figures.
    pub fn finish(self) -> LogFigures {
        let end = self.curve.end();
        let text = |at: Instant| at.timestamp().to_string();
        LogFigures {
            requests: end.requests,
            pages: end.pages,
            bytes: end.bytes,
            changed: end.changed,
            first: self.span.map(|(first, _)| text(first)),
            last: self.span.map(|(_, last)| text(last)),
            fates: LoggedFate::rows(self.fates),
            types: media_types(self.types),
            first_byte_median_ms: self.first_byte.quantile(0.5).map(Millis::from),
            first_byte_95_ms: self.first_byte.quantile(0.95).map(Millis::from),
            curve: self.curve.points(),
            breaks: self.curve.breaks(),
            hosts: self.hosts.finish(HOSTS_SHOWN),
            groups: self.groups.finish(PLACES_SHOWN),
            signals: self.signals.finish(),
            files: self.files.by_weight(|file| file.responses).0.into_iter().collect(),
            ..self.figures
        }
    }
}

/// Returns the most frequent media types; all others are one row.
fn media_types(types: Bounded<TypeCount>) -> Vec<MediaType> {
    let (mut types, beyond) = types.by_weight(|count| count.responses);
    let rare = types.split_off(TYPES_SHOWN.min(types.len()));
    let others = rare.into_iter().map(|(_, count)| count).chain(beyond);
    let sum = |a: TypeCount, b: TypeCount| TypeCount { responses: a.responses + b.responses, bytes: a.bytes + b.bytes };
    let others = others.reduce(sum).map(|count| ("others".to_owned(), count));
    let row = |(name, TypeCount { responses, bytes })| MediaType { name, responses, bytes };
    types.into_iter().chain(others).map(row).collect()
}

/// Returns a media type without its parameters, in lower case.
fn media_type(declared: Option<&str>) -> String {
    let declared = declared.unwrap_or_default();
    let stated = ContentType::of(declared).map(|stated| stated.essence);
    let essence = stated.unwrap_or_else(|| declared.split(';').next().unwrap_or_default().trim()).to_ascii_lowercase();
    if essence.is_empty() { "none declared".to_owned() } else { cut(&essence, 80) }
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
    fn every_line_is_counted_once_and_damage_is_stated() {
        let figures = read(&[
            r#"{"url":"http://h.test/","time":"1970-01-01T00:00:03Z","fate":"fetched","status":200,"content_type":"Text/HTML; charset=x","bytes":7,"attempts":1,"depth":0,"cluster":2,"first_byte_ms":40,"warc_file":"warc/a"}"#,
            "{\"url\":\"http://h.te",
            r#"{"url":"http://h.test/x","time":"1970-01-01T00:00:01Z","fate":"failed","reason":"http_404","status":404,"bytes":1,"attempts":3,"depth":1,"warc_file":"warc/a"}"#,
            r#"{"url":"http://h.test/y","fate":"robots","reason":"disallowed","bytes":0,"attempts":0,"depth":1}"#,
            "",
        ]);
        assert_eq!((figures.lines, figures.damaged, figures.first_damaged), (3, 2, Some(2)));
        assert_eq!((figures.requests, figures.pages, figures.bytes), (4, 1, 8));
        assert_eq!(figures.fates.iter().map(|row| row.count).sum::<u64>(), figures.lines);
        let types: Vec<_> = figures.types.iter().map(|row| (row.name.as_str(), row.responses, row.bytes)).collect();
        assert_eq!(types, [("none declared", 1, 1), ("text/html", 1, 7)]);
        assert_eq!(figures.statuses, [(200, 1), (404, 1)].into());
        assert_eq!(figures.first.as_deref(), Some("1970-01-01T00:00:01Z"));
        let file = &figures.files["warc/a"];
        assert_eq!((file.responses, file.first), (2, Some(Instant::from_micros(1_000_000))));
        let end = figures.curve.last().unwrap();
        assert_eq!((end.pages, end.worth, end.requests), (1, 0.5, 4));
        assert_eq!(figures.failed_example.as_deref(), Some("http://h.test/x"));
    }

    #[test]
    fn an_empty_log_has_figures_of_zero() {
        let figures = read(&[]);
        assert_eq!((figures.lines, figures.damaged, figures.first), (0, 0, None));
        assert_eq!(figures.curve.len(), 1);
    }

    #[test]
    fn the_figures_of_a_hostile_log_are_bounded() {
        let mut reading = LogReading::new(BTreeMap::new(), Duration::ZERO);
        for n in 0..30_000 {
            let line = format!(
                r#"{{"url":"http://h{n}.test/p{n}/","fate":"f{n}","status":200,"content_type":"t/{n}","cluster":{n},"warc_file":"w{n}"}}"#
            );
            reading.add(line.replace("f29", "fetched").as_bytes());
        }
        let figures = reading.finish();
        assert_eq!(figures.fates.iter().map(|row| row.count).sum::<u64>(), 30_000);
        assert_eq!(figures.types.iter().map(|row| row.responses).sum::<u64>(), 30_000);
        assert!(figures.fates.len() <= FATES_MAX + 1 && figures.types.len() == TYPES_SHOWN + 1);
        assert!(figures.hosts.more && figures.hosts.top.len() == HOSTS_SHOWN && figures.files.len() <= FILES_MAX);
        assert!(figures.groups.clusters.len() <= 4_096 && figures.groups.places.len() <= PLACES_SHOWN);
    }
}
