//! Comparison with a naive implementation of the RFC, and properties that hold for any file.

use proptest::prelude::*;

use super::*;

/// Returns whether `pattern` matches `path`, by trying each position.
fn naive_match(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|skipped| naive_match(rest, &path[skipped..])),
        [first, rest @ ..] => path.first() == Some(first) && naive_match(rest, &path[1..]),
    }
}

/// Returns whether the longest matching rule allows the path, `Allow` first, by the naive matcher.
fn naive_decision(rules: &[(bool, String)], path: &str) -> bool {
    rules
        .iter()
        .filter(|(_, pattern)| naive_match(pattern.as_bytes(), path.as_bytes()))
        .max_by_key(|(allow, pattern)| (pattern.len(), *allow))
        .is_none_or(|(allow, _)| *allow)
}

fn file_of(rules: &[(bool, String)]) -> String {
    let lines =
        rules.iter().map(|(allow, pattern)| format!("{}: {pattern}\n", if *allow { "Allow" } else { "Disallow" }));
    format!("User-agent: bot\n{}", lines.collect::<String>())
}

/// Rules over few letters, so that they often match; `$` only at the end, where its length does not matter.
fn rules() -> impl Strategy<Value = Vec<(bool, String)>> {
    prop::collection::vec((any::<bool>(), "[/*][ab/*]{0,7}\\$?"), 0..8)
}

proptest! {
    #[test]
    fn decisions_are_those_of_a_naive_matcher(rules in rules(), path in "/[ab/]{0,9}") {
        prop_assert_eq!(allows(&file_of(&rules), "bot", &path), naive_decision(&rules, &path));
    }

    #[test]
    fn the_kind_of_line_end_does_not_matter(
        rules in rules(),
        ends in prop::collection::vec("\n|\r|\r\n|\n\r|\r\r\n", 10),
        path in "/[ab/]{0,9}",
    ) {
        let file = format!("User-agent: other\nCrawl-delay: 9\n{}", file_of(&rules));
        let mixed: String = file.lines().zip(ends.iter().cycle()).map(|(line, end)| format!("{line}{end}")).collect();
        for agent in ["bot", "other", "none"] {
            prop_assert_eq!(allows(&mixed, agent, &path), allows(&file, agent, &path), "{} {:?}", agent, mixed);
        }
    }

    #[test]
    fn the_returned_rule_matches_the_path(rules in rules(), path in "/[ab/]{0,9}") {
        let decision = RobotsRules::parse(file_of(&rules).as_bytes(), "bot").decide(&path);
        if let Some(rule) = decision.rule {
            let (name, pattern) = rule.split_once(": ").unwrap();
            prop_assert_eq!(name == "Allow", decision.allowed);
            prop_assert!(naive_match(pattern.as_bytes(), path.as_bytes()));
            prop_assert!(rules.contains(&(decision.allowed, pattern.to_owned())));
        }
    }

    #[test]
    fn neither_the_order_of_rules_nor_of_groups_matters(
        (rules, shuffled) in rules().prop_flat_map(|rules| (Just(rules.clone()), Just(rules).prop_shuffle())),
        cut in any::<prop::sample::Index>(),
        path in "/[ab/]{0,9}",
    ) {
        let (one, other) = shuffled.split_at(cut.index(shuffled.len() + 1));
        let foreign = "Disallow:\nUser-agent: other\nDisallow: /\nAllow: /a\n";
        let split = format!("{}{foreign}{}", file_of(one), file_of(other));
        prop_assert_eq!(allows(&file_of(&rules), "bot", &path), allows(&split, "bot", &path));
    }

    #[test]
    fn any_bytes_are_parsed_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000), agent in "\\PC*", path in "\\PC*") {
        let rules = RobotsRules::parse(&bytes, &agent);
        let _ = (rules.decide(&path), rules.crawl_delay(), rules.sitemaps());
        prop_assert!(rules.decide("/robots.txt").allowed);
    }

    #[test]
    fn any_lines_of_a_robots_txt_are_parsed_without_panic(
        lines in prop::collection::vec((name(), "[: \t]{0,2}[ -~\0é]{0,9}"), 0..20),
        path in "/[ -~é]{0,9}",
    ) {
        let file: String = lines.into_iter().map(|(name, value)| format!("{name}{value}\n")).collect();
        let decision = RobotsRules::parse(file.as_bytes(), "harvestman").decide(&path);
        prop_assert!(decision.allowed || decision.rule.is_some());
    }

    /// The crate alone also understands plainly written rules; the rewriting must not change their meaning.
    #[test]
    fn plain_rules_mean_the_same_to_the_crate_alone(
        rules in prop::collection::vec((any::<bool>(), "/[abc/.=*-]{0,7}"), 0..8),
        path in "/[abc/.=-]{0,9}",
    ) {
        let file = file_of(&rules);
        let referee = robotxt::Robots::parse(file.as_bytes(), "bot");
        prop_assert_eq!(allows(&file, "bot", &path), referee.is_allowed(&path));
    }
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["User-agent", "user agent", "Disallow", "dis", "Allow", "Sitemap", "Crawl-delay", ""][..])
}
