//! `harvestman fleet leave`: removes a node from its fleet.

use std::io::Write;

use std::path::PathBuf;

use crate::cli::control;
use crate::cli::exit::Failure;
use harvestman_report::terminal;

/// Arguments of `harvestman fleet leave`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct LeaveArgs {
    /// Directory of the crawl
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    directory: PathBuf,
}

const AFTER_HELP: &str = "\
Example:
  Remove the node that crawls into the directory b:
    harvestman fleet leave b

The node begins no further request, finishes those in flight, hands its work over to the others,
writes its report and exits, as on Ctrl-C or SIGTERM. What it fetched stays in its directory.
`harvestman fleet join` with the same directory makes it rejoin. When the last node leaves, the
crawl is paused until the next one joins.";

/// Sends the command to the node.
pub fn run(args: &LeaveArgs) -> Result<(), Failure> {
    control::switch(&args.directory, "leave")?;
    let text = "the node hands over its work and then exits; `harvestman fleet status` shows its progress\n";
    // Standard output may be closed.
    let _ = terminal::stdout().write_all(text.as_bytes());
    Ok(())
}
