//! The parameters of a signature (RFC 9421, section 2.3).

use std::fmt;

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
