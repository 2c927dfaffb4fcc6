//! The `harvestman` command.

use std::process::ExitCode;

use harvestman::cli;

fn main() -> ExitCode {
    // The panic has said what it is; what is left to do is to end with the documented code.
    std::panic::catch_unwind(cli::main).unwrap_or_else(|_| cli::Exit::Internal.into())
}
