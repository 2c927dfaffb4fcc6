//! Every metric of the catalogue is counted by a crawl, and what is counted adds up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harvestman::config::{ByteSize, Config, DedupStore, Period, PolicyKind};
use harvestman::metrics::{Metrics, catalogue};
use harvestman::pipeline;
use harvestman::report::{Command, Hooks, RunLimits, StopReason};
use harvestman::sim::{Family, Server, ServerOptions, WorldOptions};

use crate::crawling::{Crawled, config, crawl_in, crawl_with, serve};
use crate::scripted::{Reply, Scripted};

/// Metrics that a healthy crawl need not move, and why. Each is tested where what it counts is provoked.
const SPECIAL: [(&str, &str); 41] = [
    ("harvestman_fetch_local_failures_total", "asks for a machine that lacks something, or a proxy that is down"),
    ("harvestman_host_crawl_delays_capped_total", "asks for a robots.txt with a crawl delay beyond the maximum"),
    ("harvestman_build_info", "is 1 from the start"),
    ("harvestman_fetch_signed_total", "asks for a key"),
    ("harvestman_fetch_signature_wanted_total", "asks for a server that asks for signatures"),
    ("harvestman_host_log_ins_total", "a crawl that logs in: `login`"),
    ("harvestman_host_sessions_lost_total", "a session that ends: `login`"),
    ("harvestman_host_put_back_total", "asks for an error between a host's question and the frontier's answer"),
    ("harvestman_frontier_dropped_total", "asks for a limit that is met, or for a lesson that lets waiting URLs go"),
    ("harvestman_frontier_lost_urls", "asks for a file of waiting URLs that cannot be read"),
    ("harvestman_parse_dropped_total", "asks for a parser that panics"),
    ("harvestman_worker_statements_total", "asks for a site that states what its content may be used for"),
    ("harvestman_parse_substitute_pages_total", "asks for `filter.substitutes`"),
    (
        "harvestman_policy_waiting_seconds_total",
        "asks for a policy that is behind by as many fetches as there are leases",
    ),
    ("harvestman_policy_skipped_observations_total", "asks for a policy that knows the site and is behind"),
    ("harvestman_policy_unread_pages_total", "asks for some thousand pages of few classes"),
    ("harvestman_policy_drifts_total", "asks for a site that changes its templates"),
    ("harvestman_policy_proposals_total", "asks for the policy `target` and addresses that extend others"),
    ("harvestman_policy_queries_total", "asks for a search"),
    ("harvestman_policy_found_sites_total", "asks for a search"),
    ("harvestman_policy_forms_put_last", "asks for a trap and some hundred requests into it"),
    ("harvestman_policy_forms_refused", "asks for a trap and some hundred requests into it"),
    ("harvestman_policy_panics_total", "asks for a policy that panics"),
    ("harvestman_policy_duplicates_total", "asks for near-duplicates among few pages"),
    ("harvestman_host_subrequests_refused_total", "asks for a browser"),
    ("harvestman_render_pages_total", "asks for a browser"),
    ("harvestman_render_clicks_total", "asks for a browser"),
    ("harvestman_render_gained_links_total", "asks for a browser"),
    ("harvestman_render_requests_total", "asks for a browser"),
    ("harvestman_render_duration_seconds", "asks for a browser"),
    ("harvestman_render_classes", "asks for a browser"),
    ("harvestman_archive_dropped_total", "asks for a disk that is full"),
    ("harvestman_archive_uploads_total", "asks for storage to upload to"),
    ("harvestman_archive_uploaded_bytes_total", "asks for storage to upload to"),
    ("harvestman_archive_upload_waiting_files", "asks for storage to upload to"),
    ("harvestman_archive_posts_total", "asks for `archive.posts`"),
    ("harvestman_archive_posts_pages_total", "asks for `archive.posts`"),
    ("harvestman_archive_posts_given_up_pages_total", "asks for `archive.posts`"),
    ("harvestman_archive_posts_threads", "asks for `archive.posts`"),
    ("harvestman_archive_posts_behind_bytes", "asks for `archive.posts`"),
    ("harvestman_state_commit_failures_total", "asks for a disk that fails"),
];

const DAY: u64 = 86_400;
const DEADLINE: Duration = Duration::from_secs(120);

/// The value of each series.
fn series(text: &str) -> BTreeMap<&str, f64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit_once(' ').unwrap()).map(|(name, value)| (name, value.parse().unwrap())).collect()
}

/// The sum over all series of a metric.
fn total(text: &str, metric: &str) -> u64 {
    let of_it = |name: &&str| name.split('{').next() == Some(metric);
    series(text).into_iter().filter(|(name, _)| of_it(name)).map(|(_, value)| value as u64).sum()
}

/// Notes which metrics were seen to be other than they were at the start.
#[derive(Default)]
struct Moved(BTreeSet<String>);

impl Moved {
    fn look(&mut self, text: &str) {
        let fresh = Metrics::new().encode();
        let before = series(&fresh);
        let moved = series(text).into_iter().filter(|(name, value)| before.get(name) != Some(value));
        self.0.extend(moved.map(|(name, _)| name.split('{').next().unwrap_or_default().to_owned()));
    }

    fn has(&self, metric: &str) -> bool {
        ["", "_count"].iter().any(|end| self.0.contains(&format!("{metric}{end}")))
    }

    /// Looks all the time while `crawl` runs.
    fn watch<T: Send>(&mut self, hooks: &Hooks, crawl: impl FnOnce() -> T + Send) -> T {
        let over = AtomicBool::new(false);
        let ended = std::thread::scope(|scope| {
            let crawl = scope.spawn(|| {
                // However it ends.
                let _end = OnDrop(&over);
                crawl()
            });
            while !over.load(Ordering::SeqCst) {
                self.look(&hooks.metrics.encode());
                std::thread::sleep(Duration::from_millis(15));
            }
            crawl.join().unwrap()
        });
        self.look(&hooks.metrics.encode());
        ended
    }
}

struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A forum that changes and that fails now and then.
fn forum() -> Server {
    let world = WorldOptions {
        pages: 600,
        hosts: 1,
        families: vec![Family::Forum],
        page_bytes: 700,
        error_rate: 0.05,
        errors_in_a_row: 2,
        duplicates: 0.5,
        changes: true,
        ..WorldOptions::default()
    };
    serve(&world, ServerOptions { latency: Duration::from_millis(2), ..ServerOptions::default() })
}

/// Pages that are longer than may be, in a coding that they are not in, or elsewhere.
fn odd_pages() -> Scripted {
    Scripted::start(|_, path, _| match path {
        "/" => Reply::links(&["/long", "/coded", "/image.png", "http://elsewhere.example.org/"]),
        "/long" => Reply::html("long ".repeat(100_000)),
        "/coded" => Reply::html("\u{1}\u{2}: no gzip, and no text").with("Content-Encoding", "gzip"),
        "/image.png" => Reply { headers: vec![("Content-Type", "image/png".to_owned())], ..Reply::html("x") },
        _ => Reply::status(404),
    })
}

/// A crawl that learns, keeps its state, and meets a server that is not there.
fn learning(server: &Server, odd: &Scripted) -> Config {
    let mut config = config(server.world().seeds());
    config.crawl.seeds.extend([odd.url("odd", "/"), "http://nobody.localhost:1/".to_owned()]);
    config.crawl.policy = PolicyKind::Ucc;
    (config.state.enabled, config.state.commit_every) = (true, Period::millis(5));
    config.robots.sitemaps = false;
    config.budget.pages = 1_000_000;
    config.frontier.in_flight_max = 16;
    (config.host.backoff_start, config.host.backoff_max) = (Period::millis(400), Period::millis(800));
    config.host.retries_max = 2;
    config.fetch.body_max = ByteSize(200_000);
    // So small that URLs go to the disk, and the filter is wrong now and then.
    (config.dedup.planned, config.dedup.false_positives, config.dedup.memory) = (200, 0.2, ByteSize(16_000));
    config
}

/// Waits for something that the running crawl comes to.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < DEADLINE, "the crawl does not come to this: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Tells a running crawl all that it can be told, and stops it.
fn operate(hooks: &Hooks, pages: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let tell = |command| runtime.block_on(hooks.commands.give(command));
    let metrics = &hooks.metrics;
    until("some pages", || metrics.crawl.pages.get() >= pages);
    tell(Command::Ban("/nothing-is-called-so/*".to_owned())).unwrap();
    tell(Command::Pin("/nor-so/*".to_owned())).unwrap();
    tell(Command::Block("blocked.localhost".to_owned())).unwrap();
    tell(Command::Unpin("/not-pinned/*".to_owned())).unwrap_err();
    until("the steering is shown", || metrics.host.blocked.get() == 1);
    assert_eq!((metrics.policy.banned.get(), metrics.policy.pinned.get()), (1, 1));
    hooks.pause.set(true);
    until("it is paused", || metrics.crawl.paused.get() == 1);
    hooks.pause.set(false);
    until("it continues", || metrics.crawl.paused.get() == 0);
    until("more pages", || metrics.crawl.pages.get() >= 2 * pages);
    hooks.stop.request();
}

/// Visits the pages of a crawl again.
fn recrawl(crawled: &Crawled, mut config: Config, hooks: Hooks) {
    config.crawl.out = crawled.out().display().to_string();
    let report =
        std::thread::spawn(move || pipeline::runtime(&config).block_on(pipeline::recrawl(&config, hooks)).unwrap());
    assert!(report.join().unwrap().recrawl.unwrap().visited > 0);
}

#[test]
fn every_metric_of_the_catalogue_is_counted_by_a_crawl() {
    let (server, odd) = (forum(), odd_pages());
    let mut moved = Moved::default();
    let settings = learning(&server, &odd);

    let limits = RunLimits { early_stop_requests: 50, ..RunLimits::default() };
    let hooks = Hooks { limits, ..Hooks::none() };
    let crawled = moved.watch(&hooks, || {
        let told = hooks.clone();
        let operator = std::thread::spawn(move || operate(&told, 150));
        let crawled = crawl_in(tempfile::tempdir().unwrap(), settings.clone(), hooks.clone());
        operator.join().unwrap();
        crawled
    });
    assert_eq!(crawled.report.stop_reason, StopReason::Interrupted);

    server.world().set_time(4 * DAY);
    let hooks = Hooks::none();
    let again = Config {
        recrawl: harvestman::config::RecrawlOptions { share: 1.0, recall: 0.99, ..settings.recrawl.clone() },
        ..settings.clone()
    };
    moved.watch(&hooks, || recrawl(&crawled, again, hooks.clone()));

    let hooks = Hooks::none();
    let mut lossy = settings;
    (lossy.dedup.store, lossy.budget.requests) = (DedupStore::BloomOnly, 200);
    moved.watch(&hooks, || crawl_with(lossy, hooks.clone()));

    let special = SPECIAL.map(|(name, _)| name);
    // Those of a fleet are counted by `tests/fleet_nats/`.
    let alone = |name: &&str| !name.starts_with("harvestman_fleet_");
    let names: Vec<&str> = catalogue::definitions().map(|definition| definition.name).filter(alone).collect();
    let unknown: Vec<_> = special.iter().filter(|name| !names.contains(name)).collect();
    assert!(unknown.is_empty(), "these are no metrics: {unknown:?}");
    let still: Vec<_> = names.iter().filter(|name| !special.contains(name) && !moved.has(name)).collect();
    assert!(still.is_empty(), "declared, and counted by no crawl: {still:?}");
}

#[test]
fn what_came_into_a_stage_went_on_was_dropped_or_is_still_there() {
    for policy in [PolicyKind::Bfs, PolicyKind::Ucc] {
        let (server, odd) = (forum(), odd_pages());
        let mut config = learning(&server, &odd);
        (config.crawl.policy, config.budget.pages) = (policy, 200);
        let hooks = Hooks::none();
        let crawled = crawl_with(config, hooks.clone());
        let text = hooks.metrics.encode();
        let of = |metric: &str| total(&text, &format!("harvestman_{metric}"));
        for stage in ["parse", "classify", "filter", "dedup", "archive", "fetch"] {
            let [received, sent, dropped] =
                ["received", "sent", "dropped"].map(|what| of(&format!("{stage}_{what}_total")));
            assert!(received > 0 && received == sent + dropped, "{stage}: {received} = {sent} + {dropped}");
        }
        let (discovered, fates) = (of("crawl_discovered_total"), of("crawl_fates_total"));
        let (queued, leased) = (of("frontier_queued_urls"), of("frontier_leased_urls"));
        assert_eq!(discovered, fates + queued + leased, "ACC-1, as it is scraped");
        assert_eq!((discovered, queued), (crawled.report.discovered, crawled.fate("queued")));
        assert!(queued > 0, "the crawl ended by its budget");
        let leases = of("frontier_sent_total");
        let came = of("frontier_received_total") + of("frontier_returned_total");
        assert_eq!(came, leases + of("frontier_dropped_total") + queued, "{policy:?}");
        assert_eq!(of("host_received_total"), leases);
        let requests = of("host_sent_total");
        assert_eq!(leases, requests + of("host_dropped_total") + of("host_put_back_total"), "{policy:?}");
        assert_eq!(of("fetch_received_total"), requests + of("host_errands_total"));
        assert_eq!(of("fetch_received_total"), crawled.report.requests);
        assert_eq!(of("crawl_pages_total"), crawled.report.pages);
        assert_eq!(of("classify_pages_total"), of("classify_received_total"));
        let records = crawled.report.warc_files.len() as u64;
        assert_eq!(of("archive_files_total"), records);
    }
}

#[test]
fn a_crawl_whose_metrics_are_off_brings_and_reports_the_same() {
    let reports = [Metrics::new(), Metrics::off()].map(|metrics| {
        let families = vec![Family::Blogs];
        let world = WorldOptions { pages: 300, hosts: 3, families, page_bytes: 300, ..WorldOptions::default() };
        let server = serve(&world, ServerOptions::default());
        let statuses = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let seen = Arc::clone(&statuses);
        let on_status = Arc::new(move |status: &harvestman::report::CrawlStatus| seen.lock().push(status.clone()));
        let crawled = crawl_with(config(server.world().seeds()), Hooks { metrics, on_status, ..Hooks::none() });
        crawled.check_complete(&server);
        for status in statuses.lock().iter() {
            let account = status.fates.total();
            assert_eq!(account, status.discovered, "{status:?}");
        }
        let report = crawled.report;
        (report.pages, report.discovered, report.fates.total(), report.statuses.get(&200).copied())
    });
    assert_eq!(reports[0], reports[1]);
}
