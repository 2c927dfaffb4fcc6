//! Warnings about a learner's state.

use super::topic_relevance::TopicStatus;
use harvestman_structure::site::MIN_PTS;

/// Maximum number of examples that are named in a warning.
const NAMED_MAX: usize = 5;

/// The state of an example page.
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
    /// The number of clusters, where templates were learned.
    pub clusters: Option<u32>,
    pub drifts: u64,
    /// The addresses of the examples, and their states.
    pub examples: &'a [(String, ExampleStatus)],
    /// How pages about a topic are recognised, where one is wanted.
    pub topic: Option<TopicStatus>,
}

/// The warnings as sentences; `None` where there are none.
pub fn note(state: &LearnerState<'_>) -> Option<String> {
    let sentences = templates(state).into_iter().chain(examples(state)).chain(topic(state)).chain(drift(state));
    let sentences: Vec<String> = sentences.collect();
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

fn examples(state: &LearnerState<'_>) -> Vec<String> {
    let is_lost = |status: ExampleStatus| status == ExampleStatus::Missing { found: false };
    let are_lost = state.examples.iter().all(|(_, status)| is_lost(*status));
    let mut sentences: Vec<_> = state.examples.iter().filter_map(|(url, of)| example(url, *of, are_lost)).collect();
    if sentences.len() > NAMED_MAX {
        let more = sentences.len() - NAMED_MAX;
        sentences.truncate(NAMED_MAX);
        sentences.push(format!("{more} more examples are not as expected"));
    }
    sentences
}

/// The warning about an example; `are_lost`: nothing else is known of any of them.
fn example(url: &str, status: ExampleStatus, are_lost: bool) -> Option<String> {
    let say = |text: &str| Some(format!("the example {url} {text}"));
    match status {
        ExampleStatus::Fine => None,
        ExampleStatus::Rejected => say("is rejected by the validator: check `policy.want`"),
        ExampleStatus::NotFetched => say("was not fetched"),
        ExampleStatus::Missing { found: true } => {
            say("could not be fetched as a page; pages like it are recognised by their URLs")
        }
        ExampleStatus::Missing { found: false } if !are_lost => {
            say("could not be fetched as a page, and no page with a similar URL was found")
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
        TopicStatus::NoTerms => {
            Some("the examples share no tag, so no page is wanted: give the topic in `policy.topic`".to_owned())
        }
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
        .then(|| format!("the site's pages changed, and its templates were learned again ({} times)", state.drifts))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WELL: LearnerState<'_> =
        LearnerState { pages: 500, clusters: Some(5), drifts: 0, examples: &[], topic: None };

    fn examples(of: &[ExampleStatus]) -> Vec<(String, ExampleStatus)> {
        of.iter().enumerate().map(|(at, status)| (format!("http://h.test/t/{}", at + 1), *status)).collect()
    }

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
        check(
            LearnerState { examples: &examples(&[ExampleStatus::NotFetched]), ..WELL },
            "http://h.test/t/1 was not fetched",
        );
        check(
            LearnerState { examples: &examples(&[ExampleStatus::Rejected]), ..WELL },
            "http://h.test/t/1 is rejected",
        );
        check(
            LearnerState { examples: &examples(&[ExampleStatus::Missing { found: false }]), ..WELL },
            "breadth-first",
        );
        check(LearnerState { examples: &examples(&[ExampleStatus::Missing { found: true }]), ..WELL }, "by their URLs");
        check(
            LearnerState { examples: &examples(&[ExampleStatus::Outlier { nearest: true }]), ..WELL },
            "nearest template",
        );
        let topic = |status| LearnerState { topic: Some(status), ..WELL };
        check(topic(TopicStatus::NoTerms), "the examples share no tag");
        check(topic(TopicStatus::ByWords { relevant: 0 }), "no page is about the topic (500 seen)");
        check(topic(TopicStatus::ByWords { relevant: 3 }), "no page of a tag names the topic (500 pages seen)");
        assert_eq!(note(&topic(TopicStatus::ByTags)), None);
        check(LearnerState { drifts: 2, clusters: Some(1), ..WELL }, "place and URL; the site's pages changed");
    }
    #[test]
    fn of_several_examples_each_is_named_up_to_a_bound() {
        let (lost, fine) = (ExampleStatus::Missing { found: false }, ExampleStatus::Fine);
        let note = |of: &[ExampleStatus]| note(&LearnerState { examples: &examples(of), ..WELL });
        assert_eq!(note(&[fine, fine]), None);
        let one = note(&[fine, lost]).unwrap();
        assert!(one.contains("/t/2 could not be fetched") && !one.contains("breadth-first"), "{one}");
        assert_eq!(note(&[lost, lost]).unwrap().matches("breadth-first").count(), 2);
        let many = note(&[lost; NAMED_MAX + 3]).unwrap();
        assert!(
            many.contains("/t/5 ")
                && !many.contains("/t/6 ")
                && many.ends_with("; 3 more examples are not as expected")
        );
    }
}
