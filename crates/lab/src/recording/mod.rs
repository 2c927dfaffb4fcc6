//! Makes labelled corpora: labels the URLs of a recording by rules over their addresses, and reads the tags and the
//! authors of items from their pages by CSS selectors.
//!
//! The rules of a site are a TOML file ([`LabelRules`]). [`label`] applies them to the responses of a recording, and
//! [`Labelled`] writes the result as the CSV file that [`Corpus::load`](crate::corpus::Corpus::load) reads.

mod labelled;
mod rules;
mod selectors;

pub use labelled::{Labelled, TypeSummary, label};
pub use rules::{LabelRules, RulesError};
