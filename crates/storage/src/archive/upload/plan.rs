//! What is to be uploaded: what is here and not there.

use std::collections::BTreeMap;

use super::closed::ClosedFile;

/// What is to be done with the closed files of a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UploadPlan {
    /// To be uploaded.
    pub upload: Vec<ClosedFile>,
    /// Files whose name another object has, which is of so many bytes.
    pub taken: Vec<(ClosedFile, u64)>,
}

/// What is to be done, where the storage holds objects of these names and lengths.
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
    fn what_is_there_is_left_and_what_is_somebody_elses_is_told() {
        let file = |name: &str, bytes| ClosedFile { name: name.to_owned(), path: name.into(), bytes };
        let held = BTreeMap::from([("a".to_owned(), 3), ("b".to_owned(), 4), ("z".to_owned(), 1)]);
        let found = due(vec![file("a", 3), file("b", 5), file("c", 0)], &held);
        assert_eq!(found, UploadPlan { upload: vec![file("c", 0)], taken: vec![(file("b", 5), 4)] });
    }
}
