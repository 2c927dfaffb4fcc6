//! The trap guard compared with a naive implementation.

use proptest::prelude::*;

use crate::url::{TrapGuard, TrapLimits, TrapShape};

/// Returns the shape of a path that repeats a segment, or a sequence of segments in a row, often enough, by trying all.
fn naive_path_shape(segments: &[&str], limits: TrapLimits) -> Option<TrapShape> {
    let occurrences = |segment: &&&str| segments.iter().filter(|other| other == segment).count();
    if segments.iter().any(|segment| occurrences(&segment) >= limits.segment_repeats) {
        return Some(TrapShape::RepeatedSegment);
    }
    for start in 0..segments.len() {
        for period in 2..=segments.len() {
            let end = start + period * limits.sequence_repeats;
            let Some(stretch) = segments.get(start..end) else { continue };
            if stretch.chunks(period).all(|chunk| chunk == &stretch[..period]) {
                return Some(TrapShape::RepeatedSequence);
            }
        }
    }
    None
}

/// Returns how often the path occurs in one parameter's value, at any level of decoding.
fn naive_nesting(path: &str, query: &str) -> usize {
    let decoded = |text: &str| {
        let mut text = text.to_owned();
        loop {
            let next = percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned();
            if next == text {
                return text;
            }
            text = next;
        }
    };
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(['?', '&', '#', ';']);
    query
        .split('&')
        .map(decoded)
        .map(|value| value.match_indices(path).filter(|(at, found)| ends(&value[at + found.len()..])).count())
        .max()
        .unwrap_or(0)
}

/// Returns `text` escaped `levels` times as browsers escape a parameter's value.
fn escaped(text: &str, levels: usize) -> String {
    (0..levels).fold(text.to_owned(), |text, _| {
        percent_encoding::utf8_percent_encode(&text, percent_encoding::NON_ALPHANUMERIC).to_string()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn repeats_in_paths_are_found_exactly_where_trying_all_finds_them(
        segments in proptest::collection::vec(proptest::sample::select(&["a", "b", "c", "topic", "5"][..]), 1..14),
        repeats in 2_usize..6,
    ) {
        let limits = TrapLimits { segment_repeats: repeats, ..TrapLimits::default() };
        let path = format!("/{}", segments.join("/"));
        prop_assert_eq!(TrapGuard::new(limits).shape(&path), naive_path_shape(&segments, limits), "{}", path);
    }

    #[test]
    fn nesting_is_found_however_deep_it_is_escaped(
        levels in proptest::collection::vec((any::<bool>(), 0_usize..3), 0..5),
        rest in "[a-z/?=%5]{0,6}",
    ) {
        let path = "/user/login";
        let query = levels.iter().fold(rest, |inner, (own, escapes)| {
            let page = if *own { path } else { "/user/logout" };
            format!("next={}", escaped(&format!("{page}?{inner}"), *escapes))
        });
        let limits = TrapLimits { escape_levels_max: 20, ..TrapLimits::default() };
        let shape = TrapGuard::new(limits).shape(&format!("{path}?{query}"));
        prop_assert_eq!(shape == Some(TrapShape::NestedSelf), naive_nesting(path, &query) >= 2, "{}", query);
    }

    #[test]
    fn no_text_is_too_odd_for_the_guard(text in any::<String>(), like in "/[a%25/?&=;.]{0,60}") {
        let guard = TrapGuard::default();
        let _ = guard.shape(&text);
        let _ = guard.shape(&like);
    }
}
