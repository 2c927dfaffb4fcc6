//! The rules that label the URLs of a site.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use regex::Regex;
use serde::Deserialize;

use crate::corpus::Label;

/// The reason why a file of rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file is no TOML, or its keys are not those of rules.
    #[error("{path}: {what}")]
    Format {
        /// The file.
        path: PathBuf,
        /// The position and the reason.
        what: String,
    },
    /// A regular expression is invalid.
    #[error("{path}: `{pattern}`: {what}")]
    Pattern {
        /// The file.
        path: PathBuf,
        /// The expression.
        pattern: String,
        /// The reason.
        what: String,
    },
}

/// The rules of a site: the page type of each URL, and which URLs a recording leaves out.
#[derive(Debug)]
pub struct LabelRules {
    /// The name of the recording.
    pub name: String,
    /// The software of the site, with its version.
    pub software: String,
    /// The paths that the recording starts from; the first one is the start of replayed crawls.
    pub seeds: Vec<String>,
    /// Regular expressions over whole URLs that are not recorded, because they have no end.
    pub skip: Vec<String>,
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    url: Regex,
    label: Label,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    name: String,
    #[serde(default)]
    software: String,
    #[serde(default = "start_page")]
    seeds: Vec<String>,
    #[serde(default)]
    skip: Vec<String>,
    #[serde(rename = "rule")]
    rules: Vec<RuleEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    url: String,
    #[serde(rename = "type")]
    page_type: String,
    #[serde(default)]
    ucc: bool,
    #[serde(default)]
    duplicate: bool,
}

fn start_page() -> Vec<String> {
    vec!["/".to_owned()]
}

impl LabelRules {
    /// Reads a file of rules.
    ///
    /// # Errors
    /// The file cannot be read, has other keys, or an invalid regular expression.
    pub fn load(path: &Path) -> Result<Self, RulesError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| RulesError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    /// Parses rules. `path` is named in errors.
    ///
    /// # Errors
    /// The text has other keys, or an invalid regular expression.
    pub fn parse(text: &str, path: &Path) -> Result<Self, RulesError> {
        let format = |what: String| RulesError::Format { path: path.to_owned(), what };
        let file: RulesFile = toml::from_str(text).map_err(|error| format(error.to_string()))?;
        let name_is_valid =
            !file.name.is_empty() && file.name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        if !name_is_valid {
            return Err(format(format!("name: `{}` is not made of letters, digits, `-` and `_`", file.name)));
        }
        if let Some(seed) = file.seeds.iter().find(|seed| !seed.starts_with('/')) {
            return Err(format(format!("seeds: `{seed}` is not a path that starts with `/`")));
        }
        if file.seeds.is_empty() {
            return Err(format("seeds: name at least one path, for example \"/\"".to_owned()));
        }
        let pattern = |pattern: &str| {
            Regex::new(pattern).map_err(|error| RulesError::Pattern {
                path: path.to_owned(),
                pattern: pattern.to_owned(),
                what: error.to_string(),
            })
        };
        for skipped in &file.skip {
            pattern(skipped)?;
        }
        let rule = |entry: &RuleEntry| {
            let page_type = Arc::from(entry.page_type.as_str());
            let label = Label { page_type, is_ucc: entry.ucc, is_duplicate_view: entry.duplicate };
            Ok(Rule { url: pattern(&entry.url)?, label })
        };
        let rules = file.rules.iter().map(rule).collect::<Result<_, _>>()?;
        Ok(Self { name: file.name, software: file.software, seeds: file.seeds, skip: file.skip, rules })
    }

    /// Returns the label of a response: that of the first rule whose expression is found in `path_and_query`; `None`
    /// if there is no such rule. A response without status 200 is no user-created content and no duplicate view.
    pub fn label(&self, path_and_query: &str, status: u16) -> Option<Label> {
        let rule = self.rules.iter().find(|rule| rule.url.is_match(path_and_query))?;
        let Label { page_type, is_ucc, is_duplicate_view } = rule.label.clone();
        let answered = status == 200;
        Some(Label { page_type, is_ucc: is_ucc && answered, is_duplicate_view: is_duplicate_view && answered })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
        name = "forum"
        skip = ['[?&]sort=']
        [[rule]]
        url = '^/topic/\d+/\?post='
        type = "topic"
        ucc = true
        duplicate = true
        [[rule]]
        url = '^/topic/\d+/'
        type = "topic"
        ucc = true
        [[rule]]
        url = '^/$'
        type = "index"
    "#;

    fn parse(text: &str) -> Result<LabelRules, RulesError> {
        LabelRules::parse(text, Path::new("labels.toml"))
    }

    #[test]
    fn the_first_rule_that_matches_labels_a_url() {
        let rules = parse(RULES).unwrap();
        let label = |url, status| {
            rules.label(url, status).map(|label| (label.page_type.to_string(), label.is_ucc, label.is_duplicate_view))
        };
        assert_eq!(label("/topic/7/?post=9", 200), Some(("topic".to_owned(), true, true)));
        assert_eq!(label("/topic/7/?page=2", 200), Some(("topic".to_owned(), true, false)));
        assert_eq!(label("/topic/7/?post=9", 302), Some(("topic".to_owned(), false, false)));
        assert_eq!(label("/", 200), Some(("index".to_owned(), false, false)));
        assert_eq!(label("/about", 200), None);
        assert_eq!((rules.seeds, rules.skip), (vec!["/".to_owned()], vec!["[?&]sort=".to_owned()]));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        assert!(message("name = \"x\"\nrules = []").contains("labels.toml"));
        assert!(message(&RULES.replace("duplicate = true", "duplicat = true")).contains("duplicat"));
        assert!(message(&RULES.replace("'^/$'", "'^/($'")).starts_with("labels.toml: `^/($`: "));
        assert!(message(&RULES.replace("[?&]sort=", "[?&")).starts_with("labels.toml: `[?&`: "));
        assert!(message(&RULES.replace("\"forum\"", "\"../forum\"")).contains("name: `../forum`"));
        assert!(message(&RULES.replace("skip", "seeds = ['x']\n skip")).contains("`x`"));
        assert!(message(&RULES.replace("skip", "seeds = []\n skip")).contains("at least one path"));
    }
}
