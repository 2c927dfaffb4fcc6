use super::*;
use harvestman_core::model::RobotsRefusal;

fn wanted(ticket: u64) -> Subrequest {
    Subrequest::new(CanonicalUrl::from_canonical("http://h.test/a"), &HeaderMap::new()).with_ticket(ticket)
}

#[test]
fn only_the_headers_that_a_crawler_may_pass_on_are_sent_and_each_once() {
    let mut headers = HeaderMap::new();
    let given = [
        ("accept", "text/css"),
        ("accept-encoding", "br"),
        ("accept-language", "de"),
        ("authorization", "Basic c2VjcmV0"),
        ("cookie", "a=b"),
        ("host", "other.test"),
        ("range", "bytes=0-1"),
        ("referer", "http://h.test/"),
        ("user-agent", "Mozilla/5.0"),
        ("x-requested-with", "XMLHttpRequest"),
    ];
    for (name, value) in given {
        headers.append(name, HeaderValue::from_static(value));
    }
    headers.append(ACCEPT, HeaderValue::from_static("text/html"));
    let sent = Subrequest::new(CanonicalUrl::from_canonical("http://h.test/a"), &headers);
    let sent: Vec<_> = sent.headers().iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    let expected = [("accept", "text/css"), ("referer", "http://h.test/"), ("x-requested-with", "XMLHttpRequest")];
    assert_eq!(sent, expected);
}

#[test]
fn a_header_that_is_too_long_is_left_out() {
    for (length, count) in [(HEADER_VALUE_MAX, 1), (HEADER_VALUE_MAX + 1, 0)] {
        let value = HeaderValue::try_from("a".repeat(length)).unwrap();
        assert_eq!(passed_on(&HeaderMap::from_iter([(REFERER, value)])).len(), count);
    }
}

#[test]
fn the_queue_keeps_the_order_and_takes_no_more_than_its_bound() {
    let mut queue = SubrequestQueue::default();
    assert!((0..SUBREQUESTS_MAX as u64).all(|ticket| queue.add(wanted(ticket))));
    assert!(!queue.add(wanted(SUBREQUESTS_MAX as u64)));
    assert!(queue.remove(1) && !queue.remove(1));
    assert!(queue.add(wanted(7_000)) && !queue.add(wanted(7_001)));
    let tickets: Vec<_> = std::iter::from_fn(|| queue.take()).map(|wanted| wanted.ticket).collect();
    assert_eq!(tickets[..3], [0, 2, 3]);
    assert_eq!((tickets.len(), tickets.last()), (SUBREQUESTS_MAX, Some(&7_000)));
    assert!(queue.is_empty() && queue.first().is_none());
}

#[test]
fn what_refuses_a_page_refuses_a_sub_request() {
    let refusal = |fate: Fate| SubrequestRefusal::from(fate).label();
    assert_eq!(refusal(Fate::Robots(RobotsRefusal::Disallowed)), "robots");
    assert_eq!(refusal(Fate::Robots(RobotsRefusal::Unavailable)), "robots");
    assert_eq!(refusal(Fate::Failed(Failure::HostGivenUp)), "host_blocked");
    assert_eq!(SubrequestRefusal::from(Fate::Failed(Failure::Dns)), SubrequestRefusal::Failed(Failure::Dns));
}
