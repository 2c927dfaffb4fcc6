//! Embeds a crawl, reads its pages as a stream, stops it early, and prints its report.
//!
//! `cargo run --example embed [SEED]`
#![allow(clippy::print_stdout, reason = "what an example shows")]

mod site;

use std::error::Error;

use futures_util::StreamExt;
use harvestman_library::Crawl;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let site = site::Site::of_argument(1)?;
    let directory = tempfile::tempdir()?;
    let mut crawl = Crawl::builder()
        .seed(&site.seed)
        .out(directory.path().join("crawl"))
        .set("host.delay", site.delay)
        .set("fetch.contact", "you@example.org")
        .start()?;

    let (mut pages, mut fetched) = (crawl.pages(), 0);
    while let Some(page) = pages.next().await {
        let (status, length) = (page.status().unwrap_or(0), page.body().len());
        println!(
            "{status} {} ({length} bytes, {} links) {}",
            page.url(),
            page.links().len(),
            page.title().unwrap_or("")
        );
        fetched += u32::from(page.is_fetched());
        if fetched == 20 {
            crawl.stop();
        }
    }
    let report = crawl.join().await?;
    println!("{} pages with {} requests, {} URLs wait", report.pages(), report.requests(), report.fate("queued"));
    Ok(())
}
