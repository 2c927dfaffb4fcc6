//! What is said when there is no bus to be had.

use std::time::Duration;

use harvestman::fleet::nats::{NatsBus, NatsError, NatsOptions, Secret};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use super::options;
use super::server::{Servers, free_port};

/// Why there is none.
async fn refused(options: NatsOptions) -> NatsError {
    match NatsBus::connect(options).await {
        Ok(_) => panic!("it is connected"),
        Err(error) => error,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_listens_it_says_so() {
    let port = free_port();
    let error = refused(options(format!("nats://127.0.0.1:{port}"))).await;
    assert!(matches!(error, NatsError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&port.to_string()), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_listens_and_says_nothing_is_unreachable() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{}", silent.local_addr().unwrap());
    let error = refused(NatsOptions { connect_timeout: Duration::from_millis(300), ..options(url) }).await;
    assert!(matches!(error, NatsError::Unreachable { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_server_is_named_with_its_version() {
    let old = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{}", old.local_addr().unwrap());
    tokio::spawn(async move {
        let (stream, _) = old.accept().await.unwrap();
        let (read, mut write) = stream.into_split();
        let info = r#"INFO {"server_id":"X","server_name":"old-one","version":"2.8.4","max_payload":1048576,"headers":true,"jetstream":true}"#;
        write.write_all(format!("{info}\r\n").as_bytes()).await.unwrap();
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if line == "PING" {
                write.write_all(b"PONG\r\n").await.unwrap();
            }
        }
    });
    let error = refused(options(url)).await;
    let expected = NatsError::TooOld { server: "old-one".into(), version: "2.8.4".into(), floor: (2, 9) };
    assert_eq!(error, expected);
    assert!(error.to_string().contains("2.9 or later"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_jetstream_is_no_bus() {
    let Some(servers) = Servers::plain("").await else { return };
    let error = refused(options(servers.url())).await;
    assert!(matches!(error, NatsError::NoJetStream { .. }), "{error}");
    assert!(error.to_string().contains("--jetstream"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_without_jetstream_is_no_bus() {
    let accounts = r"accounts { A { users: [{user: a, password: a}], jetstream: enabled }, B { users: [{user: b, password: b}] } }";
    let Some(servers) = Servers::one(accounts).await else { return };
    let by = |user: &str| NatsOptions {
        user: Some(user.into()),
        password: Some(Secret(user.into())),
        ..options(servers.url())
    };
    NatsBus::connect(by("a")).await.unwrap().create_crawl().await.unwrap();
    let error = refused(by("b")).await;
    assert!(matches!(error, NatsError::NoJetStream { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_let_in_is_told() {
    let Some(servers) = Servers::one("authorization { user: me, password: secret }").await else { return };
    let with = |user: Option<&str>, password: &str| NatsOptions {
        user: user.map(str::to_owned),
        password: Some(Secret(password.into())),
        ..options(servers.url())
    };
    for wrong in [with(None, ""), with(Some("me"), "wr0ng"), with(Some("you"), "secret")] {
        let error = refused(wrong).await;
        assert!(matches!(error, NatsError::Credentials { .. }), "{error}");
        assert!(!error.to_string().contains("wr0ng"), "{error}");
    }
    NatsBus::connect(with(Some("me"), "secret")).await.unwrap();
    let port = servers.servers[0].port;
    NatsBus::connect(options(format!("nats://me:secret@127.0.0.1:{port}"))).await.unwrap();
    let error = refused(options(format!("nats://me:wr0ng@127.0.0.1:{port}"))).await;
    assert!(!error.to_string().contains("wr0ng"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_lets_in() {
    let Some(servers) = Servers::one("authorization { token: t0ken }").await else { return };
    let port = servers.servers[0].port;
    NatsBus::connect(options(format!("nats://t0ken@127.0.0.1:{port}"))).await.unwrap();
    NatsBus::connect(NatsOptions { token: Some(Secret("t0ken".into())), ..options(servers.url()) }).await.unwrap();
    assert!(matches!(refused(options(servers.url())).await, NatsError::Credentials { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_cannot_be_read_and_names_that_cannot_be_are_named() {
    let missing = || Some("/does/not/exist".into());
    for options in [
        NatsOptions { tls_roots: missing(), ..options("tls://127.0.0.1:1") },
        NatsOptions { credentials_file: missing(), ..options("nats://127.0.0.1:1") },
    ] {
        let error = refused(options).await;
        assert!(matches!(error, NatsError::File { .. }), "{error}");
        assert!(error.to_string().contains("/does/not/exist"), "{error}");
    }
    let error = refused(NatsOptions { crawl: "a.b".into(), ..options("nats://127.0.0.1:1") }).await;
    assert_eq!(error, NatsError::Name("a.b".into()));
    assert!(matches!(refused(options("http://127.0.0.1:1")).await, NatsError::Url { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_need_as_many_servers() {
    let Some(servers) = Servers::one("").await else { return };
    let bus = NatsBus::connect(NatsOptions { replicas: Some(3), ..options(servers.url()) }).await.unwrap();
    let error = bus.create_crawl().await.unwrap_err();
    assert!(matches!(error, NatsError::Replicas { asked: 3, .. }), "{error}");
}

/// An authority, a certificate of it for this machine, and the key, as files.
fn certificates(dir: &std::path::Path) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    std::fs::write(dir.join("roots.pem"), authority.pem()).unwrap();
    std::fs::write(dir.join("certificate.pem"), certificate.pem()).unwrap();
    std::fs::write(dir.join("key.pem"), key.serialize_pem()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_is_spoken_with_servers_that_are_known() {
    let (dir, strangers) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    certificates(dir.path());
    certificates(strangers.path());
    let file = |name: &str| dir.path().join(name);
    let tls = |more: &str| {
        format!("tls {{ cert_file: {:?}, key_file: {:?} {more} }}", file("certificate.pem"), file("key.pem"))
    };
    let Some(servers) = Servers::one(&tls("")).await else { return };
    let port = servers.servers[0].port;
    let known = || NatsOptions { tls_roots: Some(file("roots.pem")), ..options(format!("tls://localhost:{port}")) };
    let bus = NatsBus::connect(known()).await.unwrap();
    bus.create_crawl().await.unwrap();
    NatsBus::connect(NatsOptions { tls: true, urls: vec![Secret(servers.url())], ..known() }).await.unwrap();
    let stranger = NatsOptions { tls_roots: Some(strangers.path().join("roots.pem")), ..known() };
    let error = refused(stranger).await;
    assert!(matches!(error, NatsError::Tls { .. }), "{error}");

    let both = tls(&format!(", ca_file: {:?}, verify: true", file("roots.pem")));
    let Some(servers) = Servers::one(&both).await else { return };
    let port = servers.servers[0].port;
    let without = || NatsOptions { urls: vec![Secret(format!("tls://localhost:{port}"))], ..known() };
    let with =
        NatsOptions { tls_certificate: Some(file("certificate.pem")), tls_key: Some(file("key.pem")), ..without() };
    NatsBus::connect(with).await.unwrap();
    let error = refused(without()).await;
    assert!(matches!(error, NatsError::Tls { .. }), "{error}");
    let half = NatsOptions { tls_certificate: Some(file("certificate.pem")), ..without() };
    assert!(matches!(refused(half).await, NatsError::File { .. }));

    let Some(plain) = Servers::one("").await else { return };
    let error = refused(NatsOptions { urls: vec![Secret(plain.url().replace("nats:", "tls:"))], ..known() }).await;
    assert!(matches!(error, NatsError::Tls { .. }), "{error}");
}
