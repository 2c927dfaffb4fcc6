//! What requests say, and to whom.

use harvestman::config::FetchOptions;
use harvestman::fetch::{Request, Trust};
use harvestman::model::Initiator;
use harvestman::url::HostKey;
use http::HeaderMap;
use http::header::{ACCEPT_LANGUAGE, IF_NONE_MATCH};

use crate::server::{Server, client, client_with, exchange, get_with, page, quick};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The header lines of a request as it came.
fn lines(head: &str) -> Vec<String> {
    head.lines().skip(1).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[tokio::test]
async fn the_exchange_holds_the_headers_as_they_were_sent_in_their_order() {
    let server = Server::always(OK).await;
    let client = client(&FetchOptions { contact: "https://contact.test/".to_owned(), ..quick() });
    let mut headers = HeaderMap::new();
    headers.insert(IF_NONE_MATCH, "\"abc\"".parse().unwrap());
    headers.insert(ACCEPT_LANGUAGE, "de".parse().unwrap());
    let request = Request { headers, ..page(&server.url("/path?query")) };
    let exchange = exchange(&client, &request).await;
    let head = server.requests().remove(0);
    assert!(head.starts_with("GET /path?query HTTP/1.1\r\nHost: 127.0.0.1:"), "{head}");
    let sent = exchange.request_headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
    let as_lower = |line: String| {
        let (name, value) = line.split_once(": ").unwrap();
        format!("{}: {value}", name.to_ascii_lowercase())
    };
    assert_eq!(sent.collect::<Vec<_>>(), lines(&head).into_iter().map(as_lower).collect::<Vec<_>>());
    let agent = concat!("harvestman/", env!("CARGO_PKG_VERSION"), " (+https://contact.test/)");
    assert!(head.contains(&format!("\r\nUser-Agent: {agent}\r\n")), "{head}");
    assert!(head.contains("\r\nAccept-Encoding: gzip, br, zstd, deflate\r\n"));
    assert!(head.contains("\r\nAccept-Language: de\r\n") && head.contains("\r\nIf-None-Match: \"abc\"\r\n"));
}

/// Settings with a header, a cookie and a file of cookies, each with a word that no other request has. Every host of
/// `.test` is the server.
fn secret(server: &Server, file: &tempfile::NamedTempFile) -> FetchOptions {
    std::fs::write(file.path(), "seed.test\tFALSE\t/\tFALSE\t0\tfromfile\tstored\n").unwrap();
    FetchOptions {
        headers: vec!["Authorization: Bearer secret".to_owned()],
        cookie: "session=secret".to_owned(),
        cookies_file: file.path().to_str().unwrap().to_owned(),
        resolve: vec![format!("*.test:127.0.0.1:{}", server.address.port())],
        ..quick()
    }
}

#[tokio::test]
async fn only_the_origins_of_seeds_and_those_that_are_added_get_the_login() {
    let (server, file) = (Server::always(OK).await, tempfile::NamedTempFile::new().unwrap());
    let (seed, added) = (HostKey::from_origin("http://seed.test"), HostKey::from_origin("http://added.test:81"));
    let search = HostKey::from_origin("http://search.test");
    let trust = Trust::of_seeds([&seed]).with_credentials_for([&added]).with_addresses_of([&search]);
    let client = client_with(&secret(&server, &file), trust);
    let asked = [
        ("http://seed.test/", true, true),
        ("http://added.test:81/", true, false),
        // A cookie of a file is for all ports of its host, as in a browser.
        ("http://seed.test:81/", false, true),
        ("http://added.test/", false, false),
        ("http://sub.seed.test/", false, false),
        ("http://search.test/", false, false),
        ("http://other.test/", false, false),
    ];
    for (url, ..) in asked {
        get_with(&client, url).await.unwrap();
    }
    for (request, (url, login, stored)) in server.requests().iter().zip(asked) {
        assert_eq!(request.contains("Authorization: Bearer secret\r\n"), login, "{url}: {request}");
        assert_eq!(request.contains("session=secret"), login, "{url}: {request}");
        assert_eq!(request.contains("fromfile=stored\r\n"), stored, "{url}: {request}");
    }
}

#[tokio::test]
async fn what_another_origin_causes_carries_no_login_and_leaves_no_cookie() {
    let server = Server::always("HTTP/1.1 200 OK\r\nSet-Cookie: id=7; Path=/\r\nContent-Length: 2\r\n\r\nok").await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let options = FetchOptions { cookie_jar: true, ..secret(&server, &file) };
    let seeds = ["http://seed.test", "http://second.test"].map(HostKey::from_origin);
    let client = client_with(&options, Trust::of_seeds(&seeds));
    let origin = |text: &str| Initiator::Origin(HostKey::from_origin(text));
    let others =
        [origin("http://second.test"), origin("https://seed.test"), origin("http://seed.test:81"), Initiator::Unknown];
    for initiator in others.into_iter().chain([origin("http://seed.test"), Initiator::Crawl]) {
        exchange(&client, &Request { initiator, ..page("http://seed.test/") }).await.result.unwrap();
    }
    let requests = server.requests();
    for without in &requests[..4] {
        assert!(!without.contains("secret") && !without.contains("Cookie:"), "{without}");
    }
    assert!(requests[4].contains("Cookie: session=secret; fromfile=stored\r\n"), "{}", requests[4]);
    assert!(requests[5].contains("id=7"), "{}", requests[5]);
}

#[tokio::test]
async fn cookies_that_sites_set_come_back_only_with_the_jar_on() {
    for (cookie_jar, expected) in [(false, false), (true, true)] {
        let server = Server::always("HTTP/1.1 200 OK\r\nSet-Cookie: id=7; Path=/\r\nContent-Length: 2\r\n\r\nok").await;
        let client = client(&FetchOptions { cookie_jar, ..quick() });
        for _ in 0..2 {
            get_with(&client, &server.url("/")).await.unwrap();
        }
        let requests = server.requests();
        assert!(!requests[0].contains("Cookie:"));
        assert_eq!(requests[1].contains("\r\nCookie: id=7\r\n"), expected);
    }
}

#[tokio::test]
async fn headers_that_are_set_to_nothing_are_not_sent() {
    let server = Server::always(OK).await;
    let options = FetchOptions { user_agent: "mine".to_owned(), accept_language: String::new(), ..quick() };
    get_with(&client(&options), &server.url("/")).await.unwrap();
    let request = server.requests().remove(0);
    assert_eq!(lines(&request)[..2], [format!("Host: {}", server.address), "User-Agent: mine".to_owned()]);
    assert!(request.contains("\r\nAccept-Encoding: gzip") && !request.contains("Accept-Language"), "{request}");
}
