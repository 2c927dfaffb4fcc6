//! Learns from a recording.

use std::path::Path;
use std::sync::Arc;

use super::{LearnArgs, write};
use crate::cli::exit::{Exit, Failure};
use crate::cli::recordings::{example_page, load_with_notes};
use harvestman_core::clock::Clock;
use harvestman_core::config::{ParseOptions, PolicyVariant};
use harvestman_core::seed::Seed;
use harvestman_lab::corpus::{Corpus, PageId};
use harvestman_lab::measures::Task;
use harvestman_lab::replay::{ExamplePage, Plan, PolicyInputs, PolicyName, Variant, make, replay_keeping};
use harvestman_pipeline::spelling_reader;
use harvestman_policy::learned::SiteModel;
use harvestman_report::CrawlStatus;
use harvestman_report::progress::Progress;

/// Crawls the recording and writes the model.
pub(super) fn learn(args: &LearnArgs) -> Result<SiteModel, Failure> {
    check(args)?;
    let corpus = Arc::new(load_with_notes(Path::new(&args.what), None, true)?);
    let example = args.example.as_deref().map(|url| example_page(&corpus, url)).transpose()?;
    let model = crawl(&corpus, example, args)?;
    write(&model, &args.out)?;
    Ok(model)
}

fn check(args: &LearnArgs) -> Result<(), Failure> {
    let given = [
        ("--keep", args.keep.is_some()),
        ("--contact", args.contact.is_some()),
        ("--config", args.config.is_some()),
        ("--set", !args.set.is_empty()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => {
            let what = &args.what;
            Err(Failure::usage(format!("{what} is a recording: {flag} applies to the crawl of a URL only")))
        }
    }
}

fn crawl(corpus: &Arc<Corpus>, example: Option<PageId>, args: &LearnArgs) -> Result<SiteModel, Failure> {
    let example = example.map(|id| ExamplePage::of(corpus, id));
    let name = match (args.by, &example) {
        (Some(_), _) => PolicyName::ClusterGraph,
        (None, Some(_)) => PolicyName::Target,
        (None, None) => PolicyName::Ucc,
    };
    let variant = if args.variant == Some(PolicyVariant::Paper) { Variant::Paper } else { Variant::Default };
    let by = args.by.unwrap_or_default();
    let making = PolicyInputs { example: example.as_ref(), variant, by, ..PolicyInputs::new(Seed(args.seed)) };
    let seeds = example.iter().map(|example| example.url.clone()).collect();
    let (pages, all) = (args.pages as usize, Plan::new(corpus, Task::Ucc, args.pages as usize));
    // A cluster graph is learned from its sample only.
    let plan = match args.by {
        Some(_) => Plan { sample_free: Some(pages), budget: 0, ..all },
        None => Plan { seeds, ..all },
    };

    let (progress, clock) = (Progress::new(args.quiet, false), Clock::system());
    let (mut status, began) = (CrawlStatus::default(), clock.now());
    let replayed = replay_keeping(&plan, make(name, &making), |_, fetched, crawl| {
        status.requests += 1;
        status.pages += u64::from(fetched.new_page);
        (status.queued, status.elapsed) = (crawl.queued(), clock.now().since(began));
        progress.show(&status);
    });
    progress.finish();
    let (done, mut policy) = replayed?;
    let model = policy.site_model(&mut *spelling_reader(&ParseOptions::default()));
    model.ok_or_else(|| {
        let why = done.note.unwrap_or_else(|| "nothing was learned".to_owned());
        Failure::new(Exit::Failed, format!("{}: {why}; allow more pages with --pages", args.what))
    })
}
