//! The form of an address: its pattern with nested repetitions folded.
//!
//! A site that generates addresses without end nests: a path repeats its own end, a parameter holds an address that
//! holds another. The form retains few enough repetitions for the number of forms to be finite: of a segment three in a
//! row, of a sequence of segments two, of a parameter one; parameters are reduced to their names.

use smallvec::SmallVec;

use super::url_parts::Segment;
use super::url_pattern::{ANY, HashedText, Sink, UrlPatterns};
use harvestman_core::model::path_hash::step;

/// Maximum number of equal segments in a row.
const RUN_MAX: usize = 3;
/// Maximum length of sequences of segments that are folded; shorter ones may occur twice in a row.
const PERIOD_MAX: usize = 4;

impl UrlPatterns {
    /// Returns the form of a canonical URL as a hash. The host is not part of it.
    pub fn form(&self, url: &str) -> u64 {
        let mut sink = Words::default();
        self.walk(url, &mut sink);
        let path = sink.segments.iter().fold(0, |above, word| step(above, *word));
        sink.parameters.iter().fold(path, |all, name| all.wrapping_add(step(1, *name)))
    }

    /// Returns the spelling of the form, such as `/user/login/?next=`.
    pub fn spell_form(&self, url: &str) -> String {
        let mut sink = Spelt::default();
        self.walk(url, &mut sink);
        let mut text: String = sink.segments.iter().flat_map(|segment| ["/", segment]).collect();
        for (at, name) in sink.parameters.iter().enumerate() {
            text.extend([if at == 0 { "?" } else { "&" }, name, "="]);
        }
        text
    }
}

/// The parts of a URL. Few URLs have more, so most forms are found without an allocation.
type Parts<T> = SmallVec<[T; 16]>;

/// Appends a segment and folds repetitions beyond the limit.
fn put<T: PartialEq>(segments: &mut Parts<T>, segment: T) {
    segments.push(segment);
    for period in 1..=PERIOD_MAX {
        let copies = if period == 1 { RUN_MAX + 1 } else { 3 };
        let Some(start) = segments.len().checked_sub(copies * period) else { return };
        let tail = &segments[start..];
        if tail[period..].iter().zip(tail).all(|(later, before)| later == before) {
            segments.truncate(segments.len() - period);
            return;
        }
    }
}

fn put_once<T: PartialEq>(all: &mut Parts<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

#[derive(Default)]
struct Words {
    segments: Parts<u64>,
    parameters: Parts<u64>,
}

impl Sink for Words {
    fn segment(&mut self, _: Segment<'_>, kept: Option<u64>) {
        put(&mut self.segments, kept.unwrap_or(ANY));
    }

    fn parameter(&mut self, name: HashedText<'_>, _: Option<HashedText<'_>>) {
        put_once(&mut self.parameters, name.hash);
    }
}

#[derive(Default)]
struct Spelt {
    segments: Parts<String>,
    parameters: Parts<String>,
}

impl Sink for Spelt {
    fn segment(&mut self, segment: Segment<'_>, kept: Option<u64>) {
        put(&mut self.segments, if kept.is_some() { segment.spell().into_owned() } else { "*".to_owned() });
    }

    fn parameter(&mut self, name: HashedText<'_>, _: Option<HashedText<'_>>) {
        put_once(&mut self.parameters, name.text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spell(path: &str) -> String {
        UrlPatterns::default().spell_form(&format!("http://h.test{path}"))
    }

    #[test]
    fn what_nests_in_a_parameter_is_no_part_of_the_form() {
        assert_eq!(spell("/user/login/?next=/topic/5/"), "/user/login/?next=");
        assert_eq!(spell("/user/login/?next=/user/login/%3Fnext%3D/topic/5/"), "/user/login/?next=");
        assert_eq!(spell("/t?a=1&a=2&b=3"), "/t?a=&b=");
    }

    #[test]
    fn repeated_segments_are_folded_up_and_few_are_kept() {
        assert_eq!(spell("/2026/11/"), "/N/N/");
        assert_eq!(spell("/deeper/0/1/2"), "/deeper/N/N/N");
        assert_eq!(spell("/deeper/0/1/2/1/0/2/2"), "/deeper/N/N/N");
        assert_eq!(spell("/a/1/a/2/a/3/a/4/a/5"), "/a/N/a/N");
        assert_eq!(spell("/x/y/z/x/y/z/x/y/z/end"), "/x/y/z/x/y/z/end");
    }

    proptest! {
        #[test]
        fn two_urls_have_one_form_where_it_is_spelt_alike(
            one in "(/(a|b|[0-9]{1,2}|[a-z]{1,3}-[a-z]{10,12})){0,7}(/)?([?](a|b|c)=[a-z0-9/]{0,3}(&(a|b|c)=[a-z]){0,3})?",
            other in "(/(a|b|[0-9]{1,2})){0,7}(/)?([?](a|b|c)=[a-z0-9/]{0,3}(&(a|b|c)=[a-z]){0,3})?",
        ) {
            let patterns = UrlPatterns::default();
            let (one, other) = (format!("http://h.test{one}"), format!("http://h.test{other}"));
            let names = |url: &str| {
                let spelt = patterns.spell_form(url);
                let (path, query) = spelt.split_once('?').unwrap_or((&spelt, ""));
                let mut names: Vec<String> = query.split('&').map(str::to_owned).collect();
                names.sort();
                (path.to_owned(), names)
            };
            prop_assert_eq!(patterns.form(&one) == patterns.form(&other), names(&one) == names(&other));
        }

        #[test]
        fn a_path_of_any_length_over_two_names_has_one_of_few_forms(path in "(/(a|b)){0,200}") {
            // Even without threefold repetition there are infinitely many words over three letters, but not over one or
            // its like.
            let spelt = spell(&path);
            prop_assert!(!spelt.contains("/a/a/a/a") && !spelt.contains("/a/b/a/b/a/b"), "{}", spelt);
        }
    }
}
