//! `harvestman identity`: creates the key of signed requests, what sites need to verify them, and a page about the
//! crawler.

mod directory;
mod new;
mod page;
mod show;
mod sign;

use std::path::Path;

use super::exit::{Exit, Failure};
use harvestman_identity::SigningKey;
use harvestman_identity::file::{self, KeyFileError};

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum IdentityCommand {
    New(new::NewKeyArgs),
    Show(show::ShowKeyArgs),
    Directory(directory::DirectoryArgs),
    Page(Box<page::CrawlerPageArgs>),
    Sign(sign::SignArgs),
}

/// Runs the subcommand.
pub fn run(what: &IdentityCommand) -> Result<(), Failure> {
    match what {
        IdentityCommand::New(args) => new::run(args),
        IdentityCommand::Show(args) => show::run(args),
        IdentityCommand::Directory(args) => directory::run(args),
        IdentityCommand::Page(args) => page::run(args),
        IdentityCommand::Sign(args) => sign::run(args),
    }
}

/// Reads a key file. Warns on standard error if others may read it.
fn read_key(path: &Path) -> Result<SigningKey, Failure> {
    let read = file::read(path).map_err(failed)?;
    if read.is_exposed {
        tell!("warning: other users of this machine may read `{0}`; run `chmod 600 {0}`", path.display());
    }
    Ok(read.key)
}

fn failed(error: KeyFileError) -> Failure {
    Failure::new(Exit::Failed, error)
}
