//! What a crawl is for, and what it does with statements of sites about the use of their content.

use serde::{Deserialize, Serialize};

/// What a crawl is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Copies of pages are kept, as they are.
    #[default]
    Archive,
    /// Pages are evaluated as a body of text.
    Research,
    /// Pages are indexed for a search that leads to them.
    Search,
    /// Pages become input of an AI model that answers questions.
    AiInput,
    /// Pages become training data of an AI model.
    TrainAi,
}

impl Purpose {
    /// All purposes.
    pub const ALL: [Self; 5] = [Self::Archive, Self::Research, Self::Search, Self::AiInput, Self::TrainAi];

    /// Returns its name in the configuration.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Research => "research",
            Self::Search => "search",
            Self::AiInput => "ai-input",
            Self::TrainAi => "train-ai",
        }
    }
}

/// What is done with statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignalMode {
    /// They are recorded and obeyed.
    Obey,
    /// They are only recorded.
    Record,
    /// They are ignored.
    Off,
}

/// When `/.well-known/tdmrep.json` is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TdmrepUse {
    /// Where the purpose depends on it.
    Auto,
    /// From every host.
    Always,
    /// Never.
    Never,
}

crate::options! {
    /// What a crawl does with statements of sites and pages about the use of their content (`Content-Signal`,
    /// `Content-Usage`, TDMRep, `noarchive`, …). What they refuse depends on `fetch.purpose`.
    pub struct SignalOptions in "signals" {
        /// `obey`: statements are recorded and obeyed; `record`: they are only recorded; `off`: they are ignored. The
        /// directive `nofollow` has a setting of its own (`filter.nofollow_pages`), and so does robots.txt
        /// (`robots.obey`).
        mode: SignalMode = SignalMode::Obey,
        /// Whether `/.well-known/tdmrep.json` is fetched, once per host and again with robots.txt: `auto` (for the
        /// purposes research, ai-input and train-ai), `always` or `never`.
        tdmrep: TdmrepUse = TdmrepUse::Auto,
    }
}
