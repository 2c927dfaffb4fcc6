//! Finds which posts of two sources are the same, and compares the dates that both give one post.

use jiff::SignedDuration;
use jiff::civil::{Date, Time};
use jiff::fmt::temporal::Pieces;

use crate::maps::HashMap;
use crate::records::PagePost;
use crate::words::Words;

/// Minimum F-measure of the words of texts that are the same, and of those whose identifiers are.
const TEXT_MIN: f64 = 0.8;
const TEXT_OF_ID_MIN: f64 = 0.3;
/// Minimum number of words of a text that was cut short, or of what stands behind a quote.
const PART_WORDS_MIN: usize = 4;
/// How many posts before and behind the expected one are compared by their words.
const WINDOW: usize = 12;

/// Returns for each post of the first source the same one of the second. Each is the same as one at most.
pub(crate) fn pairs(first: &[PagePost], second: &[PagePost]) -> Vec<Option<usize>> {
    let mut matching = Matching::of(first, second);
    if !first.is_empty() && !second.is_empty() {
        matching.by_identifier();
        matching.by_whole_text();
        matching.by_words();
        matching.by_order();
    }
    matching.pairs
}

struct Matching<'p> {
    first: &'p [PagePost],
    second: &'p [PagePost],
    first_words: Vec<Words>,
    second_words: Vec<Words>,
    pairs: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl<'p> Matching<'p> {
    fn of(first: &'p [PagePost], second: &'p [PagePost]) -> Self {
        let is_empty = first.is_empty() || second.is_empty();
        let words = |posts: &[PagePost]| {
            posts.iter().filter(|_| !is_empty).map(|post| Words::of(&post.text)).collect::<Vec<_>>()
        };
        let (first_words, second_words) = (words(first), words(second));
        Self {
            first,
            second,
            first_words,
            second_words,
            pairs: vec![None; first.len()],
            is_taken: vec![false; second.len()],
        }
    }

    fn take(&mut self, one: usize, two: usize) {
        self.pairs[one] = Some(two);
        self.is_taken[two] = true;
    }

    /// Pairs posts with one identifier or address, unless their texts differ.
    fn by_identifier(&mut self) {
        let mut known: HashMap<String, usize> = HashMap::default();
        for (two, post) in self.second.iter().enumerate() {
            keys(post).for_each(|key| {
                known.entry(key).or_insert(two);
            });
        }
        for one in 0..self.first.len() {
            let found = keys(&self.first[one]).find_map(|key| known.get(&key).copied());
            let Some(two) = found.filter(|two| !self.is_taken[*two]) else { continue };
            let (left, right) = (&self.first_words[one], &self.second_words[two]);
            if left.len() == 0 || right.len() == 0 || left.f_measure(right) >= TEXT_OF_ID_MIN || is_part(left, right) {
                self.take(one, two);
            }
        }
    }

    /// Pairs posts with the same text. Where several have it, they are in the same order.
    fn by_whole_text(&mut self) {
        let mut known: HashMap<&[u64], Vec<usize>> = HashMap::default();
        for (two, words) in self.second_words.iter().enumerate().rev() {
            if words.len() > 0 && !self.is_taken[two] {
                known.entry(&words.ordered).or_default().push(two);
            }
        }
        let mut found = Vec::new();
        for (one, words) in self.first_words.iter().enumerate().filter(|(one, _)| self.pairs[*one].is_none()) {
            let two = known.get_mut(words.ordered.as_slice()).and_then(Vec::pop);
            found.extend(two.map(|two| (one, two)));
        }
        found.into_iter().for_each(|(one, two)| self.take(one, two));
    }

    /// Pairs posts with nearly the same text, or one that is a part of the other, near the place where they are
    /// expected.
    fn by_words(&mut self) {
        let mut expected = 0;
        for one in 0..self.first.len() {
            if let Some(two) = self.pairs[one] {
                expected = two + 1;
                continue;
            }
            let near = expected.saturating_sub(WINDOW)..(expected + WINDOW).min(self.second.len());
            let free = near.filter(|two| !self.is_taken[*two]);
            let score = |two: &usize| self.similarity(one, *two);
            let best = free.map(|two| (score(&two), two)).max_by(|left, right| left.0.total_cmp(&right.0));
            if let Some((_, two)) = best.filter(|(score, _)| *score >= TEXT_MIN) {
                self.take(one, two);
                expected = two + 1;
            }
        }
    }

    fn similarity(&self, one: usize, two: usize) -> f64 {
        let (left, right) = (&self.first_words[one], &self.second_words[two]);
        if left.len() == 0 || right.len() == 0 {
            return 0.0;
        }
        let measure = left.f_measure(right);
        if measure < TEXT_MIN && is_part(left, right) { TEXT_MIN } else { measure }
    }

    /// Pairs what is left between the same neighbours, if there is as much in both, and author or date agree.
    fn by_order(&mut self) {
        let (mut from, mut behind) = (0, 0);
        for end in 0..=self.first.len() {
            let next = match self.pairs.get(end) {
                Some(None) => continue,
                Some(Some(two)) => *two,
                None => self.second.len(),
            };
            let free: Vec<usize> = (behind..next).filter(|two| !self.is_taken[*two]).collect();
            if end - from == free.len() {
                for (one, two) in (from..end).zip(free) {
                    if self.may_be_same(one, two) {
                        self.take(one, two);
                    }
                }
            }
            (from, behind) = (end + 1, next + 1);
        }
    }

    fn may_be_same(&self, one: usize, two: usize) -> bool {
        let (left, right) = (&self.first[one], &self.second[two]);
        let is_author = left.author.is_some() && same_name(left.author.as_deref(), right.author.as_deref());
        let is_date = left.date.as_deref().zip(right.date.as_deref()).is_some_and(|(one, two)| agree(one, two));
        is_author || is_date
    }
}

/// Whether one text is the other one cut short, or without the quote at its beginning.
fn is_part(one: &Words, two: &Words) -> bool {
    let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    short.len() >= PART_WORDS_MIN && (short.begins(long) || short.ends(long))
}

/// Whether two names are the same but for case and white space.
pub(super) fn same_name(one: Option<&str>, two: Option<&str>) -> bool {
    let normal =
        |name: &str| name.split_whitespace().flat_map(str::chars).flat_map(char::to_lowercase).collect::<String>();
    one.zip(two).is_some_and(|(one, two)| normal(one) == normal(two))
}

/// Returns what tells a post apart: its address, and its identifier without what stands before its number.
fn keys(post: &PagePost) -> impl Iterator<Item = String> {
    let url = post.url.as_ref().map(|url| format!("u {url}"));
    let id = post.id.as_deref().map(|id| {
        let number = &id[id.trim_end_matches(|c: char| c.is_ascii_digit()).len()..];
        if number.is_empty() { format!("i {id}") } else { format!("n {number}") }
    });
    url.into_iter().chain(id)
}

/// Maximum distance of a local time from UTC, in minutes.
const ZONE_MAX: i64 = 14 * 60;
/// Distances from UTC are multiples of this number of minutes.
const ZONE_STEP: i64 = 15;

/// A date as records have it.
#[derive(Debug, Clone, Copy)]
struct Moment {
    date: Date,
    time: Option<Time>,
    /// In minutes.
    offset: Option<i64>,
}

impl Moment {
    fn read(text: &str) -> Option<Self> {
        let pieces = Pieces::parse(text).ok()?;
        let offset = pieces.to_numeric_offset().map(|offset| i64::from(offset.seconds()) / 60);
        Some(Self { date: pieces.date(), time: pieces.time(), offset })
    }

    /// Returns how many minutes the clock of this one is before that of another one; `None` if one has no time.
    fn minutes_since(self, other: Self) -> Option<i64> {
        let (one, two) = (self.date.to_datetime(self.time?), other.date.to_datetime(other.time?));
        let seconds = SignedDuration::as_secs(&one.duration_since(two));
        Some((seconds + if seconds < 0 { -30 } else { 30 }) / 60)
    }
}

/// Whether two dates may be of one moment: as exactly as the less exact one tells it, in any time zone if one tells
/// none.
pub(super) fn agree(one: &str, two: &str) -> bool {
    joined(one, two).is_some()
}

/// Returns the date that two dates tell together, in the time zone of the first one, where its clock tells it; `None`
/// if they are not of one moment.
pub(super) fn joined(shown: &str, exact: &str) -> Option<String> {
    let (one, two) = (Moment::read(shown)?, Moment::read(exact)?);
    let Some(minutes) = one.minutes_since(two) else {
        let days = one.date.duration_since(two.date).as_hours() / 24;
        let better = if one.time.is_some() { shown } else { exact };
        // The day may be another one in UTC.
        let is_near = days == 0 || (days.abs() == 1 && (one.offset.is_some() || two.offset.is_some()));
        return is_near.then(|| better.to_owned());
    };
    match (one.offset, two.offset) {
        (None, None) => (minutes.abs() <= 1).then(|| exact.to_owned()),
        (Some(left), Some(right)) => ((minutes - left + right).abs() <= 1).then(|| exact.to_owned()),
        (Some(of), None) => {
            let zone = of - minutes;
            is_zone(zone).then(|| shown.to_owned())
        }
        (None, Some(of)) => {
            // What is shown is cut to the minute.
            let zone = ((of + minutes) as f64 / ZONE_STEP as f64).round() as i64 * ZONE_STEP;
            ((of + minutes - zone).abs() <= 1 && is_zone(zone)).then(|| in_zone(two, zone - of, zone)).flatten()
        }
    }
}

fn is_zone(minutes: i64) -> bool {
    minutes.abs() <= ZONE_MAX && minutes % ZONE_STEP == 0
}

/// Writes a moment by a clock that is some minutes before its own.
fn in_zone(moment: Moment, minutes: i64, zone: i64) -> Option<String> {
    let clock = moment.date.to_datetime(moment.time?).checked_add(SignedDuration::from_mins(minutes)).ok()?;
    let zone = match zone {
        0 => "Z".to_owned(),
        zone => format!("{}{:02}:{:02}", if zone < 0 { '-' } else { '+' }, zone.abs() / 60, zone.abs() % 60),
    };
    Some(format!("{clock}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(id: &str, author: &str, text: &str) -> PagePost {
        PagePost {
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
            author: Some(author.to_owned()),
            text: text.to_owned(),
            ..PagePost::default()
        }
    }

    #[test]
    fn posts_are_matched_by_identifier_text_and_order() {
        let first =
            [post("post-7", "ann", ""), post("", "bob", "thanks"), post("", "cy", "thanks"), post("", "dee", "")];
        let second = [post("", "x", "thanks"), post("", "y", "Thanks!"), post("7", "z", "a text"), post("", "Dee", "")];
        assert_eq!(pairs(&first, &second), [Some(2), Some(0), Some(1), Some(3)]);
        assert_eq!((pairs(&[], &second).len(), pairs(&first, &[])), (0, vec![None; 4]));
    }

    #[test]
    fn cut_texts_and_those_without_quotes_are_matched() {
        let first =
            [post("", "a", "how do I clean the lens of an old camera"), post("", "b", "use a soft brush for that")];
        let second = [
            post("", "c", "How do I clean the le…"),
            post("", "d", "a wrote: how do I clean? use a soft brush for that"),
        ];
        assert_eq!(pairs(&first, &second), [Some(0), Some(1)]);
        let other = [post("", "c", "quite another text than these"), post("", "d", "nor is this one of them")];
        assert_eq!(pairs(&first, &other), [None, None]);
    }

    proptest::proptest! {
        #[test]
        fn no_post_is_matched_twice(
            first in proptest::collection::vec(("[0-9]{0,2}", "[ab]{0,1}", "([a-c] ){0,7}"), 0..20),
            second in proptest::collection::vec(("[0-9]{0,2}", "[ab]{0,1}", "([a-c] ){0,7}"), 0..20),
        ) {
            let posts = |all: &[(String, String, String)]| {
                all.iter().map(|(id, author, text)| post(id, author, text)).collect::<Vec<_>>()
            };
            let mut pairs: Vec<usize> = pairs(&posts(&first), &posts(&second)).into_iter().flatten().collect();
            pairs.sort_unstable();
            proptest::prop_assert!(pairs.windows(2).all(|pair| pair[0] < pair[1]));
            proptest::prop_assert!(pairs.last().is_none_or(|last| *last < second.len()));
        }
    }

    #[test]
    fn dates_of_one_moment_are_told_in_the_time_zone_of_the_page() {
        for (shown, exact, wanted) in [
            ("2020-04-01T10:30:00", "2020-04-01T08:30:27Z", "2020-04-01T10:30:27+02:00"),
            ("2020-04-01T01:15:00", "2020-04-01T05:15:00+00:00", "2020-04-01T01:15:00-04:00"),
            ("2020-04-01T23:30:00", "2020-04-01T18:00:00Z", "2020-04-01T23:30:00+05:30"),
            ("2020-04-01T10:30:00", "2020-04-01T10:30:00Z", "2020-04-01T10:30:00Z"),
            ("2020-04-01T10:30:00", "2020-04-01T10:30:12", "2020-04-01T10:30:12"),
            ("2020-04-01T10:30:00+02:00", "2020-04-01T08:30:00Z", "2020-04-01T08:30:00Z"),
            ("2020-04-01", "2020-03-31T23:30:00Z", "2020-03-31T23:30:00Z"),
            ("2020-04-01T10:30:00", "2020-04-01", "2020-04-01T10:30:00"),
        ] {
            assert_eq!(joined(shown, exact).as_deref(), Some(wanted), "{shown} {exact}");
        }
    }

    #[test]
    fn dates_of_different_moments_do_not_agree() {
        for (one, two) in [
            ("2020-04-01T10:30:00", "2020-04-01T08:37:00Z"),
            ("2020-04-01T10:30:00", "2020-04-02T08:30:00Z"),
            ("2020-04-01T10:30:00", "2020-04-01T11:30:00"),
            ("2020-04-01", "2020-04-03T10:00:00Z"),
            ("2020-04-01", "2020-04-02"),
            ("2020-04-01T10:30:00+02:00", "2020-04-01T10:30:00Z"),
            ("", "2020-04-01"),
            ("2020-04-01", "soon"),
        ] {
            assert!(!agree(one, two), "{one} {two}");
        }
    }
}
