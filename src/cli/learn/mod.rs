//! `harvestman learn SEED|WARC`: learns a site model for crawls to start from.

mod live;
mod recorded;

use std::path::{Path, PathBuf};

use super::exit::{Exit, Failure};
use super::output::print_text;
use super::settings::assignment;
use super::site;
use harvestman_core::config::{ClusterBy, PolicyVariant};
use harvestman_core::model::ClusterId;
use harvestman_policy::learned::{Facts, SiteModel};

/// Maximum number of link classes printed per cluster.
const CLASSES_SHOWN: usize = 5;

/// Learn a site model for crawls to start from
///
/// A site model holds the page templates of a site, the links between them, and their worth. Given a URL, it crawls the
/// site with the policy ucc, with target if an example is given, or with cluster-graph if --by is given; given a
/// recording, it crawls that at memory speed. The result is written as a site model and summarised.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct LearnArgs {
    /// URL of the site to start from, or a recording: a WARC file, compressed or plain, of any tool
    #[arg(value_name = "SEED|WARC")]
    what: String,

    /// Number of pages to learn from; for a recording, number of requests
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..), help_heading = "What to learn")]
    pages: u32,
    /// Example of a wanted page, for a model for the policy target; for a recording, the URL of one of its pages
    #[arg(long, value_name = "URL", help_heading = "What to learn")]
    example: Option<String>,
    /// Learn a cluster graph for the link filter of the policy cluster-graph, with page types by url, structure or
    /// both; stops when the sample is complete
    #[arg(long, value_name = "WHAT", value_parser = by, conflicts_with = "example", help_heading = "What to learn")]
    by: Option<ClusterBy>,
    /// Variant of the cluster graph: default, or paper, which clusters by url and refuses URLs unknown to the sample
    #[arg(long, value_name = "FORM", value_parser = variant, requires = "by", help_heading = "What to learn")]
    variant: Option<PolicyVariant>,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..), help_heading = "What to learn")]
    seed: u64,

    /// File for the site model; an existing file is replaced
    #[arg(long, value_name = "MODEL", help_heading = "Output")]
    out: PathBuf,
    /// Hide the progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,

    /// Keep the crawl in this directory, which must be empty or not exist yet [default: keep only the model]
    #[arg(long, value_name = "DIR", help_heading = "The crawl of a URL")]
    keep: Option<PathBuf>,
    /// Where site operators can reach you; becomes part of the user agent [fetch.contact]
    #[arg(long, value_name = "URL|MAIL", help_heading = "The crawl of a URL")]
    contact: Option<String>,
    /// Configuration file (TOML), as for `harvestman crawl`
    #[arg(long, value_name = "FILE", help_heading = "The crawl of a URL")]
    config: Option<PathBuf>,
    /// Any setting of a crawl, e.g. --set host.delay=2s; may be repeated
    #[arg(long, value_name = "SECTION.KEY=VALUE", value_parser = assignment, help_heading = "The crawl of a URL")]
    set: Vec<(String, String)>,
}

const AFTER_HELP: &str = "\
Examples:
  Learn a forum, then crawl it with the model:
    harvestman learn https://forum.example.org/ --out forum.model --contact you@example.org
    harvestman crawl https://forum.example.org/ --policy ucc --model forum.model --out posts
  From a recording, for the policy target:
    harvestman learn forum.warc.gz --example https://forum.example.org/user/17/ --out users.model
  A cluster graph, which filters out pages that repeat others:
    harvestman learn https://forum.example.org/ --by url --pages 1000 --out forum.graph
    harvestman crawl https://forum.example.org/ --policy cluster-graph --model forum.graph --out all
  Print the model, or draw it as a graph:
    harvestman site forum.model
    harvestman site forum.model --format dot | dot -Tsvg > forum.svg

A model is specific to its policy: learn with --example for target, with --by for cluster-graph,
and with neither for ucc.";

fn by(text: &str) -> Result<ClusterBy, String> {
    let found = ClusterBy::ALL.into_iter().find(|by| by.name() == text);
    found.ok_or_else(|| "expected url, structure or both".to_owned())
}

fn variant(text: &str) -> Result<PolicyVariant, String> {
    match text {
        "default" => Ok(PolicyVariant::Default),
        "paper" => Ok(PolicyVariant::Paper),
        _ => Err("expected default or paper".to_owned()),
    }
}

/// Runs the command.
pub fn run(args: &LearnArgs) -> Result<Exit, Failure> {
    check_out(&args.out)?;
    check_by(args)?;
    let (model, exit) = if is_file(&args.what)? { (recorded::learn(args)?, Exit::Done) } else { live::learn(args)? };
    print_text(&summary(&model.facts, &args.out)).map_err(|error| Failure::new(Exit::Output, error))?;
    Ok(exit)
}

/// Checks `--variant paper`: in the paper, a cluster graph is based on URLs.
fn check_by(args: &LearnArgs) -> Result<(), Failure> {
    let paper = args.variant == Some(PolicyVariant::Paper);
    match args.by {
        Some(by) if paper && by != ClusterBy::Url => {
            let what = "--variant paper clusters pages by URL: use --by url or omit --variant";
            Err(Failure::usage(what))
        }
        _ => Ok(()),
    }
}

/// Checks before the work that the model can be written.
fn check_out(out: &Path) -> Result<(), Failure> {
    let wrong = |what: &str| Err(Failure::usage(format!("cannot write the site model {}: {what}", out.display())));
    if out.is_dir() {
        return wrong("it is a directory");
    }
    match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            wrong(&format!("directory {} does not exist", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Returns whether the argument is a recording rather than a URL.
fn is_file(what: &str) -> Result<bool, Failure> {
    let path = Path::new(what);
    if path.is_file() {
        return Ok(true);
    }
    if path.is_dir() {
        return Err(Failure::usage(format!(
            "{what} is a directory: give a WARC file or a URL such as https://example.org/"
        )));
    }
    let names_a_recording = !what.contains("://") && [".warc", ".warc.gz"].iter().any(|ending| what.ends_with(ending));
    if names_a_recording {
        return Err(Failure::usage(format!("file {what} does not exist")));
    }
    Ok(false)
}

fn write(model: &SiteModel, out: &Path) -> Result<(), Failure> {
    let cannot = |error| Failure::new(Exit::Output, format!("cannot write the site model {}: {error}", out.display()));
    harvestman_pipeline::write_model(model, out).map_err(cannot)
}

fn summary(facts: &Facts, out: &Path) -> String {
    let clusters = facts.clusters.iter().filter(|cluster| cluster.cluster > ClusterId(1)).count();
    let mut text = site::text::of(facts, CLASSES_SHOWN);
    let out = out.display();
    if !facts.kinds.is_empty() {
        let kinds = facts.kinds.len();
        return text + &format!("\nmodel     {out} ({kinds} page types; `harvestman site {out}` shows them again)\n");
    }
    if clusters == 0 {
        text += "\nNo page templates could be distinguished: there are too few pages, or too few of each type; allow more pages with --pages\n";
    }
    text + &format!("\nmodel     {out} ({clusters} clusters; `harvestman site {out}` shows all details)\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_without_clusters_is_reported_as_such() {
        let text = summary(&Facts { pages: 3, ..Facts::default() }, Path::new("m"));
        assert!(text.contains("3 pages") && text.contains("allow more pages with --pages"), "{text}");
    }
}
