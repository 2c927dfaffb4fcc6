//! What a learner has to say about its state, where that is not as it should be.

use harvestman_structure::site::MIN_PTS;

/// What is known of the example page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleState {
    /// There is none, or nothing to be said about it.
    Fine,
    /// It was asked for and is no page; pages at such addresses were found (or not).
    Missing { found: bool },
    /// It was not asked for yet.
    NotFetched,
    /// It is of no cluster; there is a nearest one (or not).
    Outlier { nearest: bool },
}

/// A learner's state, as far as it may be worth a word.
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    pub pages: usize,
    /// Clusters, where templates were learnt.
    pub clusters: Option<u32>,
    pub drifts: u64,
    pub example: ExampleState,
    /// The example's address.
    pub url: &'a str,
}

/// The sentences that people should read; none where all is well.
pub fn note(state: &State<'_>) -> Option<String> {
    let sentences = [templates(state), example(state), drift(state)];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
}

fn templates(state: &State<'_>) -> Option<String> {
    let pages = state.pages;
    match state.clusters {
        _ if pages < MIN_PTS as usize => Some(format!("{pages} pages are too few to learn from")),
        Some(0) => Some(format!(
            "none of the site's pages are alike ({pages} seen): links are told apart by place and address alone"
        )),
        Some(1) => Some(format!(
            "all pages are made by one template ({pages} seen): links are told apart by place and address"
        )),
        _ => None,
    }
}

fn example(state: &State<'_>) -> Option<String> {
    let (url, say) = (state.url, |text: &str| Some(format!("the example {} {text}", state.url)));
    match state.example {
        ExampleState::Fine => None,
        ExampleState::NotFetched => Some(format!("the example {url} was not fetched")),
        ExampleState::Missing { found: true } => {
            say("is no page that can be fetched; pages count as like it by their addresses")
        }
        ExampleState::Missing { found: false } => {
            say("is no page that can be fetched, and none was found at an address like it; the crawl was breadth-first")
        }
        ExampleState::Outlier { nearest: true } => say("is like no other page; those of the nearest template stand in"),
        ExampleState::Outlier { nearest: false } => {
            say("is like no other page; pages count as like it by their addresses")
        }
    }
}

fn drift(state: &State<'_>) -> Option<String> {
    (state.drifts > 0)
        .then(|| format!("the site's pages changed, and its templates were learnt anew ({} times)", state.drifts))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WELL: State<'_> =
        State { pages: 500, clusters: Some(5), drifts: 0, example: ExampleState::Fine, url: "http://h.test/t/1" };

    #[test]
    fn where_all_is_well_there_is_nothing_to_say() {
        assert_eq!(note(&WELL), None);
    }

    #[test]
    fn each_trouble_is_told_and_several_are_told_together() {
        let told = |state: State<'_>, part: &str| {
            let note = note(&state).unwrap();
            assert!(note.contains(part), "{note}");
        };
        told(State { pages: 3, clusters: None, ..WELL }, "3 pages are too few");
        told(State { clusters: Some(0), ..WELL }, "none of the site's pages are alike");
        told(State { clusters: Some(1), ..WELL }, "one template");
        told(State { example: ExampleState::NotFetched, ..WELL }, "http://h.test/t/1 was not fetched");
        told(State { example: ExampleState::Missing { found: false }, ..WELL }, "breadth-first");
        told(State { example: ExampleState::Missing { found: true }, ..WELL }, "by their addresses");
        told(State { example: ExampleState::Outlier { nearest: true }, ..WELL }, "nearest template");
        told(State { drifts: 2, clusters: Some(1), ..WELL }, "place and address; the site's pages changed");
    }
}
