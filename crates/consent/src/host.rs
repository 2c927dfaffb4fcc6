//! The statements in the robots.txt of a host, as they apply to one crawler.
//!
//! `Content-Signal` and `Content-Usage` belong to a group, and to the paths that begin with their own path, or to all
//! without one. As with `Allow` and `Disallow`, the rules with the longest path that matches count (AIPREF, section
//! 3.1); rules with one path all count. `License` belongs to no group and to no path.

use super::path_pattern::{PathPattern, UrlPath};
use super::statements::combined;
use super::{license, preferences};
use harvestman_core::model::{Signal, StatedIn, Statement};

/// Maximum number of lines of a robots.txt with statements that are kept; further ones are ignored.
pub const SIGNAL_LINES_MAX: usize = 10_000;

/// A line of robots.txt that states something about the use of content, with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsLine<'a> {
    /// `Content-Signal`.
    ContentSignal(&'a [u8]),
    /// `Content-Usage`.
    ContentUsage(&'a [u8]),
    /// `License`.
    License(&'a [u8]),
}

/// The statements of a robots.txt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RobotsStatements {
    rules: Vec<UsageRule>,
    licenses: Vec<Statement>,
    lines: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct UsageRule {
    signal: Signal,
    pattern: PathPattern,
    statements: Vec<Statement>,
}

/// Reads the statements of a line.
type ReadsStatements = fn(&[u8], StatedIn) -> Vec<Statement>;

impl RobotsStatements {
    /// Adds a line of a group that applies to the crawler, or a licence.
    pub fn add(&mut self, line: RobotsLine<'_>) {
        self.lines += 1;
        if self.lines > SIGNAL_LINES_MAX {
            return;
        }
        let (signal, read): (_, ReadsStatements) = match line {
            RobotsLine::ContentSignal(_) => (Signal::ContentSignal, preferences::read_signal),
            RobotsLine::ContentUsage(_) => (Signal::ContentUsage, preferences::read_usage),
            RobotsLine::License(url) => return self.licenses.extend(license::read(url, StatedIn::RobotsTxt)),
        };
        let (RobotsLine::ContentSignal(value) | RobotsLine::ContentUsage(value) | RobotsLine::License(value)) = line;
        let (path, value) = split_path(value);
        let statements = combined(read(value, StatedIn::RobotsTxt));
        if let Some(pattern) = PathPattern::new(path).filter(|_| !statements.is_empty()) {
            self.rules.push(UsageRule { signal, pattern, statements });
        }
    }

    /// Returns whether nothing is stated.
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.licenses.is_empty()
    }

    /// Returns all statements, whatever their path.
    pub fn all(&self) -> impl Iterator<Item = &Statement> {
        self.rules.iter().flat_map(|rule| &rule.statements).chain(&self.licenses)
    }

    /// Returns the statements about a path.
    pub fn of<'a>(&'a self, path: &UrlPath) -> impl Iterator<Item = &'a Statement> {
        let mut longest = [0, 0];
        let matching: Vec<&UsageRule> = self.rules.iter().filter(|rule| rule.pattern.matches(path)).collect();
        for rule in &matching {
            let length = &mut longest[usize::from(rule.signal == Signal::ContentUsage)];
            *length = rule.pattern.length().max(*length);
        }
        let is_longest =
            move |rule: &&UsageRule| rule.pattern.length() == longest[usize::from(rule.signal == Signal::ContentUsage)];
        matching.into_iter().filter(is_longest).flat_map(|rule| &rule.statements).chain(&self.licenses)
    }
}

/// Splits a value into its path and the rest; the path is `/` if there is none.
fn split_path(value: &[u8]) -> (&[u8], &[u8]) {
    let value = value.trim_ascii();
    if !value.starts_with(b"/") {
        return (b"/", value);
    }
    let end = value.iter().position(u8::is_ascii_whitespace).unwrap_or(value.len());
    value.split_at(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usage(lines: &[&str]) -> RobotsStatements {
        let mut statements = RobotsStatements::default();
        lines.iter().for_each(|line| statements.add(RobotsLine::ContentUsage(line.as_bytes())));
        statements
    }

    fn says(statements: &RobotsStatements, path: &str) -> String {
        statements.of(&UrlPath::new(path)).map(|said| said.says.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_longest_path_that_matches_counts() {
        // The example of the draft.
        let example = usage(&["/ train-ai=n", "/ai-ok/ train-ai=y"]);
        assert_eq!(says(&example, "/test"), "train-ai=n");
        assert_eq!(says(&example, "/ai-ok/test"), "train-ai=y");
        for (lines, path, expected) in [
            (vec!["train-ai=n"], "/x", "train-ai=n"),
            (vec!["/a\ttrain-ai=n"], "/a/b", "train-ai=n"),
            (vec!["/a   train-ai=n, search=y"], "/a", "train-ai=n search=y"),
            (vec!["/a train-ai=n"], "/b", ""),
            (vec!["/a train-ai=n", "/a train-ai=y"], "/a", "train-ai=n train-ai=y"),
            (vec!["/*.jpg$ train-ai=n", "/ train-ai=y"], "/x/y.jpg", "train-ai=n"),
            (vec!["/ai%2Dok train-ai=y"], "/ai-ok", "train-ai=y"),
            (vec!["/ai-ok/", "/ train-ai=n"], "/ai-ok/x", "train-ai=n"),
            (vec!["*.jpg train-ai=n"], "/x.jpg", "*.jpg train-ai=n"),
            (vec![""], "/", ""),
        ] {
            assert_eq!(says(&usage(&lines), path), expected, "{lines:?} for {path}");
        }
    }

    #[test]
    fn signals_and_usages_are_selected_apart_and_licences_always_apply() {
        let mut statements = usage(&["/a/ train-ai=y"]);
        statements.add(RobotsLine::ContentSignal(b"ai-train=no"));
        statements.add(RobotsLine::License(b"https://e.com/license.xml"));
        assert_eq!(says(&statements, "/a/b"), "train-ai=y ai-train=no https://e.com/license.xml");
        assert_eq!(statements.all().count(), 3);
        assert!(!statements.is_empty() && RobotsStatements::default().is_empty());
    }

    #[test]
    fn the_number_of_lines_is_bounded() {
        let statements = usage(&vec!["/ train-ai=n"; SIGNAL_LINES_MAX + 5]);
        assert_eq!(statements.all().count(), SIGNAL_LINES_MAX);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(value in prop::collection::vec(any::<u8>(), 0..100), path in "\\PC{0,20}") {
            let mut statements = RobotsStatements::default();
            for line in [RobotsLine::ContentSignal(&value), RobotsLine::ContentUsage(&value), RobotsLine::License(&value)] {
                statements.add(line);
            }
            assert!(statements.of(&UrlPath::new(&path)).count() <= 130);
        }
    }
}
