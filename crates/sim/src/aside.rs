//! Additional answers of the server: the time and the changes of a changing site, and counts of the requests that are
//! neither GET nor HEAD, of which a crawler sends none.

use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use flate2::Compression;
use flate2::bufread::GzEncoder;
use http::header::{ACCEPT_ENCODING, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, StatusCode};
use xxhash_rust::xxh3::xxh3_64;

use super::client::Action;
use super::path::parameter;
use super::world::World;
use harvestman_core::clock::Instant;

/// The handling of conditional requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Validators {
    /// Pages have no ETag.
    #[default]
    None,
    /// Pages have an ETag, and a matching If-None-Match is answered with 304.
    Etag,
    /// Pages have an ETag, and conditions are ignored.
    Ignored,
}

impl Validators {
    /// Returns the ETag of a body, if it has one.
    pub(super) fn etag(self, body: &[u8]) -> Option<HeaderValue> {
        let tag = || HeaderValue::try_from(format!("\"{:016x}\"", xxh3_64(body))).ok();
        (self != Self::None).then(tag).flatten()
    }

    /// Returns whether a request for content with this ETag is answered with 304.
    pub(super) fn not_modified(self, etag: Option<&HeaderValue>, request: &HeaderMap) -> bool {
        self == Self::Etag && etag.is_some() && request.get(IF_NONE_MATCH) == etag
    }
}

/// Adds the ETag to the headers.
pub(super) fn put_etag(headers: &mut HeaderMap, etag: Option<HeaderValue>) {
    headers.extend(etag.map(|etag| (ETAG, etag)));
}

/// Returns whether a client accepts gzip.
pub(super) fn accepts_gzip(request: &HeaderMap) -> bool {
    let values = request.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| coding.trim().eq_ignore_ascii_case("gzip"))
}

/// Returns a body with the content coding gzip, as most servers compress it: level 6.
pub(super) fn gzipped(body: &[u8]) -> Bytes {
    let mut coded = Vec::with_capacity(body.len() / 3);
    GzEncoder::new(body, Compression::new(6)).read_to_end(&mut coded).expect("reading from memory does not fail");
    coded.into()
}

/// Adds text to a page that differs between requests and is not content.
pub(super) fn noisy(body: &[u8], now: Instant, request: u64) -> Bytes {
    let text = String::from_utf8_lossy(body);
    let token = xxh3_64(&request.to_le_bytes());
    let end = text.rfind("</body>").unwrap_or(text.len());
    let noise = format!(
        "<p class=\"clock\">It is {}. {} guests are online. Made in 0.{:03} s.</p><form><input type=\"hidden\" \
         name=\"token\" value=\"{token:016x}\"></form>\n",
        now.timestamp(),
        token % 97,
        token % 1_000
    );
    [&text[..end], &noise, &text[end..]].concat().into()
}

/// Answers questions about the site itself: `/.sim/time`, `/.sim/time?to=SECONDS`, `/.sim/changes?since=SECONDS`.
/// `/.sim/rendered` lists what the pages show that are built in the browser. `None` for paths of pages.
pub(super) fn answer(world: &World, path: &str) -> Option<(StatusCode, String)> {
    let (what, query) = path.strip_prefix("/.sim/").map(|rest| rest.split_once('?').unwrap_or((rest, "")))?;
    let number = |name: &str| parameter(query, name).and_then(|value| value.parse::<u64>().ok());
    Some(match what {
        "time" => {
            number("to").into_iter().for_each(|to| world.set_time(to));
            (StatusCode::OK, format!("{}\n", world.time()))
        }
        "changes" => {
            let rows = world.changed_since(number("since").unwrap_or(0));
            let lines = rows.filter_map(|row| serde_json::to_string(&row).ok().map(|line| line + "\n"));
            (StatusCode::OK, lines.collect())
        }
        "rendered" => {
            let pages = world.rendered_pages();
            let lines = pages.filter_map(|page| serde_json::to_string(&page).ok().map(|line| line + "\n"));
            (StatusCode::OK, lines.collect())
        }
        _ => (StatusCode::NOT_FOUND, "expected /.sim/time, /.sim/changes or /.sim/rendered\n".to_owned()),
    })
}

/// The path of the counts, on every host. Requests for it are not logged.
pub(super) const PATH: &str = "/__counts";

/// The number of such requests, by what they ask for.
#[derive(Debug, Default)]
pub(super) struct ActionCounts {
    vote: AtomicU64,
    delete: AtomicU64,
    log_out: AtomicU64,
    other: AtomicU64,
}

impl ActionCounts {
    /// Counts a request; `None` if it asks for no action of the site.
    pub fn add(&self, action: Option<Action>) {
        let count = match action {
            Some(Action::Vote) => &self.vote,
            Some(Action::Delete) => &self.delete,
            Some(Action::LogOut) => &self.log_out,
            None => &self.other,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the counts as JSON, with their sum.
    pub fn json(&self) -> String {
        let counts = [&self.vote, &self.delete, &self.log_out, &self.other];
        let [vote, delete, log_out, other] = counts.map(|count| count.load(Ordering::Relaxed));
        let total = vote + delete + log_out + other;
        let json = serde_json::json!({
            "total": total, "vote": vote, "delete": delete, "log_out": log_out, "other": other
        });
        format!("{json}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_differs_each_time_and_is_in_the_body() {
        let body = b"<html><body><p>text</p></body></html>";
        let (one, other) = (noisy(body, Instant::EPOCH, 1), noisy(body, Instant::EPOCH, 2));
        assert_ne!(one, other);
        assert!(one.starts_with(b"<html><body><p>text</p><p class=") && one.ends_with(b"</body></html>"));
    }

    #[test]
    fn bodies_are_coded_for_clients_that_accept_gzip_only() {
        let mut request = HeaderMap::new();
        assert!(!accepts_gzip(&request));
        request.insert(ACCEPT_ENCODING, HeaderValue::from_static("br;q=0.5, identity"));
        assert!(!accepts_gzip(&request));
        request.append(ACCEPT_ENCODING, HeaderValue::from_static("deflate, GZIP"));
        assert!(accepts_gzip(&request));
        let mut text = String::new();
        flate2::bufread::GzDecoder::new(gzipped(b"page").as_ref()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "page");
    }

    #[test]
    fn a_condition_applies_if_it_has_the_etag_and_is_not_ignored() {
        let etag = Validators::Etag.etag(b"text");
        let mut request = HeaderMap::new();
        assert!(!Validators::Etag.not_modified(etag.as_ref(), &request));
        request.insert(IF_NONE_MATCH, etag.clone().unwrap());
        assert!(Validators::Etag.not_modified(etag.as_ref(), &request));
        assert!(!Validators::Ignored.not_modified(etag.as_ref(), &request));
        assert!(!Validators::Etag.not_modified(Validators::Etag.etag(b"other").as_ref(), &request));
        assert_eq!(Validators::None.etag(b"text"), None);
    }
}
