//! The signature of a request.

/// Why a request is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignReason {
    /// All requests are.
    Always,
    /// Its host asks for signatures.
    Asked,
}

impl SignReason {
    /// The names of all of them.
    pub const LABELS: &'static [&'static str] = &[Self::Always.label(), Self::Asked.label()];

    /// Returns its name in metric labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Asked => "asked",
        }
    }
}

/// The signature of a request, and what the server said of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestSignature {
    /// Why the request was signed; `None` if it was not.
    pub reason: Option<SignReason>,
    /// Whether the server refused the request and asks for a signature that it did not have. The next request to the
    /// host has it.
    pub is_wanted: bool,
}
