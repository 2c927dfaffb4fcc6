use std::net::Ipv4Addr;

use axum::http::HeaderName;

use super::*;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const EVERYWHERE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
const TOKEN: &str = "Bearer drawn-at-the-start";

fn guard(address: IpAddr, set: &str) -> Guard {
    Guard::new(address, set, "drawn-at-the-start".to_owned(), &["Crawl.example.org".to_owned()])
}

fn headers(all: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in all {
        headers.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
    }
    headers
}

fn status(result: Result<(), Refusal>) -> u16 {
    result.map_or_else(|(status, _)| status.as_u16(), |()| 200)
}

#[test]
fn local_requests_may_read_if_they_are_addressed_to_a_name_of_the_server() {
    let guard = guard(LOOPBACK, "");
    for host in [
        "127.0.0.1:9900",
        "localhost:9900",
        "LOCALHOST",
        "[::1]:9900",
        "127.0.0.1",
        "crawl.example.org:80",
        "127.9.9.9:1",
    ] {
        assert_eq!(status(guard.may_read(&headers(&[("host", host)]))), 200, "{host}");
    }
    for host in
        ["evil.test:9900", "evil.test", "", "10.0.0.7:9900", "localhost.evil.test", "127.0.0.1.evil.test", "[::2]:1"]
    {
        assert_eq!(status(guard.may_read(&headers(&[("host", host)]))), 403, "{host}");
    }
    assert_eq!(status(guard.may_read(&headers(&[]))), 403, "a request without a name");
    let twice = headers(&[("host", "localhost"), ("host", "evil.test")]);
    assert_eq!(status(guard.may_read(&twice)), 403, "a request with two names");
}

#[test]
fn a_configured_token_is_also_required_for_reading() {
    let guard = guard(LOOPBACK, "chosen-by-the-user");
    let host = ("host", "127.0.0.1:9900");
    assert_eq!(status(guard.may_open(&headers(&[host]))), 200);
    assert_eq!(status(guard.may_read(&headers(&[host]))), 401);
    assert_eq!(status(guard.may_read(&headers(&[host, ("authorization", "Bearer chosen-by-the-user")]))), 200);
}

#[test]
fn commands_always_require_the_token() {
    for guard in [guard(LOOPBACK, ""), guard(LOOPBACK, "drawn-at-the-start"), guard(EVERYWHERE, "drawn-at-the-start")] {
        let with = |token: &str| headers(&[("host", "127.0.0.1:9900"), ("authorization", token)]);
        assert_eq!(status(guard.may_change(&with(TOKEN))), 200);
        for wrong in
            ["Bearer ", "Bearer drawn-at-the-star", "drawn-at-the-start", "Basic drawn-at-the-start", "bearer x"]
        {
            assert_eq!(status(guard.may_change(&with(wrong))), 401, "{wrong}");
        }
        assert_eq!(status(guard.may_change(&headers(&[("host", "127.0.0.1:9900")]))), 401);
        let twice = [("host", "127.0.0.1:9900"), ("authorization", TOKEN), ("authorization", "Bearer x")];
        assert_eq!(status(guard.may_change(&headers(&twice))), 401);
    }
}

#[test]
fn other_pages_cannot_send_commands_even_with_the_token() {
    let guard = guard(LOOPBACK, "");
    let from = |more: &[(&str, &str)]| {
        let mut all = vec![("host", "127.0.0.1:9900"), ("authorization", TOKEN)];
        all.extend(more);
        status(guard.may_change(&headers(&all)))
    };
    assert_eq!(from(&[("origin", "http://127.0.0.1:9900")]), 200);
    assert_eq!(from(&[("origin", "https://127.0.0.1:9900"), ("sec-fetch-site", "same-origin")]), 200, "behind a proxy");
    assert_eq!(from(&[("sec-fetch-site", "none")]), 200);
    for origin in
        ["http://evil.test", "null", "http://localhost:9900", "http://127.0.0.1:9901", "http://127.0.0.1", "", "x"]
    {
        assert_eq!(from(&[("origin", origin)]), 403, "{origin}");
    }
    assert_eq!(from(&[("origin", "http://127.0.0.1:9900"), ("origin", "http://evil.test")]), 403);
    for site in ["cross-site", "same-site", ""] {
        assert_eq!(from(&[("sec-fetch-site", site)]), 403, "{site}");
    }
}

#[test]
fn pages_of_other_sites_cannot_read_and_users_and_programs_can() {
    let guard = guard(LOOPBACK, "");
    let from = |more: &[(&str, &str)]| {
        let mut all = vec![("host", "127.0.0.1:9900")];
        all.extend(more);
        let headers = headers(&all);
        [guard.may_measure(&headers), guard.may_open(&headers), guard.may_read(&headers)].map(status)
    };
    for ours in [&[][..], &[("sec-fetch-site", "same-origin")], &[("sec-fetch-site", "none")]] {
        assert_eq!(from(ours), [200, 200, 200], "{ours:?}");
    }
    for site in ["cross-site", "same-site", ""] {
        assert_eq!(from(&[("sec-fetch-site", site)]), [403, 403, 403], "{site}");
        let frame = [("sec-fetch-site", site), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
        assert_eq!(from(&frame), [403, 403, 403], "{site}");
        let link = [("sec-fetch-site", site), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        assert_eq!(from(&link), [200, 200, 403], "a link that a user follows, {site}");
    }
    assert_eq!(from(&[("origin", "http://evil.test")]), [403, 403, 403]);
}

#[test]
fn metrics_have_any_name_where_they_are_reachable_and_only_names_of_this_machine_elsewhere() {
    let local = guard(LOOPBACK, "");
    let measured = |guard: &Guard, all: &[(&str, &str)]| status(guard.may_measure(&headers(all)));
    assert_eq!(measured(&local, &[("host", "evil.test:9900")]), 403);
    assert_eq!(measured(&local, &[("host", "crawl.example.org")]), 200);
    assert_eq!(measured(&local, &[]), 200, "a client of HTTP/1.0");
    let reachable = guard(EVERYWHERE, "");
    assert_eq!(measured(&reachable, &[("host", "crawler:9900")]), 200, "as Prometheus knows it");
    assert_eq!(measured(&reachable, &[("host", "crawler:9900"), ("sec-fetch-site", "cross-site")]), 403);
}

#[test]
fn other_machines_have_access_only_with_a_configured_token() {
    let unset = guard(EVERYWHERE, "");
    let known = headers(&[("host", "192.0.2.7:9900"), ("authorization", TOKEN)]);
    assert!(!unset.serves_page());
    assert_eq!(
        (status(unset.may_open(&known)), status(unset.may_read(&known)), status(unset.may_change(&known))),
        (403, 403, 403)
    );
    let set = guard(EVERYWHERE, "chosen-by-the-user");
    let with = |token: &str| headers(&[("host", "192.0.2.7:9900"), ("authorization", token)]);
    assert_eq!(set.page(SocketAddr::new(EVERYWHERE, 9)).as_deref(), Some("http://0.0.0.0:9/"));
    assert_eq!(status(set.may_open(&headers(&[("host", "192.0.2.7:9900")]))), 200);
    assert_eq!(status(set.may_read(&headers(&[("host", "192.0.2.7:9900")]))), 401);
    assert_eq!(status(set.may_read(&with("Bearer chosen-by-the-user"))), 200);
    assert_eq!(status(set.may_change(&with("Bearer chosen-by-the-user"))), 200);
    assert_eq!(
        status(set.may_read(&headers(&[("host", "evil.test"), ("authorization", "Bearer chosen-by-the-user")]))),
        403
    );
}
