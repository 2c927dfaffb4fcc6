//! How a policy judged a page, and what it expects of a link that waits.

use std::fmt;

use serde::Serialize;

use super::directory::CrawlDirectory;
use crate::cli::output::fact;
use harvestman_pipeline::TextReplay;
use harvestman_policy::learned::{Expectation, Judgement, TopicJudgement, WaitingLink};

/// How a page was judged.
#[derive(Debug, Serialize)]
pub(super) struct JudgedReport {
    /// The judgement.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The tests of the crawl's validator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub want: Vec<String>,
}

impl JudgedReport {
    /// Returns the judgement in a replay, if the page is in it.
    pub fn of(directory: &CrawlDirectory, replay: &TextReplay) -> Option<Self> {
        let TextReplay::Done { judgement: Some(judgement), .. } = replay else { return None };
        let want = if judgement.topic.is_none() { directory.config.policy.want.clone() } else { Vec::new() };
        Some(Self { judgement: Judgement::clone(judgement), want })
    }
}

/// What is expected of a link that waits.
#[derive(Debug, Serialize)]
pub(super) struct WaitingReport(pub WaitingLink);

impl WaitingReport {
    /// Returns what a replay expects of the link, if it waits.
    pub fn of(replay: &TextReplay) -> Option<Self> {
        match replay {
            TextReplay::Done { waiting, .. } => waiting.as_deref().cloned().map(Self),
            _ => None,
        }
    }
}

/// Minimum log odds, either way, of surroundings that say much.
const MUCH: f64 = 3.0;

impl fmt::Display for JudgedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let judgement = &self.judgement;
        if let Some(topic) = &judgement.topic {
            about(f, topic)?;
        } else if !self.want.is_empty() {
            let said = match judgement.accepted {
                Some(true) => "accepts it",
                Some(false) => "does not accept it",
                None => "cannot tell",
            };
            fact(f, "validator", format_args!("{said} ({})", self.want.join(", ")))?;
        }
        let counted = if judgement.wanted {
            "a wanted page that repeats no other"
        } else if judgement.accepted == Some(true) || judgement.topic.as_ref().is_some_and(|topic| topic.is_item) {
            "no new page: it is another view of one that was fetched before, or repeats it"
        } else {
            "no wanted page"
        };
        fact(f, "counted as", counted)?;
        expected(f, &judgement.expected)
    }
}

impl fmt::Display for WaitingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(link) = self;
        fact(f, "found on", &link.found_on)?;
        fact(f, "score", format_args!("{:.4}, by the policy's last snapshot", link.score))?;
        expected(f, &link.expected)
    }
}

fn about(f: &mut fmt::Formatter<'_>, topic: &TopicJudgement) -> fmt::Result {
    let tags = topic.tags.join(", ");
    match (topic.is_item, topic.recognised_by, topic.tags.is_empty()) {
        (true, "tags", false) => fact(f, "topic", format_args!("an item of the topic, by the tag {tags}")),
        (true, "tags", true) => fact(f, "topic", "an item of the topic, by a tag"),
        (true, ..) => fact(f, "topic", "an item of the topic, by the words of its address or its text"),
        (false, _, false) => {
            let why = "but not as items show their own: it is a list, the page of a tag, or shows them to all visitors";
            fact(f, "topic", format_args!("no item of the topic; it links to {tags}, {why}"))
        }
        (false, "tags", true) => fact(f, "topic", "no item of the topic: it links to no page of a tag of the topic"),
        (false, "words", true) => {
            fact(f, "topic", "no item of the topic: neither its address nor its text has the topic's words")
        }
        (false, ..) => fact(f, "topic", "no item of the topic: no page of a tag of the topic was known by then"),
    }
}

fn expected(f: &mut fmt::Formatter<'_>, link: &Expectation) -> fmt::Result {
    if let Some(odds) = link.log_odds {
        let like = match odds {
            odds if odds >= MUCH => "is like that of links to wanted pages",
            odds if odds >= 0.0 => "is rather like that of links to wanted pages",
            odds if odds > -MUCH => "is rather unlike that of links to wanted pages",
            _ => "is unlike that of links to wanted pages",
        };
        let lessons = link.lessons;
        fact(
            f,
            "its link",
            format_args!("what stands around it {like} (log odds {odds:.1}, from {lessons} fetched links)"),
        )?;
    }
    if link.names_topic {
        fact(f, "", "its address names the topic")?;
    }
    if link.on_topic_page {
        fact(f, "", "it is on a page whose address names the topic")?;
    }
    let Expectation { fetches, wanted, .. } = link;
    if *fetches == 0.0 {
        return fact(f, "alike", "no link with its URL pattern and such surroundings had been fetched");
    }
    let share = 100.0 * wanted / fetches;
    fact(
        f,
        "alike",
        format_args!(
            "{share:.0} % of {fetches:.1} fetches of such links brought a wanted page (older ones count less)"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_policy::learned::{Judgement, WaitingLink};

    fn expectation(log_odds: Option<f64>) -> Expectation {
        let (names_topic, on_topic_page) = (false, log_odds.is_some());
        Expectation { log_odds, lessons: 70, names_topic, on_topic_page, fetches: 8.0, wanted: 6.0 }
    }

    fn report(accepted: Option<bool>, topic: Option<TopicJudgement>, wanted: bool) -> String {
        let expected = expectation(Some(3.25));
        let want = if topic.is_none() { vec!["selector:article".to_owned()] } else { Vec::new() };
        JudgedReport { judgement: Judgement { wanted, accepted, topic, expected }, want }.to_string()
    }

    #[test]
    fn a_judgement_is_told_in_plain_words() {
        let accepted = report(Some(true), None, true);
        assert!(
            accepted.contains("accepts it (selector:article)")
                && accepted.contains("a wanted page that repeats no other")
        );
        assert!(
            accepted.contains("is like that of links to wanted pages (log odds 3.2, from 70 fetched links)"),
            "{accepted}"
        );
        assert!(accepted.contains("75 % of 8.0 fetches") && accepted.contains("whose address names the topic"));
        assert!(report(Some(false), None, false).contains("does not accept it"));
        assert!(report(Some(true), None, false).contains("no new page"));
        let topic = |is_item, recognised_by, tags: &[&str]| TopicJudgement {
            is_item,
            recognised_by,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        };
        assert!(
            report(None, Some(topic(true, "tags", &["http://h/tag/macro"])), true)
                .contains("by the tag http://h/tag/macro")
        );
        assert!(report(None, Some(topic(true, "words", &[])), true).contains("by the words"));
        assert!(report(None, Some(topic(false, "tags", &[])), false).contains("links to no page of a tag"));
        assert!(report(None, Some(topic(false, "tags", &["http://h/tag/macro"])), false).contains("not as items show"));
        assert!(report(None, Some(topic(false, "undecided", &[])), false).contains("was known by then"));
    }

    #[test]
    fn surroundings_are_told_by_their_odds_and_missing_ones_not_at_all() {
        let shown = |expected| {
            WaitingReport(WaitingLink { found_on: "http://h/list".to_owned(), score: 0.5, expected }).to_string()
        };
        for (odds, like) in [(9.0, "is like"), (1.0, "is rather like"), (-1.0, "is rather unlike"), (-7.0, "is unlike")]
        {
            let text = shown(expectation(Some(odds)));
            assert!(text.contains(like) && text.contains("http://h/list") && text.contains("0.5000"), "{text}");
        }
        let unknown = shown(Expectation { fetches: 0.0, ..expectation(None) });
        assert!(!unknown.contains("stands around") && unknown.contains("no link with its URL pattern"), "{unknown}");
    }
}
