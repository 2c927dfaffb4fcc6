//! Errors in the settings of the fetch stage.

/// Why a client cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// One or more settings are invalid; the text lists all of them.
    #[error("{}", .0.join("\n"))]
    Settings(Vec<String>),
}
