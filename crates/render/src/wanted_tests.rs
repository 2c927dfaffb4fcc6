//! Tests of the decisions about requests.

use super::*;
use proptest::prelude::*;

const PAGE: &str = "https://forum.example.org/t/1?page=2";

fn request(url: &str, kind: RequestKind) -> PageRequest {
    PageRequest {
        url: url.to_owned(),
        kind,
        method: "GET".to_owned(),
        headers: Vec::new(),
        initiator: Initiator::Unknown,
    }
}

/// Who causes a request of a frame from a page with this Referer.
fn from(referer: Option<&str>, url: &str) -> Initiator {
    let headers = referer.map(|value| ("Referer".to_owned(), value.to_owned())).into_iter().collect();
    rules().initiator(&PageRequest { headers, ..request(url, RequestKind::Script) }, Origin::Frame)
}

#[test]
fn only_what_an_origin_requests_of_itself_may_carry_its_credentials() {
    let own = "https://forum.example.org/x";
    let permits = |initiator: &Initiator, url: &str| initiator.permits(origin_of(url));
    let page = rules().initiator(&request(own, RequestKind::Script), Origin::MainFrame);
    assert!(permits(&page, own));
    for other in [
        "http://forum.example.org/x",
        "https://forum.example.org:8443/x",
        "https://example.org/x",
        "https://other.test/",
    ] {
        assert!(!permits(&page, other), "{other}");
    }
    // A frame may show another page than the one around it.
    assert!(permits(&from(Some(PAGE), own), own));
    assert!(!permits(&from(Some("https://ads.example.org/"), own), own));
    assert!(!permits(&from(None, own), own));
    assert!(!permits(&from(Some("nonsense"), own), own));
}

#[test]
fn what_another_origin_redirects_carries_no_credentials() {
    let mut rules = rules();
    let mut hop = |url: &str, name, last| {
        let request = request(url, RequestKind::Fetch);
        rules.initiator_of_hop(&request, Origin::MainFrame, name, last).permits(origin_of(url))
    };
    let (own, other) = ("https://forum.example.org/x", "https://cdn.example.org/y");
    assert!(hop(own, "1", None));
    assert!(hop(own, "1.1", Some("1")));
    assert!(!hop(other, "1.2", Some("1.1")));
    assert!(!hop(own, "1.3", Some("1.2")), "it came back by another origin");
    assert!(!hop(own, "1.4", Some("1.3")));
    assert!(!hop(own, "2", Some("not known")));
}

fn rules() -> RequestRules {
    RequestRules::new(PAGE, RenderLimits { requests: 3, ..RenderLimits::default() }).unwrap()
}

#[test]
fn the_page_is_served_once_and_later_documents_are_navigations() {
    let mut rules = rules();
    let page = request(PAGE, RequestKind::Document);
    assert_eq!(rules.decide(&page, Origin::MainFrame), Decision::Page);
    assert_eq!(rules.decide(&page, Origin::MainFrame), Decision::Refuse(Refusal::Navigation));
    let other = request("https://forum.example.org/t/2", RequestKind::Document);
    assert_eq!(rules.decide(&other, Origin::MainFrame), Decision::Refuse(Refusal::Navigation));
    assert_eq!(rules.decide(&other, Origin::Frame), Decision::Ask);
    assert_eq!(rules.decide(&other, Origin::Elsewhere), Decision::Refuse(Refusal::Navigation));
}

#[test]
fn data_of_the_site_and_scripts_are_asked_for() {
    use RequestKind::*;
    let decide = |url: &str, kind| rules().decide(&request(url, kind), Origin::Elsewhere);
    assert_eq!(decide("https://api.example.org/posts", Xhr), Decision::Ask);
    assert_eq!(decide("https://api.example.net/posts", Xhr), Decision::Refuse(Refusal::OtherSite));
    assert_eq!(decide("https://cdn.example.net/jquery.js", Script), Decision::Ask);
    assert_eq!(decide("https://cdn.example.net/all.css", Stylesheet), Decision::Refuse(Refusal::OtherSite));
    for kind in [Image, Media, Font, Stream, Aside] {
        assert_eq!(decide("https://forum.example.org/x", kind), Decision::Refuse(Refusal::Kind));
    }
    for (url, decision) in [
        ("data:text/html,x", Decision::Local),
        ("file:///etc/passwd", Decision::Refuse(Refusal::Scheme)),
        ("ftp://forum.example.org/", Decision::Refuse(Refusal::Scheme)),
        ("no url", Decision::Refuse(Refusal::Scheme)),
    ] {
        assert_eq!(decide(url, Fetch), decision, "{url}");
    }
}

#[test]
fn what_may_change_the_server_or_outlive_the_page_is_refused() {
    let mut post = request("https://forum.example.org/vote", RequestKind::Fetch);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
        post.method = method.to_owned();
        assert_eq!(rules().decide(&post, Origin::Elsewhere), Decision::Refuse(Refusal::Method));
    }
    let mut stream = request("https://forum.example.org/live", RequestKind::Other);
    stream.headers.push(("Accept".to_owned(), "text/event-stream".to_owned()));
    assert_eq!(rules().decide(&stream, Origin::MainFrame), Decision::Refuse(Refusal::Kind));
    let mut worker = request("https://forum.example.org/sw.js", RequestKind::Script);
    worker.headers.push(("Service-Worker".to_owned(), "script".to_owned()));
    assert_eq!(rules().decide(&worker, Origin::Elsewhere), Decision::Refuse(Refusal::Worker));
}

#[test]
fn a_page_has_no_more_requests_and_bytes_than_it_may() {
    let data = request("https://forum.example.org/api", RequestKind::Fetch);
    let mut counted = rules();
    let decisions: Vec<_> = (0..5).map(|_| counted.decide(&data, Origin::MainFrame)).collect();
    assert_eq!(decisions[..3], [Decision::Ask; 3]);
    assert_eq!(decisions[3..], [Decision::Refuse(Refusal::Requests); 2]);
    let mut large = rules();
    large.answered(usize::MAX);
    large.answered(1);
    assert_eq!(large.decide(&data, Origin::MainFrame), Decision::Refuse(Refusal::Size));
}

#[test]
fn only_web_pages_are_rendered() {
    for url in ["file:///etc/passwd", "about:blank", "", "https://"] {
        assert!(RequestRules::new(url, RenderLimits::default()).is_none(), "{url}");
    }
}

proptest! {
    #[test]
    fn nothing_but_get_and_head_over_http_is_ever_asked_for(url in "\\PC{0,40}", method in "[A-Za-z]{1,6}", kind in 0..10_usize) {
        let names = ["Document", "Script", "Stylesheet", "XHR", "Fetch", "Image", "Media", "Font", "Ping", "EventSource"];
        let request = PageRequest { url, kind: RequestKind::of_name(names[kind]), method, headers: Vec::new(), initiator: Initiator::Unknown };
        if rules().decide(&request, Origin::Frame) == Decision::Ask {
            prop_assert!(["GET", "HEAD"].contains(&request.method.as_str()));
            prop_assert!(Url::parse(&request.url).is_ok_and(|url| ["http", "https"].contains(&url.scheme())));
        }
    }
}
