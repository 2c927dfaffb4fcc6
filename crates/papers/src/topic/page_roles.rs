//! The roles of fetched pages, learned from sample pages whose roles are given.

use std::fmt;

use super::PageRole;
use crate::site::{PageStrings, PageTypeOptions, PageTypes};
use harvestman_policy::PageFacts;
use harvestman_policy::learned::ReadPage;
use harvestman_structure::site::{SparseVector, Vocabulary};

/// A page is of the role of the sample that it is most like, if the cosine of their vectors is at least this: pages of
/// one template differ in how often they repeat its parts, and less in anything else.
const LIKE: f64 = 0.9;
/// Minimum number of sample pages of a type that show what its pages share.
const PAGES_MIN: usize = 2;
/// Number of pages that a path must be on to count; samples are few.
const THETA: u32 = 1;

/// A page type and sample pages of it. Several types may have one role, such as two forms of a list.
#[derive(Debug, Clone, Default)]
pub struct RoleSample {
    /// The role.
    pub role: PageRole,
    /// The addresses of the pages, and their facts. They need their bodies for path strings.
    pub pages: Vec<(Box<str>, PageFacts)>,
}

/// Tells roles of pages apart.
pub enum PageRoles {
    /// As printed: by the path strings that all samples of a type have.
    PathStrings {
        /// The types.
        types: PageTypes,
        /// The role of each type.
        roles: Vec<PageRole>,
        /// Parses a page again, with path strings.
        read: Box<ReadPage>,
    },
    /// By the most similar sample page: the cosine of their vectors of leaf paths (SOUrCe 2018, eq. 1 to 3).
    Templates {
        /// Weighs leaf paths.
        vocabulary: Vocabulary,
        /// The vector and the role of each sample page.
        samples: Vec<(SparseVector, PageRole)>,
    },
}

impl PageRoles {
    /// Learns as printed, by path strings, where two pages of each type are available with their bodies; otherwise the
    /// templates. `read` is that of [`PageRoles::by_path_strings`].
    pub fn learn(samples: &[RoleSample], read: Box<ReadPage>) -> Self {
        let with_body = |sample: &RoleSample| sample.pages.iter().filter(|(_, facts)| facts.body.is_some()).count();
        if samples.iter().all(|sample| with_body(sample) >= PAGES_MIN) {
            Self::by_path_strings(samples, PageTypeOptions::default(), read)
        } else {
            Self::by_templates(samples)
        }
    }

    /// Learns path strings. `read` parses a page with path strings
    /// ([`with_path_strings`](harvestman_structure::parse::Parser::with_path_strings)). One sample page of a type does
    /// not show what its pages share.
    pub fn by_path_strings(samples: &[RoleSample], options: PageTypeOptions, mut read: Box<ReadPage>) -> Self {
        let pages = |sample: &RoleSample| {
            sample.pages.iter().filter_map(|(_, facts)| strings(facts, &mut read)).collect::<Vec<_>>()
        };
        let strings: Vec<_> = samples.iter().map(pages).collect();
        let roles = samples.iter().map(|sample| sample.role).collect();
        Self::PathStrings { types: PageTypes::learn(&strings, options), roles, read }
    }

    /// Learns the templates of the samples; one page of each type suffices.
    pub fn by_templates(samples: &[RoleSample]) -> Self {
        let pages = || samples.iter().flat_map(|s| s.pages.iter().map(|(_, facts)| (facts.bag.as_slice(), s.role)));
        let vocabulary = Vocabulary::learn(pages().map(|(bag, _)| bag), THETA);
        let samples = pages().map(|(bag, role)| (vocabulary.weigh(bag), role)).collect();
        Self::Templates { vocabulary, samples }
    }

    /// Whether pages must be available with their bodies.
    pub const fn needs_body(&self) -> bool {
        matches!(self, Self::PathStrings { .. })
    }

    /// The role of a page.
    pub fn of(&mut self, page: &PageFacts) -> PageRole {
        let role = match self {
            Self::PathStrings { types, roles, read } => {
                let found = strings(page, read).and_then(|strings| types.classify(&strings));
                found.and_then(|number| roles.get(number).copied())
            }
            Self::Templates { vocabulary, samples } => {
                let vector = vocabulary.weigh(&page.bag);
                let likeness = samples.iter().map(|(sample, role)| (cosine(sample, &vector), *role));
                // Of equally similar samples the first wins.
                let best = likeness.reduce(|best, next| if next.0 > best.0 { next } else { best });
                best.filter(|(likeness, _)| *likeness >= LIKE).map(|(_, role)| role)
            }
        };
        role.unwrap_or_default()
    }
}

/// The path strings of a page; `None` where its body is not available.
fn strings(page: &PageFacts, read: &mut ReadPage) -> Option<PageStrings> {
    let (body, content_type) = page.body.as_ref()?;
    Some(PageStrings::new(&read(body, content_type.as_deref(), None).path_strings))
}

/// The cosine of two vectors; 0 if one of them is zero.
fn cosine(one: &SparseVector, other: &SparseVector) -> f64 {
    let norms = (one.squared_norm() * other.squared_norm()).sqrt();
    if norms > 0.0 { one.dot(other) / norms } else { 0.0 }
}

impl fmt::Debug for PageRoles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PathStrings { types, roles, .. } => {
                f.debug_struct("PathStrings").field("types", types).field("roles", roles).finish_non_exhaustive()
            }
            Self::Templates { samples, .. } => {
                f.debug_struct("Templates").field("samples", &samples.len()).finish_non_exhaustive()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use harvestman_core::config::ParseOptions;
    use harvestman_core::model::LeafPath;
    use harvestman_structure::parse::Parser;

    use super::*;

    fn read() -> Box<ReadPage> {
        let mut parser = Parser::new(&ParseOptions::default()).with_path_strings();
        Box::new(move |body, content_type, _| parser.parse(body, content_type))
    }

    fn html(body: &str) -> PageFacts {
        PageFacts { body: Some((Bytes::from(body.to_owned()), None)), ..PageFacts::default() }
    }

    fn sample(role: PageRole, pages: Vec<PageFacts>) -> RoleSample {
        RoleSample { role, pages: pages.into_iter().map(|facts| (Box::default(), facts)).collect() }
    }

    #[test]
    fn path_strings_tell_two_forms_of_lists_and_details_apart() {
        let samples = [
            sample(PageRole::List, vec![html("<p class=by>ann"), html("<p class=by>bob<p class=by>eve")]),
            sample(PageRole::List, vec![html("<li>ann"), html("<li>bob")]),
            sample(
                PageRole::Detail,
                vec![html("<p class=by>ann<i class=tag>sky"), html("<p class=by>bob<i class=tag>sea")],
            ),
        ];
        let mut roles = PageRoles::learn(&samples, read());
        let mut of = |body: &str| roles.of(&html(body));
        assert_eq!([of("<p class=by>x"), of("<li>x")], [PageRole::List; 2]);
        assert_eq!(of("<p class=by>x<i class=tag>y"), PageRole::Detail);
        assert_eq!(of("<p>x"), PageRole::Other);
        assert!(roles.needs_body());
        assert_eq!(roles.of(&PageFacts::default()), PageRole::Other, "a page without its body has no role");
    }

    #[test]
    fn templates_tell_pages_apart_by_one_sample_each() {
        let page = |paths: &[(u64, u32)]| PageFacts {
            bag: paths.iter().map(|&(path, count)| LeafPath { path, count, text: None }).collect(),
            ..PageFacts::default()
        };
        let list = sample(PageRole::List, vec![page(&[(1, 1), (10, 20)])]);
        let detail = sample(PageRole::Detail, vec![page(&[(1, 1), (20, 2), (21, 5)])]);
        let mut roles = PageRoles::learn(&[list, detail], read());
        assert_eq!(roles.of(&page(&[(1, 1), (10, 30)])), PageRole::List);
        assert_eq!(roles.of(&page(&[(1, 1), (20, 2), (21, 6)])), PageRole::Detail);
        assert_eq!(roles.of(&page(&[(30, 4)])), PageRole::Other);
        assert_eq!(roles.of(&page(&[])), PageRole::Other);
        assert!(!roles.needs_body());
    }
}
