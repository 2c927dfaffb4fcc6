use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::*;

/// A server that says `ok`; to requests for `/slow` only once it is told to.
struct Bench {
    address: SocketAddr,
    stop: StopFlag,
    task: JoinHandle<()>,
    go_on: Arc<Notify>,
    /// Number of requests for `/slow` in progress.
    slow: Arc<AtomicUsize>,
}

async fn start() -> Bench {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, go_on, slow) = (StopFlag::new(), Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let (told, count) = (Arc::clone(&go_on), Arc::clone(&slow));
    let service = service_fn(move |request: Request<Full<Bytes>>| {
        let (told, count) = (Arc::clone(&told), Arc::clone(&count));
        async move {
            if request.uri().path() == "/slow" {
                let told = told.notified();
                count.fetch_add(1, Ordering::SeqCst);
                told.await;
            }
            Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(b"ok"))))
        }
    });
    let task = tokio::spawn(serve(listener, service, stop.clone()));
    Bench { address, stop, task, go_on, slow }
}

impl Bench {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn end(self) {
        self.stop.request();
        self.task.await.unwrap();
    }
}

/// Sends a request on a connection that stays open, and returns the response.
async fn ask(stream: &mut TcpStream, path: &str) -> String {
    send(stream, path).await;
    response(stream).await
}

async fn send(stream: &mut TcpStream, path: &str) {
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await.unwrap();
}

async fn response(stream: &mut TcpStream) -> String {
    let (mut all, mut part) = (String::new(), [0; 1024]);
    while !all.ends_with("\r\n\r\nok") {
        let count = stream.read(&mut part).await.unwrap();
        assert!(count > 0, "closed after {all}");
        all += std::str::from_utf8(&part[..count]).unwrap();
    }
    all
}

/// Returns whether the server has closed the connection.
fn is_closed(stream: &TcpStream) -> bool {
    !matches!(stream.try_read(&mut [0; 16]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

/// Waits until the server closes the connection.
async fn closed(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    // A reset is an end too.
    let _ = stream.read_to_end(&mut rest).await;
    assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
}

#[tokio::test]
async fn idle_clients_keep_nobody_out_and_are_closed_beyond_the_limit() {
    let bench = start().await;
    let mut idle = Vec::new();
    for number in 0..CONNECTIONS_MAX * 3 {
        let mut stream = bench.connect().await;
        match number % 3 {
            0 => {}
            1 => stream.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap(),
            _ => stream.write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nxx").await.unwrap(),
        }
        idle.push(stream);
    }
    assert!(ask(&mut bench.connect().await, "/").await.starts_with("HTTP/1.1 200"));
    // All but one place were theirs at most.
    let surplus = idle.len() + 1 - CONNECTIONS_MAX;
    for stream in &mut idle[..surplus] {
        closed(stream).await;
    }
    assert!(!is_closed(idle.last().unwrap()));
    bench.end().await;
}

#[tokio::test]
async fn a_response_in_progress_is_not_closed_for_a_new_client() {
    let bench = start().await;
    let mut first = bench.connect().await;
    send(&mut first, "/slow").await;
    while bench.slow.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let mut idle = Vec::new();
    for _ in 0..CONNECTIONS_MAX * 2 {
        idle.push(bench.connect().await);
    }
    assert!(ask(&mut bench.connect().await, "/").await.starts_with("HTTP/1.1 200"));
    bench.go_on.notify_waiters();
    assert!(response(&mut first).await.starts_with("HTTP/1.1 200"));
    bench.end().await;
}

#[tokio::test]
async fn a_client_waits_while_all_others_are_being_answered() {
    let bench = start().await;
    let mut slow = Vec::new();
    for _ in 0..CONNECTIONS_MAX {
        let mut stream = bench.connect().await;
        send(&mut stream, "/slow").await;
        slow.push(stream);
    }
    while bench.slow.load(Ordering::SeqCst) < CONNECTIONS_MAX {
        tokio::task::yield_now().await;
    }
    let mut late = bench.connect().await;
    send(&mut late, "/").await;
    bench.go_on.notify_waiters();
    assert!(response(&mut late).await.starts_with("HTTP/1.1 200"), "one of them has ended");
    bench.end().await;
}

#[tokio::test(start_paused = true)]
async fn late_heads_late_bodies_and_unused_connections_are_given_up() {
    let bench = start().await;
    let mut said = String::new();
    let all = async {
        closed(&mut bench.connect().await).await;
        let mut half = bench.connect().await;
        half.write_all(b"GET / HT").await.unwrap();
        closed(&mut half).await;
        let mut used = bench.connect().await;
        ask(&mut used, "/").await;
        closed(&mut used).await;
        let mut without_body = bench.connect().await;
        without_body.write_all(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nxx").await.unwrap();
        without_body.read_to_string(&mut said).await.unwrap();
    };
    timeout(REQUEST_TIMEOUT * 5, all).await.unwrap();
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
    bench.end().await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let bench = start().await;
    let mut stream = bench.connect().await;
    let head = format!("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", BODY_MAX + 1);
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b'x'; BODY_MAX + 1]).await.unwrap();
    let mut said = [0; 12];
    stream.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"HTTP/1.1 413");
    bench.end().await;
}

fn machine(last: u8) -> Option<IpAddr> {
    Some(Ipv4Addr::new(192, 0, 2, last).into())
}

#[test]
fn the_machine_with_most_connections_loses_the_one_that_waits_longest() {
    let open = [(machine(1), Some(0)), (machine(2), Some(7)), (machine(2), Some(5)), (machine(2), None)];
    assert_eq!(to_close(&open), Some(2));
    assert_eq!(to_close(&open[..2]), Some(0), "equal shares: the one that waits longest");
    assert_eq!(to_close(&[(None, Some(4)), (None, Some(3))]), Some(1));
}

#[test]
fn connections_that_are_being_answered_are_never_closed() {
    assert_eq!(to_close(&[]), None);
    assert_eq!(to_close(&[(machine(1), None), (machine(1), None)]), None);
    assert_eq!(to_close(&[(machine(1), None), (machine(1), None), (machine(2), Some(9))]), Some(2));
}

#[test]
fn a_connection_waits_again_from_the_end_of_its_response() {
    let turns = Arc::new(Turns::default());
    let (first, second) = (turns.new_connection(), turns.new_connection());
    assert!(first.since() < second.since());
    let answering = first.answer();
    assert_eq!(first.since(), None);
    drop(answering);
    assert!(first.since() > second.since(), "it waits anew");
}
