//! Learns from a few rendered pages of a cluster which requests their scripts make, so that plain HTTP requests give
//! the same content on other pages of the cluster, and the browser is not needed there.
//!
//! [`learn`] groups the requests of several pages into slots (same path shape, same query keys) and explains every
//! part of their URLs: as a constant, a part of the page's URL, a value of the plain page, a value of an earlier
//! answer, or a counter. What differs without reason, such as the time, is left out; what looks like a token makes a
//! slot not replayable. An explanation must hold for every request of every sample. [`verify`] compares the result
//! with samples that were held back, [`settle`] chooses among explanations that fit equally well, and [`Replay`] makes
//! the requests for a page.
//!
//! Reusing what a browser computed on a few pages for the rest of a site is the idea of Sprinter (Goel et al., NSDI
//! 2024); here only URLs are reused, and no script runs.
//!
//! Everything is a function of values: nothing here does I/O, reads a clock or draws a random number.

mod chains;
mod column;
mod compose;
mod content;
mod describe;
mod explain;
mod extract;
mod facts;
mod fan_condition;
mod html;
mod json;
mod learn;
mod make_url;
mod places;
mod plan;
mod run;
mod sample;
mod script;
mod slots;
mod source;
mod stop;
mod template;
#[cfg(test)]
mod tests;
mod url_parts;
mod useful;
mod verify;
mod why;

pub use compose::compose;
pub use content::{AnswerContent, scan_answer};
pub use extract::{Encoding, Extract};
pub(crate) use html::{HTML_BYTES_MAX, HtmlItem, scan_html, scan_scripts, truncate};
pub use json::json_field;
pub use learn::{LearnedReplay, learn};
pub use places::{Spot, ValuePlace};
pub use run::{Replay, ReplayLimits};
pub use sample::{SAMPLE_REQUESTS_MAX, SAMPLES_MAX, Sample, SampleKind, SampleRequest};
pub(crate) use script::{scan_names, scan_strings};
pub use source::{Copied, PartSource, Pick};
pub use template::{
    Fan, PartPlan, PiecePlan, REPLAY_VERSION, ReplayTemplate, RequestPlan, SlotTemplate, StopRule, UrlPlan, UrlShape,
};
pub use verify::{Verification, predicted_page, settle, verify};
pub use why::Why;
