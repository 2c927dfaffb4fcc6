//! Builds a crawl from its configuration.

mod actors;
mod build;
mod builder;
mod earlier;
mod files;
mod lease_loop;
mod parts;
mod sinks;
mod workers;

pub(super) use self::builder::CrawlBuilder;
pub(super) use self::parts::{scope, seeds};

use crate::bounds::threads;
use harvestman_core::config::Config;

/// Returns the system that a crawl runs on: actors on the calling thread, requests on `crawl.io_threads` others.
pub fn runtime(config: &Config) -> actix::SystemRunner {
    let threads = threads(config.crawl.io_threads);
    actix::System::with_tokio_rt(move || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(threads).thread_name("io").enable_all();
        // Fails only if the operating system refuses threads or file handles; no crawl is possible then.
        builder.build().expect("the operating system grants threads")
    })
}
