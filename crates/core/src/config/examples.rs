//! The examples of a crawl, as they are configured.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// URLs and files of example pages. In a configuration they are one text or a list of texts; a text that begins with
/// `[` is a list, so that a list can be given where settings are text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExampleNames(pub Vec<String>);

impl ExampleNames {
    /// Maximum number of examples.
    pub const MAX: usize = 64;

    /// Returns whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for ExampleNames {
    /// One example is one text, as earlier versions wrote it; none is an empty text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0[..] {
            [] => serializer.serialize_str(""),
            [one] => serializer.serialize_str(one),
            several => several.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ExampleNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected an example, or a list of examples")]
        enum Written {
            #[serde(deserialize_with = "one")]
            One(String),
            Several(Vec<String>),
        }
        let mut names = match Written::deserialize(deserializer)? {
            Written::One(name) => vec![name],
            Written::Several(names) => names,
        };
        names.retain(|name| !name.is_empty());
        Ok(Self(names))
    }
}

/// Reads a text that is no list.
fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.starts_with('[') { Err(serde::de::Error::custom("a list as text")) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Flag, FlagValue, Layers, load};

    fn names(of: &[&str]) -> ExampleNames {
        ExampleNames(of.iter().map(|name| (*name).to_owned()).collect())
    }

    fn given(value: FlagValue) -> Config {
        let flag = Flag { flag: "--example".to_owned(), name: "policy.example".to_owned(), value };
        load(&Layers { flags: vec![flag], ..Layers::default() }).unwrap()
    }

    #[test]
    fn one_text_is_one_example_and_a_list_is_several() {
        let json = |text: &str| serde_json::from_str::<ExampleNames>(text).unwrap();
        assert_eq!(json("\"http://h/a,b\""), names(&["http://h/a,b"]));
        assert_eq!(json("[\"a\", \"b\", \"\"]"), names(&["a", "b"]));
        assert_eq!(json("\"\""), names(&[]));
        assert_eq!(given(FlagValue::Text("http://h/a,b".to_owned())).policy.example, names(&["http://h/a,b"]));
        assert_eq!(given(FlagValue::Text("[\"a\", \"b\"]".to_owned())).policy.example, names(&["a", "b"]));
        let list = FlagValue::List(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(given(list).policy.example, names(&["a", "b"]));
    }

    #[test]
    fn what_is_written_is_read_again() {
        for examples in [names(&[]), names(&["a"]), names(&["a", "b"])] {
            let json = serde_json::to_string(&examples).unwrap();
            assert_eq!(serde_json::from_str::<ExampleNames>(&json).unwrap(), examples);
        }
    }

    #[test]
    fn a_number_is_no_example() {
        let error = serde_json::from_str::<ExampleNames>("7").unwrap_err().to_string();
        assert!(error.contains("expected an example"), "{error}");
    }
}
