//! The command line: one file per subcommand, and the code that they share.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use harvestman_report::terminal;

/// Writes a line to standard error, which may be closed.
macro_rules! tell {
    ($($line:tt)*) => { harvestman_report::terminal::tell(format_args!($($line)*)) };
}

pub mod check;
pub mod completions;
pub mod config;
pub mod control;
pub mod crawl;
pub mod demo;
mod doctor;
pub mod exit;
pub mod explain;
pub mod index;
mod inspect;
pub mod lab;
pub mod learn;
pub mod live;
pub mod posts;
pub mod recrawl;
pub mod replay;
pub mod report;
pub mod resume;
pub mod sim;
pub mod site;
mod teach;

mod endpoints;
mod export;
mod flags;
mod fleet;
mod groups;
mod identity;
mod lines;
mod log;
mod man;
mod new_directory;
mod output;
mod recordings;
mod reference;
mod settings;
mod signals;
mod temporary;
mod upload;
mod warcs;

pub use exit::{Exit, Failure};
pub use reference::reference;
pub use settings::SettingArgs;

use harvestman_library::program::seeds;
use harvestman_report::document::quoted;

/// Harvestman crawls large social sites, learns their structure, and archives them in WARC files
#[derive(Debug, Parser)]
#[command(
    name = "harvestman",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = format!("\
Examples:
  harvestman crawl https://forum.example.org/ --out forum --contact you@example.org
  harvestman config --defaults > harvestman.toml

{}", exit::HELP))]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands, in the order of [`groups::GROUPS`]. Those without a description here are described in detail with
/// their arguments.
#[derive(Debug, Subcommand)]
enum Command {
    /// Crawl sites into a directory
    Crawl(Box<crawl::CrawlArgs>),
    /// Resume a stopped crawl
    Resume(Box<resume::ResumeArgs>),
    /// Revisit the pages of a crawl that have probably changed
    Recrawl(Box<recrawl::RecrawlArgs>),
    Learn(learn::LearnArgs),
    /// Crawl with several machines
    #[command(subcommand)]
    Fleet(Box<fleet::Fleet>),
    /// Show the progress of a running crawl
    Status(control::StatusArgs),
    /// Serve the live page of a running crawl
    Live(live::LiveArgs),
    /// Pause a running crawl
    Pause(control::ControlArgs),
    /// Resume a paused crawl
    ResumeCrawl(control::ControlArgs),
    /// Stop a running crawl and write its report
    Stop(control::ControlArgs),
    /// Change settings of a running crawl
    Set(control::SetArgs),
    /// Refuse links to a cluster, link class or URL pattern
    Ban(control::SteerArgs),
    /// Remove a ban
    Unban(control::SteerArgs),
    /// Fetch a cluster, link class or URL pattern first
    Pin(control::SteerArgs),
    /// Remove a pin
    Unpin(control::SteerArgs),
    /// Suspend requests to a host
    Block(control::HostArgs),
    /// Resume requests to a blocked host
    Unblock(control::HostArgs),
    /// Generate a crawl report
    Report(report::ReportArgs),
    /// Explain what happened to a URL in a crawl, and why
    Explain(explain::ExplainArgs),
    /// Show what a crawl learned about a site
    Site(site::SiteArgs),
    /// Export a crawl as WACZ, CDXJ, tables, text, posts or a graph
    #[command(subcommand)]
    Export(Box<export::Export>),
    Posts(posts::WarcPostsArgs),
    Teach(teach::TeachArgs),
    /// Upload the WARC files of a crawl to S3-compatible storage
    Upload(upload::UploadArgs),
    Demo(demo::DemoArgs),
    Sim(Box<sim::SimArgs>),
    Replay(replay::ReplayArgs),
    /// Measure policies and clusterings on labelled recordings
    #[command(subcommand)]
    Lab(Box<lab::Lab>),
    /// Search recorded pages
    #[command(subcommand)]
    Index(Box<index::Index>),
    /// Inspect a URL, robots.txt, sitemap, page or WARC file
    #[command(subcommand)]
    Inspect(Box<inspect::Inspect>),
    /// Create and publish the key of signed requests
    #[command(subcommand)]
    Identity(identity::IdentityCommand),
    Doctor(Box<doctor::DoctorArgs>),
    /// Print the effective configuration
    Config(Box<config::ConfigArgs>),
    /// Print a shell completion script
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

fn dispatch(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Crawl(args) => return crawl::run(&args),
        Command::Resume(args) => return resume::run(&args),
        Command::Recrawl(args) => return recrawl::run(&args),
        Command::Learn(args) => return learn::run(&args),
        Command::Fleet(what) => return fleet::run(&what),
        Command::Status(args) => control::status(&args)?,
        Command::Live(args) => live::run(&args)?,
        Command::Pause(args) => control::send_command(&args, "pause")?,
        Command::ResumeCrawl(args) => control::send_command(&args, "go-on")?,
        Command::Stop(args) => control::send_command(&args, "stop")?,
        Command::Set(args) => control::set(&args)?,
        Command::Ban(args) => control::steer(&args, "ban")?,
        Command::Unban(args) => control::steer(&args, "unban")?,
        Command::Pin(args) => control::steer(&args, "pin")?,
        Command::Unpin(args) => control::steer(&args, "unpin")?,
        Command::Block(args) => control::block(&args, "block")?,
        Command::Unblock(args) => control::block(&args, "unblock")?,
        Command::Report(args) => report::run(&args)?,
        Command::Explain(args) => explain::run(&args)?,
        Command::Site(args) => site::run(&args)?,
        Command::Export(what) => return export::run(&what),
        Command::Posts(args) => return posts::run(&args),
        Command::Teach(args) => teach::run(&args)?,
        Command::Upload(args) => return upload::run(&args),
        Command::Demo(args) => return demo::run(&args),
        Command::Sim(args) => sim::run(&args)?,
        Command::Replay(args) => replay::run(&args)?,
        Command::Lab(what) => lab::run(*what)?,
        Command::Index(what) => index::run(&what)?,
        Command::Inspect(what) => return inspect::run(*what),
        Command::Identity(what) => identity::run(&what)?,
        Command::Doctor(args) => return doctor::run(&args),
        Command::Config(args) => config::run(&args)?,
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args)?,
    }
    Ok(Exit::Done)
}

/// Returns the definition of the command line, for parsing, completions and the reference.
pub fn command() -> clap::Command {
    groups::grouped(Cli::command())
}

/// Says which command was meant by a URL in the place of the command.
fn meant(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    seeds::parse(given).ok()?;
    let crawl = format!("harvestman crawl {}", quoted(given));
    Some(format!("`{given}` is no command; if it is a URL to start a crawl from:\n\n  {crawl}"))
}

/// Runs the command that the arguments of the process name.
pub fn main() -> ExitCode {
    harvestman_stages::fetch::raise_descriptor_limit();
    terminal::catch_panics();
    let parsed = command().try_get_matches().map_err(|error| match meant(&error) {
        None => error,
        Some(what) => command().error(ErrorKind::InvalidSubcommand, what),
    });
    let parsed = parsed.and_then(|found| Cli::from_arg_matches(&found).map_err(|error| error.format(&mut command())));
    let cli = match parsed {
        Ok(cli) => cli,
        // Help is the program's own text; an error quotes the arguments, which a script may have taken from a site.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            let text = error.render();
            let text = if terminal::has_colours() { text.ansi().to_string() } else { text.to_string() };
            terminal::tell_coloured(&text);
            return Exit::Usage.into();
        }
    };
    let exit = dispatch(cli.command).unwrap_or_else(|failure| {
        if !failure.text.is_empty() {
            tell!("error: {}", failure.text);
        }
        failure.exit
    });
    exit.into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        super::command().debug_assert();
    }
}
