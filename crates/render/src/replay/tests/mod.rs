//! Tests of learning and replaying together.

mod examples;
mod hostile;
mod pagination;
mod random;
mod rejections;
mod twin;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use url::Url;

use super::*;

/// Answers of a site: bodies by URL.
type Answers = BTreeMap<String, String>;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// Creates a sample whose requests are all useful.
fn sample(page: &str, html: &str, requests: &[(&str, &str)]) -> Sample {
    let request = |(address, body): &(&str, &str)| SampleRequest {
        url: url(address),
        body: body.as_bytes().to_vec(),
        content_type: "application/json".into(),
        is_useful: true,
        kind: SampleKind::Get,
        headers: Vec::new(),
        link_fields: Vec::new(),
    };
    Sample { page_url: url(page), html: html.to_owned(), requests: requests.iter().map(request).collect() }
}

/// Returns the URLs that a template requests for a page of a site, in order.
fn replay(template: &ReplayTemplate, page: &str, html: &str, answers: &Answers) -> Vec<String> {
    let (mut replay, first) = Replay::first(Arc::new(template.clone()), &url(page), html, ReplayLimits::default());
    let (mut queue, mut made) = (VecDeque::from(first), Vec::new());
    while let Some(url) = queue.pop_front() {
        let body = answers.get(url.as_str()).map_or("", String::as_str);
        queue.extend(replay.next(&url, body.as_bytes()));
        made.push(url.to_string());
    }
    assert!(replay.is_done());
    made
}

/// Learns from all samples but the last, and checks that exactly the requests of the last are made.
fn check(samples: &[Sample]) -> ReplayTemplate {
    let (held_out, samples) = samples.split_last().unwrap();
    let learned = learn(samples);
    assert_eq!(learned.rejected, []);
    let template = &learned.template;
    let text = serde_json::to_string(template).unwrap();
    assert_eq!(serde_json::from_str::<ReplayTemplate>(&text).unwrap(), *template);
    let bodies = held_out.requests.iter();
    let answers = bodies.map(|r| (r.url.to_string(), String::from_utf8(r.body.clone()).unwrap())).collect();
    let mut made = replay(template, held_out.page_url.as_str(), &held_out.html, &answers);
    let mut wanted: Vec<String> = held_out.requests.iter().map(|request| request.url.to_string()).collect();
    made.sort();
    wanted.sort();
    assert_eq!(made, wanted, "{}", template.describe());
    assert_eq!(verify(template, std::slice::from_ref(held_out)).share(), 1.0);
    learned.template
}
