//! What can be wrong with the settings of the fetch stage.

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// One or more settings are wrong; all of them are named.
    #[error("{}", .0.join("\n"))]
    Settings(Vec<String>),
}
