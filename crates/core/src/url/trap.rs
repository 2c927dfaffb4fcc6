//! Shapes of crawler traps: URLs that a site generates without end, recognised by their text alone.
//!
//! Ordinary addresses of forums, blogs and wikis must never be caught, so each shape is one that nests or repeats; a
//! site that generates endless plain addresses (a calendar) is limited by budgets, not by this guard.

use super::escapes;

/// The type of trap that a URL looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrapShape {
    /// The path has too many segments.
    DeepPath,
    /// One segment occurs too often in the path.
    RepeatedSegment,
    /// A sequence of segments is repeated in a row.
    RepeatedSequence,
    /// Escapes are nested too deep.
    NestedEscapes,
    /// The query has too many parameters.
    ManyParameters,
    /// One parameter occurs too often in the query with the same value.
    RepeatedParameter,
    /// The URL's own path occurs repeatedly in its query.
    NestedSelf,
}

impl TrapShape {
    /// Returns a short description of the shape.
    pub const fn label(self) -> &'static str {
        match self {
            Self::DeepPath => "deep path",
            Self::RepeatedSegment => "repeated segment",
            Self::RepeatedSequence => "repeated sequence of segments",
            Self::NestedEscapes => "nested escapes",
            Self::ManyParameters => "many parameters",
            Self::RepeatedParameter => "repeated parameter",
            Self::NestedSelf => "own path nested in the query",
        }
    }
}

/// Where a URL becomes a trap. The values are well beyond every address of the recorded forums, blogs and wikis, and
/// few enough that a trap is left after some pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrapLimits {
    /// Maximum number of segments of a path: endlessly nested relative links pass it soon, no known software reaches
    /// it.
    pub segments_max: usize,
    /// A path with the same segment this often is a trap; dates and archives repeat one up to three times
    /// (`/2011/11/11/`).
    pub segment_repeats: usize,
    /// A path that repeats a sequence of two or more segments this often in a row is a trap (`/a/b/a/b/a/b`: 3); a
    /// sequence that occurs twice is also found where a section is named like its parent.
    pub sequence_repeats: usize,
    /// A URL whose own path occurs this often inside one parameter of its query, escapes decoded, is a trap: a log-in
    /// page that links to itself with its own address to return to nests endlessly. Once is the usual link to the
    /// log-in.
    pub self_nesting: usize,
    /// Maximum depth of nested escapes (`%3F` is one level, `%253F` two): one address in the query of another has two,
    /// and a log-in page in front of it three.
    pub escape_levels_max: usize,
    /// Maximum number of parameters of a query; the forms for advanced searches stay below it.
    pub parameters_max: usize,
    /// A query with the same parameter and value this often is a trap: each page appends one more.
    pub parameter_repeats: usize,
}

impl Default for TrapLimits {
    fn default() -> Self {
        Self {
            segments_max: 32,
            segment_repeats: 4,
            sequence_repeats: 3,
            self_nesting: 2,
            escape_levels_max: 3,
            parameters_max: 64,
            parameter_repeats: 8,
        }
    }
}

/// Recognises traps by the shape of their URLs. Most URLs take one pass and no allocation.
#[derive(Debug, Clone, Default)]
pub struct TrapGuard {
    limits: TrapLimits,
}

/// Maximum number of segments that are compared; only the first ones of longer paths are, which bounds the cost if the
/// limits are raised.
const SEGMENTS_COMPARED_MAX: usize = 64;

impl TrapGuard {
    /// Creates a guard with other limits than the default ones.
    pub const fn new(limits: TrapLimits) -> Self {
        Self { limits }
    }

    /// Returns the trap that a canonical URL with this path and query looks like.
    pub fn shape(&self, path_and_query: &str) -> Option<TrapShape> {
        let path_end = memchr::memchr(b'?', path_and_query.as_bytes()).unwrap_or(path_and_query.len());
        let (path, query) = path_and_query.split_at(path_end);
        let query = query.strip_prefix('?').unwrap_or(query);
        self.path_shape(path)
            .or_else(|| self.has_deep_escapes(path_and_query.as_bytes()).then_some(TrapShape::NestedEscapes))
            .or_else(|| if query.is_empty() { None } else { self.query_shape(path, query) })
    }

    fn path_shape(&self, path: &str) -> Option<TrapShape> {
        let inner = path.strip_prefix('/').unwrap_or(path);
        let inner = inner.strip_suffix('/').unwrap_or(inner);
        let (count, may_repeat) = survey(inner.as_bytes());
        if count > self.limits.segments_max {
            return Some(TrapShape::DeepPath);
        }
        if !may_repeat && self.limits.segment_repeats > 1 {
            return None;
        }
        let mut segments = [""; SEGMENTS_COMPARED_MAX];
        for (slot, segment) in segments.iter_mut().zip(inner.split('/')) {
            *slot = segment;
        }
        let segments = &segments[..count.min(SEGMENTS_COMPARED_MAX)];
        if has_repeats(segments, self.limits.segment_repeats) {
            return Some(TrapShape::RepeatedSegment);
        }
        has_repeated_sequence(segments, self.limits.sequence_repeats).then_some(TrapShape::RepeatedSequence)
    }

    /// Returns whether escapes are nested too deep. A percent sign escaped n times is `%` and n times `25`, and starts
    /// an escape of level n + 1.
    fn has_deep_escapes(&self, text: &[u8]) -> bool {
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'%', rest) {
            rest = &rest[at + 1..];
            let mut levels = 1;
            while let [b'2', b'5', below @ ..] = rest {
                rest = below;
                levels += 1;
            }
            if levels > self.limits.escape_levels_max {
                return true;
            }
        }
        false
    }

    fn query_shape(&self, path: &str, query: &str) -> Option<TrapShape> {
        let count = 1 + memchr::memchr_iter(b'&', query.as_bytes()).count();
        if count > self.limits.parameters_max {
            return Some(TrapShape::ManyParameters);
        }
        if count >= self.limits.parameter_repeats && self.repeats_a_parameter(query) {
            return Some(TrapShape::RepeatedParameter);
        }
        self.nests_itself(path, query).then_some(TrapShape::NestedSelf)
    }

    fn repeats_a_parameter(&self, query: &str) -> bool {
        let mut parameters: Vec<&str> = query.split('&').filter(|parameter| !parameter.is_empty()).collect();
        parameters.sort_unstable();
        parameters.chunk_by(|a, b| a == b).any(|equal| equal.len() >= self.limits.parameter_repeats)
    }

    /// Returns whether one parameter's value, with all escapes decoded, contains the path often enough for a trap.
    /// Parameters are examined one by one, because an address may legitimately occur once in each of two.
    fn nests_itself(&self, path: &str, query: &str) -> bool {
        // Nearly every query is decided here: it contains no slash, or only those of other paths.
        if path.len() < 2 || memchr::memchr2(b'/', b'%', query.as_bytes()).is_none() {
            return false;
        }
        let escaped = memchr::memchr(b'%', query.as_bytes()).is_some() || path.contains('%');
        if !escaped && memchr::memmem::find(query.as_bytes(), path.as_bytes()).is_none() {
            return false;
        }
        let (mut own, mut value) = (Vec::with_capacity(path.len()), Vec::with_capacity(query.len()));
        escapes::decode_all_levels(path.as_bytes(), &mut own);
        let finder = memchr::memmem::Finder::new(&own);
        query.split('&').any(|parameter| {
            value.clear();
            escapes::decode_all_levels(parameter.as_bytes(), &mut value);
            let ends_there = |at: &usize| matches!(value.get(at + own.len()), None | Some(b'?' | b'&' | b'#' | b';'));
            finder.find_iter(&value).filter(ends_there).take(self.limits.self_nesting).count()
                >= self.limits.self_nesting
        })
    }
}

/// Returns the number of segments of `path`, and whether two of them may be equal. They cannot if all differ in length,
/// first or last byte, as in most paths, which are therefore not examined further.
fn survey(path: &[u8]) -> (usize, bool) {
    let (mut count, mut start, mut seen, mut may_repeat) = (0, 0, 0_u128, false);
    for end in memchr::memchr_iter(b'/', path).chain(std::iter::once(path.len())) {
        let segment = &path[start..end];
        let byte = |byte: Option<&u8>| byte.map_or(0, |byte| usize::from(*byte));
        let mark = 1 << ((segment.len() * 23 + byte(segment.first()) * 5 + byte(segment.last())) % 128);
        may_repeat |= seen & mark != 0;
        seen |= mark;
        count += 1;
        start = end + 1;
    }
    (count, may_repeat)
}

/// Returns whether any segment occurs `repeats` times.
fn has_repeats(segments: &[&str], repeats: usize) -> bool {
    let candidates = (segments.len() + 1).saturating_sub(repeats.max(1));
    (0..candidates).any(|at| segments[at..].iter().filter(|other| **other == segments[at]).count() >= repeats)
}

/// Returns whether a sequence of two or more segments occurs `repeats` times in a row.
fn has_repeated_sequence(segments: &[&str], repeats: usize) -> bool {
    let repeats = repeats.max(2);
    (2..=segments.len() / repeats).any(|period| {
        // The number of segments in a row that equal the one a period later.
        let mut run = 0;
        segments.iter().zip(&segments[period..]).any(|(segment, later)| {
            run = if segment == later { run + 1 } else { 0 };
            run >= period * (repeats - 1)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(path_and_query: &str) -> Option<TrapShape> {
        TrapGuard::default().shape(path_and_query)
    }

    #[test]
    fn paths_are_traps_from_their_limits_on() {
        assert_eq!(shape("/a/b/a/b/a/c"), None);
        assert_eq!(shape("/a/b/a/b/a/b"), Some(TrapShape::RepeatedSequence));
        assert_eq!(shape("/x/a/b/c/a/b/c/a/b/c/y"), Some(TrapShape::RepeatedSequence));
        assert_eq!(shape("/a/b/a/c/a/"), None);
        assert_eq!(shape("/a/b/a/c/a/d/a"), Some(TrapShape::RepeatedSegment));
        let path = |segments: usize| (0..segments).map(|n| format!("/{n}")).collect::<String>();
        assert_eq!(shape(&path(32)), None);
        assert_eq!(shape(&(path(32) + "/")), None);
        assert_eq!(shape(&path(33)), Some(TrapShape::DeepPath));
        assert_eq!(shape("/"), None);
    }

    #[test]
    fn a_log_in_page_that_returns_to_itself_is_a_trap_from_the_third_level_on() {
        assert_eq!(shape("/user/login/?next=/topic/5/"), None);
        assert_eq!(shape("/user/login/?next=/user/login/%3Fnext%3D/"), None);
        assert_eq!(shape("/user/login/?next=/user/login/%3Fnext%3D/topic/5/"), None);
        for trap in [
            "/user/login/?next=/user/login/%3Fnext%3D/user/login/%253Fnext%253D/",
            "/user/login/?next=%2Fuser%2Flogin%2F%3Fnext%3D%252Fuser%252Flogin%252F",
            "/user/login/?a=1&next=http://h/user/login/%3Fnext%3D/user/login/",
            "/caf%C3%A9/login?u=/caf%25C3%25A9/login%253Fu%253D/caf%2525C3%2525A9/login",
        ] {
            assert!(shape(trap).is_some(), "{trap}");
        }
        assert_eq!(shape("/forum/?from=/forum/&next=/forum/"), None);
        assert_eq!(shape("/a?next=/abc/abc/abc"), None);
        assert_eq!(shape("/?next=/?next=/?next=/"), None);
    }

    #[test]
    fn escapes_may_nest_three_levels_deep() {
        assert_eq!(shape("/x?u=%25253F"), None);
        assert_eq!(shape("/x?u=%2525253F"), Some(TrapShape::NestedEscapes));
        assert_eq!(shape("/x?u=%252525"), Some(TrapShape::NestedEscapes));
        assert_eq!(shape("/100%25/2525"), None);
    }

    #[test]
    fn parameters_are_counted() {
        let query = |n: usize| format!("/x?{}", (0..n).map(|n| format!("p{n}=1")).collect::<Vec<_>>().join("&"));
        assert_eq!(shape(&query(64)), None);
        assert_eq!(shape(&query(65)), Some(TrapShape::ManyParameters));
        let repeated = |n: usize| format!("/x?y=2&{}", vec!["p=1"; n].join("&"));
        assert_eq!(shape(&repeated(7)), None);
        assert_eq!(shape(&repeated(8)), Some(TrapShape::RepeatedParameter));
    }

    #[test]
    fn limits_of_nothing_and_of_very_much_hurt_nothing() {
        for n in [0, 1, usize::MAX] {
            let guard = TrapGuard::new(TrapLimits {
                segments_max: n,
                segment_repeats: n,
                sequence_repeats: n,
                self_nesting: n,
                escape_levels_max: n,
                parameters_max: n,
                parameter_repeats: n,
            });
            for text in ["/", "/a/b?a=/a/b&b", "/%25/%C3%A9?%", &"/x".repeat(200)] {
                let _ = guard.shape(text);
            }
        }
    }
}
