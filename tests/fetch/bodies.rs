//! Servers that go wrong in the body.

use std::time::Duration;

use harvestman::config::{FetchOptions, Period};
use harvestman::fetch::{Accept, Request};
use harvestman::model::{Failure, Initiator, Truncation};
use harvestman::url::CanonicalUrl;

use crate::server::{Server, answered, client, exchange, get, get_with, quick};

const PLAIN: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";

#[tokio::test]
async fn a_body_that_drips_is_kept_as_far_as_it_came() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send(format!("{PLAIN}Content-Length: 100000\r\n\r\n")).await;
        peer.drip("drop", Duration::from_millis(20)).await;
    })
    .await;
    let answer = get(&server.url("/")).await.unwrap();
    assert_eq!(answer.truncated, Some(Truncation::Time));
    assert!(answer.body.starts_with(b"dropdrop") && answer.body.len() < 1_000);
}

#[tokio::test]
async fn an_endless_body_is_cut_at_the_limit() {
    for head in ["Transfer-Encoding: chunked\r\n\r\n", "\r\n", "Content-Length: 9000000000000000000\r\n\r\n"] {
        let server = Server::start(move |mut peer| async move {
            peer.request().await;
            peer.send(format!("{PLAIN}{head}")).await;
            let bytes = if head.starts_with("Transfer") {
                format!("1000\r\n{}\r\n", "x".repeat(0x1000))
            } else {
                "x".repeat(0x1000)
            };
            peer.flood(bytes).await;
        })
        .await;
        let answer = get(&server.url("/")).await.unwrap();
        assert_eq!((answer.body.len(), answer.truncated), (100_000, Some(Truncation::Length)), "{head:?}");
        assert!(server.bytes_sent() < 64 << 20, "the rest is not read");
    }
}

#[tokio::test]
async fn a_body_at_the_limit_is_whole_and_one_byte_more_is_cut() {
    for (length, truncated) in [(100_000, None), (100_001, Some(Truncation::Length))] {
        for head in [format!("Content-Length: {length}\r\n\r\n"), "\r\n".to_owned()] {
            let answer = answered(format!("{PLAIN}{head}{}", "x".repeat(length))).await.unwrap();
            assert_eq!((answer.body.len(), answer.truncated), (100_000, truncated));
        }
    }
}

#[tokio::test]
async fn a_request_may_set_its_own_body_limit() {
    let server = Server::always(format!("{PLAIN}Content-Length: 500\r\n\r\n{}", "x".repeat(500))).await;
    let client = client(&quick());
    for (max, truncated) in [(500, None), (499, Some(Truncation::Length)), (0, Some(Truncation::Length))] {
        let request = Request { body_max: Some(max), ..crate::server::page(&server.url("/")) };
        let answer = exchange(&client, &request).await.result.unwrap();
        assert_eq!((answer.body.len() as u64, answer.truncated), (max, truncated));
    }
}

#[tokio::test]
async fn a_body_shorter_than_its_length_is_kept_as_disconnected() {
    let answer = answered(format!("{PLAIN}Content-Length: 1000\r\n\r\nonly this")).await.unwrap();
    assert_eq!((answer.body.as_ref(), answer.truncated), (&b"only this"[..], Some(Truncation::Disconnect)));
}

#[tokio::test]
async fn a_body_longer_than_its_length_is_cut_there_and_its_connection_is_not_used_again() {
    let server = Server::always(format!("{PLAIN}Content-Length: 4\r\n\r\nbodyAND MORE")).await;
    let client = client(&quick());
    for expected in 1..=3 {
        let answer = get_with(&client, &server.url("/")).await.unwrap();
        assert_eq!((answer.body.as_ref(), answer.truncated), (&b"body"[..], None));
        assert_eq!(server.connections(), expected);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn contradictory_lengths_are_a_protocol_failure_and_repeated_ones_are_not() {
    for lengths in [
        "Content-Length: 4\r\nContent-Length: 5\r\n",
        "Content-Length: -4\r\n",
        "Content-Length: 4x\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: +4\r\n",
    ] {
        assert_eq!(answered(format!("{PLAIN}{lengths}\r\nbody")).await.unwrap_err(), Failure::Protocol, "{lengths}");
    }
    let twice = answered(format!("{PLAIN}Content-Length: 4\r\nContent-Length: 4\r\n\r\nbody")).await.unwrap();
    assert_eq!((twice.body.as_ref(), twice.truncated), (&b"body"[..], None));
}

#[tokio::test]
async fn chunked_wins_over_a_length() {
    let head = "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n";
    let answer = answered(format!("{PLAIN}{head}5\r\nwhole\r\n0\r\n\r\n")).await.unwrap();
    assert_eq!((answer.body.as_ref(), answer.truncated), (&b"whole"[..], None));
}

#[tokio::test]
async fn broken_chunks_end_the_body_there() {
    let overflow = "FFFFFFFFFFFFFFFFF\r\nx\r\n";
    let flood = format!("2;{}\r\nxx\r\n", "e".repeat(1 << 20));
    for rest in ["zz\r\nx\r\n", overflow, "-1\r\nx\r\n", "5\r\nfiXe\r\n", "", "ffff\r\nshort", "\r\n", flood.as_str()] {
        let body = format!("{PLAIN}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n{rest}");
        let answer = answered(body).await.unwrap();
        assert_eq!(answer.truncated, Some(Truncation::Disconnect), "{}", &rest[..rest.len().min(20)]);
        assert!(answer.body.starts_with(b"abc") && answer.body.len() < 100);
    }
}

#[tokio::test]
async fn a_flood_of_trailers_ends() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send(format!("{PLAIN}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n")).await;
        peer.flood("X-Trailer: 1\r\n".repeat(100)).await;
    })
    .await;
    let answer = get(&server.url("/")).await.unwrap();
    assert_eq!(answer.body, "abc");
    assert!(answer.truncated.is_some());
}

#[tokio::test]
async fn a_reset_in_the_body_keeps_what_came() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send(format!("{PLAIN}Content-Length: 1000\r\n\r\npart")).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        peer.reset();
    })
    .await;
    let answer = get(&server.url("/")).await.unwrap();
    assert_eq!((answer.body.as_ref(), answer.truncated), (&b"part"[..], Some(Truncation::Disconnect)));
}

#[tokio::test]
async fn a_success_without_a_byte_of_its_body_failed_but_a_redirect_says_all_in_its_head() {
    assert_eq!(answered(format!("{PLAIN}Content-Length: 10\r\n\r\n")).await.unwrap_err(), Failure::Disconnected);
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send(format!("{PLAIN}Content-Length: 10\r\n\r\n")).await;
        peer.stall().await;
    })
    .await;
    assert_eq!(get(&server.url("/")).await.unwrap_err(), Failure::WholeTimeout);
    let redirect = answered("HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 10\r\n\r\n").await.unwrap();
    assert_eq!((redirect.status, redirect.truncated), (301, Some(Truncation::Disconnect)));
}

#[tokio::test]
async fn what_says_all_in_its_head_is_not_waited_for() {
    let heads = [
        ("301 Moved\r\nLocation: /x\r\nContent-Type: text/html", 301, Some(Truncation::Time)),
        ("302 Found\r\nLocation: /x\r\nContent-Length: 100", 302, Some(Truncation::Time)),
        ("307 T\r\nLocation: /x\r\nTransfer-Encoding: chunked", 307, Some(Truncation::Time)),
        ("308 P\r\nLocation: /x\r\nContent-Type: video/mp4", 308, Some(Truncation::UnwantedType)),
        ("304 Not Modified\r\nContent-Length: 100", 304, None),
        ("204 No Content\r\nTransfer-Encoding: chunked", 204, None),
    ];
    let patient =
        client(&FetchOptions { whole_timeout: Period::secs(60), first_byte_timeout: Period::secs(60), ..quick() });
    for (head, status, truncated) in heads {
        let server = Server::start(move |mut peer| async move {
            peer.request().await;
            peer.send(format!("HTTP/1.1 {head}\r\n\r\n")).await;
            peer.stall().await;
        })
        .await;
        // `get_with` waits for five seconds at most.
        let answer = get_with(&patient, &server.url("/")).await.unwrap();
        assert_eq!((answer.status, answer.truncated, answer.body.len()), (status, truncated, 0), "{head}");
    }
    let long = "x".repeat(50_000);
    let whole =
        answered(format!("HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Type: text/html\r\n\r\n{long}")).await.unwrap();
    assert_eq!((whole.body.len(), whole.truncated), (50_000, None), "a body that ends soon is kept");
}

#[tokio::test]
async fn of_an_unwanted_type_only_the_head_is_kept_and_a_large_body_is_not_read() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 10000000000\r\n\r\n").await;
        peer.flood("v".repeat(10_000)).await;
    })
    .await;
    let answer = get(&server.url("/")).await.unwrap();
    assert_eq!((answer.status, answer.body.len(), answer.truncated), (200, 0, Some(Truncation::UnwantedType)));
    assert!(server.bytes_sent() < 64 << 20);
}

#[tokio::test]
async fn a_small_unwanted_body_is_drained_so_that_its_connection_can_be_kept() {
    let server = Server::always(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 1000\r\n\r\n{}",
        "v".repeat(1_000)
    ));
    let (server, client) = (server.await, client(&quick()));
    for _ in 0..3 {
        let answer = get_with(&client, &server.url("/")).await.unwrap();
        assert_eq!((answer.body.len(), answer.truncated), (0, Some(Truncation::UnwantedType)));
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_request_for_any_type_reads_every_type() {
    let server = Server::always("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 3\r\n\r\nall").await;
    let request =
        Request::of_any_type(CanonicalUrl::from_canonical(server.url("/robots.txt")), 1_000, Initiator::Unknown);
    assert_eq!(request.accept, Accept::All);
    let answer = exchange(&client(&quick()), &request).await.result.unwrap();
    assert_eq!((answer.body.as_ref(), answer.truncated), (&b"all"[..], None));
    assert!(server.requests()[0].to_ascii_lowercase().contains("accept: */*"));
}

#[tokio::test]
async fn answers_without_a_body_are_whole() {
    for head in [
        "204 No Content\r\n\r\n",
        "304 Not Modified\r\nContent-Length: 1000\r\n\r\n",
        "200 OK\r\nContent-Length: 0\r\n\r\n",
    ] {
        let server = Server::always(format!("HTTP/1.1 {head}")).await;
        let client = client(&quick());
        for _ in 0..2 {
            let answer = get_with(&client, &server.url("/")).await.unwrap();
            assert_eq!((answer.body.len(), answer.truncated), (0, None), "{head}");
        }
        assert_eq!(server.connections(), 1, "{head}");
    }
}
