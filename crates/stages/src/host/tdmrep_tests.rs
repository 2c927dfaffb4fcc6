use bytes::Bytes;
use http::{HeaderMap, Version};

use super::*;
use harvestman_consent::UrlPath;
use harvestman_core::model::{Answer, Failure, RequestSignature, Timings};

const LIMITS: TdmrepLimits = TdmrepLimits { bytes_max: 1_000, rules_max: 10 };
const RESERVED: &[u8] = br#"[{"location":"/","tdm-reservation":1}]"#;

/// A host's file, and the time.
struct File {
    state: TdmrepState,
    now: Instant,
}

impl File {
    fn new() -> Self {
        let options = RobotsOptions { unavailable_tries: 2, ..RobotsOptions::default() };
        let state = TdmrepState::new(Arc::new(options), &HostKey::from_origin("http://h.test"));
        Self { state, now: Instant::EPOCH + Duration::from_secs(1_000) }
    }

    fn due(&self) -> Option<String> {
        self.state.fetch_url(self.now).map(|url| url.as_str().to_owned())
    }

    /// Ends the request that is due.
    fn end(&mut self, result: Result<u16, Failure>, location: Option<&str>, body: &[u8]) {
        let url = self.state.fetch_url(self.now).expect("the file is due");
        let mut headers = HeaderMap::new();
        if let Some(location) = location {
            headers.insert(http::header::LOCATION, location.parse().unwrap());
        }
        let (version, body_of_answer) = (Version::HTTP_11, Bytes::copy_from_slice(body));
        let answer = |status| Answer {
            status,
            version,
            headers,
            body: body_of_answer,
            truncated: None,
            remote: None,
            reservation: None,
        };
        let timings = Timings { started: self.now, first_byte: None, ended: self.now };
        let exchange = Exchange {
            url,
            request_headers: HeaderMap::new(),
            result: result.map(answer),
            timings,
            signature: RequestSignature::default(),
        };
        self.state.begin();
        assert!(self.state.is_under_way());
        self.state.ended(&exchange, body, LIMITS, self.now);
        assert!(!self.state.is_under_way());
    }

    fn is_reserved(&self) -> bool {
        self.state.file().is_some_and(|file| !file.of(&UrlPath::new("/x")).is_empty())
    }
}

#[test]
fn it_is_fetched_once_and_again_when_it_is_old() {
    let mut file = File::new();
    assert_eq!(file.due().as_deref(), Some("http://h.test/.well-known/tdmrep.json"));
    file.end(Ok(200), None, RESERVED);
    assert!(file.due().is_none() && file.is_reserved());
    file.now = file.now + Duration::from_secs(24 * 3_600);
    assert!(file.due().is_some() && file.is_reserved(), "what is known applies until the answer");
    file.end(Ok(200), None, b"[]");
    assert!(!file.is_reserved());
}

#[test]
fn what_is_no_such_file_is_none() {
    for (status, body) in [(404, RESERVED), (410, RESERVED), (402, RESERVED), (200, b"<p>no".as_slice()), (204, b"")] {
        let mut file = File::new();
        file.end(Ok(status), None, body);
        assert!(file.due().is_none() && !file.is_reserved(), "{status}");
    }
}

#[test]
fn redirects_are_followed_up_to_the_limit() {
    let mut file = File::new();
    file.end(Ok(301), Some("/a.json"), b"");
    assert_eq!(file.due().as_deref(), Some("http://h.test/a.json"));
    file.end(Ok(307), Some("https://other.test/b.json"), b"");
    assert_eq!(file.due().as_deref(), Some("https://other.test/b.json"));
    let mut arrived = File { state: TdmrepState { hop: file.state.hop.clone(), ..File::new().state }, ..file };
    arrived.end(Ok(200), None, RESERVED);
    assert!(arrived.is_reserved());
    let mut endless = File::new();
    for _ in 0..=REDIRECTS_MAX {
        endless.end(Ok(302), Some("/again"), b"");
    }
    assert!(endless.due().is_none() && !endless.is_reserved());
    let mut nowhere = File::new();
    nowhere.end(Ok(302), None, b"");
    assert!(nowhere.due().is_none());
}

#[test]
fn after_failures_what_was_known_before_applies() {
    let mut file = File::new();
    file.end(Ok(200), None, RESERVED);
    file.now = file.now + Duration::from_secs(24 * 3_600);
    file.end(Err(Failure::Connect), None, b"");
    assert!(file.due().is_some(), "it is tried again");
    file.end(Ok(503), None, b"");
    assert!(file.due().is_none() && file.is_reserved());
    let mut never = File::new();
    never.end(Ok(429), None, b"");
    never.end(Ok(500), None, b"");
    assert!(never.due().is_none() && !never.is_reserved());
}
