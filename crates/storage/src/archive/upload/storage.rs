//! The storage: what it holds below a place, and files that are put there.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, Checksum};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _, RetryConfig, WriteMultipart};

use super::closed::ClosedFile;
use super::connector::Connector;
use super::target::UploadTarget;

/// Files of more bytes are uploaded in parts of so many.
const PART: usize = 8 << 20;
/// ObjectStorage takes 10,000 parts of one object at most.
const PARTS_MAX: u64 = 9_000;
/// Parts under way at once.
const PARTS_AT_ONCE: usize = 2;
const RETRIES_MAX: usize = 4;
const RETRIED_FOR: Duration = Duration::from_secs(60);

/// Why something could not be uploaded.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// What the environment says makes no sense.
    #[error(
        "the environment does not say how to reach {place}: {why}. Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, and, for \
         storage that is not Amazon's, AWS_ENDPOINT_URL"
    )]
    Environment {
        /// Where to.
        place: UploadTarget,
        /// What is wrong.
        why: String,
    },
    /// The storage refused it, or did not answer.
    #[error("{what} failed: {why}")]
    Storage {
        /// What was tried.
        what: String,
        /// What it answered.
        why: String,
    },
    /// The file could not be read.
    #[error("cannot read {0}: {1}")]
    File(String, io::Error),
}

/// S3-compatible storage, at one place of it.
#[derive(Debug, Clone)]
pub struct ObjectStorage {
    store: Arc<dyn ObjectStore>,
    place: UploadTarget,
}

impl ObjectStorage {
    /// The storage that the environment names: `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID` and what other clients of S3 read besides.
    /// Nothing is sent yet.
    ///
    /// # Errors
    /// Where the environment's words make no sense.
    pub fn by_environment(place: &UploadTarget) -> Result<Self, UploadError> {
        let retry = RetryConfig { max_retries: RETRIES_MAX, retry_timeout: RETRIED_FOR, ..RetryConfig::default() };
        let builder = AmazonS3Builder::from_env()
            .with_bucket_name(&place.bucket)
            .with_http_connector(Connector)
            .with_checksum_algorithm(Checksum::SHA256)
            .with_retry(retry);
        // Who writes http:// means it.
        let plain =
            builder.get_config_value(&AmazonS3ConfigKey::Endpoint).is_some_and(|url| url.starts_with("http://"));
        let builder = if plain { builder.with_allow_http(true) } else { builder };
        let environment = |error| UploadError::Environment { place: place.clone(), why: told(&error) };
        Ok(Self::new(Arc::new(builder.build().map_err(environment)?), place.clone()))
    }

    /// Any storage, at a place of it.
    pub fn new(store: Arc<dyn ObjectStore>, place: UploadTarget) -> Self {
        Self { store, place }
    }

    /// Where it is.
    pub fn place(&self) -> &UploadTarget {
        &self.place
    }

    /// Names and lengths of what is right below the place.
    ///
    /// # Errors
    /// Where it cannot be listed.
    pub async fn held(&self) -> Result<BTreeMap<String, u64>, UploadError> {
        let below = Path::from(self.place.prefix.as_str());
        let failed = |error| self.failed(format!("listing {}", self.place), &error);
        let mut objects = self.store.list(Some(&below));
        let mut held = BTreeMap::new();
        while let Some(object) = objects.try_next().await.map_err(failed)? {
            let name = object
                .location
                .prefix_match(&below)
                .map(|parts| parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>());
            if let Some([name]) = name.as_deref() {
                held.insert(name.clone(), object.size);
            }
        }
        Ok(held)
    }

    /// Uploads a file. Under its name there is all of it then, or, where this fails, nothing.
    ///
    /// # Errors
    /// Where it cannot be read, or the storage does not take it.
    pub async fn put(&self, file: &ClosedFile) -> Result<(), UploadError> {
        let unreadable = |error| UploadError::File(file.path.display().to_string(), error);
        let mut input = File::open(&file.path).map_err(unreadable)?;
        let at = Path::from(self.place.prefix.as_str()).join(file.name.as_str());
        let failed = |error| self.failed(format!("uploading {} to {}", file.name, self.place), &error);
        if file.bytes <= PART as u64 {
            let content = part(&mut input, PART).map_err(unreadable)?;
            self.store.put(&at, content.into()).await.map_err(failed)?;
        } else {
            let size = PART.max(usize::try_from(file.bytes / PARTS_MAX).unwrap_or(PART));
            let mut parts =
                WriteMultipart::new_with_chunk_size(self.store.put_multipart(&at).await.map_err(failed)?, size);
            let put = self.parts(&mut input, &mut parts, size).await;
            match put {
                Ok(()) => drop(parts.finish().await.map_err(failed)?),
                Err(error) => {
                    // What was sent is not kept; where even that cannot be said, the storage's own rules end it.
                    let _ = parts.abort().await;
                    return Err(match error {
                        PutError::File(error) => unreadable(error),
                        PutError::Storage(error) => failed(error),
                    });
                }
            }
        }
        Ok(())
    }

    async fn parts(&self, input: &mut File, parts: &mut WriteMultipart, size: usize) -> Result<(), PutError> {
        loop {
            parts.wait_for_capacity(PARTS_AT_ONCE - 1).await.map_err(PutError::Storage)?;
            let content = part(input, size).map_err(PutError::File)?;
            if content.is_empty() {
                return Ok(());
            }
            parts.put(content);
        }
    }

    fn failed(&self, what: String, error: &object_store::Error) -> UploadError {
        UploadError::Storage { what, why: told(error) }
    }
}

enum PutError {
    File(io::Error),
    Storage(object_store::Error),
}

/// The next bytes of a file, at most so many; none at its end.
fn part(input: &mut File, size: usize) -> io::Result<Bytes> {
    let mut content = Vec::with_capacity(size);
    input.take(size as u64).read_to_end(&mut content)?;
    Ok(content.into())
}

/// An error and what it comes of, each said once.
fn told(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;
    use proptest::prelude::*;
    use tokio::runtime::Builder;

    use super::*;

    fn file(dir: &std::path::Path, name: &str, content: &[u8]) -> ClosedFile {
        let path = dir.join(name);
        std::fs::write(&path, content).unwrap();
        ClosedFile { name: name.to_owned(), path, bytes: content.len() as u64 }
    }

    fn at(prefix: &str) -> (ObjectStorage, Arc<InMemory>) {
        let store = Arc::new(InMemory::new());
        (ObjectStorage::new(store.clone(), format!("s3://b/{prefix}").parse().unwrap()), store)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn what_is_put_is_there_byte_for_byte(
            length in prop_oneof![0..10_usize, PART - 2..PART + 2, PART * 2 - 1..PART * 2 + 2],
            prefix in prop_oneof![Just(""), Just("a/b")],
        ) {
            let (dir, (storage, store)) = (tempfile::tempdir().unwrap(), at(prefix));
            let content: Vec<u8> = (0..length).map(|n| (n % 251) as u8).collect();
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                storage.put(&file(dir.path(), "x.warc.gz", &content)).await.unwrap();
                assert_eq!(storage.held().await.unwrap(), BTreeMap::from([("x.warc.gz".to_owned(), length as u64)]));
                let whole = Path::from(prefix).join("x.warc.gz");
                assert!(store.get(&whole).await.unwrap().bytes().await.unwrap() == content);
            });
        }
    }

    #[tokio::test]
    async fn what_lies_deeper_or_beside_is_not_held() {
        let (dir, (storage, store)) = (tempfile::tempdir().unwrap(), at("a"));
        for name in ["a/b/x.warc", "ab/x.warc", "x.warc"] {
            store.put(&Path::from(name), Bytes::from_static(b"1").into()).await.unwrap();
        }
        assert_eq!(storage.held().await.unwrap(), BTreeMap::new());
        let gone = ClosedFile { path: dir.path().join("gone"), ..file(dir.path(), "y.warc", b"12") };
        assert!(matches!(storage.put(&gone).await, Err(UploadError::File(..))));
        assert_eq!(storage.held().await.unwrap(), BTreeMap::new());
    }
}
