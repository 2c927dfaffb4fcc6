//! `harvestman identity show`: prints the public part of a key.

use std::path::PathBuf;

use super::read_key;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::print_text;

/// Print the public part of a key
///
/// Prints the thumbprint by which signatures name the key (`keyid`, RFC 7638), and the public key as JSON Web Key.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman identity show bot.pem")]
pub struct ShowKeyArgs {
    /// The key file
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,
}

/// Runs the command.
pub fn run(args: &ShowKeyArgs) -> Result<(), Failure> {
    let key = read_key(&args.file)?;
    let public = key.public();
    if public.is_test_key() {
        tell!("warning: this is the published example key of RFC 9421; everyone can sign with it");
    }
    let text = format!("keyid: {}\njwk: {}\n", public.thumbprint(), public.jwk());
    print_text(&text).map_err(|error| Failure::new(Exit::Output, error))
}
