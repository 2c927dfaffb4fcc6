//! `harvestman identity`: creates the key of signed requests, and shows what sites need to verify them: the public part
//! of the key, and a page about the crawler for the operator's own web server.

mod directory;
mod sign;

use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom, SystemRandom};

use super::exit::{Exit, Failure};
use crate::cli::output::print_text;
use crate::cli::settings::SettingArgs;
use harvestman_identity::file::KeyFileError;
use harvestman_identity::{SigningKey, file};
use harvestman_report::{AboutCrawler, about_page};
use harvestman_stages::fetch::user_agent;

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub enum IdentityCommand {
    New(NewKeyArgs),
    Show(ShowKeyArgs),
    Directory(directory::DirectoryArgs),
    Page(Box<CrawlerPageArgs>),
    Sign(sign::SignArgs),
}

/// Runs the subcommand.
pub fn run(what: &IdentityCommand) -> Result<(), Failure> {
    match what {
        IdentityCommand::New(args) => create(args),
        IdentityCommand::Show(args) => show(args),
        IdentityCommand::Directory(args) => directory::run(args),
        IdentityCommand::Page(args) => print_page(args),
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
pub fn create(args: &NewKeyArgs) -> Result<(), Failure> {
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
pub fn show(args: &ShowKeyArgs) -> Result<(), Failure> {
    let key = read_key(&args.file)?;
    let public = key.public();
    if public.is_test_key() {
        tell!("warning: this is the published example key of RFC 9421; everyone can sign with it");
    }
    let text = format!("keyid: {}\njwk: {}\n", public.thumbprint(), public.jwk());
    print_text(&text).map_err(|error| Failure::new(Exit::Output, error))
}

/// Print a page about the crawler for your web server
///
/// The User-Agent of a crawl names an address (`--contact`). Serve this page there: it says what the crawl is for
/// (`--purpose`), what it obeys, how a site refuses it, and by which key it can be recognised. Pass the settings of the
/// crawl, and print it again when they change.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  The page of a crawl for research:
    harvestman identity page --contact https://bot.example.org/about --purpose research > about.html
  With the settings of a file:
    harvestman identity page --config harvestman.toml > about.html")]
pub struct CrawlerPageArgs {
    /// Sources of the configuration.
    #[command(flatten)]
    pub settings: SettingArgs,
}

/// Runs the command.
fn print_page(args: &CrawlerPageArgs) -> Result<(), Failure> {
    let config = args.settings.load(Vec::new())?;
    let keyid = match config.identity.key_file.as_str() {
        "" => None,
        file => Some(read_key(Path::new(file))?.public().thumbprint().to_owned()),
    };
    if config.fetch.contact.is_empty() {
        tell!("warning: without an address nobody finds this page; add --contact URL, here and to the crawl");
    }
    let crawler = AboutCrawler { user_agent: &user_agent(&config.fetch), keyid: keyid.as_deref() };
    print_text(&about_page(&config, crawler)).map_err(|error| Failure::new(Exit::Output, error))
}
