//! `harvestman live`: the live page of a crawl that runs already.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::watchers::token;
use super::{control, signals};
use harvestman_admin::Relay;
use harvestman_core::config::{self, Flag, FlagValue, Layers, MetricsOptions};
use harvestman_report::StopFlag;

/// Shows the live page of a crawl that runs already, whether or not it was started with one.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct LiveArgs {
    /// The crawl's directory
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Where the page is served; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    listen: String,
}

const AFTER_HELP: &str = "\
Examples:
  harvestman live forum
  On a port of your choice, to forward from another machine (ssh -L 9900:127.0.0.1:9900 …):
    harvestman live forum --listen 127.0.0.1:9900

The page's address is printed, with the token that pausing, stopping, banning and the like need.
It is served until Ctrl-C, and /metrics with it; the crawl does not notice. Beyond 127.0.0.1 it needs
a token of your choice: HARVESTMAN_METRICS_TOKEN.";

/// Serves the page until somebody stops it.
pub fn run(args: &LiveArgs) -> anyhow::Result<()> {
    // Says what is wrong, if no crawl runs there.
    control::reach(&args.directory)?;
    let options = options(&args.listen)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(&args.directory, &options))
}

/// The settings of the environment, at this address.
fn options(listen: &str) -> anyhow::Result<MetricsOptions> {
    let flag = Flag {
        flag: "--listen".to_owned(),
        name: "metrics.listen".to_owned(),
        value: FlagValue::Text(listen.to_owned()),
    };
    let environment =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let layers = Layers { environment: environment.collect(), flags: vec![flag], file: None };
    Ok(config::load(&layers)?.metrics)
}

async fn serve(directory: &Path, options: &MetricsOptions) -> anyhow::Result<()> {
    let relay = Relay::listen(options, directory, token()).await?;
    let Some(page) = relay.page() else {
        bail!(
            "{} is reached from other machines: set HARVESTMAN_METRICS_TOKEN, or listen at 127.0.0.1",
            options.listen
        );
    };
    let stop = StopFlag::new();
    signals::listen(stop.clone())?;
    eprintln!("live page at {page}\nCtrl-C ends it; the crawl goes on");
    relay.serve(stop).await.context("the page can no longer be served")
}
