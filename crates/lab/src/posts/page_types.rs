//! Groups pages by the form of their addresses, for tables.

use std::collections::HashMap;

use url::Url;

/// Maximum number of types; the pages of others are one type.
const TYPES_MAX: usize = 16;
/// A segment of a path is that of a type if it is in at least one in so many of the pages, and on five.
const COMMON_SHARE: usize = 200;
const COMMON_MIN: usize = 5;
/// The same for segments of several words, which are usually titles.
const PHRASE_SHARE: usize = 20;
/// Longer segments name items.
const SEGMENT_CHARS_MAX: usize = 24;
/// The type of the others.
const OTHER: &str = "(other)";

/// The types of pages: a path with stars for the segments that name items, and the names of the parameters.
#[derive(Debug, Default)]
pub struct PageTypes {
    common: HashMap<(usize, String), usize>,
    pages: usize,
    kept: Vec<String>,
}

impl PageTypes {
    /// Learns which segments are common.
    pub fn of<'u>(urls: impl Iterator<Item = &'u Url> + Clone) -> Self {
        let mut types = Self::default();
        for url in urls.clone() {
            types.pages += 1;
            for (at, segment) in segments(url).enumerate() {
                *types.common.entry((at, segment)).or_default() += 1;
            }
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        for url in urls {
            *counts.entry(types.form(url)).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        types.kept = counts.into_iter().take(TYPES_MAX).map(|(form, _)| form).collect();
        types
    }

    /// Returns the type of a page.
    pub fn type_of(&self, url: &Url) -> String {
        let form = self.form(url);
        if self.kept.contains(&form) { form } else { OTHER.to_owned() }
    }

    fn form(&self, url: &Url) -> String {
        let mut form = String::new();
        for (at, segment) in segments(url).enumerate() {
            let is_item = names_item(&segment);
            let key = (at, segment);
            let (count, segment) = (self.common.get(&key).copied().unwrap_or_default(), key.1);
            let share = if segment.contains('-') { PHRASE_SHARE } else { COMMON_SHARE };
            let is_common = count >= COMMON_MIN.max(self.pages / share) && !is_item;
            form.push('/');
            form.push_str(if is_common || segment.is_empty() { &segment } else { "*" });
        }
        let mut names: Vec<_> = url.query_pairs().map(|(name, _)| name.into_owned()).collect();
        names.sort();
        names.dedup();
        if !names.is_empty() {
            form.push('?');
            form.push_str(&names.join("&"));
        }
        form
    }
}

/// Returns the segments of the path, with a star for each number.
fn segments(url: &Url) -> impl Iterator<Item = String> {
    url.path_segments().into_iter().flatten().map(|segment| {
        let mut form = String::new();
        for letter in segment.chars() {
            match letter.is_ascii_digit() {
                true if form.ends_with('*') => {}
                true => form.push('*'),
                false => form.push(letter),
            }
        }
        form
    })
}

fn names_item(segment: &str) -> bool {
    segment.len() > SEGMENT_CHARS_MAX || segment.contains(['@', '%'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_name_items_become_stars() {
        let urls: Vec<Url> = (0..20)
            .flat_map(|at| {
                [
                    format!("http://h/topic/{at}/{}-x/?page=2", "o".repeat(at + 1)),
                    format!("http://h/member/{}/", "ab".repeat(at)),
                ]
            })
            .map(|url| Url::parse(&url).unwrap())
            .collect();
        let types = PageTypes::of(urls.iter());
        assert_eq!(types.type_of(&urls[6]), "/topic/*/*/?page");
        assert_eq!(types.type_of(&urls[7]), "/member/*/");
        assert_eq!(types.type_of(&Url::parse("http://h/rare").unwrap()), "(other)");
    }

    #[test]
    fn numbers_within_segments_become_stars() {
        let urls: Vec<Url> = (0..20).map(|at| Url::parse(&format!("http://h/msg{at:05}.html")).unwrap()).collect();
        assert_eq!(PageTypes::of(urls.iter()).type_of(&urls[3]), "/msg*.html");
    }
}
