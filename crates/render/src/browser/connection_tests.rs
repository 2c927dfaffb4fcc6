//! Tests of the connection with a peer on the other end of a pipe.

use super::*;
use tokio::io::{DuplexStream, duplex};

const SOON: Duration = Duration::from_secs(5);

/// Returns a connection, its events, and the two ends of the peer: what it reads, and what it writes to.
fn connect() -> (Connection, mpsc::Receiver<Event>, Frames<DuplexStream>, DuplexStream) {
    let (to, peer_reads) = duplex(1 << 20);
    let (peer_writes, from) = duplex(1 << 20);
    let (connection, events) = Connection::start(to, from);
    (connection, events, Frames::new(peer_reads, 1 << 20), peer_writes)
}

async fn say(peer: &mut DuplexStream, message: &Value) {
    peer.write_all(message.to_string().as_bytes()).await.unwrap();
    peer.write_all(&[0]).await.unwrap();
}

#[tokio::test]
async fn answers_go_to_their_commands_in_any_order() {
    let (connection, _events, mut asked, mut peer) = connect();
    let peer = tokio::spawn(async move {
        let mut ids = Vec::new();
        for _ in 0..2 {
            let message: Value = serde_json::from_slice(&asked.next().await.unwrap().unwrap()).unwrap();
            ids.push((message["id"].clone(), message["params"]["n"].clone(), message["sessionId"].clone()));
        }
        for (id, n, session) in ids.into_iter().rev() {
            say(&mut peer, &json!({"id": id, "result": {"n": n, "session": session}})).await;
        }
        (asked, peer)
    });
    let one = connection.command(None, "A.one", json!({"n": 1}), SOON);
    let two = connection.command(Some("s"), "A.two", json!({"n": 2}), SOON);
    let (one, two) = tokio::join!(one, two);
    assert_eq!(one.unwrap(), json!({"n": 1, "session": null}));
    assert_eq!(two.unwrap(), json!({"n": 2, "session": "s"}));
    drop(peer.await);
}

#[tokio::test(start_paused = true)]
async fn a_command_without_an_answer_fails_in_time() {
    let (connection, _events, _asked, _peer) = connect();
    let late = connection.command(None, "A.late", json!({}), SOON).await;
    assert_eq!(late, Err(CommandError::Late("A.late")));
    assert!(connection.shared.waiting.lock().as_ref().unwrap().is_empty());
}

#[tokio::test]
async fn rejections_and_the_end_are_errors() {
    let (connection, _events, mut asked, mut peer) = connect();
    let rejecting = async {
        let message: Value = serde_json::from_slice(&asked.next().await.unwrap().unwrap()).unwrap();
        say(&mut peer, &json!({"id": message["id"], "error": {"code": -1, "message": "no"}})).await;
        asked.next().await.unwrap();
        drop(peer);
    };
    let commands = async {
        let rejected = connection.command(None, "A.wrong", json!({}), SOON).await;
        assert_eq!(rejected, Err(CommandError::Rejected("A.wrong", "no".to_owned())));
        assert_eq!(connection.command(None, "A.last", json!({}), SOON).await, Err(CommandError::Ended));
    };
    tokio::join!(rejecting, commands);
    assert!(connection.has_ended());
    assert_eq!(connection.command(None, "A.more", json!({}), SOON).await, Err(CommandError::Ended));
}

#[tokio::test]
async fn events_beyond_the_bound_are_lost_and_that_is_known() {
    let (connection, mut events, _asked, mut peer) = connect();
    peer.write_all(b"not json\0").await.unwrap();
    for n in 0..EVENTS_MAX + 3 {
        say(&mut peer, &json!({"method": "A.event", "params": {"n": n}, "sessionId": "s"})).await;
    }
    drop(peer);
    while !connection.has_ended() {
        tokio::task::yield_now().await;
    }
    assert!(connection.has_lost_events() && !connection.has_lost_events());
    let mut received = 0;
    while let Some(event) = events.recv().await {
        assert_eq!(event.method, "A.event");
        assert_eq!(event.params["n"], json!(received));
        received += 1;
    }
    assert_eq!(received, EVENTS_MAX);
}
