//! Preferences that headers and robots.txt list: `Content-Signal` (contentsignals.org) and `Content-Usage`
//! (draft-ietf-aipref-attach, draft-ietf-aipref-vocab).

use sfv::{BareItem, Dictionary, ListEntry, Parser};

use super::statements::recorded;
use harvestman_core::model::{Signal, StatedIn, Statement, Usage, Wish};

/// Maximum number of parts of a value that are read.
const PARTS_MAX: usize = 64;

/// Reads a value, without a path. Parts that are not understood are recorded only; of a use that is named several
/// times, all parts are statements.
pub fn read_signal(value: &[u8], stated_in: StatedIn) -> Vec<Statement> {
    let parts = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|part| !part.is_empty());
    let statement = |part: &[u8]| Statement {
        signal: Signal::ContentSignal,
        stated_in,
        wish: signal_wish(part),
        says: recorded(&part.to_ascii_lowercase()),
    };
    parts.take(PARTS_MAX).map(statement).collect()
}

fn signal_wish(part: &[u8]) -> Option<Wish> {
    let equals = part.iter().position(|byte| *byte == b'=')?;
    let (name, value) = (part[..equals].trim_ascii(), part[equals + 1..].trim_ascii());
    let is = |name: &[u8], other: &str| name.eq_ignore_ascii_case(other.as_bytes());
    let usage = match () {
        () if is(name, "search") => Usage::Search,
        () if is(name, "ai-input") => Usage::AiInput,
        () if is(name, "ai-train") => Usage::TrainAi,
        () => return None,
    };
    let is_allowed = is(value, "yes");
    (is_allowed || is(value, "no")).then_some(Wish { is_allowed, usage })
}

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
pub fn read_usage(value: &[u8], stated_in: StatedIn) -> Vec<Statement> {
    let statement = |wish, says| Statement { signal: Signal::ContentUsage, stated_in, wish, says };
    if value.trim_ascii().is_empty() {
        return Vec::new();
    }
    let short = (value.len() <= VALUE_MAX).then(|| value.trim_ascii());
    let Some(dictionary) = short.and_then(|value| Parser::new(value).parse::<Dictionary>().ok()) else {
        return vec![statement(None, recorded(value))];
    };
    let entries = dictionary.iter().take(ENTRIES_MAX);
    entries.map(|(key, entry)| statement(usage_wish(key.as_str(), entry), usage_says(key.as_str(), entry))).collect()
}

fn usage_wish(key: &str, entry: &ListEntry) -> Option<Wish> {
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

fn usage_says(key: &str, entry: &ListEntry) -> Box<str> {
    let value = token(entry).map(|token| format!("={token}")).unwrap_or_default();
    recorded(format!("{key}{value}").as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a value says: `+` for an allowed use, `-` for a refused one, `?` for a part that is recorded only.
    fn signal_says(value: &str) -> String {
        let spelt = |statement: Statement| match statement.wish {
            Some(Wish { is_allowed: true, usage }) => format!("+{}", usage.label()),
            Some(Wish { is_allowed: false, usage }) => format!("-{}", usage.label()),
            None => format!("?{}", statement.says),
        };
        read_signal(value.as_bytes(), StatedIn::RobotsTxt).into_iter().map(spelt).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn values_are_read_as_their_authors_write_them() {
        for (value, expected) in [
            ("search=yes", "+search"),
            ("ai-train=no", "-train_ai"),
            ("ai-input=no", "-ai_input"),
            ("ai-train=no, search=yes, ai-input=yes", "-train_ai +search +ai_input"),
            ("search=yes,ai-train=no", "+search -train_ai"),
            ("search = yes , ai-train = no", "+search -train_ai"),
            ("Search=YES, AI-Train=No", "+search -train_ai"),
            ("search=no, search=yes", "-search +search"),
            ("", ""),
            (",,", ""),
            ("search=yes,", "+search"),
            ("search", "?search"),
            ("search=maybe", "?search=maybe"),
            ("search=1, ai-train=false", "?search=1 ?ai-train=false"),
            ("ai_train=no", "?ai_train=no"),
            ("ai-train=no; search=yes", "?ai-train=no; search=yes"),
            ("use=immediate, ai-train=no", "?use=immediate -train_ai"),
            ("=no", "?=no"),
        ] {
            assert_eq!(signal_says(value), expected, "{value}");
        }
    }

    #[test]
    fn the_number_of_parts_and_their_lengths_are_bounded() {
        let many = read_signal("search=no,".repeat(1_000_000).as_bytes(), StatedIn::Header);
        assert_eq!(many.len(), PARTS_MAX);
        assert!(read_signal(&[b'x'; 1 << 20], StatedIn::Header)[0].says.len() <= 800);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(value in prop::collection::vec(any::<u8>(), 0..200)) {
            read_signal(&value, StatedIn::Header);
        }

        #[test]
        fn what_is_refused_stays_refused_whatever_follows(more in "[a-z=, -]{0,40}") {
            let read = read_signal(format!("ai-train=no,{more}").as_bytes(), StatedIn::RobotsTxt);
            prop_assert_eq!(read[0].wish, Some(Wish { is_allowed: false, usage: Usage::TrainAi }));
        }
    }

    fn usage_says(value: &str) -> String {
        let spelt = |statement: Statement| match statement.wish {
            Some(Wish { is_allowed: true, usage }) => format!("+{}", usage.label()),
            Some(Wish { is_allowed: false, usage }) => format!("-{}", usage.label()),
            None => format!("?{}", statement.says),
        };
        read_usage(value.as_bytes(), StatedIn::Header).into_iter().map(spelt).collect::<Vec<_>>().join(" ")
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
            assert_eq!(usage_says(value), expected, "{value}");
        }
    }

    #[test]
    fn long_values_state_nothing() {
        let value = "a=n,".repeat(1 << 20);
        let read = read_usage(value.as_bytes(), StatedIn::Header);
        assert_eq!((read.len(), read[0].wish), (1, None));
        let many: Vec<String> = (0..1_000).map(|n| format!("k{n}=n")).collect();
        assert_eq!(super::read_usage(many.join(",").as_bytes(), StatedIn::Header).len(), ENTRIES_MAX);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_as_usage(value in prop::collection::vec(any::<u8>(), 0..200)) {
            read_usage(&value, StatedIn::Header);
        }

        #[test]
        fn dictionaries_with_changes_are_read(at in 0_usize..40, by in "[a-z=,;()\"?:@ -]{0,4}") {
            let mut value = "train-ai=n, search=y;a=1, ai-use=(a b)".to_owned();
            let at = at.min(value.len());
            value.replace_range(at..(at + 2).min(value.len()), &by);
            read_usage(value.as_bytes(), StatedIn::RobotsTxt);
        }
    }
}
