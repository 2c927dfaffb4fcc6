//! Headers and content codings of answers.

use bytes::Bytes;
use harvestman::config::FetchOptions;
use harvestman::fetch::{DecodeLimits, decode, fuzzing};
use harvestman::identity::{Identity, SigningKey};
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;

/// Headers of structured fields, and those whose statements are read beside them.
const FIELDS: &[&str] =
    &["accept-signature", "content-usage", "content-signal", "tdm-reservation", "x-robots-tag", "link"];
const SEED: [u8; 32] = [7; 32];
const HEADER_BYTES_MAX: usize = 4096;

/// The first line names the codings, the rest is the body: what is decoded is within the limits, and the same each
/// time.
pub fn codings(input: &[u8]) {
    let (names, body) = input.split_at(input.iter().position(|&byte| byte == b'\n').unwrap_or(0));
    let names = String::from_utf8_lossy(names);
    let limits = DecodeLimits { bytes_max: 1 << 20, ..DecodeLimits::from(&FetchOptions::default()) };
    let body = Bytes::copy_from_slice(body.strip_prefix(b"\n").unwrap_or(body));
    let decoded = decode(&body, Some(&names), &limits);
    assert!(decoded.bytes.len() <= limits.bytes_max.max(body.len()));
    assert_eq!(decode(&body, Some(&names), &limits), decoded);
}

/// Any `Set-Cookie`: what is sent back ends neither the cookie nor the header.
pub fn set_cookie(bytes: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(bytes) else { return };
    if let Some(pair) = fuzzing::set_cookie(value.as_bytes()) {
        assert!(!pair.contains(';') && HeaderValue::from_str(&pair).is_ok(), "{pair:?}");
    }
}

/// Any value of these headers: it is read the same each time.
pub fn structured_fields(bytes: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(bytes) else { return };
    let headers: HeaderMap = FIELDS.iter().map(|name| (HeaderName::from_static(name), value.clone())).collect();
    let read = || harvestman_consent::of_headers(&headers, "harvestman", Timestamp::UNIX_EPOCH);
    assert_eq!(read(), read());
    let key = SigningKey::from_pem(SigningKey::new_pem(&SEED).as_bytes()).expect("the key was just made");
    let identity = Identity::new(key, None);
    assert_eq!(identity.asked(&headers, HEADER_BYTES_MAX), identity.asked(&headers, HEADER_BYTES_MAX));
}
