//! The server counts requests that would change something, and lists what the pages show.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use harvestman_sim::{RenderedPage, Server, ServerOptions};
use serde_json::Value;

use super::{HOST, options, world};

fn send(server: &Server, method: &str, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.addr()).unwrap();
    let head =
        format!("{method} {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

fn counts(server: &Server) -> Value {
    serde_json::from_str(&send(server, "GET", "/__counts").1).unwrap()
}

#[test]
fn the_server_counts_actions_and_changes_nothing() {
    let world = Arc::new(world(&options(40), 1));
    let server = Server::start(Arc::clone(&world), "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).unwrap();
    assert_eq!(counts(&server)["total"], 0);
    let before = send(&server, "GET", "/api/home");
    for (method, path, status) in [
        ("POST", "/api/post/0/vote", 200),
        ("POST", "/api/post/1/vote", 200),
        ("POST", "/api/post/0/delete", 200),
        ("POST", "/api/log-out", 200),
        ("POST", "/about", 405),
        ("DELETE", "/t/0", 405),
        ("GET", "/api/post/0/vote", 405),
        ("GET", "/api/log-out", 405),
    ] {
        assert_eq!(send(&server, method, path).0, status, "{method} {path}");
    }
    let expected = serde_json::json!({ "total": 6, "vote": 2, "delete": 1, "log_out": 1, "other": 2 });
    assert_eq!(counts(&server), expected);
    assert_eq!(send(&server, "GET", "/api/home").1, before.1);
    server.stop().unwrap();
}

#[test]
fn the_server_lists_what_the_pages_show() {
    let world = Arc::new(world(&options(40), 2));
    let server = Server::start(world, "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).unwrap();
    let (status, lines) = send(&server, "GET", "/.sim/rendered");
    let pages: Vec<RenderedPage> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((status, pages), (200, server.world().rendered_pages().collect()));
    server.stop().unwrap();
}
