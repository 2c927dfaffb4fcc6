//! A sink of one's own: a message for each page on a subject of NATS.
//!
//! `cargo run --example sink_nats -- nats://127.0.0.1:4222 [SEED]`
#![allow(clippy::print_stdout, reason = "what an example shows")]

mod site;

use std::error::Error;

use async_nats::Client;
use harvestman_library::{Crawl, Page, Sink, SinkError};
use tokio::runtime::Runtime;

struct Subject(Runtime, Client);

impl Sink for Subject {
    fn write(&mut self, pages: &[Page]) -> Result<(), SinkError> {
        let Self(runtime, client) = self;
        runtime.block_on(async {
            for page in pages {
                let message = serde_json::json!({"url": page.url(), "status": page.status(), "title": page.title()});
                client.publish("pages", message.to_string().into()).await?;
            }
            // The server has them: only then are the pages taken.
            Ok(client.flush().await?)
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let server = std::env::args().nth(1).ok_or("name a NATS server: nats://127.0.0.1:4222")?;
    let site = site::Site::of_argument(2)?;
    let directory = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let client = runtime.block_on(async_nats::connect(server))?;

    let crawl = Crawl::builder().seed(&site.seed).out(directory.path().join("crawl")).sink(Subject(runtime, client));
    let report = crawl.set("host.delay", site.delay).start()?.wait()?;
    println!("{} pages", report.pages());
    Ok(())
}
