//! What a crawl costs, relative to a bare loop in the same run.
//!
//! Two static sites of 50,000 pages (about 29 KB and 84 links each) are served by other processes: one sends its pages
//! plain, one with the content coding gzip. Two clients fetch all of each in turn, several times: a bare loop, which
//! asks for the same URLs with hyper over keep-alive connections, removes the content coding, tokenises each page with
//! lol_html, and resolves and hashes every `a[href]`; and the crawler, breadth-first, alone, with its archive, and with
//! its archive and its state on disk.
//!
//! Printed are the processor seconds of this process for each, and in brackets the pages by processor second relative
//! to the bare loop's, pair by pair; what durability costs: pages by processor second with the state on disk, by those
//! without; and the size of the archive by page. The bare loop is told the URLs and removes the coding as the crawler
//! does; the crawler has to find them, keep robots.txt, politeness, dedup and the account besides.
//!
//! `cargo bench --bench crawl_speed` takes some minutes; `HARVESTMAN_BENCH_PAGES` and `HARVESTMAN_BENCH_ROUNDS` change
//! its size.
#![expect(clippy::print_stdout, reason = "a bench's result is what it prints")]

mod static_site;

use bytes::Bytes;
use harvestman::fetch::{DecodeLimits, decode};
use harvestman::report::{Hooks, Report};
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::TokioIo;
use lol_html::{HtmlRewriter, Settings, element};
use static_site::{CONNECTIONS, Coding, Site, cpu_seconds, median, number};

fn main() {
    let pages = number("HARVESTMAN_BENCH_PAGES", 50_000);
    let rounds = number("HARVESTMAN_BENCH_ROUNDS", 3);
    println!(
        "{pages} static pages, {rounds} rounds: processor seconds, [pages by processor second relative to the bare loop's]"
    );
    for coding in [Coding::Identity, Coding::Gzip] {
        let mut site = Site::start(pages, 0, coding);
        println!("{coding:?} at {}", site.seed);
        compare(&site.seed, pages, rounds);
        site.stop();
    }
}

/// Compares the crawler with the bare loop on one site.
fn compare(seed: &str, pages: u64, rounds: u64) {
    println!(
        "{:>5} {:>8} {:>15} {:>15} {:>15} {:>8} {:>10}",
        "round", "bare", "crawl", "archive", "and state", "durable", "bytes/page"
    );
    let mut ratios = [const { Vec::new() }; 4];
    for round in 1..=rounds {
        let bare = bare_loop(seed, pages);
        let [alone, archived, durable] =
            [Keeps::Nothing, Keeps::Archive, Keeps::ArchiveAndState].map(|keeps| crawl(seed, pages, keeps));
        let size = archived.archive_bytes / pages;
        let [alone, archived, durable] = [alone, archived, durable].map(|cost| cost.cpu_seconds);
        let row = [bare / alone, bare / archived, bare / durable, archived / durable];
        let [first, second, third, price] = row;
        println!(
            "{round:>5} {bare:>8.2} {alone:>8.2} [{first:.2}] {archived:>8.2} [{second:.2}] {durable:>8.2} [{third:.2}] {price:>8.2} \
             {size:>10}"
        );
        ratios.iter_mut().zip(row).for_each(|(ratios, ratio)| ratios.push(ratio));
    }
    let [alone, archived, durable, price] = ratios.each_mut().map(|ratios| median(ratios));
    println!("median ratio: crawl {alone:.2}, with archive {archived:.2}, with archive and state {durable:.2}");
    println!("pages by processor second with the state on disk, by those without: {price:.2}");
}

/// What a crawl took.
struct Cost {
    cpu_seconds: f64,
    archive_bytes: u64,
}

/// What a crawl writes.
#[derive(Clone, Copy, PartialEq)]
enum Keeps {
    Nothing,
    Archive,
    ArchiveAndState,
}

/// Fetches, tokenises, resolves and hashes, with nothing around it.
fn bare_loop(seed: &str, pages: u64) -> f64 {
    let base = url::Url::parse(seed).expect("a URL");
    cpu_seconds(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let local = tokio::task::LocalSet::new();
        let links: u64 = local.block_on(&runtime, async {
            let tasks: Vec<_> = (0..CONNECTIONS as u64)
                .map(|first| tokio::task::spawn_local(bare_connection(base.clone(), first, pages)))
                .collect();
            let mut links = 0;
            for task in tasks {
                links += task.await.expect("no task panics");
            }
            links
        });
        assert!(links > 50 * pages, "the pages have links: {links}");
    })
}

/// Every `CONNECTIONS`-th page over one connection. Returns the number of links.
async fn bare_connection(base: url::Url, first: u64, pages: u64) -> u64 {
    let address = (base.host_str().expect("a host").to_owned(), base.port().unwrap_or(80));
    let ip = if address.0.ends_with("localhost") { "127.0.0.1".to_owned() } else { address.0.clone() };
    let stream = tokio::net::TcpStream::connect((ip, address.1)).await.expect("the site listens");
    stream.set_nodelay(true).expect("a TCP option");
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake::<_, Empty<Bytes>>(TokioIo::new(stream)).await.expect("HTTP");
    tokio::task::spawn_local(connection);
    let host = format!("{}:{}", address.0, address.1);
    let limits = DecodeLimits::from(&harvestman::config::FetchOptions::default());
    let mut links = 0;
    for page in (first..pages).step_by(CONNECTIONS) {
        let path = if page == 0 { "/".to_owned() } else { format!("/thread/{page}.html") };
        let request = hyper::Request::get(&path).header("host", &host).header("accept-encoding", "gzip");
        let request = request.body(Empty::new()).expect("a request");
        sender.ready().await.expect("the connection lives");
        let answer = sender.send_request(request).await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        let coding = answer.headers().get("content-encoding").map(|coding| coding.to_str().expect("text").to_owned());
        let body = answer.into_body().collect().await.expect("a body").to_bytes();
        let body = decode(&body, coding.as_deref(), &limits).bytes;
        let url = base.join(&path).expect("a URL");
        links += tokenise(&url, &body);
    }
    links
}

/// Tokenises a page, resolves and hashes each link.
fn tokenise(url: &url::Url, body: &[u8]) -> u64 {
    let (mut links, mut hashes) = (0, 0_u64);
    let handler = element!("a[href]", |a| {
        if let Some(target) = a.get_attribute("href").and_then(|href| url.join(&href).ok()) {
            hashes ^= xxhash_rust::xxh3::xxh3_64(target.as_str().as_bytes());
            links += 1;
        }
        Ok(())
    });
    let settings = Settings::new().append_element_content_handler(handler);
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(body).expect("a page");
    rewriter.end().expect("a whole page");
    std::hint::black_box(hashes);
    links
}

/// Crawls the site with this crate's own pipeline.
fn crawl(seed: &str, pages: u64, keeps: Keeps) -> Cost {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut config = static_site::config(seed, directory.path());
    config.archive.enabled = keeps != Keeps::Nothing;
    config.state.enabled = keeps == Keeps::ArchiveAndState;
    let mut report: Option<Report> = None;
    let cpu_seconds = cpu_seconds(|| {
        let system = harvestman::pipeline::runtime(&config);
        report = Some(system.block_on(harvestman::pipeline::run(&config, Hooks::none())).expect("the crawl runs"));
    });
    let report = report.expect("it ran");
    assert_eq!(report.pages, pages, "every page is found");
    let archive = std::fs::read_dir(directory.path().join("crawl/warc")).into_iter().flatten().flatten();
    let archive_bytes = archive.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
    Cost { cpu_seconds, archive_bytes }
}
