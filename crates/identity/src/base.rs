//! The signature base (RFC 9421, section 2.5): the text that is signed; and the parameters of a signature (section
//! 2.3).

use std::fmt;
use std::fmt::Write;

use http::Uri;

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

/// When a signature is created and when it expires, in seconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// When it is created.
    pub created: u64,
    /// When it expires.
    pub expires: u64,
}

/// The parameters of a signature. `Display` serialises them in the order of the drafts' examples.
#[derive(Debug, Clone, Copy)]
pub struct SignatureParams<'a> {
    /// When the signature is created, in seconds since the Unix epoch.
    pub created: u64,
    /// The thumbprint of the public key.
    pub keyid: &'a str,
    /// The algorithm.
    pub alg: Option<&'a str>,
    /// When the signature expires, in seconds since the Unix epoch.
    pub expires: Option<u64>,
    /// A text that no other signature has, in printable ASCII.
    pub nonce: Option<&'a str>,
    /// The application that the signature is for.
    pub tag: Option<&'a str>,
}

impl fmt::Display for SignatureParams<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ";created={};keyid={}", self.created, Quoted(self.keyid))?;
        if let Some(alg) = self.alg {
            write!(f, ";alg={}", Quoted(alg))?;
        }
        if let Some(expires) = self.expires {
            write!(f, ";expires={expires}")?;
        }
        if let Some(nonce) = self.nonce {
            write!(f, ";nonce={}", Quoted(nonce))?;
        }
        match self.tag {
            Some(tag) => write!(f, ";tag={}", Quoted(tag)),
            None => Ok(()),
        }
    }
}

/// A text as a structured-field string (RFC 9651, section 4.1.6). It must be printable ASCII.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for part in self.0.split_inclusive(['"', '\\']) {
            match part.strip_suffix(['"', '\\']) {
                Some(before) => write!(f, "{before}\\{}", &part[before.len()..])?,
                None => f.write_str(part)?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sfv::{BareItem, Item, Parser};

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

    proptest! {
        #[test]
        fn a_quoted_text_is_parsed_as_itself(text in "[ -~]{0,40}") {
            let quoted = Quoted(&text).to_string();
            let parsed: Item = Parser::new(&quoted).parse().unwrap();
            let BareItem::String(parsed) = parsed.bare_item else { panic!("a string") };
            prop_assert_eq!(parsed.as_str(), &text);
        }
    }
}
