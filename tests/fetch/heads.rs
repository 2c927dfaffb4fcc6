//! Servers that go wrong before the head of the answer is whole.

use std::time::Duration;

use harvestman::config::{FetchOptions, Period};
use harvestman::fetch::{ClientBounds, redirect};
use harvestman::model::Failure;

use crate::server::{Server, answered, client, client_within, get, get_with, quick};

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_after_the_first_byte_timeout() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.stall().await;
    })
    .await;
    assert_eq!(get(&server.url("/")).await.unwrap_err(), Failure::FirstByteTimeout);
}

#[tokio::test]
async fn a_head_that_drips_is_given_up_after_the_first_byte_timeout() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\nX-Slow: ").await;
        peer.drip("a", Duration::from_millis(20)).await;
    })
    .await;
    assert_eq!(get(&server.url("/")).await.unwrap_err(), Failure::FirstByteTimeout);
}

#[tokio::test]
async fn a_flood_of_header_lines_is_too_large() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\n").await;
        peer.flood("X-Flood: 1\r\n".repeat(1_000)).await;
    })
    .await;
    assert_eq!(get(&server.url("/")).await.unwrap_err(), Failure::HeadTooLarge);
    assert!(server.bytes_sent() < 64 << 20);
}

#[tokio::test]
async fn a_header_line_without_end_is_too_large() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\nX-Endless: ").await;
        peer.flood("a".repeat(10_000)).await;
    })
    .await;
    assert_eq!(get(&server.url("/")).await.unwrap_err(), Failure::HeadTooLarge);
    assert!(server.bytes_sent() < 64 << 20);
}

#[tokio::test]
async fn a_status_line_without_end_is_refused() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 ").await;
        peer.flood("a".repeat(10_000)).await;
    })
    .await;
    assert_eq!(get(&server.url("/")).await.unwrap_err(), Failure::HeadTooLarge);
}

#[tokio::test]
async fn the_number_of_header_lines_is_limited_exactly() {
    let client = client_within(ClientBounds { headers_max: 20, ..ClientBounds::default() }, &quick());
    let with_lines = |lines: usize| format!("HTTP/1.1 204 No Content\r\n{}\r\n", "X-Line: 1\r\n".repeat(lines));
    let (at, beyond) = (Server::once(with_lines(20)).await, Server::once(with_lines(21)).await);
    assert_eq!(get_with(&client, &at.url("/")).await.unwrap().status, 204);
    assert_eq!(get_with(&client, &beyond.url("/")).await.unwrap_err(), Failure::HeadTooLarge);
}

#[tokio::test]
async fn the_size_of_the_head_is_limited() {
    let client = client_within(ClientBounds { head_max: 16 << 10, ..ClientBounds::default() }, &quick());
    let of_size = |size: usize| {
        let frame = "HTTP/1.1 204 No Content\r\nX: \r\n\r\n".len();
        format!("HTTP/1.1 204 No Content\r\nX: {}\r\n\r\n", "a".repeat(size - frame))
    };
    let (below, beyond) = (Server::once(of_size(16_000)).await, Server::once(of_size(17_000)).await);
    assert_eq!(get_with(&client, &below.url("/")).await.unwrap().status, 204);
    assert_eq!(get_with(&client, &beyond.url("/")).await.unwrap_err(), Failure::HeadTooLarge);
}

#[tokio::test]
async fn a_connection_that_ends_before_the_head_is_whole_is_a_disconnect() {
    for start in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Ty", "HT"] {
        assert_eq!(answered(start).await.unwrap_err(), Failure::Disconnected, "closed after {start:?}");
        let server = Server::start(move |mut peer| async move {
            peer.request().await;
            peer.send(start).await;
            peer.reset();
        })
        .await;
        assert_eq!(get(&server.url("/")).await.unwrap_err(), Failure::Disconnected, "reset after {start:?}");
        assert_eq!(server.connections(), 1, "a fresh connection that breaks is no reason to try again");
    }
}

#[tokio::test]
async fn what_is_not_http_is_a_protocol_failure() {
    let cases: [&[u8]; 8] = [
        b"garbage\r\n\r\n",
        b"<html><body>HTTP/0.9 had no head</body></html>",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 20x OK\r\n\r\n",
        b"HTTP/1.1 99999 OK\r\n\r\n",
        b"HTTP/1.1 000 OK\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46\r\n\r\n",
    ];
    for bytes in cases {
        assert_eq!(answered(bytes).await.unwrap_err(), Failure::Protocol, "{}", bytes.escape_ascii());
    }
}

#[tokio::test]
async fn statuses_that_no_standard_knows_are_answers() {
    for status in [299, 600, 999] {
        let answer = answered(format!("HTTP/1.1 {status} Odd\r\nContent-Length: 2\r\n\r\nhi")).await.unwrap();
        assert_eq!((answer.status, answer.body.as_ref()), (status, &b"hi"[..]));
    }
}

#[tokio::test]
async fn broken_header_lines_are_left_out_as_browsers_do() {
    let head = b"HTTP/1.1 200 OK\r\nno colon\r\nSp ace: 1\r\nX-Space : 2\r\nX-Folded: a\r\n b\r\nX-Fine: 3\r\n\
        X-Latin: \xe9\r\nContent-Length: 2\r\n\r\nhi";
    let answer = answered(&head[..]).await.unwrap();
    assert_eq!(answer.body, "hi");
    assert_eq!(answer.headers["x-fine"], "3");
    assert_eq!(answer.headers["x-space"], "2");
    assert_eq!(answer.headers["x-folded"].as_bytes().trim_ascii_start().first(), Some(&b'a'));
    assert_eq!(answer.headers["x-latin"].as_bytes(), b"\xe9");
    let names: Vec<&str> = answer.headers.keys().map(|name| name.as_str()).collect();
    assert_eq!(names, ["x-space", "x-folded", "x-fine", "x-latin", "content-length"]);
}

#[tokio::test]
async fn a_zero_byte_in_a_header_is_a_protocol_failure() {
    for head in ["X-Nul: a\0b\r\n", "X-\0Nul: a\r\n", "X: a\r\0\n"] {
        let answer = answered(format!("HTTP/1.1 200 OK\r\n{head}Content-Length: 2\r\n\r\nhi")).await;
        assert_eq!(answer.unwrap_err(), Failure::Protocol, "{head:?}");
    }
}

#[tokio::test]
async fn a_line_break_in_a_redirect_ends_the_header_and_nothing_else() {
    let answer =
        answered("HTTP/1.1 302 Found\r\nLocation: /a\r\nX-Injected: 1\r\nContent-Length: 0\r\n\r\n").await.unwrap();
    assert_eq!(redirect::target(answer.status, &answer.headers).as_deref(), Some("/a"));
    let bare = answered("HTTP/1.1 302 Found\r\nLocation: /a\rb\r\nContent-Length: 0\r\n\r\n").await;
    let target = bare.ok().and_then(|answer| redirect::target(answer.status, &answer.headers));
    assert!(target.is_none_or(|target| !target.contains(['\r', '\n'])));
}

#[tokio::test]
async fn informational_answers_are_passed_over_and_a_flood_of_them_is_a_head_that_is_too_large() {
    let answer = answered(format!(
        "{}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(3)
    ));
    assert_eq!(answer.await.unwrap().body, "hi");
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.flood("HTTP/1.1 100 Continue\r\n\r\n".repeat(100)).await;
    })
    .await;
    let patient = client(&FetchOptions { first_byte_timeout: Period::secs(60), ..quick() });
    assert_eq!(get_with(&patient, &server.url("/")).await.unwrap_err(), Failure::HeadTooLarge);
}

#[tokio::test]
async fn a_switch_of_protocols_that_nobody_asked_for_ends() {
    let answer =
        answered("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\nwhatever").await;
    assert!(matches!(&answer, Ok(answer) if answer.status == 101), "{answer:?}");
}

#[tokio::test]
async fn an_answer_before_the_request_does_no_harm() {
    let server = Server::start(|mut peer| async move {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly").await;
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate").await;
    })
    .await;
    // Whether it counts as the answer depends on whether the request was on its way already.
    match get(&server.url("/")).await {
        Ok(answer) => assert_eq!(answer.body, "early"),
        Err(failure) => assert!(matches!(failure, Failure::Protocol | Failure::Disconnected), "{failure:?}"),
    }
}

#[tokio::test]
async fn an_unsolicited_second_answer_is_not_taken_for_the_answer_to_the_next_request() {
    let server = Server::start(|mut peer| async move {
        let path = peer.request().await.unwrap_or_default();
        let body = if path.starts_with("GET /a") { "a" } else { "b" };
        peer.send(format!(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{body}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        ))
        .await;
        peer.request().await;
    })
    .await;
    let client = client(&quick());
    assert_eq!(get_with(&client, &server.url("/a")).await.unwrap().body, "a");
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(get_with(&client, &server.url("/b")).await.unwrap().body, "b");
}
