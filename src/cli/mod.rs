//! The command line: one file per subcommand, and the code that they share.

use std::process::ExitCode;

use clap::Subcommand;
use harvestman_report::terminal;

/// Writes a line to standard error, which may be closed.
macro_rules! tell {
    ($($line:tt)*) => { harvestman_report::terminal::tell(format_args!($($line)*)) };
}

pub mod check;
pub mod control;
pub mod crawl;
pub mod demo;
mod doctor;
pub mod exit;
pub mod explain;
mod inspect;
pub mod live;
pub mod posts;
pub mod report;
pub mod resume;
pub mod sim;
pub mod site;
mod teach;

mod endpoints;
pub mod export;
mod flags;
mod fleet;
mod identity;
mod lines;
mod log;
mod man;
mod new_directory;
pub mod output;
mod program;
pub mod progress;
mod reference;
mod settings;
pub mod signals;
mod upload;
pub mod warcs;

pub use exit::{Exit, Failure};
pub use program::{GROUPS, Group, Program};
pub use reference::{describe_groups, reference};
pub use settings::SettingArgs;

/// The commands, in the order of [`program::GROUPS`]. Those without a description here are described in detail with
/// their arguments.
#[derive(Debug, Subcommand)]
#[expect(missing_docs, reason = "a description here would replace the one that stands with the arguments")]
pub enum Command {
    /// Crawl sites into a directory
    Crawl(Box<crawl::CrawlArgs>),
    /// Resume a stopped crawl
    Resume(Box<resume::ResumeArgs>),
    /// Revisit the pages of a crawl that have probably changed
    Recrawl(Box<resume::RecrawlArgs>),
    /// Crawl with several machines
    #[command(subcommand)]
    Fleet(Box<fleet::Fleet>),
    /// Serve the live page of a running crawl
    Live(live::LiveArgs),
    /// Control a running crawl: status, pause, set, ban, pin, block
    Ctl(Box<control::ControlArgs>),
    /// Generate a crawl report
    Report(report::ReportArgs),
    /// Explain what happened to a URL in a crawl, and why
    Explain(explain::ExplainArgs),
    /// Export a crawl as WACZ, CDXJ, tables, text, posts or a graph
    #[command(subcommand)]
    Export(Box<export::Export>),
    Posts(posts::WarcPostsArgs),
    /// Upload the WARC files of a crawl to S3-compatible storage
    Upload(upload::UploadArgs),
    Demo(demo::DemoArgs),
    Sim(Box<sim::SimArgs>),
    /// Inspect a URL, robots.txt, sitemap, page or WARC file
    #[command(subcommand)]
    Inspect(Box<inspect::Inspect>),
    /// Create and publish the key of signed requests
    #[command(subcommand)]
    Identity(identity::IdentityCommand),
    Doctor(Box<doctor::DoctorArgs>),
    /// Print the effective configuration
    Config(Box<settings::ConfigArgs>),
    /// Print a shell completion script
    Completions(man::CompletionsArgs),
    Man(man::ManArgs),
}

/// Runs a command of `harvestman`, within a program that may have more.
pub fn dispatch(command: Command, program: &Program) -> Result<Exit, Failure> {
    match command {
        Command::Crawl(args) => return crawl::run(&args),
        Command::Resume(args) => return resume::run(&args),
        Command::Recrawl(args) => return resume::recrawl(&args),
        Command::Fleet(what) => return fleet::run(&what),
        Command::Live(args) => live::run(&args)?,
        Command::Ctl(args) => control::run(&args)?,
        Command::Report(args) => report::run(&args)?,
        Command::Explain(args) => explain::run(&args)?,
        Command::Export(what) => return export::run(&what),
        Command::Posts(args) => return posts::run(&args),
        Command::Upload(args) => return upload::run(&args),
        Command::Demo(args) => return demo::run(&args),
        Command::Sim(args) => sim::run(&args)?,
        Command::Inspect(what) => return inspect::run(*what),
        Command::Identity(what) => identity::run(&what)?,
        Command::Doctor(args) => return doctor::run(&args),
        Command::Config(args) => settings::print_config(&args)?,
        Command::Completions(args) => man::print_completions(&args, program),
        Command::Man(args) => man::run(&args, program)?,
    }
    Ok(Exit::Done)
}

/// The program `harvestman`.
pub fn program() -> Program {
    Program {
        name: "harvestman",
        about: "Harvestman crawls large social sites, learns their structure, and archives them in WARC files",
        groups: GROUPS.to_vec(),
        define: <Command as Subcommand>::augment_subcommands,
        run: |matches, program| dispatch(program.parse(matches)?, program),
    }
}

/// Returns the definition of the command line of `harvestman`.
pub fn command() -> clap::Command {
    program().command()
}

/// Runs the command that the arguments of the process name.
pub fn main(program: &Program) -> ExitCode {
    harvestman_stages::fetch::raise_descriptor_limit();
    terminal::catch_panics();
    let matches = match program.command().try_get_matches() {
        Ok(matches) => matches,
        // Help is the program's own text; an error quotes the arguments, which a script may have taken from a site.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            let words: Vec<String> =
                std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
            let text = program.explained(error, &words).render();
            let text = if terminal::has_colours() { text.ansi().to_string() } else { text.to_string() };
            terminal::tell_coloured(&text);
            return Exit::Usage.into();
        }
    };
    let exit = (program.run)(&matches, program).unwrap_or_else(|failure| {
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
