//! Uploads closed WARC files to S3-compatible storage.
//!
//! A WARC file never changes once it is closed, so the files to upload are those in the directory that the storage does
//! not have. Both are listed; no other state is stored. An interrupted upload leaves no object under the file's name,
//! and is restarted. An object of the same name and another length is a foreign file; it is never overwritten.

mod closed;
#[cfg(feature = "upload")]
mod connector;
mod plan;
#[cfg(feature = "upload")]
mod storage;
mod target;
#[cfg(feature = "upload")]
mod uploader;

pub use closed::{ClosedFile, closed_files};
pub use plan::{UploadPlan, due};
#[cfg(feature = "upload")]
pub use storage::{ObjectStorage, UploadError};
pub use target::{InvalidUploadTarget, UploadTarget};
#[cfg(feature = "upload")]
pub use uploader::{BackgroundUpload, MissingUpload, UploadReport, upload};
