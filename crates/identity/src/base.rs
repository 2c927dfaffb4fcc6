//! The signature base (RFC 9421, section 2.5): the text that is signed.

use std::fmt::Write;

use http::Uri;

use super::params::SignatureParams;

/// The covered components of a message, with their values.
#[derive(Debug, Default)]
pub(super) struct Covered {
    /// The identifiers, separated by spaces.
    identifiers: String,
    /// One line per component: identifier and value.
    lines: String,
}

/// A signature base, and the value of `Signature-Input` that it ends with.
pub(super) struct SignatureBase {
    /// The list of components with the parameters.
    pub(super) input: String,
    /// The text that is signed.
    pub(super) text: String,
}

impl Covered {
    /// Adds a component. `identifier` is serialised: `"@authority"`, `"signature-agent";key="sig1"`.
    pub(super) fn add(&mut self, identifier: &str, value: &str) {
        if !self.identifiers.is_empty() {
            self.identifiers.push(' ');
        }
        self.identifiers.push_str(identifier);
        // Writing to a string cannot fail.
        let _ = writeln!(self.lines, "{identifier}: {value}");
    }

    /// Returns the base of a signature with these parameters.
    pub(super) fn with(self, params: &SignatureParams<'_>) -> SignatureBase {
        let input = format!("({}){params}", self.identifiers);
        let text = format!("{}\"@signature-params\": {input}", self.lines);
        SignatureBase { input, text }
    }
}

/// Returns the authority in its normal form (RFC 9421, section 2.2.3): in lower case, without the default port of the
/// scheme, without user information. `None` if the URI has no host.
pub(super) fn authority_of(uri: &Uri) -> Option<String> {
    let host = uri.host().filter(|host| !host.is_empty())?.to_ascii_lowercase();
    let default = match uri.scheme_str() {
        Some("https") => Some(443),
        Some("http") => Some(80),
        _ => None,
    };
    Some(match uri.port_u16() {
        Some(port) if Some(port) != default => format!("{host}:{port}"),
        _ => host,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authority(uri: &str) -> Option<String> {
        authority_of(&uri.parse().unwrap())
    }

    #[test]
    fn the_authority_is_in_lower_case_and_has_only_a_port_that_is_not_the_default() {
        let cases = [
            ("http://Example.COM/x", "example.com"),
            ("http://example.com:80/", "example.com"),
            ("https://example.com:443/", "example.com"),
            ("https://example.com:80/", "example.com:80"),
            ("http://example.com:8080/", "example.com:8080"),
            ("http://[2001:DB8::1]:8080/", "[2001:db8::1]:8080"),
            ("https://[::1]/", "[::1]"),
            ("http://user:pw@a.test/", "a.test"),
        ];
        for (uri, expected) in cases {
            assert_eq!(authority(uri).as_deref(), Some(expected), "{uri}");
        }
        assert_eq!(authority("/path"), None);
    }
}
