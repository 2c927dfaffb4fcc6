//! The target of uploads: a bucket and a prefix.

use std::fmt;
use std::str::FromStr;

use url::Url;

/// A bucket and a prefix, written as `s3://BUCKET/PREFIX`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadTarget {
    /// The bucket.
    pub bucket: String,
    /// The prefix of object names, without slashes at either end; may be empty.
    pub prefix: String,
}

/// The text is not an upload target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an upload target: write s3://BUCKET/PREFIX, as in s3://archives/forum-2026")]
pub struct InvalidUploadTarget(pub String);

impl FromStr for UploadTarget {
    type Err = InvalidUploadTarget;

    fn from_str(text: &str) -> Result<Self, InvalidUploadTarget> {
        let wrong = || InvalidUploadTarget(text.to_owned());
        let url = Url::parse(text).map_err(|_| wrong())?;
        let bare =
            url.query().is_none() && url.fragment().is_none() && url.username().is_empty() && url.port().is_none();
        let bucket = url.host_str().filter(|_| url.scheme() == "s3" && bare).ok_or_else(wrong)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
        let prefix = url.path().trim_matches('/');
        if !prefix.chars().all(plain) || prefix.split('/').any(|part| part == "..") {
            return Err(wrong());
        }
        Ok(Self { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

impl fmt::Display for UploadTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}", self.bucket)?;
        if self.prefix.is_empty() { Ok(()) } else { write!(f, "/{}", self.prefix) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_bucket_and_a_prefix() {
        for (text, bucket, prefix, shown) in [
            ("s3://archives/forum/2026", "archives", "forum/2026", "s3://archives/forum/2026"),
            ("s3://archives/forum/", "archives", "forum", "s3://archives/forum"),
            ("s3://archives", "archives", "", "s3://archives"),
            ("s3://archives/", "archives", "", "s3://archives"),
        ] {
            let place: UploadTarget = text.parse().unwrap();
            assert_eq!(
                (place.bucket.as_str(), place.prefix.as_str(), place.to_string().as_str()),
                (bucket, prefix, shown)
            );
        }
    }

    #[test]
    fn anything_else_is_rejected() {
        for text in [
            "",
            "archives",
            "s3:///forum",
            "https://archives/forum",
            "s3://key:secret@archives/forum",
            "s3://archives/forum?x=1",
            "s3://archives/a b",
            "s3://archives/a%2f",
        ] {
            assert_eq!(text.parse::<UploadTarget>(), Err(InvalidUploadTarget(text.to_owned())), "{text}");
        }
    }
}
