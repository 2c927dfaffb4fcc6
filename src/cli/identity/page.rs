//! `harvestman identity page`: the page about the crawler for the operator's own web server.

use std::path::Path;

use super::read_key;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::print_text;
use crate::cli::settings::SettingArgs;
use harvestman_report::{AboutCrawler, about_page};
use harvestman_stages::fetch::user_agent;

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
pub fn run(args: &CrawlerPageArgs) -> Result<(), Failure> {
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
