//! Describes templates for people.

use std::fmt;

use super::extract::{Encoding, Extract};
use super::places::{Spot, ValuePlace};
use super::source::{Copied, PartSource, Pick};
use super::template::{FanCondition, PartPlan, ReplayTemplate, RequestPlan, StopRule, UrlPlan};

impl ReplayTemplate {
    /// Returns the URL of each slot with its sources in braces, one slot a line, `link` before those that are links and
    /// no requests, for example `{page}/replies?sort=thread&offset={counter from 6 by 6 until more_pending is false}`.
    pub fn describe(&self) -> String {
        let plans = self.slots.iter().filter_map(|slot| Some((slot.is_link, slot.plans.first()?)));
        let described = plans.map(|(is_link, plan)| {
            let kind = if is_link { "link " } else { "" };
            format!("{kind}{}", self.describe_plan(plan))
        });
        described.collect::<Vec<_>>().join("\n")
    }

    fn describe_plan(&self, plan: &RequestPlan) -> String {
        let until = if plan.repeats { plan.stop.to_string() } else { String::new() };
        let mut text = match &plan.url {
            UrlPlan::Whole { sources, .. } => sources.first().map(|source| braced(source, &until)).unwrap_or_default(),
            UrlPlan::Parts { origin, segments, query } => {
                let mut text = path(origin, segments, &until);
                for (index, (key, part)) in query.iter().filter(|(_, part)| !part.is_left_out()).enumerate() {
                    text.push(if index == 0 { '?' } else { '&' });
                    text += &format!("{key}{}", part.describe(&until));
                }
                text
            }
        };
        if let Some(fan) = &plan.fan {
            text += &format!(", each {} of {}", fan.extract, fan.place);
            if let Some(FanCondition { place, is_not }) = &fan.condition {
                text += &format!(" where {place} is not {is_not:?}");
            }
        }
        if let Some(slot) = plan.start.and_then(|start| self.slots.get(start)) {
            let continues =
                if plan.continues { plan.stop.to_string().replacen(" until", ", unless", 1) } else { String::new() };
            text += &format!(", after {}{continues}", slot.name);
        }
        text
    }
}

/// Returns origin and path, with `{page}` for what they have in common with the page's URL. Without an origin it is
/// the page's.
fn path(origin: &PartPlan, segments: &[PartPlan], until: &str) -> String {
    let is_pages = |(index, part): &(usize, &PartPlan)| {
        let wanted = u8::try_from(*index).map(Extract::Segment);
        part.has(|source| matches!(source, PartSource::PageUrl(way, Encoding::AsFound) if Ok(way) == wanted.as_ref()))
    };
    let is_page_origin = origin.has(|source| matches!(source, PartSource::PageUrl(Extract::Origin, _)));
    let common = segments.iter().enumerate().take_while(is_pages).count();
    let mut text = match (is_page_origin, common) {
        (true, 0) => String::new(),
        (true, _) => "{page}".to_owned(),
        (false, _) => origin.describe(until),
    };
    let skipped = if is_page_origin { common } else { 0 };
    for part in &segments[skipped..] {
        text += &format!("/{}", part.describe(until));
    }
    text
}

impl PartPlan {
    fn has(&self, is_wanted: impl Fn(&PartSource) -> bool) -> bool {
        matches!(self.pieces.as_slice(), [piece] if piece.sources.iter().any(is_wanted))
    }

    fn is_left_out(&self) -> bool {
        self.pieces.iter().any(|piece| piece.sources.first() == Some(&PartSource::LeftOut))
    }

    fn describe(&self, until: &str) -> String {
        let piece = |piece: &super::template::PiecePlan| {
            let source = piece.sources.first().map(|source| braced(source, until)).unwrap_or_default();
            source + &piece.separator
        };
        self.pieces.iter().map(piece).collect()
    }
}

fn braced(source: &PartSource, until: &str) -> String {
    match source {
        PartSource::Constant(text) | PartSource::Sampled(text) => text.clone(),
        _ if source.is_moving() => format!("{{{source}{until}}}"),
        _ => format!("{{{source}}}"),
    }
}

impl fmt::Display for PartSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(text) | Self::Sampled(text) => f.write_str(text),
            Self::PageUrl(extract, _) => write!(f, "{extract} of the page's URL"),
            Self::Each(_) => f.write_str("each"),
            Self::Page(copied) => write!(f, "{copied} in the page"),
            Self::Answer(copied) => write!(f, "{copied} in the answer before"),
            Self::Counter { first, step } => write!(f, "counter from {first} by {step}"),
            Self::FirstThen(first, then) => write!(f, "{first}, then {then}"),
            Self::LeftOut => f.write_str("left out"),
        }
    }
}

impl fmt::Display for Copied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = if self.pick == Pick::Last { "last " } else { "" };
        match self.extract {
            Extract::Whole => write!(f, "{last}{}", self.place),
            _ => write!(f, "{} of {last}{}", self.extract, self.place),
        }
    }
}

impl fmt::Display for ValuePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.field.is_empty() || self.spot == Spot::Field { "" } else { ": " };
        write!(f, "{}{separator}", self.field)?;
        match &self.spot {
            Spot::Attribute { element, mark, attribute } => write!(f, "{element}{mark}[{attribute}]"),
            Spot::Script(name) => write!(f, "script {name}"),
            Spot::Field => Ok(()),
            Spot::Length => f.write_str("length"),
        }
    }
}

impl fmt::Display for Extract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("value"),
            Self::Origin => f.write_str("origin"),
            Self::Path => f.write_str("path"),
            Self::PathAndQuery => f.write_str("path and query"),
            Self::Segment(index) => write!(f, "segment {}", u16::from(*index) + 1),
            Self::SegmentFromEnd(index) => write!(f, "segment {} from the end", u16::from(*index) + 1),
            Self::Query(key) => write!(f, "parameter {key}"),
            Self::Number(index) => write!(f, "number {} from the end", u16::from(*index) + 1),
            Self::Stem => f.write_str("last segment without extension"),
            Self::BeforeHyphen => f.write_str("text before the first hyphen"),
            Self::AfterHyphen => f.write_str("text behind the last hyphen"),
        }
    }
}

impl fmt::Display for StopRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingNew => f.write_str(" until an answer has nothing new"),
            Self::Value(place, text) => write!(f, " until {place} is {text}"),
            Self::ShorterThan(place, length) => write!(f, " until {place} is below {length}"),
        }
    }
}
