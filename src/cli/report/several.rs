//! Reads several crawl directories, such as those of the nodes of a fleet.

use std::fs;
use std::path::{Path, PathBuf};

use super::directory::{TORN, breaks_off, check, least_delay, model_values, open_log, read_but_log};
use super::merge::{LogStep, Merge};
use super::posts;
use super::progress::ReadProgress;
use harvestman_core::clock::Instant;
use harvestman_report::document::log::{LogReading, Origin};
use harvestman_report::document::{Part, Sources, Tally, has_one_policy, merged, pages_learned};

/// Maximum number of directories of a report. One log of each is open at the same time.
const DIRECTORIES_MAX: usize = 256;

/// Returns why no report can be made of these directories.
pub(super) fn check_all(paths: &[PathBuf]) -> Result<(), String> {
    if paths.len() > DIRECTORIES_MAX {
        return Err(format!("{} directories given, at most {DIRECTORIES_MAX} are supported", paths.len()));
    }
    let mut known: Vec<(PathBuf, &Path)> = Vec::new();
    for path in paths {
        check(path)?;
        let real = fs::canonicalize(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        if let Some((_, other)) = known.iter().find(|(known, _)| *known == real) {
            let (path, other) = (path.display(), other.display());
            return Err(format!("{other} and {path} are the same directory: name it once"));
        }
        known.push((real, path));
    }
    Ok(())
}

/// Reads all directories. The result of a single directory is returned as it is; several directories, or several
/// sessions of a node, are [`merged`].
pub(super) fn read(paths: &[PathBuf], now: Instant, quiet: bool) -> Sources {
    let mut all: Vec<Sources> = paths.iter().map(|path| read_but_log(path, now)).collect();
    let logs = paths.iter().zip(&mut all).map(|(path, sources)| open_log(path, sources)).collect();
    let posts = posts::read(paths, &mut all);
    let is_several = all.len() > 1;
    let mut tallies: Vec<Tally> = all.iter().map(Tally::of).collect();
    let is_tallied = is_several || all.iter().any(is_of_node);
    let mut reading = reading(&all);
    let mut progress = ReadProgress::new(quiet);
    Merge::of(logs).run(|place, step, bytes| {
        match step {
            LogStep::Line(line) => {
                if is_tallied {
                    tallies[place].add(line);
                }
                reading.add_of(place, line);
            }
            LogStep::TooLong => {
                tallies[place].damaged();
                reading.damaged();
            }
            LogStep::Torn => all[place].notes.push(TORN.to_owned()),
            LogStep::Broken(error) => all[place].notes.push(breaks_off(&error)),
        }
        progress.line(|| bytes);
    });
    progress.finish();
    let log = reading.finish();
    let parts = all.into_iter().zip(tallies).map(|(sources, tally)| Part { sources, tally });
    let mut parts: Vec<Part> = parts.collect();
    match parts.pop_if(|part| !is_several && !had_sessions(part)) {
        Some(Part { sources, .. }) => Sources { log, posts, ..sources },
        None => Sources { posts, ..merged(parts, log, now) },
    }
}

/// Returns the reader of all logs.
fn reading(all: &[Sources]) -> LogReading {
    // Waits are compared with the shortest delay of all.
    let delay = all.iter().map(least_delay).min().unwrap_or_default();
    if let [one] = all {
        let (worth, examples) = model_values(one);
        return LogReading::new(worth, delay).with_titles_of(examples);
    }
    let origin = |one: &Sources, worth| Origin { directory: one.directory.clone(), worth };
    if !has_one_policy(all.iter()) {
        let origins = all.iter().map(|one| origin(one, model_values(one).0)).collect();
        return LogReading::of_several(origins, delay).without_clusters();
    }
    let model = all.iter().max_by_key(|one| one.facts.as_ref().and_then(pages_learned));
    let (worth, examples) = model.map(model_values).unwrap_or_default();
    let origins = all.iter().map(|one| origin(one, worth.clone())).collect();
    LogReading::of_several(origins, delay).with_titles_of(examples)
}

fn is_of_node(sources: &Sources) -> bool {
    matches!(&sources.configuration, Some(Ok(configuration)) if configuration.fleet.is_some())
}

/// Returns whether a node of a fleet had more sessions than its report covers.
fn had_sessions(Part { sources, tally }: &Part) -> bool {
    let reported = sources.report.is_some() || sources.status.is_some();
    is_of_node(sources) && (!sources.earlier.is_empty() || (reported && tally.sessions() > 0))
}
