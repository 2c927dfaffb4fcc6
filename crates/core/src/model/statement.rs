//! What sites and pages state about the use of their content.
//!
//! `harvestman-consent` reads statements and decides what follows from them.

use serde::{Deserialize, Serialize};

macro_rules! labelled {
    (
        $(#[$about:meta])+
        pub enum $name:ident { $( $(#[doc = $doc:literal])+ $variant:ident = $label:literal ),+ $(,)? }
    ) => {
        $(#[$about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $( $(#[doc = $doc])+ $variant ),+ }

        impl $name {
            /// All of them, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// All labels, in the same order.
            pub const LABELS: &'static [&'static str] = &[$($label),+];

            /// Returns its name in logs, reports and metric labels.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }
        }
    };
}

labelled! {
    /// A kind of statement.
    pub enum Signal {
        /// `Content-Signal` in robots.txt or in a header.
        ContentSignal = "content_signal",
        /// `Content-Usage` in robots.txt or in a header (AIPREF).
        ContentUsage = "content_usage",
        /// `tdm-reservation` (TDMRep).
        TdmReservation = "tdm_reservation",
        /// `tdm-policy` (TDMRep): the URL of a policy.
        TdmPolicy = "tdm_policy",
        /// The URL of a licence (RSL).
        License = "license",
        /// The directive `noindex`.
        Noindex = "noindex",
        /// The directive `nofollow`.
        Nofollow = "nofollow",
        /// The directive `noarchive`.
        Noarchive = "noarchive",
        /// The directive `nosnippet`.
        Nosnippet = "nosnippet",
        /// The directive `noai`.
        Noai = "noai",
        /// The directive `noimageai`.
        Noimageai = "noimageai",
        /// The directive `unavailable_after`: a date.
        UnavailableAfter = "unavailable_after",
    }
}

labelled! {
    /// Where a statement stands.
    pub enum StatedIn {
        /// In the robots.txt of the host.
        RobotsTxt = "robots.txt",
        /// In the `/.well-known/tdmrep.json` of the host.
        TdmrepFile = "tdmrep.json",
        /// In a header of the answer.
        Header = "header",
        /// In an element of the page.
        Page = "page",
    }
}

impl StatedIn {
    /// Returns whether the statement is known before the page is requested.
    pub const fn is_known_before(self) -> bool {
        matches!(self, Self::RobotsTxt | Self::TdmrepFile)
    }
}

labelled! {
    /// A use of content that a statement allows or refuses.
    pub enum Usage {
        /// An index for a search, and its results.
        Search = "search",
        /// Input to an AI model.
        AiInput = "ai_input",
        /// Training of an AI model.
        TrainAi = "train_ai",
        /// Text and data mining.
        Mining = "mining",
        /// Any use by AI.
        Ai = "ai",
        /// Use of the images of a page by AI.
        AiImages = "ai_images",
        /// An index of pages.
        Indexing = "indexing",
        /// Copies of the page.
        Copies = "copies",
        /// Excerpts of the page.
        Excerpts = "excerpts",
        /// Any use at all.
        Anything = "anything",
        /// Following the links of the page.
        Following = "following",
    }
}

labelled! {
    /// What was done because of a statement, from nothing to the strictest.
    pub enum Effect {
        /// Nothing.
        None = "none",
        /// The links of the page were not followed.
        NotFollowed = "links_not_followed",
        /// The page was fetched, but not kept.
        NotKept = "not_kept",
        /// The page was not fetched.
        NotFetched = "not_fetched",
    }
}

/// What is wished about one use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wish {
    /// Whether it is allowed. `false` sorts first.
    pub is_allowed: bool,
    /// The use.
    pub usage: Usage,
}

/// One statement about a page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    /// Its kind.
    pub signal: Signal,
    /// Where it stands.
    pub stated_in: StatedIn,
    /// What it wishes; `None` if it is only recorded.
    pub wish: Option<Wish>,
    /// Its text without the name of the signal, such as `ai-train=no`; empty for a directive without a value.
    pub says: Box<str>,
}

/// An element of a page that states something about the use of its content, as the parser found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageElement {
    /// What it is.
    pub kind: ElementKind,
    /// Its content or address, as written.
    pub content: Box<str>,
}

/// What an element of a page states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementKind {
    /// `<meta name=robots>`, or one with the product token of the crawler.
    Robots,
    /// `<meta name=tdm-reservation>`.
    TdmReservation,
    /// `<meta name=tdm-policy>`.
    TdmPolicy,
    /// `<link rel=license>`.
    License,
}

/// A statement in the page log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementRecord {
    /// The kind ([`Signal::label`]).
    pub signal: String,
    /// Where it stands ([`StatedIn::label`]).
    #[serde(rename = "in", default)]
    pub stated_in: String,
    /// Its text; omitted if empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
    /// What was done because of it ([`Effect::label`]); omitted if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
}

impl StatementRecord {
    /// Creates the record of a statement that had this effect.
    pub fn new(statement: &Statement, effect: Effect) -> Self {
        Self {
            signal: statement.signal.label().to_owned(),
            stated_in: statement.stated_in.label().to_owned(),
            says: statement.says.to_string(),
            effect: (effect != Effect::None).then(|| effect.label().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_distinct_and_in_the_order_of_the_variants() {
        assert!(Signal::ALL.iter().map(|signal| signal.label()).eq(Signal::LABELS.iter().copied()));
        let distinct: std::collections::BTreeSet<_> = Signal::LABELS.iter().collect();
        assert_eq!(distinct.len(), Signal::ALL.len());
    }

    #[test]
    fn a_record_leaves_out_what_is_empty_and_is_read_as_it_was_written() {
        let wish = Some(Wish { usage: Usage::Copies, is_allowed: false });
        let noarchive = Statement { signal: Signal::Noarchive, stated_in: StatedIn::Page, wish, says: "".into() };
        let record = StatementRecord::new(&noarchive, Effect::None);
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(text, r#"{"signal":"noarchive","in":"page"}"#);
        assert_eq!(serde_json::from_str::<StatementRecord>(&text).unwrap(), record);
        let kept = StatementRecord::new(&Statement { says: "x".into(), ..noarchive }, Effect::NotKept);
        assert_eq!((kept.says.as_str(), kept.effect.as_deref()), ("x", Some("not_kept")));
    }
}
