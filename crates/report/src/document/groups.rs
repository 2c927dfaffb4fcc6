//! Groups of pages: by the cluster that the policy assigned, and by their place on the site.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bounded::{Bounded, cut};
use super::line::LogLine;

/// The number of clusters, and of places, that are counted apart.
const GROUPS_MAX: usize = 4_096;
/// The number of example pages of a group.
const EXAMPLES: usize = 3;
/// The maximum length of a stored URL, in characters.
const URL_MAX: usize = 300;
/// The maximum length of a stored title, in characters.
pub const TITLE_MAX: usize = 160;

/// An example page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: Option<String>,
}

/// A group of fetched pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageGroup {
    /// The number of pages.
    pub pages: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Pages that changed since the previous visit, in recrawls.
    pub changed: u64,
    /// The mean score of their link classes when they were scheduled.
    pub score: Option<f64>,
    /// The first pages.
    pub examples: Vec<Example>,
    /// The number of pages with a score.
    #[serde(skip)]
    pub(crate) scored: u64,
}

impl PageGroup {
    fn add(&mut self, line: &LogLine<'_>) {
        self.pages += 1;
        self.bytes += line.bytes;
        self.changed += u64::from(line.changed == Some(true));
        if let Some(score) = line.score.filter(|score| score.is_finite()) {
            self.scored += 1;
            let mean = self.score.unwrap_or(score);
            #[expect(clippy::cast_precision_loss, reason = "a mean of far fewer than 2^52")]
            let mean = mean + (score - mean) / self.scored as f64;
            self.score = Some(mean);
        }
        let shown = || self.examples.iter().any(|example| example.url == line.url);
        if self.examples.len() < EXAMPLES && !shown() {
            let title =
                line.title.as_deref().map(|title| cut(title.trim(), TITLE_MAX)).filter(|title| !title.is_empty());
            self.examples.push(Example { url: cut(&line.url, URL_MAX), title });
        }
    }
}

/// Groups the pages of a log.
#[derive(Debug, Clone)]
pub struct Groups {
    clusters: BTreeMap<u32, PageGroup>,
    places: Bounded<PageGroup>,
}

/// The groups, by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct GroupFigures {
    /// By cluster; 0 has the pages without a cluster.
    pub clusters: BTreeMap<u32, PageGroup>,
    /// By place, the largest first.
    pub places: Vec<(String, PageGroup)>,
    /// All other places together.
    pub other_places: Option<PageGroup>,
}

impl Default for Groups {
    fn default() -> Self {
        Self { clusters: BTreeMap::new(), places: Bounded::new(GROUPS_MAX) }
    }
}

impl Groups {
    /// Counts a fetched page.
    pub fn add(&mut self, line: &LogLine<'_>) {
        let cluster = line.cluster.unwrap_or(0);
        if self.clusters.len() < GROUPS_MAX || self.clusters.contains_key(&cluster) {
            self.clusters.entry(cluster).or_default().add(line);
        }
        self.places.row(&place(&line.url)).add(line);
    }

    /// Returns the groups, with at most `most` places.
    pub fn finish(self, most: usize) -> GroupFigures {
        let (mut places, mut rest) = self.places.by_weight(|group| group.pages);
        for (_, group) in places.split_off(most.min(places.len())) {
            let rest = rest.get_or_insert_default();
            rest.pages += group.pages;
            rest.bytes += group.bytes;
            rest.changed += group.changed;
        }
        let other_places = rest.map(|rest| PageGroup { examples: Vec::new(), score: None, ..rest });
        GroupFigures { clusters: self.clusters, places, other_places }
    }
}

/// Returns the place of a page on its site: the host and the first segment of its path, with digits as `N`, and `/…` if
/// more follows.
pub fn place(url: &str) -> String {
    let origin = super::line::origin(url);
    let path = url[origin.len()..].split(['?', '#']).next().unwrap_or_default();
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    let first = parts.next().unwrap_or_default();
    let more = if parts.next().is_some() { "/…" } else { "" };
    cut(&format!("{origin}/{}{more}", numbers_folded(first)), URL_MAX)
}

fn numbers_folded(part: &str) -> String {
    let mut folded = String::with_capacity(part.len());
    for letter in part.chars() {
        if !letter.is_ascii_digit() {
            folded.push(letter);
        } else if !folded.ends_with('N') {
            folded.push('N');
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_host_and_the_first_path_segment() {
        for (url, expected) in [
            ("http://h.test/", "http://h.test/"),
            ("http://h.test", "http://h.test/"),
            ("http://h.test/thread-123", "http://h.test/thread-N"),
            ("http://h.test/2009/05/x?q=/", "http://h.test/N/…"),
            ("http://h.test/u/", "http://h.test/u/…"),
            ("http://h.test/?id=4", "http://h.test/"),
        ] {
            assert_eq!(place(url), expected);
        }
    }

    #[test]
    fn groups_count_their_pages_and_store_a_few_examples() {
        let mut groups = Groups::default();
        for n in 0..10 {
            let text = format!(
                r#"{{"url":"http://h.test/t/{n}","fate":"fetched","bytes":5,"cluster":{},"score":{n},"title":" T{n} "}}"#,
                n % 2
            );
            groups.add(&LogLine::read(text.as_bytes()).unwrap());
        }
        groups.add(&LogLine::read(br#"{"url":"http://h.test/","fate":"fetched"}"#).unwrap());
        let figures = groups.finish(1);
        let odd = &figures.clusters[&1];
        assert_eq!((odd.pages, odd.bytes, odd.examples.len()), (5, 25, 3));
        assert!((odd.score.unwrap() - 5.0).abs() < 1e-12);
        assert_eq!(odd.examples[0], Example { url: "http://h.test/t/1".to_owned(), title: Some("T1".to_owned()) });
        assert_eq!(figures.clusters[&0].pages, 6);
        assert_eq!((figures.places.len(), figures.places[0].0.as_str()), (1, "http://h.test/t/…"));
        assert_eq!(figures.other_places.unwrap().pages, 1);
    }
}
