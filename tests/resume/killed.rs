//! SIGKILL at random moments.

use std::path::PathBuf;
use std::time::Duration;

use harvestman::seed::Seed;
use harvestman::sim::{Family, WorldOptions};
use rand::Rng as _;

use super::runs::{LEASES, Runs, serve};

fn world(families: &[Family], pages: u64, hosts: u64) -> WorldOptions {
    WorldOptions { pages, hosts, families: families.to_vec(), page_bytes: 600, links: 20, ..WorldOptions::default() }
}

/// A number from the environment, for longer runs than usual.
fn wished(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Kills a crawl so many times, each time after at most so long, and lets it end then.
fn kill_and_resume(runs: &Runs, kills: u64, longest: Duration) {
    let mut rng = Seed(5).child("kills").rng();
    let mut child = runs.start(runs.crawl());
    runs.await_pages();
    let mut killed = 0;
    while killed < kills {
        std::thread::sleep(longest.mul_f64(rng.random::<f64>()));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        child = runs.start(runs.resume());
    }
    assert_eq!(killed, kills, "the crawl ended before all kills: {}", runs.stderr());
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(0), "{}", runs.stderr());
}

#[test]
fn a_crawl_that_is_killed_again_and_again_loses_nothing_and_fetches_little_twice() {
    let (pages, kills) = (wished("HARVESTMAN_KILLED_PAGES", 1_500), wished("HARVESTMAN_KILLS", 6));
    let server = serve(&world(&Family::SOCIAL, pages, 12), Duration::from_millis(8));
    let runs = Runs::of(&server, &["host.delay=0s", "host.connections_per_host=8", "host.connections_per_ip=16"]);
    let runs = runs.into(std::env::var_os("HARVESTMAN_KILLED_OUT").map(PathBuf::from));
    kill_and_resume(&runs, kills, Duration::from_millis(350));
    let again = runs.check_complete(&server);
    assert!(u64::from(again) <= kills * u64::from(LEASES), "{again} pages were fetched again after {kills} kills");
    eprintln!("{again} of {pages} pages were fetched again after {kills} kills");
}

#[test]
fn hosts_are_left_alone_for_their_delay_across_kills_too() {
    let delay = Duration::from_millis(120);
    let server = serve(&world(&[Family::Forum], 40, 1), Duration::from_millis(2));
    let runs = Runs::of(&server, &["host.delay=120ms", "host.delay_factor=0"]);
    kill_and_resume(&runs, 5, Duration::from_millis(900));
    runs.check_complete(&server);
    let times: Vec<u64> = server.log().entries().iter().map(|entry| entry.us).collect();
    let least = times.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap();
    // The server takes the time when a request has come, which may be a little later for one than for the next.
    assert!(least + 10_000 >= delay.as_micros() as u64, "two requests came within {least} µs");
}
