//! `harvestman live`: the live page of a running crawl.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::endpoints::token;
use super::{control, signals};
use harvestman_admin::Relay;
use harvestman_core::config::{self, Flag, FlagValue, Layers, MetricsOptions};
use harvestman_report::StopFlag;

/// Serve the live page of a running crawl, whether or not the crawl serves one itself.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct LiveArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Address to serve the page at; port 0 picks a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    listen: String,
}

const AFTER_HELP: &str = "\
Examples:
  harvestman live forum
  On a fixed port, to forward it from another machine (ssh -L 9900:127.0.0.1:9900 …):
    harvestman live forum --listen 127.0.0.1:9900

Prints the address of the page, including the token that commands such as pause, stop and ban
require. The page and /metrics are served until Ctrl-C; the crawl is not affected. An address other
than 127.0.0.1 requires a token of your choice in HARVESTMAN_METRICS_TOKEN.";

/// Serves the page until it is interrupted.
pub fn run(args: &LiveArgs) -> anyhow::Result<()> {
    // Fails with an explanation if no crawl runs there.
    control::reach(&args.directory)?;
    let options = options(&args.listen)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(&args.directory, &options))
}

/// Returns the metrics settings of the environment, with this address.
fn options(listen: &str) -> anyhow::Result<MetricsOptions> {
    let flag = Flag {
        flag: "--listen".to_owned(),
        name: "metrics.listen".to_owned(),
        value: FlagValue::Text(listen.to_owned()),
    };
    let environment =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let layers = Layers { environment: environment.collect(), flags: vec![flag], ..Layers::default() };
    Ok(config::load(&layers)?.metrics)
}

async fn serve(directory: &Path, options: &MetricsOptions) -> anyhow::Result<()> {
    let relay = Relay::listen(options, directory, token()).await?;
    let Some(page) = relay.page() else {
        bail!(
            "{} is reachable from other machines: set HARVESTMAN_METRICS_TOKEN, or listen at 127.0.0.1",
            options.listen
        );
    };
    let stop = StopFlag::new();
    signals::listen(stop.clone())?;
    tell!("live page at {page}\npress Ctrl-C to stop serving it; the crawl continues");
    relay.serve(stop).await;
    Ok(())
}
