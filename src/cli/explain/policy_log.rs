//! Finds the knowledge behind a decision in the policy log.

use anyhow::Context as _;
use serde::Serialize;

use super::directory::CrawlDirectory;
use harvestman_core::model::{ClassRecord, ModelUpdateRecord, PolicyRecord};

/// The knowledge on which a decision was based.
#[derive(Debug, Serialize)]
pub(super) struct Knowledge {
    /// The snapshot used.
    pub snapshot: u64,
    /// The time of its publication.
    pub time: String,
    /// Its generation.
    pub generation: u64,
    /// Completed fetches that the policy had learned from.
    pub observations: u64,
    /// The knowledge about the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<ModelUpdateRecord>,
    /// The knowledge about the link class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<Named>,
}

/// The record of a class in a line of the log.
#[derive(Debug, Serialize)]
pub(super) struct Named {
    /// The snapshot of that line: the last one up to the decision that named the class, or else the first later one of
    /// the same generation (a class is named once one of its URLs has been fetched or found on a page).
    pub as_of: u64,
    /// The record.
    #[serde(flatten)]
    pub record: ClassRecord,
}

/// Returns the knowledge about `class` under `snapshot`, or `None` if there is no log or the log has no such snapshot.
pub(super) fn knowledge(directory: &CrawlDirectory, snapshot: u64, class: &str) -> anyhow::Result<Option<Knowledge>> {
    // The policy's log names classes without the priority of the queue.
    let class = class.strip_prefix("pinned:").or_else(|| class.strip_prefix("last:")).unwrap_or(class);
    let Some(mut lines) = directory.lines("policy.jsonl")? else { return Ok(None) };
    let mut known: Option<Knowledge> = None;
    while let Some(line) = lines.next_line()? {
        let record: PolicyRecord = serde_json::from_slice(line).context("cannot parse a line of policy.jsonl")?;
        if record.snapshot > snapshot {
            let Some(known) = known.as_mut().filter(|known| known.class.is_none()) else { break };
            if record.generation != known.generation {
                break;
            }
            known.class = named(record, class);
        } else {
            known = Some(follow(known, record, class));
        }
    }
    Ok(known)
}

fn named(record: PolicyRecord, class: &str) -> Option<Named> {
    // Logs of earlier versions include the priority `last` in class names.
    let last = || record.classes.get(&format!("last:{class}")).cloned();
    record.classes.get(class).cloned().or_else(last).map(|named| Named { as_of: record.snapshot, record: named })
}

fn follow(before: Option<Knowledge>, mut record: PolicyRecord, class: &str) -> Knowledge {
    // Class names have another meaning in another generation.
    let before = before.filter(|before| before.generation == record.generation);
    let (lesson, class_before) = before.map_or((None, None), |before| (before.lesson, before.class));
    Knowledge {
        snapshot: record.snapshot,
        time: std::mem::take(&mut record.time),
        generation: record.generation,
        observations: record.observations,
        lesson: record.model_update.take().or(lesson),
        class: named(record, class).or(class_before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(snapshot: u64, generation: u64, classes: &[(&str, f64)]) -> String {
        let classes: serde_json::Map<String, serde_json::Value> = classes
            .iter()
            .map(|(name, score)| ((*name).to_owned(), serde_json::json!({"score": score, "uses": 1, "like": "u"})))
            .collect();
        let lesson = snapshot.is_multiple_of(10).then(|| serde_json::json!({"site": generation, "patterns": {}}));
        let mut line = serde_json::json!({
            "snapshot": snapshot, "time": "t", "generation": generation, "observations": snapshot, "classes": classes
        });
        if let Some(lesson) = lesson {
            line["lesson"] = lesson;
        }
        format!("{line}\n")
    }

    /// Snapshot used; line that named the class, with its score; knowledge about the site.
    type Answer = (u64, Option<(u64, f64)>, Option<serde_json::Value>);

    fn asked(snapshot: u64, class: &str) -> Option<Answer> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config.toml"), "").unwrap();
        let lines = [
            line(0, 0, &[]),
            line(3, 0, &[("a", 1.0)]),
            line(5, 0, &[("b", 2.0)]),
            line(10, 1, &[("a", 7.0)]),
            line(12, 1, &[("c", 8.0), ("last:d", 9.0)]),
        ];
        std::fs::write(dir.path().join("policy.jsonl"), lines.concat() + "{\"snapshot\":13,\"ti").unwrap();
        let directory = CrawlDirectory::open(dir.path()).unwrap();
        let known = knowledge(&directory, snapshot, class).unwrap()?;
        let site = known.lesson.and_then(|lesson| lesson.site);
        Some((known.snapshot, known.class.map(|named| (named.as_of, named.record.score)), site))
    }

    #[test]
    fn a_class_is_reported_as_last_named_up_to_the_decision() {
        assert_eq!(asked(4, "a").unwrap(), (3, Some((3, 1.0)), Some(0.into())));
        assert_eq!(asked(5, "a").unwrap(), (5, Some((3, 1.0)), Some(0.into())));
        assert_eq!(asked(11, "a").unwrap(), (10, Some((10, 7.0)), Some(1.into())));
    }

    #[test]
    fn a_class_is_known_without_its_priority_and_under_the_name_that_earlier_versions_gave_it() {
        for class in ["a", "pinned:a", "last:a"] {
            assert_eq!(asked(4, class).unwrap().1, Some((3, 1.0)));
        }
        assert_eq!(asked(12, "last:d").unwrap().1, Some((12, 9.0)));
    }

    #[test]
    fn a_class_first_named_later_is_reported_within_its_generation_only() {
        assert_eq!(asked(3, "b").unwrap().1, Some((5, 2.0)));
        assert_eq!(asked(10, "c").unwrap().1, Some((12, 8.0)));
        assert_eq!(asked(3, "c").unwrap().1, None);
        assert_eq!(asked(11, "b").unwrap().1, None, "a name of the generation before");
    }
}
