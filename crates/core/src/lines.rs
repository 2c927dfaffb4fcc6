//! The lines of a text that people or other programs wrote: LF, CRLF and CR each end a line, also mixed in one text.

/// Returns the lines of a text, without their ends. An end at the end of the text begins no further line.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (line, behind) = rest.split_at(rest.find(['\n', '\r']).unwrap_or(rest.len()));
        let behind = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix(['\n', '\r']));
        rest = behind.unwrap_or_default();
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_kind_of_line_end_ends_one_line() {
        let all = |text| lines(text).collect::<Vec<_>>();
        assert_eq!(all("a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(all("a\r\r\n\n\rb\r"), ["a", "", "", "", "b"]);
        assert_eq!(all("\n"), [""]);
        assert!(all("").is_empty());
    }

    proptest! {
        #[test]
        fn where_only_lf_and_crlf_end_lines_they_are_those_of_the_standard_library(text in "([ab\n]|\r\n){0,20}") {
            prop_assert!(lines(&text).eq(text.lines()));
        }

        #[test]
        fn the_kind_of_line_end_does_not_matter(parts in prop::collection::vec(("[ab]{1,3}", "\n|\r|\r\n"), 0..9)) {
            let text: String = parts.iter().map(|(line, end)| format!("{line}{end}")).collect();
            prop_assert!(lines(&text).eq(parts.iter().map(|(line, _)| line.as_str())));
        }
    }
}
