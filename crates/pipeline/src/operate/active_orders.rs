//! Orders to a crawl that are in force until they are revoked, persisted in the crawl directory, so that a resumed
//! crawl obeys them, however it had ended.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::run::output;
use harvestman_core::crawl_file;
use harvestman_policy::steering::Steering;
use harvestman_stages::host::BlockedHosts;

/// The file, in the crawl directory.
const IN_FORCE_FILE: &str = "in-force.json";
/// The format that is written, and the only one that is read.
const FORMAT: u32 = 1;

/// The orders in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ActiveOrders {
    /// Settings that were changed; their values are in the configuration.
    pub(crate) set: BTreeSet<String>,
    #[serde(flatten)]
    pub(crate) steering: Steering,
    pub(crate) blocked: BlockedHosts,
}

#[derive(Serialize, Deserialize)]
struct File<T> {
    format: u32,
    #[serde(flatten)]
    in_force: T,
}

impl ActiveOrders {
    /// Reads what an earlier run left; no orders are in force if there is no file. An unreadable file is an error: what
    /// was forbidden must not be requested.
    pub(crate) fn read(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(IN_FORCE_FILE);
        let wrong = |what: &dyn std::fmt::Display| {
            let path = path.display();
            Error::Configuration(format!(
                "cannot read {path}, which lists what is banned, pinned and blocked: {what}; remove it to continue \
                 without these orders"
            ))
        };
        let text = match crawl_file::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(wrong(&error)),
        };
        let file: File<Self> = serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
        if file.format == FORMAT { Ok(file.in_force) } else { Err(wrong(&format!("it has format {}", file.format))) }
    }

    /// Removes what an earlier run left.
    pub(crate) fn forget(directory: &Path) -> std::io::Result<()> {
        match std::fs::remove_file(directory.join(IN_FORCE_FILE)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes the orders atomically, and syncs them to disk.
    pub(crate) fn write(&self, directory: &Path) -> std::io::Result<()> {
        let text = serde_json::to_vec_pretty(&File { format: FORMAT, in_force: self })?;
        output::replace(&directory.join(IN_FORCE_FILE), &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_written_and_a_new_directory_has_none() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(ActiveOrders::read(dir.path()).unwrap(), ActiveOrders::default());
        let held = ActiveOrders {
            set: ["host.delay".to_owned()].into(),
            steering: Steering { banned: vec!["5".parse().unwrap(), "/tag/*".parse().unwrap()], pinned: vec![] },
            blocked: BlockedHosts(["a.test".parse().unwrap()].into()),
        };
        held.write(dir.path()).unwrap();
        held.write(dir.path()).unwrap();
        assert_eq!(ActiveOrders::read(dir.path()).unwrap(), held);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn forgotten_orders_are_no_longer_in_force() {
        let dir = tempfile::tempdir().unwrap();
        ActiveOrders::forget(dir.path()).unwrap();
        ActiveOrders { set: ["host.delay".to_owned()].into(), ..ActiveOrders::default() }.write(dir.path()).unwrap();
        ActiveOrders::forget(dir.path()).unwrap();
        assert_eq!(ActiveOrders::read(dir.path()).unwrap(), ActiveOrders::default());
    }

    #[test]
    fn an_unreadable_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        for text in [
            "",
            "{}",
            r#"{"format":2,"set":[],"banned":[],"pinned":[],"blocked":[]}"#,
            r#"{"format":1,"set":[],"banned":["x"],"pinned":[],"blocked":[]}"#,
        ] {
            std::fs::write(dir.path().join(IN_FORCE_FILE), text).unwrap();
            let error = ActiveOrders::read(dir.path()).unwrap_err().to_string();
            assert!(error.contains("in-force.json") && error.contains("remove it"), "{error}");
        }
    }
}
