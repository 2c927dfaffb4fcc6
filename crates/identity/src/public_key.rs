//! The public key: as JSON Web Key (RFC 8037) and by its thumbprint (RFC 7638).

use data_encoding::BASE64URL_NOPAD;
use ring::digest::{SHA256, digest};

/// Thumbprints of keys whose private part is published (RFC 9421, appendix B.1.4).
const TEST_KEYS: &[&str] = &["poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"];

/// An Ed25519 public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    /// The point on the curve, in Base64url.
    x: String,
    thumbprint: String,
}

impl PublicKey {
    pub(super) fn new(bytes: [u8; 32]) -> Self {
        let x = BASE64URL_NOPAD.encode(&bytes);
        // The required members in lexicographic order, without white space (RFC 8037, appendix A.3).
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        let thumbprint = BASE64URL_NOPAD.encode(digest(&SHA256, members.as_bytes()).as_ref());
        Self { x, thumbprint }
    }

    /// Returns the SHA-256 thumbprint in Base64url: the `keyid` of signatures.
    pub fn thumbprint(&self) -> &str {
        &self.thumbprint
    }

    /// Returns the key as JSON Web Key, as it stands in a directory.
    pub fn jwk(&self) -> String {
        format!(r#"{{"kty":"OKP","crv":"Ed25519","kid":"{}","x":"{}","use":"sig"}}"#, self.thumbprint, self.x)
    }

    /// Returns whether everyone knows the private key, because it is an example of a standard.
    pub fn is_test_key(&self) -> bool {
        TEST_KEYS.contains(&self.thumbprint.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thumbprint_is_that_of_rfc_8037() {
        let x = BASE64URL_NOPAD.decode(b"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
        let key = PublicKey::new(x.try_into().unwrap());
        assert_eq!(key.thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert!(!key.is_test_key());
    }

    #[test]
    fn the_key_of_the_standards_examples_is_known_as_such() {
        let x = BASE64URL_NOPAD.decode(b"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs").unwrap();
        let key = PublicKey::new(x.try_into().unwrap());
        assert!(key.is_test_key());
        assert_eq!(
            key.jwk(),
            concat!(
                r#"{"kty":"OKP","crv":"Ed25519","kid":"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U","#,
                r#""x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs","use":"sig"}"#
            )
        );
    }
}
