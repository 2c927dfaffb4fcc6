//! What RFC 9309 and the practice of large crawlers require of a robots.txt parser.

mod groups;
mod hostile;
mod interference;
mod matching;
mod twin;

use super::*;

/// Returns whether `file` allows `agent` to fetch `path`.
fn allows(file: &str, agent: &str, path: &str) -> bool {
    RobotsRules::parse(file.as_bytes(), agent).decide(path).allowed
}

/// Returns whether a group for `bot` with these rules allows `path`.
fn rules_allow(rules: &[&str], path: &str) -> bool {
    allows(&format!("User-agent: bot\n{}\n", rules.join("\n")), "bot", path)
}

/// Asserts which paths the rules allow and disallow.
#[track_caller]
fn check(rules: &[&str], allowed: &[&str], disallowed: &[&str]) {
    for path in allowed {
        assert!(rules_allow(rules, path), "{path} should be allowed by {rules:?}");
    }
    for path in disallowed {
        assert!(!rules_allow(rules, path), "{path} should be disallowed by {rules:?}");
    }
}
