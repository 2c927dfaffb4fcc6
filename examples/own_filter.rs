//! A filter of one's own: only short URLs without a query.
//!
//! `cargo run --example own_filter [SEED]`
#![allow(clippy::print_stdout, reason = "what an example shows")]

mod site;

use std::error::Error;

use harvestman_library::{Crawl, Link};

fn main() -> Result<(), Box<dyn Error>> {
    let site = site::Site::of_argument(1)?;
    let directory = tempfile::tempdir()?;
    let mut crawl = Crawl::builder()
        .seed(&site.seed)
        .out(directory.path().join("crawl"))
        .set("host.delay", site.delay)
        .filter(|link: &Link<'_>| !link.url().contains('?') && link.url().len() <= 80)
        .start()?;

    let mut pages = crawl.pages();
    while let Some(page) = pages.next_blocking() {
        println!("{}", page.url());
    }
    let report = crawl.wait()?;
    println!("{} pages; {} links were refused", report.pages(), report.fate("policy"));
    Ok(())
}
