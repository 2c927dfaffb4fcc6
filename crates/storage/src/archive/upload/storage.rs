//! The object storage: lists and uploads objects below a target.

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
use harvestman_core::crawl_file;

/// Part size in bytes. Larger files are uploaded in parts.
const PART: usize = 8 << 20;
/// Maximum number of parts of a file. Storage accepts at most 10,000 parts per object.
const PARTS_MAX: u64 = 9_000;
/// Number of parts in flight at the same time.
const PARTS_AT_ONCE: usize = 2;
const RETRIES_MAX: usize = 4;
const RETRIED_FOR: Duration = Duration::from_secs(60);

/// Why an upload failed.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// The environment variables are invalid.
    #[error(
        "the environment does not define how to reach {place}: {why}. Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY \
         and AWS_REGION, and, for storage that is not Amazon's, AWS_ENDPOINT_URL"
    )]
    Environment {
        /// The target.
        place: UploadTarget,
        /// What is wrong.
        why: String,
    },
    /// The storage refused the request, or did not answer.
    #[error("{what} failed: {why}")]
    Storage {
        /// The operation that failed.
        what: String,
        /// The reason, with its sources.
        why: String,
    },
    /// The file could not be read.
    #[error("cannot read {0}: {1}")]
    File(String, io::Error),
    /// The system refused a thread or a runtime.
    #[error("cannot start {0}: {1}")]
    Start(&'static str, io::Error),
}

/// S3-compatible storage below one target.
#[derive(Debug, Clone)]
pub struct ObjectStorage {
    store: Arc<dyn ObjectStore>,
    place: UploadTarget,
}

impl ObjectStorage {
    /// Creates a client for the storage defined by the environment: `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID` and the
    /// other variables that S3 clients read. Sends no request.
    ///
    /// # Errors
    /// Fails if the environment variables are invalid.
    pub fn by_environment(place: &UploadTarget) -> Result<Self, UploadError> {
        let retry = RetryConfig { max_retries: RETRIES_MAX, retry_timeout: RETRIED_FOR, ..RetryConfig::default() };
        let builder = AmazonS3Builder::from_env()
            .with_bucket_name(&place.bucket)
            .with_http_connector(Connector)
            .with_checksum_algorithm(Checksum::SHA256)
            .with_retry(retry);
        // An explicit http:// endpoint is intentional.
        let plain =
            builder.get_config_value(&AmazonS3ConfigKey::Endpoint).is_some_and(|url| url.starts_with("http://"));
        let builder = if plain { builder.with_allow_http(true) } else { builder };
        let environment = |error| UploadError::Environment { place: place.clone(), why: error_chain(&error) };
        Ok(Self::new(Arc::new(builder.build().map_err(environment)?), place.clone()))
    }

    /// Creates a client of any storage.
    pub fn new(store: Arc<dyn ObjectStore>, place: UploadTarget) -> Self {
        Self { store, place }
    }

    /// Returns the target.
    pub fn place(&self) -> &UploadTarget {
        &self.place
    }

    /// Returns the names and lengths of the objects directly below the target.
    ///
    /// # Errors
    /// Fails if they cannot be listed.
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

    /// Uploads a file atomically: on failure no object exists under its name.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or the storage does not accept it.
    pub async fn put(&self, file: &ClosedFile) -> Result<(), UploadError> {
        let unreadable = |error| UploadError::File(file.path.display().to_string(), error);
        let mut input = crawl_file::open(&file.path).map_err(unreadable)?;
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
                    // Discards the uploaded parts. If this fails too, the storage's lifecycle rules remove them.
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
        UploadError::Storage { what, why: error_chain(error) }
    }
}

enum PutError {
    File(io::Error),
    Storage(object_store::Error),
}

/// Reads the next bytes of a file, at most `size`; empty at its end.
fn part(input: &mut File, size: usize) -> io::Result<Bytes> {
    let mut content = Vec::with_capacity(size);
    input.take(size as u64).read_to_end(&mut content)?;
    Ok(content.into())
}

/// Formats an error with its sources, without repetitions.
fn error_chain(error: &object_store::Error) -> String {
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
        fn uploaded_objects_match_byte_for_byte(
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
    async fn only_objects_directly_below_the_target_are_listed() {
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
