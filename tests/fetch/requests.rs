//! What requests say, and to whom.

use harvestman::config::FetchOptions;
use harvestman::fetch::{Request, TrustedHosts};
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

#[tokio::test]
async fn only_the_seeds_own_hosts_get_the_login() {
    let server = Server::always(OK).await;
    let port = server.address.port();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "seed.test\tFALSE\t/\tFALSE\t0\tfromfile\tsecret\n").unwrap();
    let options = FetchOptions {
        headers: vec!["Authorization: Bearer secret".to_owned()],
        cookie: "session=secret".to_owned(),
        cookies_file: file.path().to_str().unwrap().to_owned(),
        resolve: vec![format!("*.test:127.0.0.1:{port}")],
        ..quick()
    };
    let seed = HostKey::from_origin("http://seed.test");
    let client = client_with(&options, TrustedHosts::of_seeds([&seed]));
    for url in ["http://seed.test/", "http://sub.seed.test/", "http://other.test/"] {
        get_with(&client, url).await.unwrap();
    }
    let requests = server.requests();
    assert!(requests[0].contains("Authorization: Bearer secret\r\n"), "{}", requests[0]);
    assert!(requests[0].contains("Cookie: session=secret; fromfile=secret\r\n"), "{}", requests[0]);
    assert!(requests[1..].iter().all(|request| !request.contains("secret")), "{requests:?}");
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
    let options = FetchOptions {
        user_agent: "mine".to_owned(),
        accept: String::new(),
        accept_language: String::new(),
        accept_encoding: String::new(),
        ..quick()
    };
    get_with(&client(&options), &server.url("/")).await.unwrap();
    assert_eq!(lines(&server.requests()[0]), [format!("Host: {}", server.address), "User-Agent: mine".to_owned()]);
}
