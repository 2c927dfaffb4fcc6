//! Features of an address: what it may have in common with addresses of the same type of page.
//!
//! A single address does not show which of its parts tell its type: a name, the form of a segment, a parameter. Each is
//! a feature, by itself and with its position, at several resolutions; a classifier learns from sample pages which of
//! them count.

use super::page_types::PageFeatures;
use harvestman_core::model::path_hash::{fold_run, step};
use harvestman_structure::site::{Segment, after_authority, parameters};

/// Maximum number of segments and of parameters; further ones are no features.
const PARTS_MAX: usize = 32;

/// Number of segments whose position from the end is a feature too: what a page shows of an item often stands last.
const FROM_END: usize = 2;

/// Where a part of an address stands.
#[derive(Debug, Clone, Copy)]
enum Place<'u> {
    /// A segment of the path, counted from its start.
    Segment(usize),
    /// A segment, counted from the end of the path.
    FromEnd(usize),
    /// The value of the parameter with this name.
    Value(&'u str),
}

/// What a feature says.
#[derive(Debug, Clone, Copy)]
enum Says {
    /// The number of segments.
    Segments = 1,
    /// Whether the path ends in a slash.
    Slash,
    /// The number of parameters.
    Parameters,
    /// There is a parameter with this name.
    Parameter,
    /// The form of a part: a number, a title, a name.
    Form,
    /// The same with an extension, the text before a colon, or the name.
    Word,
    /// The text of a part, with one sign for each number.
    Text,
    /// The beginning of this text up to the first sign that is no letter or number.
    Beginning,
}

/// Returns the features of an absolute URL; its host is not one of them. O(length).
pub fn url_features(url: &str) -> PageFeatures {
    let (path, query) = after_authority(url);
    let mut features = Vec::new();
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).take(PARTS_MAX).collect();
    for (at, segment) in segments.iter().enumerate() {
        add_part(Place::Segment(at), segment, &mut features);
    }
    for (at, segment) in segments.iter().rev().take(FROM_END).enumerate() {
        add_part(Place::FromEnd(at), segment, &mut features);
    }
    let parameters: Vec<(&str, &str)> = parameters(query).take(PARTS_MAX).collect();
    for (name, value) in &parameters {
        features.push(feature(Says::Parameter, 0, fold_run(name.as_bytes())));
        add_part(Place::Value(name), &value.replace("%3A", ":"), &mut features);
    }
    features.push(feature(Says::Segments, 0, segments.len() as u64));
    features.push(feature(Says::Slash, 0, u64::from(path.ends_with('/'))));
    features.push(feature(Says::Parameters, 0, parameters.len() as u64));
    features.into_iter().collect()
}

fn add_part(place: Place<'_>, text: &str, features: &mut Vec<u64>) {
    let segment = Segment::parse(text);
    let place = match place {
        Place::Segment(at) => step(1, at as u64),
        Place::FromEnd(at) => step(2, at as u64),
        Place::Value(name) => step(3, fold_run(name.as_bytes())),
    };
    features.push(feature(Says::Form, place, segment.form()));
    features.push(feature(Says::Word, place, segment.word()));
    features.push(feature(Says::Text, place, fold_run(without_numbers(text).as_bytes())));
    if let Some(at) = text.find(|sign: char| !sign.is_ascii_alphanumeric()) {
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        features.push(feature(Says::Beginning, place, fold_run(without_numbers(&text[..end]).as_bytes())));
    }
}

const fn feature(says: Says, place: u64, value: u64) -> u64 {
    step(step(says as u64, place), value)
}

/// Returns a text with one `#` in place of each number.
pub fn without_numbers(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for sign in text.chars().map(|sign| if sign.is_ascii_digit() { '#' } else { sign }) {
        if sign != '#' || !shown.ends_with('#') {
            shown.push(sign);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shared(one: &str, other: &str) -> usize {
        let (one, other) = (url_features(one), url_features(other));
        one.iter().filter(|feature| other.iter().any(|known| known == *feature)).count()
    }

    #[test]
    fn addresses_of_one_type_have_more_in_common_than_others() {
        let topic = "http://f.test/forum/plants-3/topic/what-to-do-with-basil-12/?page=2";
        let other = "http://f.test/forum/games-4/topic/solved-how-to-win-7/?page=13";
        let create = "http://f.test/forum/plants-3/topic/create/";
        assert!(shared(topic, other) > shared(topic, create));
        let (edit, history) = ("http://w.test/index.php?title=Talk:A&action=edit", "http://w.test/?action=edit");
        assert!(shared(edit, "http://w.test/index.php?title=Talk%3ABb&action=edit") > shared(edit, history));
    }

    #[test]
    fn numbers_and_hosts_make_no_difference() {
        let of = |url| url_features(url);
        assert_eq!(of("http://a.test/user/17?page=3"), of("https://b.test:80/user/4?page=255"));
        assert_ne!(of("http://a.test/user/17"), of("http://a.test/user/seventeen"));
        assert_ne!(of("http://a.test/user/17"), of("http://a.test/user/17/"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn features_are_few_and_those_of_parameters_do_not_depend_on_their_order(
            path in "(/[a-z0-9:é%-]{0,9}){0,50}", names in prop::collection::vec("[a-z]{1,3}=[a-z0-9:é%]{0,5}", 0..20),
        ) {
            let at = |names: &[String]| url_features(&format!("http://h.test{path}?{}", names.join("&")));
            let backwards: Vec<String> = names.iter().rev().cloned().collect();
            prop_assert_eq!(at(&names), at(&backwards));
            // Four of each part, one more of each parameter, and three of the whole.
            prop_assert!(at(&names).iter().count() <= 4 * (PARTS_MAX + FROM_END) + 5 * names.len() + 3);
        }
    }
}
