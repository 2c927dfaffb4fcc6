//! Requests by way of a proxy.

use harvestman::config::FetchOptions;
use harvestman::model::{Failure, LocalFailure};
use harvestman::url::HostKey;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;

use crate::server::{Peer, Server, client, exchange, get_with, page, quick};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn by(proxy: &str) -> FetchOptions {
    FetchOptions { proxy: proxy.to_owned(), ..quick() }
}

#[tokio::test]
async fn plain_http_goes_to_the_proxy_with_its_whole_url() {
    let proxy = Server::always(OK).await;
    let client = client(&by(&format!("http://user:pass@{}", proxy.address)));
    let exchange = exchange(&client, &page("http://site.test/path?q")).await;
    let answer = exchange.result.unwrap();
    assert_eq!((answer.body.as_ref(), answer.remote), (&b"ok"[..], None));
    let head = proxy.requests().remove(0);
    assert!(head.starts_with("GET http://site.test/path?q HTTP/1.1\r\nHost: site.test\r\n"), "{head}");
    assert!(head.contains("\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n"), "{head}");
    assert!(!exchange.request_headers.contains_key("proxy-authorization"), "that is between us and the proxy");
    assert_eq!(client.address_of(&HostKey::from_origin("http://site.test")).await, Ok(None));
}

#[tokio::test]
async fn https_goes_through_a_tunnel() {
    let origin = Server::start(|peer| peer.stall()).await;
    let target = origin.address;
    let proxy = Server::start(move |mut peer| async move {
        peer.request().await;
        let mut upstream = TcpStream::connect(target).await.unwrap();
        peer.send("HTTP/1.1 200 Connection established\r\n\r\n").await;
        let _ = copy_bidirectional(&mut peer.stream, &mut upstream).await;
    })
    .await;
    let client = client(&by(&format!("http://{}", proxy.address)));
    // The origin never answers the handshake: so far the tunnel carried it.
    assert_eq!(get_with(&client, "https://site.test/").await.unwrap_err(), Failure::TlsTimeout);
    assert!(proxy.requests()[0].starts_with("CONNECT site.test:443 HTTP/1.1\r\n"));
    assert_eq!(origin.connections(), 1);
}

#[tokio::test]
async fn a_proxy_that_refuses_is_a_failure_to_connect() {
    for answer in [
        "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
        "HTTP/1.1 502 Bad Gateway\r\n\r\n",
        "nonsense\r\n\r\n",
        "",
    ] {
        let proxy = Server::once(answer).await;
        let client = client(&by(&format!("http://{}", proxy.address)));
        assert_eq!(get_with(&client, "https://site.test/").await.unwrap_err(), Failure::Connect, "{answer:?}");
    }
    let silent = Server::start(|peer| peer.stall()).await;
    let client = client(&by(&format!("http://{}", silent.address)));
    assert_eq!(get_with(&client, "https://site.test/").await.unwrap_err(), Failure::ConnectTimeout);
}

#[tokio::test]
async fn a_proxy_that_is_not_there_is_a_failure_of_this_machine() {
    let gone = tokio::net::TcpListener::bind("127.0.7.1:0").await.unwrap().local_addr().unwrap();
    for proxy in [format!("http://{gone}"), format!("socks5://{gone}"), format!("http://{}.test", "a".repeat(64))] {
        let client = client(&by(&proxy));
        for url in ["http://site.test/", "https://site.test/"] {
            let failure = get_with(&client, url).await.unwrap_err();
            assert_eq!(failure, Failure::Local(LocalFailure::Proxy), "{proxy} {url}");
        }
    }
}

#[tokio::test]
async fn a_proxy_is_not_asked_for_private_addresses() {
    let proxy = Server::always(OK).await;
    let options = FetchOptions { private_addresses: false, ..by(&format!("http://{}", proxy.address)) };
    let client = client(&options);
    for url in ["http://10.0.0.1/", "http://[::1]/", "http://x.localhost/", "https://169.254.169.254/"] {
        assert_eq!(get_with(&client, url).await.unwrap_err(), Failure::ForbiddenAddress, "{url}");
    }
    assert_eq!(get_with(&client, "http://site.test/").await.unwrap().body, "ok");
    assert_eq!(proxy.connections(), 1);
}

/// A SOCKS 5 server (RFC 1928, 1929) that lets everybody in and connects everything to one place.
async fn socks(mut peer: Peer) -> Option<String> {
    let stream = &mut peer.stream;
    let mut greeting = [0; 3];
    stream.read_exact(&mut greeting).await.ok()?;
    stream.write_all(&[5, greeting[2]]).await.ok()?;
    if greeting[2] == 2 {
        let mut login = [0; 2 + 4 + 1 + 4];
        stream.read_exact(&mut login).await.ok()?;
        stream.write_all(&[1, u8::from(&login[2..6] != b"user" || &login[7..] != b"pass")]).await.ok()?;
    }
    let mut head = [0; 5];
    stream.read_exact(&mut head).await.ok()?;
    let mut rest = vec![0; usize::from(head[4]) + 2];
    stream.read_exact(&mut rest).await.ok()?;
    let port = rest.split_off(usize::from(head[4]));
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.ok()?;
    let host = String::from_utf8(rest).ok()?;
    let target = format!("{host}:{}", u16::from_be_bytes([port[0], port[1]]));
    while peer.request().await.is_some() {
        let body = target.clone();
        peer.send(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())).await;
    }
    Some(target)
}

#[tokio::test]
async fn a_socks_proxy_gets_the_name_and_resolves_it_itself() {
    let proxy = Server::start(|peer| async move { drop(socks(peer).await) }).await;
    for login in ["", "user:pass@"] {
        let client = client(&by(&format!("socks5://{login}{}", proxy.address)));
        assert_eq!(get_with(&client, "http://site.test/x").await.unwrap().body, "site.test:80");
        assert_eq!(get_with(&client, "http://site.test:81/x").await.unwrap().body, "site.test:81");
    }
    assert!(proxy.requests()[0].starts_with("GET /x HTTP/1.1\r\nHost: site.test\r\n"));
}
