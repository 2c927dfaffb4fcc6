//! URL rules: the common parts of the URLs of a group.

/// A rule that URLs match or not, with one part per token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule(Box<[Part]>);

/// The condition on a token.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// Exactly this text.
    Is(Box<str>),
    /// Any text between these, of digits only if all tokens that were seen were.
    Varies { before: Box<str>, after: Box<str>, digits: bool },
}

/// Maximum number of tokens in which two URLs of a group may differ.
const DIFFER_MAX: usize = 2;

/// The tokens of a URL: its host, the segments of its path, names and values of its query.
pub(super) fn tokens(url: &str) -> Vec<&str> {
    url.split("://").last().unwrap_or_default().split(['/', '?', '&', '=']).collect()
}

/// Whether two URLs may be of one group: they have equally many tokens, and few that differ, the host not among them.
pub(super) fn similar(one: &[&str], other: &[&str]) -> bool {
    let differ = one.iter().zip(other).filter(|(one, other)| one != other).count();
    one.len() == other.len() && one.first() == other.first() && differ <= DIFFER_MAX
}

impl Rule {
    /// The most specific rule that all of these URLs, which have equally many tokens, match. `None` if there are none.
    pub fn of(urls: &[Vec<&str>]) -> Option<Self> {
        let length = urls.iter().map(Vec::len).min()?;
        let part = |at: usize| Part::of(&urls.iter().map(|tokens| tokens[at]).collect::<Vec<_>>());
        Some(Self((0..length).map(part).collect()))
    }

    pub fn matches(&self, tokens: &[&str]) -> bool {
        self.0.len() == tokens.len() && self.0.iter().zip(tokens).all(|(part, token)| part.matches(token))
    }
}

impl Part {
    fn of(tokens: &[&str]) -> Self {
        let first = tokens.first().copied().unwrap_or_default();
        if tokens.iter().all(|token| *token == first) {
            return Self::Is(first.into());
        }
        let before = tokens.iter().fold(first, |common, token| common_start(common, token));
        // Common letters and digits at the edge belong to the varying part.
        let before = &before[..before.trim_end_matches(char::is_alphanumeric).len()];
        let rests: Vec<&str> = tokens.iter().map(|token| &token[before.len()..]).collect();
        let after = rests.iter().fold(rests[0], |common, rest| common_end(common, rest));
        let after = after.trim_start_matches(char::is_alphanumeric);
        let digits = rests.iter().all(|rest| is_number(&rest[..rest.len() - after.len()]));
        Self::Varies { before: before.into(), after: after.into(), digits }
    }

    fn matches(&self, token: &str) -> bool {
        match self {
            Self::Is(text) => **text == *token,
            Self::Varies { before, after, digits } => {
                let middle = token.strip_prefix(&**before).and_then(|rest| rest.strip_suffix(&**after));
                middle.is_some_and(|middle| !*digits || is_number(middle))
            }
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn common_start<'a>(one: &'a str, other: &str) -> &'a str {
    let end = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    &one[..end.unwrap_or(one.len().min(other.len()))]
}

fn common_end<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b);
    &one[one.len() - same.map(|(c, _)| c.len_utf8()).sum::<usize>()..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(urls: &[&str]) -> Rule {
        Rule::of(&urls.iter().map(|url| tokens(url)).collect::<Vec<_>>()).unwrap()
    }

    fn matches(rule: &Rule, url: &str) -> bool {
        rule.matches(&tokens(url))
    }

    #[test]
    fn a_rule_keeps_common_parts_and_lets_the_others_vary() {
        let rule = rule(&["http://h.test/topic-12.html?page=1", "http://h.test/topic-157.html?page=2"]);
        assert!(matches(&rule, "http://h.test/topic-9.html?page=77"));
        for other in [
            "/topic-x.html?page=1",
            "/topic-9.html",
            "/forum-9.html?page=1",
            "/topic-9.html?sort=1",
            "/topic-.html?page=1",
        ] {
            assert!(!matches(&rule, &format!("http://h.test{other}")), "{other}");
        }
    }

    #[test]
    fn names_vary_as_a_whole_even_if_they_begin_alike() {
        let rule = rule(&["http://h.test/user/alice", "http://h.test/user/alan"]);
        assert!(matches(&rule, "http://h.test/user/bob"));
        assert!(!matches(&rule, "http://h.test/topic/bob"));
    }

    #[test]
    fn groups_are_of_urls_with_as_many_tokens_and_few_that_differ() {
        let alike = |one, other| similar(&tokens(one), &tokens(other));
        assert!(alike("http://h.test/t/1/a", "http://h.test/t/2/b"));
        assert!(!alike("http://h.test/t/1/a", "http://h.test/u/2/b"));
        assert!(!alike("http://h.test/t/1", "http://h.test/t/1/2"));
        assert!(!alike("http://h.test/t/1", "http://other.test/t/1"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_rule_of_some_urls_matches_each_of_them(names in proptest::collection::vec("[aä0-9.-]{0,5}", 1..6)) {
            let urls: Vec<String> = names.iter().map(|name| format!("http://h.test/{name}/end")).collect();
            let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
            let rule = rule(&urls);
            urls.iter().for_each(|url| assert!(matches(&rule, url), "{rule:?} {url}"));
        }
    }
}
