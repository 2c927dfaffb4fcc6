//! A policy of one's own: threads first, the newest before the others; member pages only if nothing else is left; no
//! help.
//!
//! `cargo run --example own_policy [SEED]`
#![allow(clippy::print_stdout, reason = "what an example shows")]

mod site;

use std::error::Error;

use harvestman_library::{Crawl, Link, Policy};

struct NewestThreads;

impl Policy for NewestThreads {
    fn score(&self, link: &Link<'_>) -> Option<f64> {
        let path = link.url().splitn(4, '/').nth(3)?;
        // https://forum.example.org/threads/some-words.12/page-3
        let number = path.split(['.', '/']).find_map(|part| part.parse::<f64>().ok());
        match path.split('/').next()? {
            "threads" => Some(100.0 + number.unwrap_or(0.0)),
            "help" => None,
            "members" => Some(-1.0),
            _ => Some(10.0),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let site = site::Site::of_argument(1)?;
    let directory = tempfile::tempdir()?;
    let crawl = Crawl::builder().seed(&site.seed).out(directory.path().join("crawl")).policy(NewestThreads);
    let mut crawl = crawl.set("host.delay", site.delay).set("host.connections_per_host", 1).start()?;
    let mut pages = crawl.pages();
    while let Some(page) = pages.next_blocking() {
        println!("{}", page.url());
    }
    let report = crawl.wait()?;
    println!("{} pages; {} links were refused", report.pages(), report.fate("policy"));
    Ok(())
}
