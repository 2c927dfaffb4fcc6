//! What RFC 9309 and the practice of large crawlers ask of a robots.txt parser.

mod groups;
mod hostile;
mod interference;
mod matching;
mod twin;

use super::*;

/// Whether `agent` may fetch `path` by `file`.
fn allows(file: &str, agent: &str, path: &str) -> bool {
    RobotsRules::parse(file.as_bytes(), agent).decide(path).allowed
}

/// Whether `bot` may fetch `path` where its group has these rules.
fn rules_allow(rules: &[&str], path: &str) -> bool {
    allows(&format!("User-agent: bot\n{}\n", rules.join("\n")), "bot", path)
}

/// Asserts for each path whether it is allowed by the rules.
#[track_caller]
fn check(rules: &[&str], allowed: &[&str], disallowed: &[&str]) {
    for path in allowed {
        assert!(rules_allow(rules, path), "{path} should be allowed by {rules:?}");
    }
    for path in disallowed {
        assert!(!rules_allow(rules, path), "{path} should be disallowed by {rules:?}");
    }
}
