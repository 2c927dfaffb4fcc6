//! Errors and statuses that tell a client what to do: they are followed, and are no failures.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use h2::Reason;
use harvestman::model::Failure;
use http::{Response, StatusCode, Version};
use rustls::ServerConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::server::{client, get_with};
use crate::tls::{Authority, authority, certificate, trusting};

/// What the server does with the requests of a connection that speaks HTTP/2.
#[derive(Debug, Clone, Copy)]
enum Then {
    Reset(Reason),
    /// Says that the request was not processed, and takes no more.
    GoAway(Reason),
    Answer(StatusCode),
}

/// A server that treats its first HTTP/2 connections as listed, all later ones as the last of the list.
struct Https {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Https {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves HTTP/2 by `script`, and HTTP/1.1 with the status `http1`.
async fn serve(authority: &Authority, script: &'static [Then], http1: u16) -> Https {
    let (certificate, key) = certificate("www.test", Some(authority), false);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (requests, connections) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (asked, opened) = (Arc::clone(&requests), Arc::clone(&connections));
    let task = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let number = opened.fetch_add(1, Ordering::SeqCst);
            let (acceptor, asked) = (acceptor.clone(), Arc::clone(&asked));
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    serve_h2(stream, script[number.min(script.len() - 1)], &asked).await;
                } else {
                    serve_h1(stream, http1, &asked).await;
                }
            });
        }
    });
    Https { address, requests, connections, task }
}

async fn serve_h2(mut stream: TlsStream<TcpStream>, then: Then, asked: &AtomicUsize) {
    if let Then::GoAway(reason) = then {
        // SETTINGS; behind the request, GOAWAY with no stream processed.
        stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await.unwrap();
        let mut seen = Vec::new();
        let has_request = |seen: &[u8]| seen.windows(5).any(|frame| frame[0] == 1 && frame[1..] == [5, 0, 0, 0]);
        while !has_request(&seen) {
            let mut part = [0; 1_024];
            let length = stream.read(&mut part).await.unwrap();
            assert!(length > 0, "no request came");
            seen.extend_from_slice(&part[..length]);
        }
        asked.fetch_add(1, Ordering::SeqCst);
        let frame = [&[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &u32::from(reason).to_be_bytes()].concat();
        stream.write_all(&frame).await.unwrap();
        while stream.read(&mut [0; 1_024]).await.is_ok_and(|length| length > 0) {}
        return;
    }
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((_, mut respond))) = connection.accept().await {
        asked.fetch_add(1, Ordering::SeqCst);
        match then {
            Then::Reset(reason) => respond.send_reset(reason),
            Then::Answer(status) => {
                let mut response = Response::new(());
                *response.status_mut() = status;
                respond.send_response(response, true).unwrap();
            }
            Then::GoAway(_) => unreachable!("its frames are written above"),
        }
    }
}

async fn serve_h1(mut stream: TlsStream<TcpStream>, status: u16, asked: &AtomicUsize) {
    let mut head = Vec::new();
    while let Ok(byte) = stream.read_u8().await {
        head.push(byte);
        if head.ends_with(b"\r\n\r\n") {
            head.clear();
            asked.fetch_add(1, Ordering::SeqCst);
            let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\nok");
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_host_that_asks_for_http_1_1_is_asked_in_it_and_stays_so() {
    let authority = authority();
    let scripts: [&'static [Then]; 5] = [
        &[Then::Reset(Reason::HTTP_1_1_REQUIRED)],
        &[Then::GoAway(Reason::HTTP_1_1_REQUIRED)],
        &[Then::Answer(StatusCode::MISDIRECTED_REQUEST)],
        &[Then::Answer(StatusCode::UPGRADE_REQUIRED)],
        &[Then::Answer(StatusCode::HTTP_VERSION_NOT_SUPPORTED)],
    ];
    for script in scripts {
        let server = serve(&authority, script, 200).await;
        let (options, _file) = trusting(&authority, server.address);
        let client = client(&options);
        for asked in [2, 3, 4] {
            let answer = get_with(&client, "https://www.test/x").await.unwrap();
            assert_eq!(
                (answer.status, answer.version, answer.body.as_ref()),
                (200, Version::HTTP_11, &b"ok"[..]),
                "{script:?}"
            );
            assert_eq!(server.requests.load(Ordering::SeqCst), asked, "{script:?}");
        }
        assert_eq!(server.connections.load(Ordering::SeqCst), 2, "{script:?}");
    }
}

#[tokio::test]
async fn a_request_that_was_not_processed_is_sent_again_on_another_connection() {
    let authority = authority();
    let scripts: [&'static [Then]; 2] = [
        &[Then::Reset(Reason::REFUSED_STREAM), Then::Answer(StatusCode::OK)],
        &[Then::GoAway(Reason::NO_ERROR), Then::Answer(StatusCode::OK)],
    ];
    for script in scripts {
        let server = serve(&authority, script, 500).await;
        let (options, _file) = trusting(&authority, server.address);
        let answer = get_with(&client(&options), "https://www.test/x").await.unwrap();
        assert_eq!((answer.status, answer.version), (200, Version::HTTP_2), "{script:?}");
        assert_eq!(server.requests.load(Ordering::SeqCst), 2, "{script:?}");
    }
}

#[tokio::test]
async fn a_server_that_tells_the_same_for_ever_is_not_asked_for_ever() {
    let authority = authority();
    let refusing = serve(&authority, &[Then::Reset(Reason::REFUSED_STREAM)], 200).await;
    let (options, _file) = trusting(&authority, refusing.address);
    assert_eq!(get_with(&client(&options), "https://www.test/x").await.unwrap_err(), Failure::Disconnected);
    assert!(refusing.requests.load(Ordering::SeqCst) <= 4);

    let misdirecting = serve(&authority, &[Then::Answer(StatusCode::MISDIRECTED_REQUEST)], 421).await;
    let (options, _file) = trusting(&authority, misdirecting.address);
    let answer = get_with(&client(&options), "https://www.test/x").await.unwrap();
    assert_eq!((answer.status, answer.version), (421, Version::HTTP_11));
    assert_eq!(misdirecting.requests.load(Ordering::SeqCst), 2);
}
