//! The header of a record: its version and named fields.

use std::ops::Range;

/// The fields of a record's header, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordHeader {
    /// The version line, names and values, concatenated. With `fields` these are only two buffers for a whole file.
    text: String,
    version: Range<usize>,
    fields: Vec<(Range<usize>, Range<usize>)>,
}

impl RecordHeader {
    /// Returns the value of the first field with this name (case-insensitive).
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Iterates over the names and values of all fields.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (&self.text[name.clone()], &self.text[value.clone()]))
    }

    /// Returns the version, for example `WARC/1.1`.
    pub fn version(&self) -> &str {
        &self.text[self.version.clone()]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.version = 0..0;
        self.fields.clear();
    }

    /// Adds a line. Returns `false` if it should be the version line and is not. A line without a colon is skipped; a
    /// folded line continues the previous value. Invalid UTF-8 is replaced by U+FFFD.
    pub(super) fn push_line(&mut self, line: &[u8]) -> bool {
        let line = String::from_utf8_lossy(line);
        if self.version.is_empty() {
            self.version = self.push(line.trim());
            return line.starts_with("WARC/");
        }
        if line.starts_with([' ', '\t']) {
            if let Some(last) = self.fields.last_mut() {
                self.text.push(' ');
                self.text.push_str(line.trim());
                last.1.end = self.text.len();
            }
        } else if let Some((name, value)) = line.split_once(':') {
            let name = self.push(name.trim_end());
            let value = self.push(value.trim());
            self.fields.push((name, value));
        }
        true
    }

    fn push(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_names_are_case_insensitive_and_folded_values_are_joined() {
        let mut header = RecordHeader::default();
        for line in ["WARC/1.0", "warc-type:response", "X: a", "\t b", "nonsense", "X: c"] {
            assert!(header.push_line(line.as_bytes()));
        }
        assert_eq!(header.version(), "WARC/1.0");
        assert_eq!(header.get("WARC-Type"), Some("response"));
        assert_eq!(header.iter().collect::<Vec<_>>(), [("warc-type", "response"), ("X", "a b"), ("X", "c")]);
        assert!(!RecordHeader::default().push_line(b"HTTP/1.1 200 OK"));
    }
}
