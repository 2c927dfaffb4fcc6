//! HTTPS with a certificate authority of our own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use harvestman::config::FetchOptions;
use harvestman::model::Failure;
use http::{Response, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::server::{Server, client, exchange, get_with, page, quick};

pub type Authority = CertifiedIssuer<'static, KeyPair>;

pub fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate for `name`; `expired` ones ended in 2001.
pub fn certificate(
    name: &str,
    authority: Option<&Authority>,
    expired: bool,
) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    if expired {
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
    }
    let key = KeyPair::generate().unwrap();
    let certificate = match authority {
        Some(authority) => params.signed_by(&key, authority).unwrap(),
        None => params.self_signed(&key).unwrap(),
    };
    (certificate.der().clone(), PrivateKeyDer::try_from(key.serialize_der()).unwrap())
}

struct Https {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Https {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves the HTTP version and the Host or :authority of each request.
async fn answer(request: http::Request<Incoming>) -> Result<Response<Full<Bytes>>, std::convert::Infallible> {
    let authority = request.uri().authority().map(ToString::to_string);
    let host = request.headers().get("host").map(|host| host.to_str().unwrap().to_owned());
    let body = format!("{:?} {authority:?} {host:?}", request.version());
    let mut response = Response::new(Full::new(body.into()));
    if request.uri().path() == "/flood" {
        for _ in 0..100 {
            response.headers_mut().append("x-flood", "f".repeat(10_000).parse().unwrap());
        }
    }
    Ok(response)
}

async fn serve(certificate: (CertificateDer<'static>, PrivateKeyDer<'static>), alpn: &[&[u8]]) -> Https {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_no_client_auth().with_single_cert(vec![certificate.0], certificate.1).unwrap();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    let task = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let is_h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                let io = TokioIo::new(stream);
                // A client that goes away is no concern of this server.
                let _ = if is_h2 {
                    http2::Builder::new(TokioExecutor::new()).serve_connection(io, service_fn(answer)).await
                } else {
                    http1::Builder::new().serve_connection(io, service_fn(answer)).await
                };
            });
        }
    });
    Https { address, connections, task }
}

/// A client that trusts `authority` and finds every `*.test` at `address`.
pub fn trusting(authority: &Authority, address: SocketAddr) -> (FetchOptions, tempfile::NamedTempFile) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), authority.pem()).unwrap();
    let options = FetchOptions {
        ca_file: file.path().to_str().unwrap().to_owned(),
        resolve: vec![format!("*.test:{}:{}", address.ip(), address.port())],
        connect_timeout: harvestman::config::Period::secs(3),
        whole_timeout: harvestman::config::Period::secs(4),
        first_byte_timeout: harvestman::config::Period::secs(3),
        ..quick()
    };
    (options, file)
}

const BOTH: &[&[u8]] = &[b"h2", b"http/1.1"];

#[tokio::test]
async fn http_1_1_and_http_2_are_spoken_as_tls_agrees() {
    let authority = authority();
    for (alpn, http2, version) in [
        (BOTH, true, Version::HTTP_2),
        (&BOTH[1..], true, Version::HTTP_11),
        (BOTH, false, Version::HTTP_11),
        (&[], true, Version::HTTP_11),
    ] {
        let server = serve(certificate("www.test", Some(&authority), false), alpn).await;
        let (options, _file) = trusting(&authority, server.address);
        let client = client(&FetchOptions { http2, ..options });
        for _ in 0..3 {
            let exchange = exchange(&client, &page("https://www.test/x")).await;
            let answer = exchange.result.unwrap();
            assert_eq!((answer.version, answer.status), (version, 200));
            let is_h2 = version == Version::HTTP_2;
            let expected =
                if is_h2 { r#"HTTP/2.0 Some("www.test") None"# } else { r#"HTTP/1.1 None Some("www.test")"# };
            assert_eq!(answer.body, expected);
            assert_eq!(exchange.request_headers.contains_key("host"), !is_h2);
        }
        assert_eq!(server.connections.load(Ordering::SeqCst), 1, "the connection is kept");
    }
}

#[tokio::test]
async fn requests_at_the_same_time_share_an_http_2_connection() {
    let authority = authority();
    let server = serve(certificate("www.test", Some(&authority), false), BOTH).await;
    let (options, _file) = trusting(&authority, server.address);
    let client = client(&options);
    assert!(get_with(&client, "https://www.test/").await.is_ok());
    let fetches = (0..20).map(|_| get_with(&client, "https://www.test/"));
    assert!(futures_util::future::join_all(fetches).await.iter().all(Result::is_ok));
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_flood_of_headers_over_http_2_is_refused_too() {
    let authority = authority();
    let server = serve(certificate("www.test", Some(&authority), false), BOTH).await;
    let (options, _file) = trusting(&authority, server.address);
    let client = client(&options);
    let failure = get_with(&client, "https://www.test/flood").await.unwrap_err();
    assert!(matches!(failure, Failure::HeadTooLarge | Failure::Protocol | Failure::Disconnected), "{failure:?}");
    assert!(get_with(&client, "https://www.test/").await.is_ok());
}

#[tokio::test]
async fn certificates_for_others_expired_or_of_unknown_authorities_are_refused() {
    let (authority, stranger) = (authority(), authority());
    for (why, certificate) in [
        ("wrong host", certificate("other.test", Some(&authority), false)),
        ("expired", certificate("www.test", Some(&authority), true)),
        ("unknown authority", certificate("www.test", Some(&stranger), false)),
        ("self-signed", certificate("www.test", None, false)),
    ] {
        let server = serve(certificate, BOTH).await;
        let (options, _file) = trusting(&authority, server.address);
        assert_eq!(get_with(&client(&options), "https://www.test/").await.unwrap_err(), Failure::Tls, "{why}");
    }
}

#[tokio::test]
async fn a_handshake_that_stalls_is_given_up_after_the_tls_timeout() {
    let server = Server::start(|peer| peer.stall()).await;
    let url = format!("https://{}/", server.address);
    assert_eq!(get_with(&client(&quick()), &url).await.unwrap_err(), Failure::TlsTimeout);
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_is_refused_and_one_that_hangs_up_may_be_tried_again() {
    let plain = Server::start(|mut peer| async move {
        peer.send("HTTP/1.1 400 Bad Request\r\n\r\n").await;
        peer.stall().await;
    })
    .await;
    let url = format!("https://{}/", plain.address);
    assert_eq!(get_with(&client(&quick()), &url).await.unwrap_err(), Failure::Tls);
    let hangs_up = Server::start(|peer| async move { drop(peer) }).await;
    let url = format!("https://{}/", hangs_up.address);
    assert_eq!(get_with(&client(&quick()), &url).await.unwrap_err(), Failure::Connect);
}

#[tokio::test]
async fn garbage_inside_tls_is_a_failure_of_the_exchange() {
    let authority = authority();
    let (der, key) = certificate("www.test", Some(&authority), false);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_no_client_auth().with_single_cert(vec![der], key).unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let server = Server::start(move |peer| {
        let acceptor = acceptor.clone();
        async move {
            if let Ok(mut stream) = acceptor.accept(peer.stream).await {
                use tokio::io::AsyncWriteExt;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nthis is not HTTP/2").await;
                tokio::time::sleep(std::time::Duration::from_secs(5)).await;
            }
        }
    })
    .await;
    let (options, _file) = trusting(&authority, server.address);
    let failure = get_with(&client(&options), "https://www.test/").await.unwrap_err();
    assert!(matches!(failure, Failure::Disconnected | Failure::Protocol), "{failure:?}");
}
