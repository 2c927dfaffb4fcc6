//! `harvestman fleet leave`: lets a node leave its fleet.

use std::io::{self, Write};

use crate::cli::control::{self, ControlArgs};
use crate::cli::exit::Failure;

/// Arguments of `harvestman fleet leave`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct LeaveArgs {
    #[command(flatten)]
    control: ControlArgs,
}

const AFTER_HELP: &str = "\
Example:
  The node that crawls into the directory b is to leave, and the others are to go on without it:
    harvestman fleet leave b

It begins nothing more, finishes what is under way, and hands over what it holds; then it writes its report and ends. What it
fetched stays in its directory. The same as Ctrl-C or SIGTERM. `harvestman fleet join`, with the same directory, lets it take
part again. The last node that leaves takes nothing with it: the crawl goes on when the next one joins.";

/// Tells the node.
pub fn run(args: &LeaveArgs) -> Result<(), Failure> {
    control::tell(&args.control, "leave")?;
    let text = "it hands over what it holds, and ends then; `harvestman fleet status` shows how far it is\n";
    // Nobody may be reading.
    let _ = io::stdout().write_all(text.as_bytes());
    Ok(())
}
