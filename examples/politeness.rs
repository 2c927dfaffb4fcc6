//! The politeness core alone: when requests to a host may be sent. The time is a number here, so that nothing waits.
//!
//! `cargo run --example politeness`
#![allow(clippy::print_stdout, reason = "what an example shows")]

use std::time::{Duration, UNIX_EPOCH};

use harvestman_library::politeness::{HostPace, RequestEnd, RobotsTxt, Turn};

const ROBOTS: &[u8] = b"User-agent: *\nCrawl-delay: 2\nDisallow: /login\n";

fn main() {
    let robots = RobotsTxt::parse(ROBOTS, "mybot");
    let mut pace = HostPace::new(Duration::from_secs(1), 7);
    pace.set_crawl_delay(robots.crawl_delay());

    let answers =
        [("/", 200, None), ("/login", 200, None), ("/t/1", 503, Some("30")), ("/t/1", 200, None), ("/t/2", 200, None)];
    let mut now = UNIX_EPOCH;
    for (path, status, retry_after) in answers {
        if !robots.allows(path) {
            println!("never   {path}: {}", robots.rule(path).unwrap_or_default());
            continue;
        }
        while let Turn::At(time) = pace.next(now) {
            now = time;
        }
        let since_start = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        println!("{:6.2} s {path}: {status}", since_start.as_secs_f64());
        pace.started();
        now += Duration::from_millis(100);
        pace.ended(path, RequestEnd::new(now, now).status(status).retry_after(retry_after));
    }
}
