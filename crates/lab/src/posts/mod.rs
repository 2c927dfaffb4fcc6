//! Measures how well posts are found on the pages of a recording, given the truth from the site's database.
//!
//! The rules are learned from the pages themselves ([`measure_posts`]); the [`Scorer`] compares what they find with a
//! truth file ([`load_truth`]). `docs/how-to/posts-truth.md` describes the file and the measures.

mod collected;
mod flaws;
mod markup;
mod matching;
mod measured;
mod page_types;
mod replies;
mod scorer;
#[cfg(test)]
mod scorer_tests;
mod site;
mod tables;
mod tally;
mod threads;
mod times;
mod truth;
mod words;

pub use flaws::{Flaw, PageFlaws};
pub use markup::without_markup;
pub use measured::{LEARN_PAGES, MeasuredPosts, PostMeasurement, measure_posts};
pub use scorer::{PostScores, Scorer};
pub use site::SiteTally;
pub use tables::{post_rows, post_tables};
pub use tally::{FieldTally, PostTally};
pub use truth::{Field, OneOrMore, PostTruth, ShownOn, TrueTime, TruthError, load_truth};
