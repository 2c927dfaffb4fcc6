//! The `harvestman-lab` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The panic message has been printed; exit with the documented code.
    std::panic::catch_unwind(harvestman_lab::cli::main).unwrap_or_else(|_| harvestman::cli::Exit::Internal.into())
}
