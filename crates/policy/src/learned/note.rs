//! Warnings about a learner's state.

use super::topic_relevance::TopicStatus;
use harvestman_structure::site::MIN_PTS;

/// The state of the example page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleStatus {
    /// There is no example, or it is as expected.
    Fine,
    /// It was requested and is no page; `found`: pages with its URL pattern were found.
    Missing { found: bool },
    /// It was not requested yet.
    NotFetched,
    /// The validator does not accept it.
    Rejected,
    /// It is an outlier; `nearest`: there is a nearest cluster.
    Outlier { nearest: bool },
}

/// The parts of a learner's state that may need a warning.
#[derive(Debug, Clone, Copy)]
pub struct LearnerState<'a> {
    pub pages: usize,
    /// The number of clusters, where templates were learnt.
    pub clusters: Option<u32>,
    pub drifts: u64,
    pub example: ExampleStatus,
    /// The example's address.
    pub url: &'a str,
    /// How pages about a topic are recognised, where one is wanted.
    pub topic: Option<TopicStatus>,
}

/// The warnings as sentences; `None` where there are none.
pub fn note(state: &LearnerState<'_>) -> Option<String> {
    let sentences = [templates(state), example(state), topic(state), drift(state)];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
}

fn templates(state: &LearnerState<'_>) -> Option<String> {
    let pages = state.pages;
    match state.clusters {
        _ if pages < MIN_PTS as usize => Some(format!("only {pages} pages to learn from, which are too few")),
        Some(0) => Some(format!(
            "no two of the site's pages are alike ({pages} seen): links are told apart only by place and URL"
        )),
        Some(1) => Some(format!("all pages have one template ({pages} seen): links are told apart by place and URL")),
        _ => None,
    }
}

fn example(state: &LearnerState<'_>) -> Option<String> {
    let (url, say) = (state.url, |text: &str| Some(format!("the example {} {text}", state.url)));
    match state.example {
        ExampleStatus::Fine => None,
        ExampleStatus::Rejected => say("is rejected by the validator: check `policy.want`"),
        ExampleStatus::NotFetched => Some(format!("the example {url} was not fetched")),
        ExampleStatus::Missing { found: true } => {
            say("could not be fetched as a page; pages like it are recognised by their URLs")
        }
        ExampleStatus::Missing { found: false } => {
            say("could not be fetched as a page, and no page with a similar URL was found; the crawl was breadth-first")
        }
        ExampleStatus::Outlier { nearest: true } => {
            say("is like no other page; pages of the nearest template count instead")
        }
        ExampleStatus::Outlier { nearest: false } => {
            say("is like no other page; pages like it are recognised by their URLs")
        }
    }
}

fn topic(state: &LearnerState<'_>) -> Option<String> {
    let pages = state.pages;
    match state.topic? {
        TopicStatus::ByTags => None,
        TopicStatus::Undecided { relevant } | TopicStatus::ByWords { relevant } if relevant == 0 => Some(format!(
            "no page is about the topic ({pages} seen): no page of a tag names it, and no page has its words"
        )),
        TopicStatus::Undecided { .. } => None,
        TopicStatus::ByWords { .. } => Some(format!(
            "no page of a tag names the topic ({pages} pages seen): pages with its words in their address or text count as \
             items"
        )),
    }
}

fn drift(state: &LearnerState<'_>) -> Option<String> {
    (state.drifts > 0)
        .then(|| format!("the site's pages changed, and its templates were learnt again ({} times)", state.drifts))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WELL: LearnerState<'_> = LearnerState {
        pages: 500,
        clusters: Some(5),
        drifts: 0,
        example: ExampleStatus::Fine,
        url: "http://h.test/t/1",
        topic: None,
    };

    #[test]
    fn a_healthy_state_gives_no_warning() {
        assert_eq!(note(&WELL), None);
    }

    #[test]
    fn each_problem_gives_a_warning_and_several_are_joined() {
        let check = |state: LearnerState<'_>, part: &str| {
            let note = note(&state).unwrap();
            assert!(note.contains(part), "{note}");
        };
        check(LearnerState { pages: 3, clusters: None, ..WELL }, "only 3 pages");
        check(LearnerState { clusters: Some(0), ..WELL }, "no two of the site's pages are alike");
        check(LearnerState { clusters: Some(1), ..WELL }, "one template");
        check(LearnerState { example: ExampleStatus::NotFetched, ..WELL }, "http://h.test/t/1 was not fetched");
        check(LearnerState { example: ExampleStatus::Rejected, ..WELL }, "http://h.test/t/1 is rejected");
        check(LearnerState { example: ExampleStatus::Missing { found: false }, ..WELL }, "breadth-first");
        check(LearnerState { example: ExampleStatus::Missing { found: true }, ..WELL }, "by their URLs");
        check(LearnerState { example: ExampleStatus::Outlier { nearest: true }, ..WELL }, "nearest template");
        let topic = |status| LearnerState { topic: Some(status), ..WELL };
        check(topic(TopicStatus::ByWords { relevant: 0 }), "no page is about the topic (500 seen)");
        check(topic(TopicStatus::ByWords { relevant: 3 }), "no page of a tag names the topic (500 pages seen)");
        assert_eq!(note(&topic(TopicStatus::ByTags)), None);
        check(LearnerState { drifts: 2, clusters: Some(1), ..WELL }, "place and URL; the site's pages changed");
    }
}
