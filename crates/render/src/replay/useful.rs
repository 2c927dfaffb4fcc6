//! Makes a sample of a page that a browser rendered: which answers hold what the page gained, and which links it has
//! that no answer holds as they are.

use std::collections::HashSet;

use url::Url;

use super::content::{AnswerContent, scan_answer};
use super::sample::{SAMPLE_REQUESTS_MAX, Sample, SampleKind, SampleRequest};
use crate::page::{Refusal, RenderedPage, RequestKind, RequestNote};

/// Maximum length of the plain page of a sample, in bytes; a longer one is cut.
const HTML_BYTES_MAX: usize = 1 << 20;
/// Maximum length of the answers of a sample together, in bytes; those beyond are kept without their bodies.
const ANSWERS_BYTES_MAX: usize = 4 << 20;

/// What a rendered page has that the plain one lacks.
struct GainedContent {
    links: HashSet<Url>,
    /// All links of the rendered page.
    shown: HashSet<Url>,
    texts: HashSet<String>,
}

impl Sample {
    /// Makes a sample of a page: its URL after redirects, its plain body, and what a browser made of it. `None` if the
    /// URL is invalid.
    ///
    /// A request is useful if its answer holds a link or text that the rendered page shows and the plain one lacks. A
    /// gained link of the same origin that no answer holds counts as a request of the kind [`SampleKind::Link`].
    pub fn of_page(page_url: &str, html: &str, rendered: &RenderedPage) -> Option<Self> {
        let page_url = &Url::parse(page_url).ok()?;
        let gained = GainedContent::of(page_url, html, &rendered.html);
        let (mut requests, mut left, mut unexplained) = (Vec::new(), ANSWERS_BYTES_MAX, gained.links.clone());
        for note in &rendered.requests {
            let Some(mut request) = sample_request(note) else { continue };
            let content = scan_answer(&request.body, page_url);
            request.is_useful = request.kind == SampleKind::Get && gained.has_some_of(&content);
            for link in &content.links {
                unexplained.remove(link);
            }
            request.link_fields = link_fields(&content, &gained.shown);
            match left.checked_sub(request.body.len()) {
                Some(rest) => left = rest,
                None => request.body = Vec::new(),
            }
            requests.push(request);
        }
        requests.truncate(SAMPLE_REQUESTS_MAX);
        // In an order that does not differ from run to run.
        let mut links: Vec<Url> = unexplained.into_iter().filter(|link| link.origin() == page_url.origin()).collect();
        links.sort();
        links.truncate(SAMPLE_REQUESTS_MAX - requests.len());
        requests.extend(links.into_iter().map(link_request));
        let html = super::html::truncate(html, HTML_BYTES_MAX).to_owned();
        Some(Self { page_url: page_url.clone(), html, requests })
    }

    /// Returns whether an answer of the page holds something that it gained.
    pub fn is_useful(&self) -> bool {
        self.requests.iter().any(|request| request.is_useful && request.kind == SampleKind::Get)
    }

    /// Returns the size of what it holds, in bytes.
    pub fn bytes(&self) -> usize {
        self.html.len() + self.requests.iter().map(|request| request.body.len()).sum::<usize>()
    }
}

impl GainedContent {
    fn of(page_url: &Url, plain: &str, rendered: &str) -> Self {
        let (plain, rendered) = (scan_answer(plain.as_bytes(), page_url), scan_answer(rendered.as_bytes(), page_url));
        let shown: HashSet<Url> = rendered.links.into_iter().collect();
        let mut gained = Self {
            links: shown.clone(),
            shown,
            texts: rendered.texts.into_iter().map(|text| in_one_line(&text)).collect(),
        };
        for link in &plain.links {
            gained.links.remove(link);
        }
        for text in &plain.texts {
            gained.texts.remove(&in_one_line(text));
        }
        gained
    }

    fn has_some_of(&self, content: &AnswerContent) -> bool {
        content.links.iter().any(|link| self.links.contains(link))
            || content.texts.iter().any(|text| self.texts.contains(&in_one_line(text)))
    }
}

/// Returns the fields of a JSON answer of which a page shows some URL as a link.
fn link_fields(content: &AnswerContent, shown: &HashSet<Url>) -> Vec<String> {
    let is_shown = |(_, link): &&(String, Url)| shown.contains(link);
    let mut fields: Vec<String> = content.field_links.iter().filter(is_shown).map(|(field, _)| field.clone()).collect();
    fields.sort();
    fields.dedup();
    fields
}

/// Returns a text with single spaces.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the request of a script; `None` if it asked for something else than data.
fn sample_request(note: &RequestNote) -> Option<SampleRequest> {
    let kind = match (note.request.kind, note.outcome) {
        (RequestKind::Stream, _) => SampleKind::Socket,
        (RequestKind::Xhr | RequestKind::Fetch, Err(Refusal::Method)) => SampleKind::Post,
        (RequestKind::Xhr | RequestKind::Fetch, Ok(200..=299)) => SampleKind::Get,
        _ => return None,
    };
    Some(SampleRequest {
        url: Url::parse(&note.request.url).ok()?,
        body: note.body.to_vec(),
        content_type: note.content_type.clone().unwrap_or_default(),
        is_useful: false,
        kind,
        headers: note.request.headers.clone(),
        link_fields: Vec::new(),
    })
}

fn link_request(url: Url) -> SampleRequest {
    let (body, content_type, headers, link_fields) = Default::default();
    SampleRequest { url, body, content_type, is_useful: true, kind: SampleKind::Link, headers, link_fields }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageRequest;
    use harvestman_core::model::Initiator;

    fn note(url: &str, outcome: Result<u16, Refusal>, body: &str) -> RequestNote {
        let request = PageRequest {
            url: url.to_owned(),
            kind: RequestKind::Xhr,
            method: "GET".to_owned(),
            headers: Vec::new(),
            initiator: Initiator::Unknown,
        };
        RequestNote { request, outcome, content_type: None, body: body.as_bytes().to_vec().into() }
    }

    #[test]
    fn an_answer_is_useful_if_the_page_shows_what_it_holds() {
        let url = "https://h.example/t/1";
        let plain = "<a href=/about>about</a><p>known</p>";
        let rendered = RenderedPage {
            html: "<a href=/about>about</a><p>known</p><a href=/u/7>Ada</a><a href=/p/5>first post</a><a href=//x.example/>x</a>"
                .to_owned(),
            requests: vec![
                note("https://h.example/api/posts", Ok(200), r#"{"items":[{"id":5,"title":"first  post"}]}"#),
                note("https://h.example/api/state", Ok(200), r#"{"title":"known","other":"hidden"}"#),
                note("https://h.example/api/user", Ok(200), r#"{"url":"/u/7","delete_url":"/u/7/delete"}"#),
                note("https://h.example/api/gone", Ok(404), "first post"),
                note("https://h.example/api/seen", Err(Refusal::Method), ""),
            ],
            ..RenderedPage::default()
        };
        let sample = Sample::of_page(url, plain, &rendered).unwrap();
        let found: Vec<_> =
            sample.requests.iter().map(|found| (found.url.path(), found.kind, found.is_useful)).collect();
        let expected = [
            ("/api/posts", SampleKind::Get, true),
            ("/api/state", SampleKind::Get, false),
            ("/api/user", SampleKind::Get, true),
            ("/api/seen", SampleKind::Post, false),
            ("/p/5", SampleKind::Link, true),
        ];
        assert_eq!(found, expected);
        assert!(sample.is_useful());
        let fields: Vec<_> = sample.requests.iter().flat_map(|request| &request.link_fields).collect();
        assert_eq!(fields, ["url"], "only its URL is shown");
        let same = Sample::of_page(url, plain, &RenderedPage { html: plain.to_owned(), ..rendered }).unwrap();
        assert!(!same.is_useful(), "nothing is gained");
        assert!(same.requests.iter().all(|request| request.kind != SampleKind::Link));
    }
}
