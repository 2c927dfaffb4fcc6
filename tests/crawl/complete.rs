//! Whole worlds, crawled to the end: everything is found, each URL is asked for once, nothing is lost on the way to the
//! files.

use std::time::Duration;

use harvestman::archive::ArchiveLimits;
use harvestman::host::HostLimits;
use harvestman::report::{Hooks, RunLimits, StopReason};
use harvestman::sim::{Family, ServerOptions, WorldOptions};

use crate::crawling::{Crawled, config, crawl, crawl_with, serve};

fn small(families: &[Family], pages: u64, hosts: u64) -> WorldOptions {
    WorldOptions { pages, hosts, families: families.to_vec(), page_bytes: 300, links: 20, ..WorldOptions::default() }
}

/// Crawls a world to its end, and checks that the server was asked for each URL of it exactly once.
fn crawl_all(world: &WorldOptions) -> Crawled {
    let server = serve(world, ServerOptions { keep: 0, ..ServerOptions::default() });
    let crawled = crawl(config(server.world().seeds()));
    assert_eq!(crawled.report.stop_reason, StopReason::FrontierEmpty);
    crawled.check_complete(&server);
    for row in server.world().truth() {
        let times = server.log().requests_of(&row.url);
        assert_eq!(times, u32::from(row.robots_allowed), "{} was asked for {times} times", row.url);
    }
    crawled
}

#[test]
fn a_forum_is_crawled_completely_and_each_page_once() {
    crawl_all(&small(&[Family::Forum], 600, 1));
}

#[test]
fn a_network_of_blogs_is_crawled_completely_and_each_page_once() {
    let crawled = crawl_all(&small(&[Family::Blogs], 600, 30));
    assert_eq!(crawled.report.hosts, 30);
}

#[test]
fn questions_and_answers_are_crawled_completely_and_each_page_once() {
    crawl_all(&small(&[Family::Qa], 600, 1));
}

#[test]
fn a_photo_site_is_crawled_completely_and_each_page_once() {
    crawl_all(&small(&[Family::Media], 600, 1));
}

#[test]
fn the_static_site_is_crawled_completely_and_each_page_once() {
    crawl_all(&WorldOptions { page_bytes: 500, links: 20, ..WorldOptions::static_site(300) });
}

#[test]
fn a_world_with_session_ids_files_and_odd_spellings_is_crawled_completely() {
    let odd = WorldOptions { session_ids: true, non_html: true, spellings: true, ..small(&Family::SOCIAL, 800, 8) };
    let server = serve(&odd, ServerOptions::default());
    let crawled = crawl(config(server.world().seeds()));
    assert_eq!(crawled.report.stop_reason, StopReason::FrontierEmpty);
    crawled.check_requests(&server);
    // With sessions the canonical form merges addresses that the truth counts apart; nothing else may be missing or
    // wrong.
    let of = |url: &str| crawled.fate_of(url);
    for row in server.world().truth().filter(|row| !row.url.contains("sid=")) {
        assert_eq!(of(&row.url).split(':').next(), Some(harvestman::sim::compare::fate_of(&row)), "{}", row.url);
    }
}

#[test]
fn traps_do_not_keep_a_crawl_from_ending_nor_from_finding_everything() {
    let world = WorldOptions { traps: true, ..small(&[Family::Forum], 200, 1) };
    let server = serve(&world, ServerOptions::default());
    let mut config = config(server.world().seeds());
    config.budget.depth = u16::MAX;
    let crawled = crawl(config);
    assert_eq!(crawled.report.stop_reason, StopReason::FrontierEmpty);
    for row in server.world().truth() {
        assert_eq!(
            crawled.fate_of(&row.url).split(':').next(),
            Some(harvestman::sim::compare::fate_of(&row)),
            "{}",
            row.url
        );
    }
}

#[test]
fn twenty_thousand_pages_of_all_families_on_sixty_hosts_are_crawled_completely_and_each_once() {
    let crawled = crawl_all(&small(&Family::SOCIAL, 20_000, 60));
    assert!(crawled.report.pages >= 20_000);
    assert_eq!(crawled.report.hosts, 60);
}

#[test]
fn an_archive_with_room_for_one_page_slows_a_crawl_and_loses_nothing() {
    let server = serve(&small(&[Family::Blogs], 200, 10), ServerOptions::default());
    let archive = ArchiveLimits { queue_entries: 1, queue_bytes: 1, flush_bytes: 1, ..ArchiveLimits::default() };
    let hosts = HostLimits { sleep_after: Duration::ZERO, ..HostLimits::default() };
    let limits = RunLimits { archive, hosts, ..RunLimits::default() };
    let crawled = crawl_with(config(server.world().seeds()), Hooks { limits, ..Hooks::none() });
    assert_eq!(crawled.report.stop_reason, StopReason::FrontierEmpty);
    crawled.check_complete(&server);
}
