//! The `harvestman` command.

use std::process::ExitCode;

use harvestman::cli;

fn main() -> ExitCode {
    // The panic message has been printed; exit with the documented code.
    std::panic::catch_unwind(|| cli::main(&cli::program())).unwrap_or_else(|_| cli::Exit::Internal.into())
}
