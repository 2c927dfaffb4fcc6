//! `harvestman learn SEED|WARC`: learns a site, for crawls to start from.

mod live;
mod recorded;

use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::rows::print_text;
use super::settings::assignment;
use super::site;
use harvestman_core::config::{ClusterBy, PolicyVariant};
use harvestman_core::model::ClusterId;
use harvestman_policy::learned::{Facts, SiteModel};

/// Link classes of a cluster that are told.
const CLASSES_TOLD: usize = 5;

/// Learns the page templates of a site, which links lead from one to which, and what they are worth.
///
/// From a URL it crawls the site, with the policy ucc, target where an example is named, or cluster-graph with --by; from a
/// recording it crawls that, at memory speed. What was learnt is written as a site model and told in short.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct LearnArgs {
    /// A URL of the site to start from, or a recording: a WARC file, compressed or plain, of any tool
    #[arg(value_name = "SEED|WARC")]
    what: String,

    /// Pages to learn from; of a recording, requests
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to learn")]
    pages: u32,
    /// A page like those that are wanted, for a model that the policy target starts from; of a recording, one of its URLs
    #[arg(long, value_name = "URL", help_heading = "What to learn")]
    example: Option<String>,
    /// Learn a cluster graph, which the policy cluster-graph filters links by, and tell kinds of pages by this; stops when its
    /// sample is complete
    #[arg(long, value_name = "WHAT", value_parser = by, conflicts_with = "example", help_heading = "What to learn")]
    by: Option<ClusterBy>,
    /// Form of the cluster graph: default or paper, which tells kinds by url and refuses what its sample does not know
    #[arg(long, value_name = "FORM", value_parser = variant, requires = "by", help_heading = "What to learn")]
    variant: Option<PolicyVariant>,
    /// Where random draws start
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..), help_heading = "What to learn")]
    seed: u64,

    /// The file for the site model; one that is there is replaced
    #[arg(long, value_name = "MODEL", help_heading = "Output")]
    out: PathBuf,
    /// Show no progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,

    /// Keep the crawl in this directory, which must not exist yet, or be empty [default: only the model is kept]
    #[arg(long, value_name = "DIR", help_heading = "The crawl of a URL")]
    keep: Option<PathBuf>,
    /// Where operators of the site can reach you; becomes part of the user agent [fetch.contact]
    #[arg(long, value_name = "URL|MAIL", help_heading = "The crawl of a URL")]
    contact: Option<String>,
    /// Configuration file (TOML), as `harvestman crawl` takes it
    #[arg(long, value_name = "FILE", help_heading = "The crawl of a URL")]
    config: Option<PathBuf>,
    /// Any setting of a crawl, as in --set host.delay=2s; may be repeated
    #[arg(long, value_name = "SECTION.KEY=VALUE", value_parser = assignment, help_heading = "The crawl of a URL")]
    set: Vec<(String, String)>,
}

const AFTER_HELP: &str = "\
Examples:
  Learn a forum, then crawl it by what is known:
    harvestman learn https://forum.example.org/ --out forum.model --contact you@example.org
    harvestman crawl https://forum.example.org/ --policy ucc --model forum.model --out posts
  From a recording, and for the policy target:
    harvestman learn forum.warc.gz --example https://forum.example.org/user/17/ --out users.model
  A cluster graph, which leaves out what repeats other pages, by addresses and templates:
    harvestman learn https://forum.example.org/ --by url --pages 1000 --out forum.graph
    harvestman crawl https://forum.example.org/ --policy cluster-graph --model forum.graph --out all
  All that is known, or the site as a graph:
    harvestman site forum.model
    harvestman site forum.model --format dot | dot -Tsvg > forum.svg

A model counts what its crawl looked for: learn with --example for the policy target, with --by
for cluster-graph, without either for ucc.";

fn by(text: &str) -> Result<ClusterBy, String> {
    let found = ClusterBy::ALL.into_iter().find(|by| by.name() == text);
    found.ok_or_else(|| "kinds of pages are told by url, structure or both".to_owned())
}

fn variant(text: &str) -> Result<PolicyVariant, String> {
    match text {
        "default" => Ok(PolicyVariant::Default),
        "paper" => Ok(PolicyVariant::Paper),
        _ => Err("there are default and paper".to_owned()),
    }
}

/// Runs the command.
pub fn run(args: &LearnArgs) -> Result<Exit, Failure> {
    check_out(&args.out)?;
    check_by(args)?;
    let (model, exit) = if is_file(&args.what)? { (recorded::learn(args)?, Exit::Done) } else { live::learn(args)? };
    print_text(&told(&model.facts, &args.out)).map_err(|error| Failure::new(Exit::Output, error))?;
    Ok(exit)
}

/// As its authors describe it, a cluster graph is one of addresses.
fn check_by(args: &LearnArgs) -> Result<(), Failure> {
    let paper = args.variant == Some(PolicyVariant::Paper);
    match args.by {
        Some(by) if paper && by != ClusterBy::Url => {
            let what =
                "--variant paper tells kinds of pages by their addresses: write --by url, or leave out --variant";
            Err(Failure::usage(what))
        }
        _ => Ok(()),
    }
}

/// Finds out before the work, not after it, that the model cannot be written.
fn check_out(out: &Path) -> Result<(), Failure> {
    let wrong = |what: &str| Err(Failure::usage(format!("cannot write the site model {}: {what}", out.display())));
    if out.is_dir() {
        return wrong("it is a directory; name a file");
    }
    match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            wrong(&format!("there is no directory {}; make it first", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Whether it is a recording rather than a URL.
fn is_file(what: &str) -> Result<bool, Failure> {
    let path = Path::new(what);
    if path.is_file() {
        return Ok(true);
    }
    if path.is_dir() {
        return Err(Failure::usage(format!(
            "{what} is a directory; name a WARC file, or a URL as https://example.org/"
        )));
    }
    let names_a_recording = !what.contains("://") && [".warc", ".warc.gz"].iter().any(|ending| what.ends_with(ending));
    if names_a_recording {
        return Err(Failure::usage(format!("there is no file {what}")));
    }
    Ok(false)
}

fn write(model: &SiteModel, out: &Path) -> Result<(), Failure> {
    let cannot = |error| Failure::new(Exit::Output, format!("cannot write the site model {}: {error}", out.display()));
    harvestman_pipeline::write_model(model, out).map_err(cannot)
}

fn told(facts: &Facts, out: &Path) -> String {
    let clusters = facts.clusters.iter().filter(|cluster| cluster.cluster > ClusterId(1)).count();
    let mut text = site::text::of(facts, CLASSES_TOLD);
    let out = out.display();
    if !facts.kinds.is_empty() {
        let kinds = facts.kinds.len();
        return text
            + &format!("\nmodel     {out} ({kinds} kinds of pages; `harvestman site {out}` shows them again)\n");
    }
    if clusters == 0 {
        text += "\nNo page templates were told apart: these are too few pages, or too few of each kind; allow more with --pages\n";
    }
    text + &format!("\nmodel     {out} ({clusters} clusters; `harvestman site {out}` shows all of it)\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_was_told_apart_of_says_so() {
        let text = told(&Facts { pages: 3, ..Facts::default() }, Path::new("m"));
        assert!(text.contains("3 pages") && text.contains("allow more with --pages"), "{text}");
    }
}
