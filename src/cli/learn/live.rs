//! Learns from the site itself.

use std::path::Path;

use super::{LearnArgs, write};
use crate::cli::crawl::{Until, prepare, to_report};
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::SettingArgs;
use crate::cli::temporary::TemporaryDirectory;
use harvestman_core::config::{Config, Flag, FlagValue, PolicyKind};
use harvestman_pipeline::{Beginning, MODEL_FILE};
use harvestman_policy::learned::SiteModel;

/// Crawls the number of pages given in `args` and writes the model. An interrupted crawl has a model too.
pub(super) fn learn(args: &LearnArgs) -> Result<(SiteModel, Exit), Failure> {
    let temporary = TemporaryDirectory::new("learn");
    let out = args.keep.as_deref().unwrap_or(temporary.path());
    let (config, progress) = prepare(config(args, out)?, args.quiet)?;
    let until = if args.by.is_some() { Until::Learned } else { Until::Done };
    let report = to_report(&config, &progress, Beginning::AtSeeds, until)?;
    if !args.quiet {
        tell!("{}", report.to_string().trim_end());
    }
    let exit = Exit::after(&report);
    let Ok(bytes) = std::fs::read(out.join(MODEL_FILE)) else {
        return Err(match exit {
            Exit::Done => {
                let what = "the crawl found too little to learn a site model from: allow more pages with --pages";
                Failure::new(Exit::Failed, what)
            }
            Exit::NothingFetched => Failure::new(exit, "no page could be fetched, so nothing could be learned"),
            _ => Failure::new(exit, "the crawl ended before anything could be learned"),
        });
    };
    let model = SiteModel::from_bytes(&bytes).map_err(|error| Failure::new(Exit::Internal, error))?;
    write(&model, &args.out)?;
    Ok((model, exit))
}

fn config(args: &LearnArgs, out: &Path) -> Result<Config, Failure> {
    let set = |flag: &str, name: &str, value: String| Flag {
        flag: flag.to_owned(),
        name: name.to_owned(),
        value: FlagValue::Text(value),
    };
    let policy = match (args.by, &args.example) {
        (Some(_), _) => PolicyKind::ClusterGraph,
        (None, Some(_)) => PolicyKind::Target,
        (None, None) => PolicyKind::Ucc,
    };
    let seeds = FlagValue::List(vec![args.what.clone()]);
    let mut more = vec![
        Flag { flag: "SEED".to_owned(), name: "crawl.seeds".to_owned(), value: seeds },
        set("--pages", "budget.pages", args.pages.to_string()),
        set("--seed", "crawl.seed", args.seed.to_string()),
        set("--keep", "crawl.out", out.display().to_string()),
        set("learn", "crawl.policy", policy.name().to_owned()),
        set("--example", "policy.example", args.example.clone().unwrap_or_default()),
    ];
    more.extend(args.contact.iter().map(|contact| set("--contact", "fetch.contact", contact.clone())));
    let settings = SettingArgs { config: args.config.clone(), set: args.set.clone(), ..SettingArgs::default() };
    let mut config = settings.load(more)?;
    config.policy.variant = args.variant.unwrap_or_default();
    config.policy.by = args.by.unwrap_or(config.policy.by);
    if args.keep.is_none() {
        // The directory is temporary, so these files would be removed.
        (config.archive.enabled, config.policy.log, config.state.enabled) = (false, false, false);
    }
    Ok(config)
}
