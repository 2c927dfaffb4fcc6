//! Reads several crawl directories, as those of the nodes of a fleet.

use std::fs;
use std::path::{Path, PathBuf};

use super::directory::{TORN, breaks_off, check, least_delay, open_log, read_but_log, told_by_model};
use super::merge::{Merge, Step};
use super::progress::Progress;
use harvestman_core::clock::Instant;
use harvestman_report::document::log::{LogReading, Origin};
use harvestman_report::document::{Part, Sources, Tally, has_one_policy, known, merged};

/// Directories that one report is made of. A log of each is open at the same time.
const DIRECTORIES_MAX: usize = 256;

/// Says why no report can be made of these.
pub(super) fn check_all(paths: &[PathBuf]) -> Result<(), String> {
    if paths.len() > DIRECTORIES_MAX {
        return Err(format!("{} directories are named, {DIRECTORIES_MAX} is the most", paths.len()));
    }
    let mut known: Vec<(PathBuf, &Path)> = Vec::new();
    for path in paths {
        check(path)?;
        let real = fs::canonicalize(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        if let Some((_, other)) = known.iter().find(|(known, _)| *known == real) {
            let (path, other) = (path.display(), other.display());
            return Err(format!("{other} and {path} are the same directory, which would count twice: name it once"));
        }
        known.push((real, path));
    }
    Ok(())
}

/// Reads all of them. What is read of one directory is told as it is there; of several, or where a node had several sessions, it is
/// [`merged`].
pub(super) fn read(paths: &[PathBuf], now: Instant, quiet: bool) -> Sources {
    let mut all: Vec<Sources> = paths.iter().map(|path| read_but_log(path, now)).collect();
    let logs = paths.iter().zip(&mut all).map(|(path, sources)| open_log(path, sources)).collect();
    let is_several = all.len() > 1;
    let mut tallies: Vec<Tally> = all.iter().map(Tally::of).collect();
    let is_tallied = is_several || all.iter().any(is_of_node);
    let mut reading = reading(&all);
    let mut progress = Progress::new(quiet);
    Merge::of(logs).run(|place, step, bytes| {
        match step {
            Step::Line(line) => {
                if is_tallied {
                    tallies[place].add(line);
                }
                reading.add_of(place, line);
            }
            Step::TooLong => {
                tallies[place].damaged();
                reading.damaged();
            }
            Step::Torn => all[place].notes.push(TORN.to_owned()),
            Step::Broken(error) => all[place].notes.push(breaks_off(&error)),
        }
        progress.line(|| bytes);
    });
    progress.finish();
    let (log, mut parts): (_, Vec<Part>) = (reading.finish(), all.into_iter().zip(tallies).collect());
    match parts.pop_if(|part| !is_several && !had_sessions(part)) {
        Some((sources, _)) => Sources { log, ..sources },
        None => merged(parts, log, now),
    }
}

/// What reads the logs of all of them.
fn reading(all: &[Sources]) -> LogReading {
    // It is the shortest delay of all that waits are held against.
    let delay = all.iter().map(least_delay).min().unwrap_or_default();
    if let [one] = all {
        let (worth, examples) = told_by_model(one);
        return LogReading::new(worth, delay).with_titles_of(examples);
    }
    let origin = |one: &Sources, worth| Origin { directory: one.directory.clone(), worth };
    if !has_one_policy(all.iter()) {
        let origins = all.iter().map(|one| origin(one, told_by_model(one).0)).collect();
        return LogReading::of_several(origins, delay).without_clusters();
    }
    let model = all.iter().max_by_key(|one| one.facts.as_ref().and_then(known));
    let (worth, examples) = model.map(told_by_model).unwrap_or_default();
    let origins = all.iter().map(|one| origin(one, worth.clone())).collect();
    LogReading::of_several(origins, delay).with_titles_of(examples)
}

fn is_of_node(sources: &Sources) -> bool {
    matches!(&sources.asked, Some(Ok(asked)) if asked.fleet.is_some())
}

/// Whether a node of a fleet had more sessions than its report tells of.
fn had_sessions((sources, tally): &Part) -> bool {
    let told = sources.report.is_some() || sources.status.is_some();
    is_of_node(sources) && (!sources.earlier.is_empty() || (told && tally.sessions() > 0))
}
