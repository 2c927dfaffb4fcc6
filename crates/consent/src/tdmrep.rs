//! The TDM Reservation Protocol (W3C Community Group report): `/.well-known/tdmrep.json`, and the properties
//! `tdm-reservation` and `tdm-policy` of headers and `meta` elements.
//!
//! The file is an array of rules. The first one whose `location` matches the path counts; patterns are those of
//! robots.txt. `tdm-reservation` is 0 or 1; any other value counts as unset.
//!
//! Deviation: by the report, a header replaces what the file says, and an element of the page replaces both. Here all
//! of them are statements, of which the stricter holds.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;

use super::path_pattern::{PathPattern, UrlPath};
use super::statements::recorded;
use harvestman_core::model::{Signal, StatedIn, Statement, Usage, Wish};

/// Where the file is, on every host.
pub const TDMREP_PATH: &str = "/.well-known/tdmrep.json";

/// How many bytes of a file are read: as many as of a robots.txt, which has rules of the same kind. Rules that end
/// within this are used.
pub const TDMREP_BYTES_MAX: usize = 500 << 10;

/// Maximum number of rules of a file: all are compared with the path of each page of the host. A file of the maximum
/// size cannot have many more.
const RULES_MAX: usize = 10_000;

/// How much of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TdmrepLimits {
    /// Bytes.
    pub bytes_max: usize,
    /// Rules.
    pub rules_max: usize,
}

impl Default for TdmrepLimits {
    fn default() -> Self {
        Self { bytes_max: TDMREP_BYTES_MAX, rules_max: RULES_MAX }
    }
}

/// The rules of a tdmrep.json.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TdmrepFile {
    rules: Vec<Rule>,
    is_complete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    location: PathPattern,
    statements: Vec<Statement>,
}

impl TdmrepFile {
    /// Returns the rules of a host without a file.
    pub fn none() -> Self {
        Self { rules: Vec::new(), is_complete: true }
    }

    /// Reads a file. Rules without a location or a reservation are skipped. Where the file is not valid, or longer than
    /// the limits, the rules before that are used.
    pub fn parse(bytes: &[u8], limits: TdmrepLimits) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let within = &bytes[..bytes.len().min(limits.bytes_max)];
        let mut rules = Vec::new();
        let mut reader = serde_json::Deserializer::from_slice(within);
        let read = reader.deserialize_seq(RulesVisitor { rules: &mut rules, rules_max: limits.rules_max });
        let is_complete = read.unwrap_or(false) && reader.end().is_ok();
        rules.shrink_to_fit();
        Self { rules, is_complete }
    }

    /// Returns the number of rules.
    pub const fn len(&self) -> usize {
        self.rules.len()
    }

    /// Returns whether there is no rule.
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns whether the whole file was valid and within the limits.
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns what the first rule that matches says.
    pub fn of(&self, path: &UrlPath) -> &[Statement] {
        self.rules.iter().find(|rule| rule.location.matches(path)).map_or(&[], |rule| &rule.statements)
    }
}

/// Collects the rules of an array, up to the first error. Returns whether all were taken.
struct RulesVisitor<'a> {
    rules: &'a mut Vec<Rule>,
    rules_max: usize,
}

impl<'de> Visitor<'de> for RulesVisitor<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rules")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rules: A) -> Result<bool, A::Error> {
        while self.rules.len() < self.rules_max {
            match rules.next_element::<WrittenRule>()? {
                Some(written) => self.rules.extend(written.read()),
                None => return Ok(true),
            }
        }
        let mut is_complete = true;
        while rules.next_element::<IgnoredAny>()?.is_some() {
            is_complete = false;
        }
        Ok(is_complete)
    }
}

/// A rule as written; an element that is no object is one without properties.
#[derive(Default)]
struct WrittenRule {
    location: Option<Value>,
    reservation: Option<Value>,
    policy: Option<Value>,
}

impl<'de> Deserialize<'de> for WrittenRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Value::Object(mut properties) = Value::deserialize(deserializer)? else { return Ok(Self::default()) };
        let mut take = |name| properties.remove(name);
        Ok(Self { location: take("location"), reservation: take("tdm-reservation"), policy: take("tdm-policy") })
    }
}

impl WrittenRule {
    fn read(self) -> Option<Rule> {
        let location = PathPattern::new(self.location?.as_str()?.as_bytes())?;
        let reservation = match self.reservation?.as_u64() {
            Some(value @ (0 | 1)) => reservation(if value == 1 { b"1" } else { b"0" }, StatedIn::TdmrepFile),
            // A protocol error counts as unset; the rule matches nevertheless.
            _ => reservation(b"", StatedIn::TdmrepFile),
        };
        let policy = self.policy.as_ref().and_then(Value::as_str);
        let policy = policy.map(|url| self::policy(url.as_bytes(), StatedIn::TdmrepFile));
        Some(Rule { location, statements: reservation.into_iter().chain(policy).collect() })
    }
}

/// Reads the value of `tdm-reservation`; an empty one states nothing.
pub fn reservation(value: &[u8], stated_in: StatedIn) -> Option<Statement> {
    let value = value.trim_ascii();
    let wish = match value {
        b"0" => Some(true),
        b"1" => Some(false),
        b"" => return None,
        _ => None,
    };
    let wish = wish.map(|is_allowed| Wish { is_allowed, usage: Usage::Mining });
    Some(Statement { signal: Signal::TdmReservation, stated_in, wish, says: recorded(value) })
}

/// Reads the value of `tdm-policy`, which is only recorded.
pub fn policy(value: &[u8], stated_in: StatedIn) -> Statement {
    Statement { signal: Signal::TdmPolicy, stated_in, wish: None, says: recorded(value) }
}

#[cfg(test)]
#[path = "tdmrep_tests.rs"]
mod tests;
