//! `harvestman doctor`: whether this machine can do what some settings need.

use std::io::Write;

use super::exit::{Exit, Failure};
use super::settings::SettingArgs;
use harvestman_pipeline::{BrowserCheck, check_browser};
use harvestman_report::terminal;

/// Check whether this machine can render pages in a browser
///
/// Looks for Chromium, starts it without network as a crawl with --render does, and ends it. Prints what was found, or
/// what to do. The exit code is 0 if pages can be rendered.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Examples:
  harvestman doctor
  harvestman doctor --set render.browser=/opt/chromium/chrome")]
pub struct DoctorArgs {
    /// Sources of the configuration.
    #[command(flatten)]
    pub settings: SettingArgs,
}

/// Runs the command.
pub fn run(args: &DoctorArgs) -> Result<Exit, Failure> {
    let config = args.settings.load(Vec::new())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(Exit::Internal, error))?;
    let BrowserCheck { path, result } = runtime.block_on(check_browser(&config));
    let mut output = terminal::stdout();
    // A closed pipe (`| head`) is not an error.
    let _ = match (&path, &result) {
        (Some(path), Ok(version)) => {
            let sandbox = if config.render.sandbox { "on" } else { "off" };
            writeln!(output, "browser  {} ({version}), its sandbox {sandbox}, without network: works", path.display())
        }
        (_, Err(why)) => writeln!(output, "browser  {why}"),
        (None, Ok(_)) => Ok(()),
    };
    Ok(if result.is_ok() { Exit::Done } else { Exit::Failed })
}
