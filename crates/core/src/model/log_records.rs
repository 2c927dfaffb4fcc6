//! The lines of the logs in a crawl directory: one of the page log for each URL whose fate was decided at or after its
//! turn to be fetched, and one of the policy log for each snapshot.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::StatementRecord;

/// One line of `pages.jsonl`. Absent values are omitted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageRecord {
    /// The URL, canonical.
    pub url: String,
    /// When the last request started (RFC 3339); absent if none was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Its fate ([`super::Fate::name`]).
    pub fate: String,
    /// The reason of the fate, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The HTTP status of the last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The media type as the server declared it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Bytes of the body as received.
    #[serde(default)]
    pub bytes: u64,
    /// The target of a redirect, canonical.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_to: Option<String>,
    /// The page it was discovered on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Links between a seed and this URL.
    #[serde(default)]
    pub depth: u16,
    /// Requests spent on it.
    #[serde(default)]
    pub attempts: u8,
    /// Milliseconds from the start of the last request to the response's head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<u64>,
    /// Milliseconds from the start of the last request to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The page's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The number of the visit to the page, from the second on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visit: Option<u32>,
    /// Whether the content of the page differs from the visit before; absent at the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// How the page differs from the visit before: `none`, `markup` (it shows the same), `numbers` (only dates and
    /// counts), `content`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
    /// Links found on the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<u32>,
    /// Links among them that were new and accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links_new: Option<u32>,
    /// The cluster of the page itself, by the policy's snapshot when it was parsed; 1 is for pages that resemble no
    /// others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<u32>,
    /// The link class that it waited under: `cluster/apath/pattern`, the last two as hashes. Present if the policy
    /// learns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The score of that class when it was this URL's turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The version of the policy's snapshot that gave the score; `policy.jsonl` has more about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<u64>,
    /// Present if the page was to be rendered in a browser: `rendered`, `replayed`, or why that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
    /// The class of pages by which that is decided, present if pages may be rendered and the page has scripts;
    /// `harvestman inspect site` shows what is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub render_class: Option<String>,
    /// SHA-1 of the payload in base 32, as in the WARC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload_digest: Option<String>,
    /// The address of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// The reason why the body is incomplete (`length`, `time`, `disconnect`, `unwanted_type`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
    /// What of the page was given up, because it takes too long to read: `posts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_up: Option<String>,
    /// Present if the body of a page that was fetched was not read for links, or only its beginning
    /// ([`super::Unread::label`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// By which rules the markup was read, if not by those of HTML ([`super::MarkupRules::label`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub markup: Option<String>,
    /// The first element whose content, of text only, has no end, so that it was read as markup; `comment` of a
    /// comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unended: Option<String>,
    /// The links that only exist because of that, as written; the first 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recovered: Vec<String>,
    /// What the site and the page state about the use of their content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<StatementRecord>,
    /// The WARC file with the response, relative to the crawl directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warc_file: Option<String>,
    /// The response record's byte offset in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warc_offset: Option<u64>,
}

/// One line of `policy.jsonl`: a published snapshot and its changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyRecord {
    /// Its version.
    pub snapshot: u64,
    /// When it was published (RFC 3339).
    pub time: String,
    /// Its generation, which increases when classes change their meaning. Names of classes can only be compared within
    /// one generation.
    #[serde(default)]
    pub generation: u64,
    /// Number of ended fetches that the policy had observed.
    #[serde(default)]
    pub observations: u64,
    /// The model of the site, in the first snapshot of a generation.
    #[serde(rename = "lesson", default, skip_serializing_if = "Option::is_none")]
    pub model_update: Option<ModelUpdateRecord>,
    /// Link classes whose score has changed since they were last listed, by [`super::LinkClass`] as text.
    #[serde(default)]
    pub classes: BTreeMap<String, ClassRecord>,
    /// Number of changed classes that did not fit in this line.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// The model of the site in one generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelUpdateRecord {
    /// A description by the policy: its clusters with the number of pages in each, and how they were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<serde_json::Value>,
    /// URL patterns, spelt out, with the number of links of each.
    #[serde(default)]
    pub patterns: BTreeMap<String, u64>,
}

/// The data about a link class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassRecord {
    /// Its score; absent if it is not a finite number.
    #[serde(default = "not_finite", skip_serializing_if = "is_not_finite")]
    pub score: f64,
    /// Number of links of the class.
    #[serde(default)]
    pub uses: u64,
    /// Its URL pattern, spelt out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// One of its URLs.
    #[serde(default)]
    pub like: String,
    /// The terms of the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<serde_json::Value>,
}

const fn is_zero(count: &u64) -> bool {
    *count == 0
}

const fn not_finite() -> f64 {
    f64::NAN
}

const fn is_not_finite(score: &f64) -> bool {
    !score.is_finite()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Returns a line with every field, or without some of the optional ones.
    fn pages() -> impl Strategy<Value = PageRecord> {
        let numbers = (any::<u64>(), any::<u16>(), any::<u8>(), any::<u32>(), prop::num::f64::NORMAL);
        (prop::option::of("\\PC{0,8}"), numbers, any::<bool>(), any::<bool>()).prop_map(
            |(text, numbers, has, changed)| {
                let (long, short, byte, count, score) = numbers;
                PageRecord {
                    url: "http://h.test/a?b".to_owned(),
                    time: text.clone(),
                    fate: "fetched".to_owned(),
                    reason: text.clone(),
                    status: has.then_some(short),
                    content_type: text.clone(),
                    bytes: long,
                    redirect_to: text.clone(),
                    via: text.clone(),
                    depth: short,
                    attempts: byte,
                    first_byte_ms: has.then_some(long),
                    duration_ms: has.then_some(long),
                    title: text.clone(),
                    visit: has.then_some(count),
                    changed: has.then_some(changed),
                    difference: text.clone(),
                    links: has.then_some(count),
                    links_new: has.then_some(count),
                    cluster: has.then_some(count),
                    class: text.clone(),
                    score: has.then_some(score),
                    snapshot: has.then_some(long),
                    rendered: text.clone(),
                    render_class: text.clone(),
                    payload_digest: text.clone(),
                    ip: text.clone(),
                    truncated: text.clone(),
                    given_up: text.clone(),
                    unread: text.clone(),
                    markup: text.clone(),
                    unended: text.clone(),
                    recovered: text.iter().cloned().collect(),
                    signals: text
                        .iter()
                        .map(|says| StatementRecord { says: says.clone(), ..StatementRecord::default() })
                        .collect(),
                    warc_file: text,
                    warc_offset: has.then_some(long),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn a_line_of_the_page_log_is_read_as_it_was_written(page in pages()) {
            let text = serde_json::to_string(&page).unwrap();
            prop_assert_eq!(serde_json::from_str::<PageRecord>(&text).unwrap(), page);
        }
    }

    fn class(score: f64) -> ClassRecord {
        let (pattern, terms) = (Some("/t/N".to_owned()), Some(json!({"worth": 0.5, "cluster": 2})));
        ClassRecord { score, uses: 12, pattern, like: "http://h.test/t/1".to_owned(), terms }
    }

    #[test]
    fn a_line_of_the_policy_log_is_read_as_it_was_written() {
        let patterns = [("/t/N".to_owned(), 40)].into();
        let model_update = Some(ModelUpdateRecord { site: Some(json!({"clusters": {"2": 30}})), patterns });
        let classes = [("2/1/1".to_owned(), class(0.25)), ("2/1/2".to_owned(), class(-1.0))].into();
        let time = "2026-01-01T00:00:00Z".to_owned();
        let all =
            PolicyRecord { snapshot: 7, time, generation: 2, observations: 300, model_update, classes, left_out: 3 };
        for record in [PolicyRecord { model_update: None, left_out: 0, ..all.clone() }, all] {
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<PolicyRecord>(&text).unwrap(), record);
        }
    }

    #[test]
    fn a_score_that_is_no_number_is_left_out_and_read_as_none() {
        let text = serde_json::to_string(&class(f64::INFINITY)).unwrap();
        assert!(!text.contains("score"), "{text}");
        assert!(serde_json::from_str::<ClassRecord>(&text).unwrap().score.is_nan());
    }

    #[test]
    fn lines_of_other_versions_are_read() {
        let page: PageRecord = serde_json::from_str(r#"{"url":"u","fate":"fetched","colour":"red"}"#).unwrap();
        assert_eq!(page, PageRecord { url: "u".to_owned(), fate: "fetched".to_owned(), ..PageRecord::default() });
        let policy: PolicyRecord = serde_json::from_str(r#"{"snapshot":1,"time":"t","mood":[1]}"#).unwrap();
        assert_eq!((policy.snapshot, policy.classes.len(), policy.model_update), (1, 0, None));
    }
}
