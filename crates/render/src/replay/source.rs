//! Where a part of a request's URL comes from.

use serde::{Deserialize, Serialize};

use super::extract::{Encoding, Extract};
use super::places::{Places, ValuePlace};

/// Which of the values at a place is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pick {
    /// The first value.
    First,
    /// The last value, such as the id of the last element of a list.
    Last,
}

/// Where a text comes from that stands in a page or an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// The place.
    pub place: ValuePlace,
    /// Which of its values.
    pub pick: Pick,
    /// Which part of the value.
    pub extract: Extract,
    /// How it is written in the URL.
    pub encoding: Encoding,
}

impl Copied {
    fn read(&self, places: &Places) -> Option<String> {
        let values = places.at(&self.place);
        let value = match self.pick {
            Pick::First => values.first(),
            Pick::Last => values.last(),
        };
        Some(self.encoding.write(self.extract.apply(value?)?))
    }
}

/// Where a part of a URL comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartSource {
    /// The same on each page.
    Constant(String),
    /// A part of the page's own URL.
    PageUrl(Extract, Encoding),
    /// The value for which the chain of requests was started, one of several at a place.
    Each(Encoding),
    /// A value in the plain page.
    Page(Copied),
    /// A value in the previous answer of the chain, or in the answer that started it.
    Answer(Copied),
    /// A number that grows by `step` with each request of a chain.
    Counter {
        /// The number in the first request.
        first: i64,
        /// The difference of two requests that follow each other.
        step: i64,
    },
    /// One source for the first request of a chain, another for the others.
    FirstThen(Box<PartSource>, Box<PartSource>),
    /// A parameter that differs without reason, such as the time, and is left out.
    LeftOut,
    /// A parameter that differs without reason, filled with the value of a sample.
    Sampled(String),
}

/// What is known when a request is made.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The page's own URL.
    pub page_url: &'a str,
    /// The values of the plain page.
    pub page: &'a Places,
    /// The values of the previous answer of the chain, or, for its first request, of the answer that started it.
    pub previous: Option<&'a Places>,
    /// Number of requests that the chain made before.
    pub index: usize,
    /// The value for which the chain was started.
    pub each: Option<&'a str>,
}

impl PartSource {
    /// Returns the part; `None` if there is no such value, or if it is left out.
    pub fn text(&self, situation: &Situation<'_>) -> Option<String> {
        match self {
            Self::Constant(text) | Self::Sampled(text) => Some(text.clone()),
            Self::PageUrl(extract, encoding) => Some(encoding.write(extract.apply(situation.page_url)?)),
            Self::Each(encoding) => situation.each.map(|text| encoding.write(text)),
            Self::Page(copied) => copied.read(situation.page),
            Self::Answer(copied) => copied.read(situation.previous?),
            Self::Counter { first, step } => {
                let growth = step.checked_mul(i64::try_from(situation.index).ok()?)?;
                Some(first.checked_add(growth)?.to_string())
            }
            Self::FirstThen(first, _) if situation.index == 0 => first.text(situation),
            Self::FirstThen(_, later) => later.text(situation),
            Self::LeftOut => None,
        }
    }

    /// Returns whether the requests of a chain may differ in it.
    pub fn is_moving(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::Counter { .. } | Self::FirstThen(..))
    }

    /// Returns whether it is a single value of the answer before, such as a cursor. Even if no sample shows it, the
    /// next answer may have it as well, and the chain ends when one has none. An element of a list is no cursor:
    /// answers that are started by one may have lists of their own.
    pub fn is_cursor(&self) -> bool {
        matches!(self, Self::Answer(Copied { place, .. }) if !place.field.is_empty() && !place.field.contains('*'))
    }

    /// Returns whether it differs without reason.
    pub fn is_volatile(&self) -> bool {
        matches!(self, Self::LeftOut | Self::Sampled(_))
    }
}
