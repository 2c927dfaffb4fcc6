//! `Content-Signal` (contentsignals.org): a comma-separated list of `search`, `ai-input` and `ai-train`, each `=yes` or
//! `=no`. A use that is not named is neither allowed nor refused.

use super::text::recorded;
use harvestman_core::model::{Signal, StatedIn, Statement, Usage, Wish};

/// Maximum number of parts of a value that are read.
const PARTS_MAX: usize = 64;

/// Reads a value, without a path. Parts that are not understood are recorded only; of a use that is named several
/// times, all parts are statements.
pub fn read(value: &[u8], stated_in: StatedIn) -> Vec<Statement> {
    let parts = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|part| !part.is_empty());
    let statement = |part: &[u8]| Statement {
        signal: Signal::ContentSignal,
        stated_in,
        wish: wish(part),
        says: recorded(&part.to_ascii_lowercase()),
    };
    parts.take(PARTS_MAX).map(statement).collect()
}

fn wish(part: &[u8]) -> Option<Wish> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a value says: `+` for an allowed use, `-` for a refused one, `?` for a part that is recorded only.
    fn says(value: &str) -> String {
        let spelt = |statement: Statement| match statement.wish {
            Some(Wish { is_allowed: true, usage }) => format!("+{}", usage.label()),
            Some(Wish { is_allowed: false, usage }) => format!("-{}", usage.label()),
            None => format!("?{}", statement.says),
        };
        read(value.as_bytes(), StatedIn::RobotsTxt).into_iter().map(spelt).collect::<Vec<_>>().join(" ")
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
            assert_eq!(says(value), expected, "{value}");
        }
    }

    #[test]
    fn the_number_of_parts_and_their_lengths_are_bounded() {
        let many = read("search=no,".repeat(1_000_000).as_bytes(), StatedIn::Header);
        assert_eq!(many.len(), PARTS_MAX);
        assert!(read(&[b'x'; 1 << 20], StatedIn::Header)[0].says.len() <= 800);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(value in prop::collection::vec(any::<u8>(), 0..200)) {
            read(&value, StatedIn::Header);
        }

        #[test]
        fn what_is_refused_stays_refused_whatever_follows(more in "[a-z=, -]{0,40}") {
            let read = read(format!("ai-train=no,{more}").as_bytes(), StatedIn::RobotsTxt);
            prop_assert_eq!(read[0].wish, Some(Wish { is_allowed: false, usage: Usage::TrainAi }));
        }
    }
}
