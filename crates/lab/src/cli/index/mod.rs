//! `harvestman-lab index`: a search engine over recorded pages.

mod answer;
mod input;
mod question;
mod serve;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Subcommand;

use harvestman::cli::exit::Failure;

/// What to do with an index.
#[derive(Debug, Clone, Subcommand)]
pub enum Index {
    /// Serve a search engine over recorded pages
    ///
    /// Indexes the HTML pages with status 200 of WARC files, then answers searches over HTTP until Ctrl-C. A page
    /// matches a query if its title or text contains all words; quoted parts are phrases. Results are ordered by BM25,
    /// and are the same every time. Of each URL, the first page counts, with its first 16,384 words.
    Serve(ServeArgs),
}

/// Arguments of `harvestman-lab index serve`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct ServeArgs {
    /// WARC files: compressed or plain, of any tool
    #[arg(value_name = "WARC", required_unless_present = "urls", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Also index the URLs of this file: one per line, optionally followed by a tab and a text; otherwise the words of
    /// the URL are its text
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    urls: Option<PathBuf>,
    /// Address to serve at; port 0 picks a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// A name of this machine that browsers and programs use in the address, besides localhost and IP addresses; may be
    /// repeated. Requests for other names are refused
    #[arg(long = "name", value_name = "HOST")]
    names: Vec<String>,
    /// Keep the index in temporary files below this directory, instead of in memory
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    on_disk: Option<PathBuf>,
    /// Print warnings and errors only
    #[arg(long)]
    quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  harvestman-lab index serve forum/warc/*.warc.gz --listen 127.0.0.1:8889
  Then, in another terminal:
    curl 'http://127.0.0.1:8889/search?q=hot-shoe+flash'
    curl 'http://127.0.0.1:8889/search?q=%22hot-shoe+flash%22&count=50&page=2&format=rss'

The first line of the output is the URL of a search, with {query} where the words belong. Parameters:
  q        the query
  count    results per page, 1 to 100 (default 10)
  page     the page of results, from 1; pageno is the same
  format   json, as SearXNG answers (default); rss, with OpenSearch elements; or html
/opensearch.xml describes this to other programs. Anyone who reaches the address can search: by
default, only this machine. Pages of other sites in a browser cannot.";

/// Runs the command.
///
/// # Errors
/// A file cannot be read, or the address cannot be used.
pub fn run(what: &Index) -> Result<(), Failure> {
    match what {
        Index::Serve(args) => serve::run(args),
    }
}
