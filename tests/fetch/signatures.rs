//! Signed requests over sockets, verified by the public key.

use std::path::Path;
use std::sync::Arc;

use data_encoding::{BASE64, BASE64URL_NOPAD};
use harvestman::clock::{Clock, Instant};
use harvestman::config::{FetchOptions, IdentityOptions, SignMode};
use harvestman::fetch::{Client, ClientBounds, RequestSigner, Trust};
use harvestman::identity::{SigningKey, file};
use harvestman::model::{Failure, SignReason};
use ring::signature::{ED25519, UnparsedPublicKey};

use crate::server::{Server, exchange, get_with, page, quick};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const ASKS: &str = "HTTP/1.1 403 Forbidden\r\nAccept-Signature: me=(\"@method\" \"@target-uri\");created;tag=\"web-bot-auth\"\r\n\
    Content-Length: 2\r\n\r\nno";
const SEED: [u8; 32] = [11; 32];

/// Settings of signed requests, with their key in this folder.
fn options(folder: &Path) -> IdentityOptions {
    let path = folder.join("key.pem");
    if !path.exists() {
        file::create(&path, &SEED).unwrap();
    }
    let key_file = path.display().to_string();
    IdentityOptions { key_file, agent: "https://bot.test".to_owned(), ..Default::default() }
}

fn client_at(clock: Clock, fetch: &FetchOptions, identity: &IdentityOptions) -> Client {
    let signer = RequestSigner::new(identity).unwrap();
    Client::bounded(fetch, ClientBounds::default(), signer, clock, Trust::default()).unwrap()
}

fn client(fetch: &FetchOptions, identity: &IdentityOptions) -> Client {
    client_at(Clock::system(), fetch, identity)
}

/// The value of a header in the head of a request.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Verifies the signature in a head by these lines, which precede the parameters in the signature base.
fn verifies(head: &str, label: &str, lines: &str) -> bool {
    let value = |name| header(head, name).unwrap().strip_prefix(label).unwrap().strip_prefix('=').unwrap();
    let base = format!("{lines}\"@signature-params\": {}", value("Signature-Input"));
    let signature = BASE64.decode(value("Signature").trim_matches(':').as_bytes()).unwrap();
    let jwk = SigningKey::from_pem(SigningKey::new_pem(&SEED).as_bytes()).unwrap().public().jwk();
    let x = jwk.split("\"x\":\"").nth(1).unwrap().split('"').next().unwrap();
    let public = BASE64URL_NOPAD.decode(x.as_bytes()).unwrap();
    UnparsedPublicKey::new(&ED25519, public).verify(base.as_bytes(), &signature).is_ok()
}

#[tokio::test]
async fn every_request_has_a_signature_that_verifies_for_its_host_and_port_only() {
    for nonce in [false, true] {
        check_signatures(nonce).await;
    }
}

async fn check_signatures(nonce: bool) {
    let server = Server::always(OK).await;
    let folder = tempfile::tempdir().unwrap();
    let client = client(&quick(), &IdentityOptions { nonce, ..options(folder.path()) });
    for path in ["/", "/a?b=c&d", "/a|b"] {
        let exchange = exchange(&client, &page(&server.url(path))).await;
        assert_eq!(exchange.signature.reason, Some(SignReason::Always));
        assert!(exchange.request_headers.contains_key("signature"), "the archive has it");
    }
    let heads = server.requests();
    for head in &heads {
        let agent = "\"signature-agent\";key=\"sig1\": \"https://bot.test\"\n";
        assert_eq!(header(head, "Signature-Agent"), Some("sig1=\"https://bot.test\""));
        assert!(verifies(head, "sig1", &format!("\"@authority\": {}\n{agent}", server.address)), "{head}");
        assert!(!verifies(head, "sig1", &format!("\"@authority\": 127.0.0.1\n{agent}")));
    }
    let are_same = header(&heads[0], "Signature") == header(&heads[1], "Signature");
    assert_eq!(are_same, !nonce, "without nonces, requests to a host share a signature");
}

#[tokio::test]
async fn requests_are_not_signed_without_a_key() {
    let server = Server::always(OK).await;
    let client = client(&quick(), &IdentityOptions::default());
    assert_eq!(exchange(&client, &page(&server.url("/"))).await.signature.reason, None);
    assert!(!server.requests()[0].contains("Signature"));
}

#[tokio::test]
async fn a_host_that_asks_for_a_signature_gets_the_one_that_it_asks_for() {
    let server = Server::always(ASKS).await;
    let folder = tempfile::tempdir().unwrap();
    let client = client(&quick(), &IdentityOptions { sign: SignMode::Asked, ..options(folder.path()) });
    let first = exchange(&client, &page(&server.url("/a?b"))).await;
    assert!(first.signature.is_wanted && first.signature.reason.is_none());
    let second = exchange(&client, &page(&server.url("/a?b"))).await;
    assert!(!second.signature.is_wanted && second.signature.reason == Some(SignReason::Asked));
    let heads = server.requests();
    assert_eq!((heads.len(), header(&heads[0], "Signature")), (2, None));
    let lines = format!(
        "\"@method\": GET\n\"@target-uri\": http://{}/a?b\n\"signature-agent\";key=\"me\": \"https://bot.test\"\n",
        server.address
    );
    assert!(verifies(&heads[1], "me", &lines), "{}", heads[1]);
}

#[tokio::test]
async fn a_request_that_is_sent_again_on_a_new_connection_has_a_signature_of_its_own() {
    // The server answers one request per connection, and closes at the second without an answer.
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send(OK).await;
        peer.request().await;
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let client = client(&quick(), &IdentityOptions { nonce: true, ..options(folder.path()) });
    for _ in 0..2 {
        get_with(&client, &server.url("/")).await.unwrap();
    }
    let heads = server.requests();
    assert_eq!(heads.len(), 3);
    assert_ne!(header(&heads[1], "Signature"), header(&heads[2], "Signature"));
}

#[tokio::test]
async fn a_huge_request_for_a_signature_is_a_failure_of_the_exchange_or_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let identity = IdentityOptions { sign: SignMode::Asked, ..options(folder.path()) };
    let huge = |bytes: usize| {
        let header = format!("Accept-Signature: sig1=();x=\"{}\"", "x".repeat(bytes));
        format!("HTTP/1.1 403 Forbidden\r\n{header}\r\nContent-Length: 2\r\n\r\nno")
    };
    for (bytes, fails) in [(1 << 20, true), (50_000, false)] {
        let server = Server::always(huge(bytes)).await;
        let client = client(&quick(), &identity);
        for _ in 0..2 {
            let exchange = exchange(&client, &page(&server.url("/"))).await;
            assert!(!exchange.signature.is_wanted);
            match exchange.result {
                Ok(answer) => assert!(!fails && answer.status == 403),
                Err(failure) => assert!(fails && failure == Failure::HeadTooLarge, "{failure:?}"),
            }
        }
        assert!(!server.requests().concat().contains("Signature"), "{bytes}");
    }
    // Up to 8 KiB are read.
    let server = Server::always(huge(8_000)).await;
    let client = client(&quick(), &identity);
    assert!(exchange(&client, &page(&server.url("/"))).await.signature.is_wanted);
}

#[tokio::test]
async fn a_clock_that_is_off_signs_for_its_own_time() {
    let server = Server::always(OK).await;
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::starting_at(Instant::from_micros(1_000_000_000_000_000));
    let client = client_at(clock, &quick(), &options(folder.path()));
    get_with(&client, &server.url("/")).await.unwrap();
    let input = header(&server.requests()[0], "Signature-Input").unwrap().to_owned();
    assert!(input.contains(";created=1000000000;") && input.contains(";expires=1000000060;"), "{input}");
}

#[tokio::test]
async fn clients_that_share_a_signer_share_what_hosts_ask_for() {
    let server = Server::always(ASKS).await;
    let folder = tempfile::tempdir().unwrap();
    let identity = IdentityOptions { sign: SignMode::Asked, ..options(folder.path()) };
    let signer = RequestSigner::new(&identity).unwrap();
    let client = || {
        Client::bounded(
            &quick(),
            ClientBounds::default(),
            signer.as_ref().map(Arc::clone),
            Clock::system(),
            Trust::default(),
        )
    };
    assert!(exchange(&client().unwrap(), &page(&server.url("/"))).await.signature.is_wanted);
    assert!(exchange(&client().unwrap(), &page(&server.url("/"))).await.signature.reason.is_some());
}
