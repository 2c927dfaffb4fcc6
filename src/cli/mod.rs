//! The command line: one file a subcommand, and what they share.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

pub mod check;
pub mod completions;
pub mod config;
pub mod control;
pub mod crawl;
pub mod demo;
pub mod exit;
pub mod explain;
pub mod inspect;
pub mod lab;
pub mod learn;
pub mod live;
pub mod recrawl;
pub mod replay;
pub mod report;
pub mod resume;
pub mod seeds;
pub mod sim;
pub mod site;

mod export;
mod flags;
mod fleet;
mod identity;
mod lines;
mod log;
mod reference;
mod rows;
mod settings;
mod signals;
mod upload;
mod watchers;

pub use exit::{Exit, Failure};
pub use reference::reference;
pub use settings::SettingArgs;

/// Harvestman crawls large social sites: politely, completely, into WARC files that other tools read.
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

#[derive(Debug, Subcommand)]
enum Command {
    /// Crawl sites into a directory
    Crawl(Box<crawl::CrawlArgs>),
    /// Go on with a crawl that was stopped or killed
    Resume(Box<resume::ResumeArgs>),
    /// Visit the pages of a crawl again, as far as they are likely to have changed
    Recrawl(Box<recrawl::RecrawlArgs>),
    /// Say where a running crawl stands, and what it waits for
    Status(control::StatusArgs),
    /// Show the live page of a running crawl
    Live(live::LiveArgs),
    /// Let a running crawl rest: nothing new is fetched
    Pause(control::ControlArgs),
    /// Let a paused crawl go on
    ResumeCrawl(control::ControlArgs),
    /// Let a running crawl end: what is under way is finished, the report is written
    Stop(control::ControlArgs),
    /// Change settings of a running crawl
    Set(control::SetArgs),
    /// Let a running crawl follow no more links to a cluster of pages, of a class, or of a form
    Ban(control::TargetArgs),
    /// Take a ban back
    Unban(control::TargetArgs),
    /// Let a running crawl fetch pages of a cluster, of a class, or of a form first
    Pin(control::TargetArgs),
    /// Take a pin back
    Unpin(control::TargetArgs),
    /// Let a running crawl send a host nothing; its URLs wait
    Block(control::HostArgs),
    /// Let a blocked host get requests again
    Unblock(control::HostArgs),
    /// Say what became of a URL in a crawl, and why
    Explain(explain::ExplainArgs),
    /// Tell what came of a crawl, as a page to read
    Report(report::ReportArgs),
    /// Start a simulated site on this machine, crawl it and show what happened
    Demo(demo::DemoArgs),
    /// Serve a simulated social site
    Sim(Box<sim::SimArgs>),
    /// Crawl a recorded site at memory speed, under a policy
    Replay(replay::ReplayArgs),
    /// Measure policies and clusterings on recorded, labelled sites
    #[command(subcommand)]
    Lab(Box<lab::Lab>),
    /// Learn a site's page templates, from itself or a recording, for crawls to start from
    Learn(learn::LearnArgs),
    /// Show what a crawl learnt of a site
    Site(site::SiteArgs),
    /// Write what a crawl brought in forms that other tools read: CDXJ, Parquet, GraphML, DOT
    #[command(subcommand)]
    Export(Box<export::Export>),
    /// Copy a crawl's WARC files to S3-compatible storage
    Upload(upload::UploadArgs),
    /// Show what Harvestman makes of one thing: a URL, a robots.txt, a sitemap, a page, a WARC file
    #[command(subcommand)]
    Inspect(Box<inspect::Inspect>),
    /// Crawl with many machines together
    #[command(subcommand)]
    Fleet(Box<fleet::Fleet>),
    /// Print the configuration that holds, with every setting and what it does
    Config(Box<config::ConfigArgs>),
    /// Print a script that teaches a shell to complete this command line
    Completions(completions::CompletionsArgs),
}

fn dispatch(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Crawl(args) => return crawl::run(&args),
        Command::Resume(args) => return resume::run(&args),
        Command::Recrawl(args) => return recrawl::run(&args),
        Command::Status(args) => control::status(&args)?,
        Command::Live(args) => live::run(&args)?,
        Command::Pause(args) => control::tell(&args, "pause")?,
        Command::ResumeCrawl(args) => control::tell(&args, "go-on")?,
        Command::Stop(args) => control::tell(&args, "stop")?,
        Command::Set(args) => control::set(&args)?,
        Command::Ban(args) => control::steer(&args, "ban")?,
        Command::Unban(args) => control::steer(&args, "unban")?,
        Command::Pin(args) => control::steer(&args, "pin")?,
        Command::Unpin(args) => control::steer(&args, "unpin")?,
        Command::Block(args) => control::block(&args, "block")?,
        Command::Unblock(args) => control::block(&args, "unblock")?,
        Command::Explain(args) => explain::run(&args)?,
        Command::Report(args) => report::run(&args)?,
        Command::Demo(args) => return demo::run(&args),
        Command::Sim(args) => sim::run(&args)?,
        Command::Replay(args) => replay::run(&args)?,
        Command::Lab(what) => lab::run(*what)?,
        Command::Learn(args) => return learn::run(&args),
        Command::Site(args) => site::run(&args)?,
        Command::Export(what) => return export::run(&what),
        Command::Upload(args) => return upload::run(&args),
        Command::Inspect(what) => inspect::run(*what)?,
        Command::Fleet(what) => return fleet::run(&what),
        Command::Config(args) => config::run(&args)?,
        Command::Completions(args) => completions::run(&args),
    }
    Ok(Exit::Done)
}

/// The command line's definition, for completions and the reference.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Does what the process's arguments say.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let exit = dispatch(cli.command).unwrap_or_else(|failure| {
        if !failure.text.is_empty() {
            eprintln!("error: {}", failure.text);
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
