//! Decides what follows from statements for the purpose of a crawl.
//!
//! | use that is refused | stated by | archive | research | search | ai-input | train-ai |
//! |---|---|---|---|---|---|---|
//! | search | `search=no` | – | – | refused | – | – |
//! | input to AI | `ai-input=no`, `ai-use=n` | – | – | – | refused | – |
//! | training of AI | `ai-train=no`, `train-ai=n` | – | – | – | – | refused |
//! | text and data mining | `tdm-reservation: 1` | – | refused | – | refused | refused |
//! | AI | `noai` | – | – | – | refused | refused |
//! | images for AI | `noimageai` | – | – | – | refused | refused |
//! | indexing | `noindex` | – | – | refused | refused | – |
//! | copies | `noarchive` | refused | refused | – | refused | refused |
//! | excerpts | `nosnippet` | – | – | – | refused | – |
//! | anything | `unavailable_after`, once the date has passed | refused | refused | refused | refused | refused |
//! | following | `nofollow` | links not followed, for all purposes | | | | |
//!
//! Where the purpose is refused before the page is requested (robots.txt, tdmrep.json), it is not fetched. Where the
//! answer refuses it (headers, elements), it is not kept: only what is known of the exchange is recorded. A statement
//! that allows a use has no effect, so that adding a statement never permits more and the order of statements does not
//! matter.

use harvestman_core::config::{Config, Purpose, SignalMode, TdmrepUse};
use harvestman_core::model::{Effect, Signal, Statement, StatementRecord, Usage};

/// What follows from the statements about a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decision {
    /// The signal because of which the page is not fetched.
    pub not_fetched: Option<Signal>,
    /// The signal because of which the page is not kept.
    pub not_kept: Option<Signal>,
    /// Whether the links of the page are not followed.
    pub not_followed: bool,
}

/// The settings on which decisions depend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentRules {
    /// What the crawl is for.
    pub purpose: Purpose,
    /// What is done with statements.
    pub mode: SignalMode,
    /// Whether `nofollow` is obeyed.
    pub nofollow: bool,
    /// When tdmrep.json is fetched.
    pub tdmrep: TdmrepUse,
}

impl From<&Config> for ConsentRules {
    fn from(config: &Config) -> Self {
        Self {
            purpose: config.fetch.purpose,
            mode: config.signals.mode,
            nofollow: config.filter.nofollow_pages,
            tdmrep: config.signals.tdmrep,
        }
    }
}

impl ConsentRules {
    /// Returns whether statements are read at all.
    pub fn reads(&self) -> bool {
        self.mode != SignalMode::Off
    }

    /// Returns whether tdmrep.json is fetched.
    pub fn reads_tdmrep(&self) -> bool {
        let is_wanted = match self.tdmrep {
            TdmrepUse::Always => true,
            TdmrepUse::Never => false,
            TdmrepUse::Auto => is_concerned(self.purpose, Usage::Mining),
        };
        is_wanted && self.reads()
    }

    /// Returns what was done because of a statement.
    pub fn effect(&self, statement: &Statement) -> Effect {
        match effect(self.purpose, statement) {
            // It has a setting of its own.
            Effect::NotFollowed if self.nofollow => Effect::NotFollowed,
            Effect::NotFollowed => Effect::None,
            effect if self.mode == SignalMode::Obey => effect,
            _ => Effect::None,
        }
    }

    /// Decides about a page by all statements about it. Of several signals with the same effect the first in the order
    /// of [`Signal::ALL`] is named.
    pub fn decide<'a>(&self, statements: impl IntoIterator<Item = &'a Statement>) -> Decision {
        let mut decision = Decision::default();
        for statement in statements {
            let first = |named: Option<Signal>| named.into_iter().chain([statement.signal]).min();
            match self.effect(statement) {
                Effect::None => {}
                Effect::NotFollowed => decision.not_followed = true,
                Effect::NotKept => decision.not_kept = first(decision.not_kept),
                Effect::NotFetched => decision.not_fetched = first(decision.not_fetched),
            }
        }
        decision
    }

    /// Returns the records of statements, with their effects.
    pub fn records(&self, statements: &[Statement]) -> Vec<StatementRecord> {
        statements.iter().map(|statement| StatementRecord::new(statement, self.effect(statement))).collect()
    }
}

/// Returns whether a use is part of a purpose: the table above.
pub const fn is_concerned(purpose: Purpose, usage: Usage) -> bool {
    match usage {
        Usage::Search => matches!(purpose, Purpose::Search),
        Usage::AiInput | Usage::Excerpts => matches!(purpose, Purpose::AiInput),
        Usage::TrainAi => matches!(purpose, Purpose::TrainAi),
        Usage::Mining => matches!(purpose, Purpose::Research | Purpose::AiInput | Purpose::TrainAi),
        Usage::Ai | Usage::AiImages => matches!(purpose, Purpose::AiInput | Purpose::TrainAi),
        Usage::Indexing => matches!(purpose, Purpose::Search | Purpose::AiInput),
        Usage::Copies => !matches!(purpose, Purpose::Search),
        Usage::Anything => true,
        // It is no use of the page itself.
        Usage::Following => false,
    }
}

/// Returns what follows from one statement for a purpose, if it is obeyed.
pub fn effect(purpose: Purpose, statement: &Statement) -> Effect {
    match statement.wish.filter(|wish| !wish.is_allowed).map(|wish| wish.usage) {
        None => Effect::None,
        Some(Usage::Following) => Effect::NotFollowed,
        Some(usage) if !is_concerned(purpose, usage) => Effect::None,
        Some(_) if statement.stated_in.is_known_before() => Effect::NotFetched,
        Some(_) => Effect::NotKept,
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
