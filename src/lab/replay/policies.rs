//! Policies by name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::config::ParseOptions;
use crate::page::ClassTokens;
use crate::parse::Parser;
use crate::policy::learned::{Example, Goal, Learned, ReadPage, Tuning};
use crate::policy::{BreadthFirst, Policy};
use crate::seed::Seed;

/// A policy that can be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyName {
    /// Breadth-first.
    Bfs,
    /// What users wrote.
    Ucc,
    /// Pages like an example.
    Target,
}

/// Which form of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Variant {
    /// The one that measures best.
    #[default]
    Default,
}

/// A name that is none of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no policy {0}; there are bfs, ucc, target")]
pub struct Unknown(String);

impl PolicyName {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfs => "bfs",
            Self::Ucc => "ucc",
            Self::Target => "target",
        }
    }
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PolicyName {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let all = [Self::Bfs, Self::Ucc, Self::Target];
        all.into_iter().find(|policy| policy.name() == name).ok_or_else(|| Unknown(name.to_owned()))
    }
}

/// Makes a policy that knows nothing yet.
pub fn make(name: PolicyName, _variant: Variant, seed: Seed, example: Option<&str>) -> Box<dyn Policy> {
    let learned = |goal| Box::new(Learned::new(goal, Tuning::default(), seed.0, reader()));
    match name {
        PolicyName::Bfs => Box::new(BreadthFirst),
        PolicyName::Ucc => learned(Goal::Content),
        PolicyName::Target => {
            learned(Goal::Like(Example { url: example.unwrap_or_default().to_owned(), duplicate_worth: 0.5 }))
        }
    }
}

/// Reads a page again, as a policy asks for it when it learns templates.
pub fn reader() -> Box<ReadPage> {
    let mut parser = Parser::new(&ParseOptions::default()).with_token_list();
    Box::new(move |bytes: &[u8], content_type: Option<&str>, tokens: Option<&Arc<ClassTokens>>| {
        parser.set_class_tokens(tokens.cloned());
        parser.parse(bytes, content_type)
    })
}
