//! `harvestman inspect render URL`: what a browser adds to a page.

mod answer;
mod loading;
mod refusals;
mod text;
mod verdict;

use std::io::Write;

use self::answer::RenderAnswer;
use self::loading::{Loaded, configuration, load};
use self::verdict::Verdict;
use crate::cli::crawl::seeds_flag;
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::SettingArgs;
use harvestman_library::program::seeds;
use harvestman_report::{StopReason, terminal};

/// Show what rendering in a browser adds to a page
///
/// Fetches one page as a crawl does, renders it in a browser without network, and compares both: links within the
/// scope, text, the requests of the page, and clicks. The last lines say whether a crawl with --render pays, and what
/// to do next.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct RenderArgs {
    /// URL of the page; https:// is assumed where the scheme is missing
    #[arg(value_name = "URL")]
    url: String,
    /// Print one JSON object, with complete lists
    #[arg(long)]
    json: bool,
    /// The settings of the crawl.
    #[command(flatten)]
    settings: SettingArgs,
}

const AFTER_HELP: &str = "\
Examples:
  Decide whether a site needs a browser: inspect one page of each kind, then crawl:
    harvestman inspect render https://forum.example.org/ --contact you@example.org
    harvestman inspect render https://forum.example.org/t/17 --contact you@example.org
    harvestman crawl https://forum.example.org/ --render auto --contact you@example.org --out forum
  The requests of the page that were refused, each with the reason:
    harvestman inspect render https://forum.example.org/ --json \\
        | jq '.rendered.requests[] | select(.refused)'
  Without scrolling and clicks, and with more time for slow scripts:
    harvestman inspect render https://forum.example.org/ --set render.clicks=0 \\
        --set render.scrolls=0 --set render.page_time=30s
  A page behind a login:
    harvestman inspect render https://forum.example.org/inbox --cookies cookies.txt

The crawl answers each request of the page: robots.txt, the delay of the host, the address guard and
the settings hold as for `harvestman crawl`. A page with 30 requests takes some 30 seconds with the
default delay of one second. A request that fails is not repeated. Redirects are followed within the
scope. Nothing is stored. The policy, searches, and the budget of pages do not apply.

The verdict is one of:
  gain          rendering adds links within the scope or text; --render auto renders such pages
  no_gain       it adds nothing that --render auto counts: a few changed words, such as a date
  impaired      it adds nothing, and requests of the page were refused by robots.txt or failed
  failed        the browser could not render the page
  not_rendered  a crawl does not render it: not fetched, an error status, or not HTML

Exit codes: 0 if the page was rendered; 1 if it was not, or there is no browser (see
`harvestman doctor`); 2 for an invalid URL or setting; 3 if the page could not be fetched.";

/// Runs the subcommand.
pub(super) fn run(args: &RenderArgs) -> Result<Exit, Failure> {
    let seed = seeds::parse(&args.url).map_err(|error| Failure::usage(error.replacen("seed ", "", 1)))?;
    // Settings such as those of searches are valid only beside a seed.
    let seeds = seeds_flag(&[seed.url.to_string()]);
    let config = configuration(args.settings.load(seeds.into_iter().collect())?, &seed.url);
    let loaded = load(&config, seed.url)?;
    if loaded.stop_reason == StopReason::Interrupted {
        return Ok(Exit::Interrupted);
    }
    let answer = RenderAnswer::of(&loaded);
    let mut output = terminal::stdout();
    // A closed pipe (`| head`) is not an error.
    let _ = if args.json {
        let json = serde_json::to_string(&answer).map_err(anyhow::Error::from)?;
        writeln!(output, "{json}")
    } else {
        write!(output, "{answer}")
    };
    Ok(exit(&loaded, answer.verdict))
}

fn exit(loaded: &Loaded, verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Gain | Verdict::NoGain | Verdict::Impaired => Exit::Done,
        Verdict::Failed => Exit::Failed,
        Verdict::NotRendered if loaded.is_fetched() => Exit::Failed,
        Verdict::NotRendered => Exit::NothingFetched,
    }
}
