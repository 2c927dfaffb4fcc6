//! Copies of closed WARC files in S3-compatible storage.
//!
//! A WARC file never changes once it is closed, so what is to be done is what the directory has and the storage has not: both are
//! listed, and nothing else is remembered. An upload that was interrupted left nothing under the file's name, and is begun again. A
//! file of the same name and another length is somebody else's; it is never overwritten.

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
