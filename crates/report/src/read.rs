//! Reads the JSON files that crawls write.

use std::fmt;

use serde::de::DeserializeOwned;

/// Why a JSON file could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The file, as the caller named it.
    file: String,
    /// The path of the field within the file; `None` if the text is not a JSON object.
    field: Option<String>,
    /// What is wrong with it.
    why: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, field, why } = self;
        match field {
            Some(field) => write!(f, "{file}: field `{field}`: {why}"),
            None => write!(f, "{file}: {why}"),
        }
    }
}

impl std::error::Error for Malformed {}

/// Reads the JSON object in `text`. Fields that `T` does not have are ignored. `file` is named in errors.
///
/// # Errors
/// Names the file and the first field whose value has the wrong form.
pub fn read_object<T: DeserializeOwned>(file: &str, text: &[u8]) -> Result<T, Malformed> {
    let malformed = |field: Option<String>, why: String| Malformed { file: file.to_owned(), field, why };
    // An array would be read as the fields in their order.
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err(malformed(None, "it is not a JSON object".to_owned()));
    }
    let mut json = serde_json::Deserializer::from_slice(text);
    let value: Result<T, _> = serde_path_to_error::deserialize(&mut json);
    let value = value.map_err(|error| {
        let path = error.path().to_string();
        let field = Some(path).filter(|path| path != "." && error.inner().is_data());
        malformed(field, error.into_inner().to_string())
    })?;
    json.end().map_err(|error| malformed(None, error.to_string()))?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Report;

    fn error(text: &str) -> String {
        read_object::<Report>("report.json", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn an_error_names_the_file_and_the_field() {
        assert_eq!(
            error(r#"{"pages": "many"}"#),
            "report.json: field `pages`: invalid type: string \"many\", expected u64 at line 1 column 16"
        );
        let nested = error(r#"{"troubles": [{"host": "a"}, {"host": 5}]}"#);
        assert!(nested.starts_with("report.json: field `troubles[1].host`: invalid type: integer `5`"), "{nested}");
        let fate = error(r#"{"fates": {"failed": {"dns": -1}}}"#);
        assert!(fate.starts_with("report.json: field `fates.failed`: expected a count"), "{fate}");
    }

    #[test]
    fn text_that_is_not_a_json_object_is_an_error() {
        for text in ["", "[]", "3", "null", "\"{}\""] {
            assert_eq!(error(text), "report.json: it is not a JSON object");
        }
        assert!(error("{").starts_with("report.json: EOF while parsing"), "{}", error("{"));
        assert!(error("{} {}").starts_with("report.json: trailing characters"), "{}", error("{} {}"));
    }
}
