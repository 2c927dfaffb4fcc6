//! Connections: made, kept, lost between two requests.

use std::time::Duration;

use harvestman::config::{FetchOptions, Period};
use harvestman::fetch::ClientBounds;
use harvestman::model::Failure;
use tokio::net::TcpSocket;

use crate::server::{Server, client, client_within, get, get_with, quick};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn requests_to_a_host_one_after_the_other_share_a_connection() {
    let server = Server::always(OK).await;
    let client = client(&quick());
    for _ in 0..20 {
        assert_eq!(get_with(&client, &server.url("/")).await.unwrap().body, "ok");
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_meanwhile_costs_nothing_but_a_new_one() {
    // The server closes as soon as it reads the second request, which is the race that every server with an idle
    // time-out has.
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send(OK).await;
        peer.request().await;
    })
    .await;
    let client = client(&quick());
    for expected in [1, 2, 3, 4] {
        assert_eq!(get_with(&client, &server.url("/")).await.unwrap().body, "ok");
        assert_eq!(server.connections(), expected);
    }
    assert_eq!(server.requests().len(), 4 + 3);
}

#[tokio::test]
async fn a_request_that_the_server_may_have_read_is_not_sent_again_where_a_delay_is_owed() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send(OK).await;
        peer.request().await;
    })
    .await;
    let client = client_within(ClientBounds { resends_unanswered: false, ..ClientBounds::default() }, &quick());
    assert!(get_with(&client, &server.url("/")).await.is_ok());
    assert_eq!(get_with(&client, &server.url("/")).await.unwrap_err(), Failure::Disconnected);
    assert_eq!((server.connections(), server.requests().len()), (1, 2));
}

#[tokio::test]
async fn a_connection_that_was_closed_before_the_request_costs_nothing_even_where_a_delay_is_owed() {
    let server = Server::once(OK).await;
    let client = client_within(ClientBounds { resends_unanswered: false, ..ClientBounds::default() }, &quick());
    for expected in [1, 2, 3] {
        assert_eq!(get_with(&client, &server.url("/")).await.unwrap().body, "ok");
        assert_eq!(server.connections(), expected);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_kept_connection_that_breaks_inside_an_answer_is_not_tried_again() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.send(OK).await;
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\nContent-").await;
    })
    .await;
    let client = client(&quick());
    assert!(get_with(&client, &server.url("/")).await.is_ok());
    assert_eq!(get_with(&client, &server.url("/")).await.unwrap_err(), Failure::Disconnected);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_is_given_up_where_the_server_says_so_or_does_not_say_where_the_body_ends() {
    for answer in ["HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.0 200 OK\r\n\r\nok"] {
        let server = Server::once(answer).await;
        let client = client(&quick());
        for expected in [1, 2, 3] {
            assert_eq!(get_with(&client, &server.url("/")).await.unwrap().body, "ok");
            assert_eq!(server.connections(), expected);
        }
    }
}

#[tokio::test]
async fn an_unused_connection_is_not_kept_for_longer_than_the_idle_timeout() {
    let server = Server::always(OK).await;
    let client =
        client_within(ClientBounds { idle_timeout: Duration::from_millis(50), ..ClientBounds::default() }, &quick());
    for expected in [1, 2] {
        assert!(get_with(&client, &server.url("/")).await.is_ok());
        assert_eq!(server.connections(), expected);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn connections_are_kept_up_to_the_number_for_a_host() {
    let server = Server::start(|mut peer| async move {
        while peer.request().await.is_some() {
            tokio::time::sleep(Duration::from_millis(50)).await;
            peer.send(OK).await;
        }
    })
    .await;
    let client = client_within(ClientBounds { idle_per_host: 2, ..ClientBounds::default() }, &quick());
    for expected in [4, 4 + 2] {
        let url = server.url("/");
        let fetches = (0..4).map(|_| get_with(&client, &url));
        assert!(futures_util::future::join_all(fetches).await.iter().all(Result::is_ok));
        assert_eq!(server.connections(), expected, "of four connections two are kept for the next four requests");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tasks_share_a_client() {
    let server = Server::always(OK).await;
    let client = client_within(ClientBounds { idle_per_host: 16, ..ClientBounds::default() }, &quick());
    let tasks = (0..16).map(|_| {
        let (client, url) = (client.clone(), server.url("/"));
        tokio::spawn(async move {
            for _ in 0..50 {
                assert_eq!(get_with(&client, &url).await.unwrap().body, "ok");
            }
        })
    });
    assert!(futures_util::future::join_all(tasks).await.iter().all(Result::is_ok));
    assert_eq!(server.requests().len(), 16 * 50);
    assert!(server.connections() <= 16);
}

#[tokio::test]
async fn nobody_listening_is_a_failure_to_connect() {
    let server = Server::always(OK).await;
    let url = server.url("/");
    drop(server);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(get(&url).await.unwrap_err(), Failure::Connect);
}

#[tokio::test]
async fn a_host_that_does_not_take_the_connection_is_given_up_after_the_connect_timeout() {
    // A full backlog: the kernel drops further attempts, as a dead host would.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut held = Vec::new();
    for _ in 0..8 {
        let attempt = tokio::net::TcpStream::connect(address);
        if let Ok(Ok(stream)) = tokio::time::timeout(Duration::from_millis(100), attempt).await {
            held.push(stream);
        }
    }
    assert!(held.len() < 8, "the backlog is full");
    assert_eq!(get(&format!("http://{address}/")).await.unwrap_err(), Failure::ConnectTimeout);
}

#[tokio::test]
async fn dropping_a_fetch_closes_its_connection() {
    let (closed, mut seen_closed) = tokio::sync::mpsc::channel(1);
    let server = Server::start(move |mut peer| {
        let closed = closed.clone();
        async move {
            peer.request().await;
            // Ends when the client's side is gone.
            peer.request().await;
            let _ = closed.send(()).await;
        }
    })
    .await;
    let client = client(&quick());
    let url = server.url("/");
    let fetch = tokio::time::timeout(Duration::from_millis(100), get_with(&client, &url));
    assert!(fetch.await.is_err());
    tokio::time::timeout(Duration::from_secs(5), seen_closed.recv()).await.expect("the connection is closed");
}

#[tokio::test]
async fn the_whole_timeout_holds_over_all_phases() {
    let server = Server::start(|mut peer| async move {
        peer.request().await;
        peer.stall().await;
    })
    .await;
    let options = FetchOptions { first_byte_timeout: Period::secs(60), whole_timeout: Period::millis(200), ..quick() };
    assert_eq!(get_with(&client(&options), &server.url("/")).await.unwrap_err(), Failure::WholeTimeout);
}
