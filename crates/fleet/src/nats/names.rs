//! The names of a crawl's streams, keys and objects on the servers. Pure.

use crate::bus::{BusError, Stream};

/// The maximum length of a crawl's name in bytes.
pub const CRAWL_NAME_MAX: usize = 64;

/// The names of one crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    crawl: String,
}

impl Names {
    /// Returns `None` if the name is invalid: names are letters, digits, `-` and `_`, at most [`CRAWL_NAME_MAX`].
    pub fn of(crawl: &str) -> Option<Self> {
        let fits = (1..=CRAWL_NAME_MAX).contains(&crawl.len());
        let letters = crawl.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_');
        (fits && letters).then(|| Self { crawl: crawl.to_owned() })
    }

    pub fn crawl(&self) -> &str {
        &self.crawl
    }

    /// Returns the name of a stream.
    pub fn stream(&self, stream: Stream) -> String {
        let crawl = &self.crawl;
        match stream {
            Stream::Exchange(shard) => format!("HM_{crawl}_X{shard}"),
            Stream::Log(shard) => format!("HM_{crawl}_LOG{shard}"),
            Stream::Observations => format!("HM_{crawl}_OBS"),
        }
    }

    /// Parses the name of a stream of this crawl.
    pub fn parse_stream(&self, name: &str) -> Option<Stream> {
        let rest = name.strip_prefix("HM_")?.strip_prefix(&*self.crawl)?.strip_prefix('_')?;
        let stream = match (rest, rest.strip_prefix('X'), rest.strip_prefix("LOG")) {
            ("OBS", ..) => Stream::Observations,
            (_, Some(shard), _) => Stream::Exchange(shard.parse().ok()?),
            (_, _, Some(shard)) => Stream::Log(shard.parse().ok()?),
            _ => return None,
        };
        // `X07` and `X+7` parse as 7, but are not names of this crawl.
        (self.stream(stream) == name).then_some(stream)
    }

    /// Returns the filter of all subjects of a stream.
    pub fn subjects(&self, stream: Stream) -> String {
        format!("{}.>", self.prefix(stream))
    }

    /// Returns the filter of all subjects of this crawl's streams.
    pub fn all_subjects(&self) -> String {
        format!("hm.{}.>", self.crawl)
    }

    /// Returns the full subject of a stream. `wild`: wildcards are allowed.
    pub fn subject(&self, stream: Stream, subject: &str, wild: bool) -> Result<String, BusError> {
        let plain = subject.bytes().all(|c| c.is_ascii_graphic() && (wild || (c != b'*' && c != b'>')));
        if !plain || subject.split('.').any(str::is_empty) {
            return Err(BusError::Refused(format!("“{}” is not a valid subject", subject.escape_debug())));
        }
        Ok(format!("{}.{subject}", self.prefix(stream)))
    }

    fn prefix(&self, stream: Stream) -> String {
        let crawl = &self.crawl;
        match stream {
            Stream::Exchange(shard) => format!("hm.{crawl}.x.{shard}"),
            Stream::Log(shard) => format!("hm.{crawl}.log.{shard}"),
            Stream::Observations => format!("hm.{crawl}.obs"),
        }
    }

    /// Returns the stream of the key-value bucket `hm-NAME`.
    pub fn keys_stream(&self) -> String {
        format!("KV_hm-{}", self.crawl)
    }

    /// Returns the filter of all subjects of the bucket.
    pub fn keys_subjects(&self) -> String {
        format!("$KV.hm-{}.>", self.crawl)
    }

    /// Returns the subject of a key.
    pub fn key_subject(&self, key: &str) -> Result<String, BusError> {
        let letters = |c: u8| c.is_ascii_alphanumeric() || b"-/_=.".contains(&c);
        if !key.bytes().all(letters) || key.split('.').any(str::is_empty) {
            return Err(BusError::Refused(format!("“{}” is not a valid key", key.escape_debug())));
        }
        Ok(format!("$KV.hm-{}.{key}", self.crawl))
    }

    /// Returns the key of a subject.
    pub fn key_of<'a>(&self, subject: &'a str) -> Option<&'a str> {
        subject.strip_prefix("$KV.hm-")?.strip_prefix(&*self.crawl)?.strip_prefix('.')
    }

    /// Returns the name of the object store.
    pub fn objects_bucket(&self) -> String {
        format!("hm-{}-objects", self.crawl)
    }

    /// Returns the stream of the object store.
    pub fn objects_stream(&self) -> String {
        format!("OBJ_{}", self.objects_bucket())
    }

    /// Returns the filters of all subjects of the object store: chunks and metadata.
    pub fn objects_subjects(&self) -> Vec<String> {
        let bucket = self.objects_bucket();
        vec![format!("$O.{bucket}.C.>"), format!("$O.{bucket}.M.>")]
    }

    /// Returns the subject of an object's metadata. Names are encoded as object stores do, so any name is valid.
    pub fn object_meta(&self, name: &str) -> String {
        let encoded = data_encoding::BASE64URL.encode(name.as_bytes());
        format!("$O.{}.M.{encoded}", self.objects_bucket())
    }

    /// Returns the subject of an object's chunks.
    pub fn object_chunks(&self, id: &str) -> String {
        format!("$O.{}.C.{id}", self.objects_bucket())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_letters_digits_and_dashes_of_at_most_64() {
        for good in ["a", "Crawl-7_b", &"x".repeat(64)] {
            assert!(Names::of(good).is_some(), "{good}");
        }
        for bad in ["", "a.b", "a b", "é", "a*", ">", "a/b", &"x".repeat(65)] {
            assert!(Names::of(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_subject_has_no_wildcards_and_no_empty_parts() {
        let names = Names::of("c").unwrap();
        assert_eq!(names.subject(Stream::Log(3), "n1.ab", false).unwrap(), "hm.c.log.3.n1.ab");
        for bad in ["", ".", "a.", ".a", "a..b", "a b", "a.*", ">", "a\r\n"] {
            assert!(names.subject(Stream::Observations, bad, false).is_err(), "{bad}");
        }
        assert_eq!(names.subject(Stream::Exchange(0), ">", true).unwrap(), "hm.c.x.0.>");
    }

    #[test]
    fn a_key_is_found_again_in_its_subject() {
        let names = Names::of("c").unwrap();
        let subject = names.key_subject("session.n1.ab").unwrap();
        assert_eq!(names.key_of(&subject), Some("session.n1.ab"));
        assert_eq!(names.key_of("$KV.hm-cc.session"), None);
        for bad in ["", "a..b", "a b", "a*", ">", "ä"] {
            assert!(names.key_subject(bad).is_err(), "{bad}");
        }
    }

    fn stream() -> impl Strategy<Value = Stream> {
        prop_oneof![
            any::<u16>().prop_map(Stream::Exchange),
            any::<u16>().prop_map(Stream::Log),
            Just(Stream::Observations)
        ]
    }

    proptest! {
        #[test]
        fn the_streams_of_one_crawl_are_not_those_of_another(
            one in "[a-zA-Z0-9_-]{1,6}(_X[0-9]|_LOG[0-9]|_OBS)?",
            other in "[a-zA-Z0-9_-]{1,6}(_X[0-9]|_LOG[0-9]|_OBS)?",
            stream in stream(),
        ) {
            let (one, other) = (Names::of(&one).unwrap(), Names::of(&other).unwrap());
            let name = one.stream(stream);
            prop_assert_eq!(one.parse_stream(&name), Some(stream));
            prop_assert_eq!(other.parse_stream(&name).is_some(), one == other);
        }
    }
}
