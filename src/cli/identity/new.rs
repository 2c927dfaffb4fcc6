//! `harvestman identity new`: creates a key.

use std::path::PathBuf;

use ring::rand::{SecureRandom, SystemRandom};

use super::{failed, read_key};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::print_text;
use harvestman_identity::file;

/// Create a key
///
/// Writes an Ed25519 private key (PKCS#8, PEM) to a new file that only you can read, and prints the name of the key:
/// the thumbprint of its public part. An existing file is not overwritten.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman identity new bot.pem
  harvestman crawl https://forum.example.org/ --sign-key bot.pem \\
      --signature-agent https://bot.example.org --out forum")]
pub struct NewKeyArgs {
    /// The file to create
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,
}

/// Runs the command.
pub fn run(args: &NewKeyArgs) -> Result<(), Failure> {
    let mut seed = [0; 32];
    let random = SystemRandom::new();
    random.fill(&mut seed).map_err(|_| Failure::new(Exit::Internal, "the system has no random numbers"))?;
    file::create(&args.file, &seed).map_err(failed)?;
    let key = read_key(&args.file)?;
    let (path, keyid) = (args.file.display(), key.public().thumbprint());
    let text = format!(
        "{path}: created; only you can read it\nkeyid: {keyid}\n\n\
         Publish the public key before you sign requests:\n  \
         harvestman identity directory {path} --agent https://bot.example.org\n"
    );
    print_text(&text).map_err(|error| Failure::new(Exit::Output, error))
}
