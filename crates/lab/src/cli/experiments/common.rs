//! The common arguments and the execution of experiments.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use super::progress::RunProgress;
use crate::cli::output::write_json;
use crate::cli::recordings::load_with_notes;
use crate::corpus::Corpus;
use crate::experiments::{Experiment, Results, Workers};
use crate::tables::{Report, Table};
use harvestman::cli::exit::{Exit, Failure};
use harvestman::cli::output::{is_stdout, print_text};
use harvestman_core::seed::Seed;
use harvestman_sim::{Family, World, WorldOptions};

/// The size of the simulated network.
const SIM_PAGES: u64 = 10_000;
const SIM_HOSTS: u64 = 50;
/// Maximum number of pages of one simulated site.
const SIM_SITE_PAGES_MAX: u64 = 200_000;

/// Arguments of every experiment.
#[derive(Debug, Clone, clap::Args)]
pub struct Common {
    /// Recordings: WARC files, compressed or plain, of any tool; sim for a simulated network of
    /// sites, sim-media-PAGES-SEED for a simulated photo site with tags
    #[arg(value_name = "CORPUS", required = true)]
    corpora: Vec<PathBuf>,
    /// Label files of the corpora, in the same order [default: NAME.labels.csv.gz or NAME.labels.csv beside
    /// NAME.warc.gz]
    #[arg(long, value_name = "FILE", help_heading = "Corpora and runs")]
    labels: Vec<PathBuf>,
    /// Number of runs, with the seeds 1 to N; tables show mean and standard deviation
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=10_000), help_heading = "Corpora and runs")]
    pub seeds: u64,
    /// Number of threads for the runs [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Corpora and runs")]
    threads: Option<u16>,
    /// Write {"rows": [...]}, one row per run; - writes to standard output instead of the table
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    /// Write the report to this directory: NAME.json, NAME-rows.csv, NAME-summary.csv, NAME.md, and NAME.html with
    /// plots
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Hide the progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

/// Runs an experiment on all corpora, one after the other, and writes the results.
///
/// A corpus that lacks something is skipped, so that the results of the others are not lost. The error is printed at
/// once and reflected in the exit code.
pub fn run_experiment(experiment: &impl Experiment, common: &Common) -> Result<(), Failure> {
    common.check()?;
    let progress = RunProgress::new(common.quiet);
    let workers = Workers::new(common.threads.map(Into::into), &progress);
    let (mut results, mut skipped) = (Results::default(), Vec::new());
    for (at, warc) in common.corpora.iter().enumerate() {
        let measured = measure(experiment, warc, common.labels.get(at).map(PathBuf::as_path), &workers, &mut results);
        progress.finish();
        if let Err(error) = measured {
            if common.corpora.len() > 1 {
                tell!("skipped: {error:#}");
            }
            skipped.push(error);
        }
    }
    match (skipped.len(), skipped.into_iter().next()) {
        (_, Some(error)) if results.rows.is_empty() => Err(error.into()),
        (0, _) => write(&experiment.report(results), common),
        (count, _) => {
            write(&experiment.report(results), common)?;
            let all = common.corpora.len();
            Err(Failure::new(Exit::Failed, format!("{count} of {all} corpora were skipped, see above")))
        }
    }
}

/// Runs an experiment on one corpus that `merge` makes of all recordings.
pub fn run_merged(
    experiment: &impl Experiment,
    common: &Common,
    merge: impl FnOnce(&[Arc<Corpus>]) -> anyhow::Result<Corpus>,
) -> Result<(), Failure> {
    common.check()?;
    let progress = RunProgress::new(common.quiet);
    let workers = Workers::new(common.threads.map(Into::into), &progress);
    let load = |(at, warc): (usize, &PathBuf)| corpus(warc, common.labels.get(at).map(PathBuf::as_path)).map(Arc::new);
    let recordings = common.corpora.iter().enumerate().map(load).collect::<anyhow::Result<Vec<_>>>()?;
    let corpus = Arc::new(merge(&recordings)?);
    drop(recordings);
    let mut results = Results::default();
    results.notes.extend(corpus.notes.iter().map(|note| format!("{}: {note}", corpus.name)));
    let measured = experiment.measure(&corpus, &workers, &mut results);
    progress.finish();
    measured.map_err(anyhow::Error::from)?;
    write(&experiment.report(results), common)
}

fn measure(
    experiment: &impl Experiment,
    warc: &Path,
    labels: Option<&Path>,
    workers: &Workers<'_>,
    results: &mut Results,
) -> anyhow::Result<()> {
    let corpus = Arc::new(corpus(warc, labels)?);
    results.notes.extend(corpus.notes.iter().map(|note| format!("{}: {note}", corpus.name)));
    Ok(experiment.measure(&corpus, workers, results)?)
}

/// Loads a recording, or builds the simulated network.
pub fn corpus(warc: &Path, labels: Option<&Path>) -> anyhow::Result<Corpus> {
    match simulated(warc) {
        Some((options, seed)) => Ok(Corpus::from_world(&World::new(&options, seed)?)?),
        None => load_with_notes(warc, labels, false),
    }
}

/// Returns the options and the seed of the simulated sites that are requested: `sim` for a network of all families,
/// without endless traps, `sim-media-PAGES-SEED` for one photo site. A file of such a name is given as `./sim`.
fn simulated(corpus: &Path) -> Option<(WorldOptions, Seed)> {
    let name = corpus.to_str()?;
    if name == "sim" {
        return Some((WorldOptions { pages: SIM_PAGES, hosts: SIM_HOSTS, ..WorldOptions::default() }, Seed(1)));
    }
    let (pages, seed) = name.strip_prefix("sim-media-")?.split_once('-')?;
    let pages = pages.parse().ok().filter(|pages| (1..=SIM_SITE_PAGES_MAX).contains(pages))?;
    let options = WorldOptions { pages, hosts: 1, families: vec![Family::Media], ..WorldOptions::default() };
    Some((options, Seed(seed.parse().ok()?)))
}

fn write(report: &Report, common: &Common) -> Result<(), Failure> {
    write_json(&report.rows, common.json.as_ref())?;
    if let Some(out) = &common.out {
        let files = report.write(out).map_err(|error| Failure::new(Exit::Output, error))?;
        for file in files {
            tell!("wrote {}", file.display());
        }
    }
    if !common.json.as_deref().is_some_and(is_stdout) {
        for note in &report.notes {
            tell!("note: {note}");
        }
        let tables = report.tables().iter().map(Table::to_text).collect::<Vec<_>>().join("\n");
        print_text(&tables).map_err(|error| Failure::new(Exit::Output, error))?;
    }
    Ok(())
}

impl Common {
    /// Checks the arguments before the long work begins.
    fn check(&self) -> Result<(), Failure> {
        if !self.labels.is_empty() && self.labels.len() != self.corpora.len() {
            let (labels, corpora) = (self.labels.len(), self.corpora.len());
            return Err(Failure::usage(format!(
                "{labels} label files for {corpora} corpora: give --labels once per corpus, in the same order, or not at all"
            )));
        }
        for path in self.corpora.iter().filter(|path| simulated(path).is_none()).chain(&self.labels) {
            File::open(path)
                .with_context(|| format!("cannot open {}", path.display()))
                .map_err(|error| Failure::usage(format!("{error:#}")))?;
        }
        Ok(())
    }
}
