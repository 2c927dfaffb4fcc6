//! `Content-Usage` (draft-ietf-aipref-attach, draft-ietf-aipref-vocab): a dictionary of structured fields (RFC 9651)
//! whose keys are categories of use and whose values are the tokens `y` and `n`.
//!
//! A dictionary that cannot be parsed states nothing, and so does a value that is another one (section 6.5 of the
//! vocabulary); both are recorded. Of a key that occurs several times the last value counts, as RFC 9651 has it.

use sfv::{BareItem, Dictionary, ListEntry, Parser};

use super::text::recorded;
use harvestman_core::model::{Signal, StatedIn, Statement, Usage, Wish};

/// Maximum length of a value in bytes. A longer one states nothing.
const VALUE_MAX: usize = 16 << 10;
/// Maximum number of entries that are taken from a dictionary.
const ENTRIES_MAX: usize = 64;

/// The categories of the vocabulary by their labels, which are case-sensitive. `train-genai` and `ai-input` are labels
/// of earlier drafts.
const CATEGORIES: [(&str, Usage); 5] = [
    ("train-ai", Usage::TrainAi),
    ("train-genai", Usage::TrainAi),
    ("ai-use", Usage::AiInput),
    ("ai-input", Usage::AiInput),
    ("search", Usage::Search),
];

/// Reads a value, without a path.
pub fn read(value: &[u8], stated_in: StatedIn) -> Vec<Statement> {
    let statement = |wish, says| Statement { signal: Signal::ContentUsage, stated_in, wish, says };
    if value.trim_ascii().is_empty() {
        return Vec::new();
    }
    let short = (value.len() <= VALUE_MAX).then(|| value.trim_ascii());
    let Some(dictionary) = short.and_then(|value| Parser::new(value).parse::<Dictionary>().ok()) else {
        return vec![statement(None, recorded(value))];
    };
    let entries = dictionary.iter().take(ENTRIES_MAX);
    entries.map(|(key, entry)| statement(wish(key.as_str(), entry), says(key.as_str(), entry))).collect()
}

fn wish(key: &str, entry: &ListEntry) -> Option<Wish> {
    let usage = CATEGORIES.iter().find(|(label, _)| *label == key)?.1;
    match token(entry)? {
        "y" => Some(Wish { is_allowed: true, usage }),
        "n" => Some(Wish { is_allowed: false, usage }),
        _ => None,
    }
}

fn token(entry: &ListEntry) -> Option<&str> {
    let ListEntry::Item(item) = entry else { return None };
    match &item.bare_item {
        BareItem::Token(token) => Some(token.as_str()),
        _ => None,
    }
}

fn says(key: &str, entry: &ListEntry) -> Box<str> {
    let value = token(entry).map(|token| format!("={token}")).unwrap_or_default();
    recorded(format!("{key}{value}").as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn says(value: &str) -> String {
        let spelt = |statement: Statement| match statement.wish {
            Some(Wish { is_allowed: true, usage }) => format!("+{}", usage.label()),
            Some(Wish { is_allowed: false, usage }) => format!("-{}", usage.label()),
            None => format!("?{}", statement.says),
        };
        read(value.as_bytes(), StatedIn::Header).into_iter().map(spelt).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn dictionaries_are_read_as_the_drafts_have_it() {
        for (value, expected) in [
            ("train-ai=n", "-train_ai"),
            ("train-ai=y", "+train_ai"),
            ("train-ai=y, search=n", "+train_ai -search"),
            ("search=y", "+search"),
            ("ai-use=n", "-ai_input"),
            ("train-genai=n", "-train_ai"),
            ("train-ai=n,search=y", "-train_ai +search"),
            ("train-ai=n; note=\"x\"", "-train_ai"),
            // Of a key that is repeated, the last value counts.
            ("train-ai=n, train-ai=y", "+train_ai"),
            ("train-ai;allow=n, train-ai=y", "+train_ai"),
            // The example of the vocabulary: neither value is a token.
            ("train-ai=y, train-ai, search=n, search=\"n\"", "?train-ai ?search"),
            ("train-ai;has;parameters=\"?\"", "?train-ai"),
            ("train-ai=maybe", "?train-ai=maybe"),
            ("train-ai=?1", "?train-ai"),
            ("train-ai=(y n)", "?train-ai"),
            ("train-ai=N", "?train-ai=N"),
            ("unknown=n", "?unknown=n"),
            // What is no dictionary states nothing.
            ("Train-AI=n", "?Train-AI=n"),
            ("train-ai=n,", "?train-ai=n,"),
            ("train-ai n", "?train-ai n"),
            ("", ""),
            ("  ", ""),
        ] {
            assert_eq!(says(value), expected, "{value}");
        }
    }

    #[test]
    fn long_values_state_nothing() {
        let value = "a=n,".repeat(1 << 20);
        let read = read(value.as_bytes(), StatedIn::Header);
        assert_eq!((read.len(), read[0].wish), (1, None));
        let many: Vec<String> = (0..1_000).map(|n| format!("k{n}=n")).collect();
        assert_eq!(super::read(many.join(",").as_bytes(), StatedIn::Header).len(), ENTRIES_MAX);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(value in prop::collection::vec(any::<u8>(), 0..200)) {
            read(&value, StatedIn::Header);
        }

        #[test]
        fn dictionaries_with_changes_are_read(at in 0_usize..40, by in "[a-z=,;()\"?:@ -]{0,4}") {
            let mut value = "train-ai=n, search=y;a=1, ai-use=(a b)".to_owned();
            let at = at.min(value.len());
            value.replace_range(at..(at + 2).min(value.len()), &by);
            read(value.as_bytes(), StatedIn::RobotsTxt);
        }
    }
}
