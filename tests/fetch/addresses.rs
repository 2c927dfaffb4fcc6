//! The address guard and given addresses, end to end.

use harvestman::clock::Clock;
use harvestman::config::FetchOptions;
use harvestman::fetch::{Client, Error, Trust};
use harvestman::model::Failure;
use harvestman::url::HostKey;

use crate::server::{Server, client, client_with, get_with, quick};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn guarded(resolve: &[String]) -> FetchOptions {
    FetchOptions { private_addresses: false, resolve: resolve.to_vec(), ..quick() }
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_address_is_refused_before_anything_is_sent() {
    let server = Server::always(OK).await;
    let port = server.address.port();
    let client = client(&guarded(&[format!("public.test:127.0.0.1:{port}"), "lan.test:192.168.1.1".to_owned()]));
    for url in [
        format!("http://public.test:{port}/"),
        "http://lan.test/".to_owned(),
        format!("http://127.0.0.1:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://[::ffff:7f00:1]:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://a.b.localhost:{port}/"),
        format!("http://0.0.0.0:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[fd00::1]/".to_owned(),
        "http://[64:ff9b::7f00:1]/".to_owned(),
    ] {
        assert_eq!(get_with(&client, &url).await.unwrap_err(), Failure::ForbiddenAddress, "{url}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_seeds_own_host_may_be_private_and_its_neighbours_may_not() {
    let server = Server::always(OK).await;
    let port = server.address.port();
    let seed = HostKey::from_origin(&format!("http://seed.test:{port}"));
    let options = guarded(&[format!("*.test:127.0.0.1:{port}")]);
    let client = client_with(&options, Trust::of_seeds([&seed]));
    let answer = get_with(&client, &format!("http://seed.test:{port}/")).await.unwrap();
    assert_eq!(answer.remote, Some([127, 0, 0, 1].into()));
    for other in ["www.seed.test", "other.test", "127.0.0.1"] {
        let url = format!("http://{other}:{port}/");
        assert_eq!(get_with(&client, &url).await.unwrap_err(), Failure::ForbiddenAddress, "{url}");
    }
    assert_eq!(client.address_of(&seed).await, Ok(Some([127, 0, 0, 1].into())));
    let other = HostKey::from_origin("http://other.test");
    assert_eq!(client.address_of(&other).await, Err(Failure::ForbiddenAddress));
}

#[tokio::test]
async fn all_names_below_localhost_are_loopback() {
    let server = Server::always(OK).await;
    let client = client(&quick());
    for host in ["localhost", "a.localhost", "forum.b.localhost"] {
        let url = format!("http://{host}:{}/", server.address.port());
        assert_eq!(get_with(&client, &url).await.unwrap().body, "ok", "{url}");
    }
    assert!(server.requests()[1].contains(&format!("\r\nHost: a.localhost:{}\r\n", server.address.port())));
}

#[tokio::test]
async fn the_addresses_of_a_host_are_tried_in_turn() {
    let server = Server::always(OK).await;
    let dead = Server::always(OK).await;
    let dead_port = dead.address.port();
    drop(dead);
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let resolve = [format!("a.test:127.0.0.1:{dead_port}"), format!("a.test:127.0.0.1:{}", server.address.port())];
    let client = client(&FetchOptions { resolve: resolve.to_vec(), ..quick() });
    assert_eq!(get_with(&client, "http://a.test/").await.unwrap().body, "ok");
}

#[tokio::test]
async fn a_name_that_cannot_be_one_has_no_address() {
    // A label of 64 bytes is too long for DNS, so this is known without asking anybody.
    let url = format!("http://{}.test/", "a".repeat(64));
    assert_eq!(get_with(&client(&quick()), &url).await.unwrap_err(), Failure::Dns);
}

#[tokio::test]
async fn urls_that_http_cannot_ask_for_end_too() {
    let client = client(&quick());
    for url in ["ftp://a.test/", "nonsense", "http://", "http:///x"] {
        assert_eq!(get_with(&client, url).await.unwrap_err(), Failure::Internal, "{url}");
    }
}

#[tokio::test]
async fn all_wrong_settings_are_reported_together() {
    let wrong = FetchOptions {
        user_agent: "a\nb".to_owned(),
        headers: vec!["no colon".to_owned(), "Host: x".to_owned(), "Bad Name: x".to_owned()],
        types: vec!["text".to_owned()],
        resolve: vec!["a.test".to_owned()],
        ca_file: "/nonexistent/ca.pem".to_owned(),
        cookies_file: "/nonexistent/cookies.txt".to_owned(),
        proxy: "https://u:secret@proxy".to_owned(),
        ..Default::default()
    };
    let Err(Error::Settings(errors)) = Client::new(&wrong, Clock::system(), Trust::default()) else {
        panic!("it must be refused")
    };
    assert_eq!(errors.len(), 9, "{errors:#?}");
    assert!(!errors.iter().any(|error| error.contains("secret")));
}
