//! Determines the files to upload: those that the storage does not have.

use std::collections::BTreeMap;

use super::closed::ClosedFile;

/// The plan for the closed files of a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UploadPlan {
    /// Files to upload.
    pub upload: Vec<ClosedFile>,
    /// Files whose name is taken by another object, with the length of that object in bytes.
    pub taken: Vec<(ClosedFile, u64)>,
}

/// Returns the plan for `files`, given the names and lengths of the objects in the storage.
pub fn due(files: Vec<ClosedFile>, held: &BTreeMap<String, u64>) -> UploadPlan {
    let mut due = UploadPlan::default();
    for file in files {
        match held.get(&file.name) {
            None => due.upload.push(file),
            Some(bytes) if *bytes != file.bytes => due.taken.push((file, *bytes)),
            Some(_) => {}
        }
    }
    due
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_objects_are_skipped_and_foreign_objects_are_reported() {
        let file = |name: &str, bytes| ClosedFile { name: name.to_owned(), path: name.into(), bytes };
        let held = BTreeMap::from([("a".to_owned(), 3), ("b".to_owned(), 4), ("z".to_owned(), 1)]);
        let found = due(vec![file("a", 3), file("b", 5), file("c", 0)], &held);
        assert_eq!(found, UploadPlan { upload: vec![file("c", 0)], taken: vec![(file("b", 5), 4)] });
    }
}
