//! Copies of closed WARC files in S3-compatible storage.
//!
//! A WARC file never changes once it is closed, so what is to be done is what the directory has and the storage has not: both are
//! listed, and nothing else is remembered. An upload that was interrupted left nothing under the file's name, and is begun again. A
//! file of the same name and another length is somebody else's; it is never overwritten.

mod closed;
#[cfg(feature = "upload")]
mod connector;
mod due;
mod place;
#[cfg(feature = "upload")]
mod storage;
#[cfg(feature = "upload")]
mod uploading;

pub use closed::{ClosedFile, closed_files};
pub use due::{Due, due};
pub use place::{NoPlace, Place};
#[cfg(feature = "upload")]
pub use storage::{Storage, UploadError};
#[cfg(feature = "upload")]
pub use uploading::{Missing, Uploaded, Uploading, upload};
