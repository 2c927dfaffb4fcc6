//! Why the requests of a slot cannot be replayed.

use std::fmt;

/// Why the requests of a slot cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Too few samples use it to tell a rule from chance.
    TooFewSamples(usize),
    /// It is no GET request.
    Post,
    /// It is a socket.
    Socket,
    /// A part of the URL looks like a token or a signature, which only the site's script can make.
    Token(String),
    /// Nothing explains a part of the URL. The texts are the part's name and up to three of its values.
    Unexplained(String, Vec<String>),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewSamples(count) => write!(f, "only {count} samples use it"),
            Self::Post => f.write_str("it is no GET request"),
            Self::Socket => f.write_str("it is a socket"),
            Self::Token(part) => write!(f, "{part} looks like a token or a signature"),
            Self::Unexplained(part, values) => write!(f, "nothing explains {part} ({})", values.join(", ")),
        }
    }
}
