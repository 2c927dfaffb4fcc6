//! The statements about the use of content in a robots.txt that apply to one crawler.
//!
//! They are read beside the rules, so that the rules are grouped as by crawlers that do not know them. Here they are
//! rules of their group (AIPREF, section 3): a statement ends a run of `User-agent` lines. Statements before the first
//! `User-agent` line belong to no group and apply to all crawlers; so does `License` wherever it stands (RSL).

use super::agent_groups::product_token;
use super::lines::{Line, lines};
use harvestman_consent::{RobotsLine, RobotsStatements};

/// The statements for one agent.
#[derive(Default)]
struct AgentStatements<'a> {
    /// Whether a `User-agent` line has named the agent.
    is_known: bool,
    /// Whether the present group names it.
    is_named: bool,
    lines: Vec<RobotsLine<'a>>,
}

impl AgentStatements<'_> {
    fn on_agent(&mut self, is_named: bool, continues: bool) {
        self.is_known |= is_named;
        self.is_named = is_named || self.is_named && continues;
    }
}

/// Reads the statements for the crawler whose product token is `agent`.
pub fn read(bytes: &[u8], agent: &str) -> RobotsStatements {
    let (mut own, mut star) = (AgentStatements::default(), AgentStatements::default());
    let (mut for_all, mut is_in_group, mut in_agents) = (Vec::new(), false, false);
    for line in lines(bytes) {
        match line {
            Line::Agent(value) => {
                let token = product_token(value, agent.as_bytes());
                let is_own = !token.is_empty() && token.eq_ignore_ascii_case(agent.as_bytes());
                own.on_agent(is_own, in_agents);
                star.on_agent(token == b"*", in_agents);
                (is_in_group, in_agents) = (true, true);
            }
            Line::Stated(line @ RobotsLine::License(_)) => for_all.push(line),
            Line::Stated(line) => {
                in_agents = false;
                for agent in [&mut own, &mut star].into_iter().filter(|agent| agent.is_named) {
                    agent.lines.push(line);
                }
                for_all.extend((!is_in_group).then_some(line));
            }
            Line::Rule { .. } => in_agents = false,
            Line::CrawlDelay(_) | Line::Sitemap(_) => {}
        }
    }
    let selected = if own.is_known { own } else { star };
    let mut statements = RobotsStatements::default();
    for_all.into_iter().chain(selected.lines).for_each(|line| statements.add(line));
    statements
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::host::robots::RobotsRules;

    fn says(file: &str) -> String {
        let said = read(file.as_bytes(), "harvestman");
        said.all().map(|said| said.says.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn statements_belong_to_the_group_that_names_the_crawler() {
        for (file, expected) in [
            ("User-Agent: *\nContent-Signal: ai-train=no, search=yes\nAllow: /\n", "ai-train=no search=yes"),
            ("User-Agent: *\nAllow: /\nContent-Usage: / train-ai=n\n", "train-ai=n"),
            ("user-agent:*\r\ncontent-usage : train-ai=n # note\r\n", "train-ai=n"),
            ("User-agent: otherbot\nContent-Signal: ai-train=no\n", ""),
            ("User-agent: Harvestman/1.0\nContent-Signal: ai-train=no\n", "ai-train=no"),
            // A group of its own replaces that of all.
            ("User-agent: *\nContent-Signal: ai-train=no\n\nUser-agent: harvestman\nAllow: /\n", ""),
            (
                "User-agent: harvestman\nContent-Signal: search=no\nUser-agent: *\nContent-Signal: ai-train=no\n",
                "search=no",
            ),
            // Groups of one name are merged.
            (
                "User-agent: *\nContent-Signal: search=no\nUser-agent: x\nAllow: /\nUser-agent: *\nContent-Signal: ai-train=no\n",
                "search=no ai-train=no",
            ),
            ("User-agent: a\nUser-agent: harvestman\nContent-Usage: train-ai=n\nDisallow: /x\n", "train-ai=n"),
            // A statement is a rule: the next agent begins another group.
            (
                "User-agent: a\nContent-Usage: train-ai=n\nUser-agent: harvestman\nContent-Usage: train-ai=y\n",
                "train-ai=y",
            ),
            ("User-agent: a\nContent-Signal: ai-train=no\nUser-agent: *\nAllow: /\n", ""),
            // Crawl-delay is none.
            ("User-agent: a\nCrawl-delay: 1\nUser-agent: *\nContent-Signal: ai-train=no\n", "ai-train=no"),
            // Before any group, for all.
            ("Content-Signal: ai-train=no\nUser-agent: harvestman\nAllow: /\n", "ai-train=no"),
            ("License: https://e.com/l.xml\nUser-agent: x\nAllow: /\n", "https://e.com/l.xml"),
            ("User-agent: x\nLicense: https://e.com/l.xml\nAllow: /\n", "https://e.com/l.xml"),
            ("# Content-Signal: ai-train=no\nUser-agent: *\nAllow: /\n", ""),
            ("User-agent: *\nContent-Signal ai-train=no\n", "ai-train=no"),
            ("User-agent: *\nContent-Signal:\nContent-Usage:\nLicense:\n", ""),
            ("", ""),
        ] {
            assert_eq!(says(file), expected, "{file}");
        }
    }

    #[test]
    fn statements_do_not_change_the_rules() {
        let file =
            |line: &str| format!("User-agent: a\n{line}User-agent: harvestman\nDisallow: /x\n{line}Crawl-delay: 3\n");
        for line in ["Content-Signal: ai-train=no\n", "Content-Usage: / train-ai=n\n", "License: https://l/\n"] {
            let [plain, stated] = ["", line].map(|line| RobotsRules::parse(file(line).as_bytes(), "a"));
            for path in ["/x", "/y"] {
                assert_eq!(plain.decide(path), stated.decide(path));
            }
            assert_eq!(plain.crawl_delay(), stated.crawl_delay());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            read(&bytes, "harvestman");
        }

        #[test]
        fn files_of_lines_in_any_order_are_read(lines in prop::collection::vec(0_usize..8, 0..20)) {
            const LINES: [&str; 8] = [
                "User-agent: *", "User-agent: harvestman", "User-agent: b", "Allow: /", "Content-Signal: ai-train=no",
                "Content-Usage: /a/ train-ai=n", "License: https://l/", "Disallow:",
            ];
            let file: Vec<&str> = lines.iter().map(|line| LINES[*line]).collect();
            let said = read(file.join("\n").as_bytes(), "harvestman");
            prop_assert!(said.all().count() <= lines.len());
        }
    }
}
