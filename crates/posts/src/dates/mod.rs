//! Finds a date with its time in a short text, in any usual form and language: pure.

mod find;
mod names;
mod reader;
mod time_of_day;
mod tokens;

pub use find::{FoundDate, find_date, find_time};

/// Returns whether a word is that of a month or a day.
pub fn is_date_word(word: &str) -> bool {
    use names::Name;
    let word = names::normal(word.trim_matches(|c: char| !c.is_alphabetic()));
    matches!(names::name(&word), Some(Name::Month(_) | Name::Weekday(_) | Name::DaysBefore(_)))
}
