//! The rules that label the URLs of a site.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use regex::Regex;
use scraper::Selector;
use serde::Deserialize;

use super::selectors::Selectors;
use crate::corpus::{Label, Role, StoredResponse};

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
    /// A CSS selector is invalid.
    #[error("{path}: rule `{rule}`: {key} = `{selector}`: {what}")]
    Selector {
        /// The file.
        path: PathBuf,
        /// The expression of the rule.
        rule: String,
        /// The key of the selector.
        key: &'static str,
        /// The selector.
        selector: String,
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
    selectors: Selectors,
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
    #[serde(default)]
    role: Role,
    tags: Option<String>,
    author: Option<String>,
    author_pattern: Option<String>,
}

fn start_page() -> Vec<String> {
    vec!["/".to_owned()]
}

impl LabelRules {
    /// Reads a file of rules.
    ///
    /// # Errors
    /// The file cannot be read, has other keys, or an invalid regular expression or selector.
    pub fn load(path: &Path) -> Result<Self, RulesError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| RulesError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    /// Parses rules. `path` is named in errors.
    ///
    /// # Errors
    /// The text has other keys, or an invalid regular expression or selector.
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
        for skipped in &file.skip {
            pattern(skipped, path)?;
        }
        let rules = file.rules.iter().map(|entry| entry.compile(path)).collect::<Result<_, _>>()?;
        Ok(Self { name: file.name, software: file.software, seeds: file.seeds, skip: file.skip, rules })
    }

    /// Returns the label of a response: that of the first rule whose expression is found in `path_and_query`; `None`
    /// if there is no such rule. A response without status 200 has a page type only: it is no user-created content and
    /// no duplicate view, and has no role. Tags and authors are read from HTML alone.
    pub fn label(&self, path_and_query: &str, page: &StoredResponse) -> Option<Label> {
        let rule = self.rules.iter().find(|rule| rule.url.is_match(path_and_query))?;
        let label = rule.label.clone();
        Some(match page.status {
            200 if page.is_page() => rule.selectors.apply(label, &page.body),
            200 => label,
            _ => Label { page_type: label.page_type, ..Label::default() },
        })
    }
}

impl RuleEntry {
    fn compile(&self, path: &Path) -> Result<Rule, RulesError> {
        let (page_type, role) = (Arc::from(self.page_type.as_str()), self.role);
        let label = Label { page_type, is_ucc: self.ucc, is_duplicate_view: self.duplicate, role, ..Label::default() };
        let selectors = Selectors {
            tags: self.selector("tags", self.tags.as_deref(), path)?,
            author: self.selector("author", self.author.as_deref(), path)?,
            author_pattern: self.author_pattern.as_ref().map(|text| pattern(text, path)).transpose()?,
        };
        Ok(Rule { url: pattern(&self.url, path)?, label, selectors })
    }

    fn selector(&self, key: &'static str, text: Option<&str>, path: &Path) -> Result<Option<Selector>, RulesError> {
        let Some(selector) = text else { return Ok(None) };
        Selector::parse(selector).map(Some).map_err(|error| RulesError::Selector {
            path: path.to_owned(),
            rule: self.url.clone(),
            key,
            selector: selector.to_owned(),
            what: error.to_string(),
        })
    }
}

fn pattern(pattern: &str, path: &Path) -> Result<Regex, RulesError> {
    Regex::new(pattern).map_err(|error| RulesError::Pattern {
        path: path.to_owned(),
        pattern: pattern.to_owned(),
        what: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use http::header::{CONTENT_TYPE, HeaderValue};

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
        role = "detail"
        tags = ".tag"
        author = "a.user"
        [[rule]]
        url = '^/$'
        type = "index"
    "#;

    fn parse(text: &str) -> Result<LabelRules, RulesError> {
        LabelRules::parse(text, Path::new("labels.toml"))
    }

    fn page(status: u16, content_type: &'static str, body: &'static str) -> StoredResponse {
        let headers = [(CONTENT_TYPE, HeaderValue::from_static(content_type))].into_iter().collect();
        StoredResponse { status, headers, body: body.into(), location: None }
    }

    #[test]
    fn the_first_rule_that_matches_labels_a_url() {
        let rules = parse(RULES).unwrap();
        let label = |url, status| {
            rules
                .label(url, &page(status, "text/html", ""))
                .map(|label| (label.page_type.to_string(), label.is_ucc, label.is_duplicate_view))
        };
        assert_eq!(label("/topic/7/?post=9", 200), Some(("topic".to_owned(), true, true)));
        assert_eq!(label("/topic/7/?page=2", 200), Some(("topic".to_owned(), true, false)));
        assert_eq!(label("/topic/7/?post=9", 302), Some(("topic".to_owned(), false, false)));
        assert_eq!(label("/", 200), Some(("index".to_owned(), false, false)));
        assert_eq!(label("/about", 200), None);
        assert_eq!((rules.seeds, rules.skip), (vec!["/".to_owned()], vec!["[?&]sort=".to_owned()]));
    }

    #[test]
    fn tags_author_and_role_are_those_of_answered_pages() {
        const BODY: &str = "<i class=tag>Red</i><i class=tag>tea</i><a class=user>Ada</a>";
        let rules = parse(RULES).unwrap();
        let label = |url, status, content_type| {
            let label = rules.label(url, &page(status, content_type, BODY)).unwrap();
            (label.role, label.tags().join("|"), label.author.map(String::from))
        };
        let read = (Role::Detail, "red|tea".to_owned(), Some("Ada".to_owned()));
        assert_eq!(label("/topic/7/", 200, "text/html"), read);
        assert_eq!(label("/topic/7/", 200, "image/png"), (Role::Detail, String::new(), None));
        assert_eq!(label("/topic/7/", 404, "text/html"), (Role::Other, String::new(), None));
        assert_eq!(label("/topic/7/?post=9", 200, "text/html"), (Role::Other, String::new(), None));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        assert!(message("name = \"x\"\nrules = []").contains("labels.toml"));
        assert!(message(&RULES.replace("duplicate = true", "duplicat = true")).contains("duplicat"));
        assert!(message(&RULES.replace("'^/$'", "'^/($'")).starts_with("labels.toml: `^/($`: "));
        let selector = message(&RULES.replace("a.user", "a[["));
        assert!(selector.starts_with(r"labels.toml: rule `^/topic/\d+/`: author = `a[[`: "), "{selector}");
        let role = message(&RULES.replace("detail", "item"));
        assert!(role.contains("item") && role.contains("profile"), "{role}");
        assert!(message(&RULES.replace("[?&]sort=", "[?&")).starts_with("labels.toml: `[?&`: "));
        assert!(message(&RULES.replace("\"forum\"", "\"../forum\"")).contains("name: `../forum`"));
        assert!(message(&RULES.replace("skip", "seeds = ['x']\n skip")).contains("`x`"));
        assert!(message(&RULES.replace("skip", "seeds = []\n skip")).contains("at least one path"));
    }
}
