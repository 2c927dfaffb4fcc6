//! The slots of an address: the parts that differ between addresses of one kind.
//!
//! `/user/5/alice/?tab=posts` is the frame `/user//?tab=posts` with the values `5` and `alice`. Where the values of one
//! frame occur in another, an address can be made from another one that names the same item.

use std::ops::Range;

use smallvec::SmallVec;

use super::url_parts::{Segment, after_authority, value_token};
use super::url_pattern::{Place, UrlPatterns, hash};
use harvestman_core::model::path_hash::{fold_run, step};

/// An address, taken apart.
#[derive(Debug, Clone)]
pub struct UrlSlots<'u> {
    url: &'u str,
    /// Where the path begins.
    path: usize,
    /// The ranges of the values, in order; none is empty.
    slots: SmallVec<[Range<usize>; 8]>,
}

impl UrlPatterns {
    /// Takes a canonical URL apart. The values are numbers, titles, identifiers, names that are not kept or are those
    /// of items, and values of parameters that few URLs share.
    pub fn slots<'u>(&self, url: &'u str) -> UrlSlots<'u> {
        let (path, query) = after_authority(url);
        let query_from = url.len() - query.len();
        let path_from = query_from - usize::from(!query.is_empty() || url.ends_with('?')) - path.len();
        let mut found = UrlSlots { url, path: path_from, slots: SmallVec::new() };
        let mut at = path_from + usize::from(path.starts_with('/'));
        let mut place = Place::default();
        for text in path.strip_prefix('/').unwrap_or(path).split('/') {
            let segment = Segment::parse(text);
            let word = segment.word();
            let is_kept = self.keeps(segment, word, &mut place) && !self.is_item(place.above);
            let value = match segment {
                Segment::Number(extension) | Segment::Hex(extension) | Segment::Slug(extension) => {
                    0..text.len() - extension.len()
                }
                Segment::Prefix(prefix) if is_kept => prefix.len()..text.len(),
                Segment::Name(_) if is_kept => 0..0,
                Segment::Prefix(_) | Segment::Name(_) => 0..text.len(),
            };
            found.add(at, value);
            at += text.len() + 1;
        }
        at = query_from;
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let parameter = step(place.wild, hash(name));
            let is_kept = |text: &&str| self.values.contains(&step(parameter, hash(text)));
            let kept = value_token(value).filter(is_kept).map_or(0, str::len);
            let colon = [":", "%3A"].iter().find(|colon| kept > 0 && value[kept..].starts_with(**colon));
            found.add(at + pair.len() - value.len(), kept + colon.map_or(0, |colon| colon.len())..value.len());
            at += pair.len() + 1;
        }
        found
    }
}

impl<'u> UrlSlots<'u> {
    fn add(&mut self, from: usize, value: Range<usize>) {
        if !value.is_empty() {
            self.slots.push(from + value.start..from + value.end);
        }
    }

    /// The values, in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &'u str> + Clone + '_ {
        self.slots.iter().map(|range| &self.url[range.clone()])
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Scheme and authority.
    pub fn origin(&self) -> &'u str {
        &self.url[..self.path]
    }

    /// The texts of path and query before, between and behind the values: one more than there are values.
    pub fn frame(&self) -> impl Iterator<Item = &'u str> + '_ {
        let starts = std::iter::once(self.path).chain(self.slots.iter().map(|range| range.end));
        let ends = self.slots.iter().map(|range| range.start).chain(std::iter::once(self.url.len()));
        starts.zip(ends).map(|(start, end)| &self.url[start..end])
    }

    /// A hash of the frame: equal for addresses that differ in values or in the authority only.
    pub fn key(&self) -> u64 {
        self.frame().fold(0, |above, text| step(above, fold_run(text.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::site::UrlPatternLearner;

    /// Many users, each with some tabs, and topics with titles.
    fn learned() -> UrlPatterns {
        let mut learner = UrlPatternLearner::default();
        for number in 0..30 {
            let name: String = format!("{number}").chars().map(|digit| char::from(digit as u8 - b'0' + b'a')).collect();
            for tab in ["", "?tab=posts", "?tab=stats"] {
                learner.see(&format!("http://f.test/user/{number}/{name}/{tab}"));
            }
            learner.see(&format!("http://f.test/topic/{number}/the-title-of-this-topic.html"));
            learner.see(&format!("http://f.test/index.php?title=Talk:Page_{number}&action=history"));
        }
        learner.patterns()
    }

    fn parts(url: &str) -> (String, Vec<&str>) {
        let patterns = learned();
        let slots = patterns.slots(url);
        (slots.frame().collect::<Vec<_>>().join("*"), slots.values().collect())
    }

    #[test]
    fn an_address_is_a_frame_and_values() {
        assert_eq!(parts("http://f.test/user/5/al/?tab=posts"), ("/user/*/*/?tab=posts".into(), vec!["5", "al"]));
        assert_eq!(parts("http://f.test/user/5/al/?tab=other"), ("/user/*/*/?tab=*".into(), vec!["5", "al", "other"]));
        let topic = "http://f.test/topic/7/the-title-of-this-topic.html";
        assert_eq!(parts(topic), ("/topic/*/*.html".into(), vec!["7", "the-title-of-this-topic"]));
        let page = "http://f.test/index.php?title=Talk:Page_3&action=history";
        assert_eq!(parts(page), ("/index.php?title=Talk:*&action=history".into(), vec!["Page_3"]));
        assert_eq!(parts("http://f.test"), (String::new(), vec![]));
        assert_eq!(parts("http://f.test/user?"), ("/user?".into(), vec![]));
    }

    #[test]
    fn addresses_of_one_frame_have_one_key_on_any_host() {
        let patterns = learned();
        let key = |url: &str| patterns.slots(url).key();
        assert_eq!(key("http://f.test/user/5/al/"), key("https://g.test/user/77/bob/"));
        assert_ne!(key("http://f.test/user/5/al/"), key("http://f.test/user/5/al/?tab=posts"));
        assert_ne!(key("http://f.test/user/5/al/?tab=stats"), key("http://f.test/user/5/al/?tab=posts"));
        assert_eq!(patterns.slots("https://g.test:8080/user/77/bob/").origin(), "https://g.test:8080");
    }

    proptest! {
        #[test]
        fn frame_and_values_make_the_address(
            url in "http://[a-z.]{1,6}(/([a-f0-9]{0,14}|[0-9]{1,3}|[a-z-]{0,30}|[a-zé:%3A]{0,6})(.html)?){0,4}([?][a-z=&:%3A/é]{0,30})?",
        ) {
            for patterns in [UrlPatterns::default(), learned()] {
                let slots = patterns.slots(&url);
                let mut values = slots.values();
                let whole: String = slots.frame().flat_map(|text| [text, values.next().unwrap_or("")]).collect();
                prop_assert_eq!(format!("{}{whole}", slots.origin()), url.clone());
                prop_assert!(slots.values().all(|value| !value.is_empty()) && slots.frame().count() == slots.len() + 1);
            }
        }
    }
}
