//! The keys: the private one, Ed25519 (RFC 8032) in PKCS#8 (RFC 8410), as PEM; the public one, as JSON Web Key (RFC
//! 8037) and by its thumbprint (RFC 7638). No message about a text that is not a usable key repeats any of it.

use std::fmt;

use data_encoding::{BASE64, BASE64URL_NOPAD};
use ring::digest::{SHA256, digest};
use ring::signature::{Ed25519KeyPair, KeyPair};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;

/// Length of the random number that an Ed25519 key is made from.
const SEED_BYTES: usize = 32;

/// What precedes the seed in PKCS#8: version 0, the algorithm, and the headers of two octet strings (RFC 8410, section
/// 7). Tools that do not know the later version, which also has the public key, read this one too.
const PKCS8_HEAD: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// The object identifiers of algorithms that a key may have by mistake.
const OTHER_ALGORITHMS: &[(&[u8], &str)] = &[
    (&[0x2b, 0x65, 0x71], "Ed448"),
    (&[0x2b, 0x65, 0x6e], "X25519"),
    (&[0x2b, 0x65, 0x6f], "X448"),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01], "elliptic curve, such as P-256"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01], "RSA"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a], "RSA"),
];
/// The object identifier of Ed25519.
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// A private key. Its `Debug` output is the thumbprint of the public key.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl SigningKey {
    /// Reads a key from the text of a PEM file.
    ///
    /// # Errors
    ///
    /// What is wrong, without any of the text.
    pub fn from_pem(text: &[u8]) -> Result<Self, KeyError> {
        check_sections(text)?;
        let der = PrivatePkcs8KeyDer::from_pem_slice(text).map_err(|_| KeyError::Damaged)?;
        Self::from_pkcs8(der.secret_pkcs8_der())
    }

    /// Reads a key in PKCS#8.
    fn from_pkcs8(der: &[u8]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).map_err(|_| rejected(der))?;
        let bytes = <[u8; SEED_BYTES]>::try_from(pair.public_key().as_ref()).map_err(|_| KeyError::Damaged)?;
        Ok(Self { pair, public: PublicKey::new(bytes) })
    }

    /// Returns the text of a PEM file with the key that `seed` makes. `seed` must come from a cryptographic source of
    /// randomness; it is the key.
    pub fn new_pem(seed: &[u8; SEED_BYTES]) -> String {
        let der = [PKCS8_HEAD.as_slice(), seed].concat();
        // 48 bytes are exactly one line of 64 characters.
        format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", BASE64.encode(&der))
    }

    /// Returns the public key.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs `message`. Returns the signature in Base64.
    pub(super) fn sign(&self, message: &[u8]) -> String {
        BASE64.encode(self.pair.sign(message).as_ref())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey").field(&self.public.thumbprint()).finish()
    }
}

/// Checks the kinds of the PEM sections of a file.
fn check_sections(text: &[u8]) -> Result<(), KeyError> {
    let Ok(text) = std::str::from_utf8(text) else { return Err(KeyError::NoPem) };
    let label = |line: &'_ str| Some(line.trim().strip_prefix("-----BEGIN ")?.strip_suffix("-----")?.to_owned());
    let labels: Vec<String> = text.lines().filter_map(label).collect();
    let is_private = |label: &&String| label.ends_with("PRIVATE KEY");
    let mut private = labels.iter().filter(is_private).map(String::as_str);
    match (private.next(), private.next()) {
        (Some(_), Some(_)) => Err(KeyError::Several),
        (Some("PRIVATE KEY"), None) => Ok(()),
        (Some("ENCRYPTED PRIVATE KEY"), None) => Err(KeyError::Encrypted),
        (Some("OPENSSH PRIVATE KEY"), None) => Err(KeyError::OpenSsh),
        (Some("RSA PRIVATE KEY"), None) => Err(KeyError::OtherAlgorithm("RSA")),
        (Some("EC PRIVATE KEY"), None) => Err(KeyError::OtherAlgorithm("elliptic curve, such as P-256")),
        (Some(_), None) => Err(KeyError::OtherAlgorithm("unknown")),
        (None, _) if labels.iter().any(|label| label.ends_with("PUBLIC KEY")) => Err(KeyError::PublicOnly),
        (None, _) if text.trim_start().starts_with('{') => Err(KeyError::Jwk),
        (None, _) => Err(KeyError::NoPem),
    }
}

/// Returns why `ring` rejects a key. The algorithm stands near the beginning.
fn rejected(der: &[u8]) -> KeyError {
    let head = &der[..der.len().min(32)];
    let names = |oid: &[u8]| head.windows(oid.len() + 1).any(|at| usize::from(at[0]) == oid.len() && at[1..] == *oid);
    if names(ED25519) {
        return KeyError::Damaged;
    }
    let other = OTHER_ALGORITHMS.iter().find(|(oid, _)| names(oid));
    other.map_or(KeyError::Damaged, |(_, name)| KeyError::OtherAlgorithm(name))
}

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

/// Why a text is not a usable signing key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// There is no PEM section in it.
    #[error(
        "it contains no key in PEM format; expected is a PKCS#8 file that begins with `-----BEGIN PRIVATE KEY-----`, as \
         `harvestman identity new` and `openssl genpkey -algorithm ed25519` write it"
    )]
    NoPem,
    /// It is a JSON Web Key.
    #[error("it is in JSON format (JWK); convert the key to PKCS#8 in PEM format")]
    Jwk,
    /// The key is encrypted.
    #[error("the key is encrypted; write it without a passphrase: `openssl pkey -in FILE -out NEW-FILE`")]
    Encrypted,
    /// There is only a public key in it.
    #[error("it contains a public key only; signing needs the private key")]
    PublicOnly,
    /// The key is in the format of OpenSSH.
    #[error("it is in the format of OpenSSH; create a key with `harvestman identity new` instead")]
    OpenSsh,
    /// The key is of another algorithm.
    #[error(
        "it contains a key of another algorithm ({0}); Ed25519 is needed: `harvestman identity new` creates such a key"
    )]
    OtherAlgorithm(&'static str),
    /// There are several private keys in it.
    #[error("it contains several private keys; use a file with one")]
    Several,
    /// The key is incomplete, or its parts do not belong together.
    #[error(
        "the key is truncated or damaged; restore it from a copy, or create another one with `harvestman identity new`"
    )]
    Damaged,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vectors::{ED25519_PEM, ED25519_THUMBPRINT};

    fn error(text: &str) -> KeyError {
        SigningKey::from_pem(text.as_bytes()).unwrap_err()
    }

    /// A PEM section around these bytes.
    fn section(label: &str, der: &[u8]) -> String {
        format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", BASE64.encode(der))
    }

    #[test]
    fn a_key_that_openssl_wrote_is_read() {
        let key = SigningKey::from_pem(ED25519_PEM.as_bytes()).unwrap();
        assert_eq!(key.public().thumbprint(), ED25519_THUMBPRINT);
    }

    #[test]
    fn a_new_key_is_read_back_and_two_seeds_make_two_keys() {
        let pem = SigningKey::new_pem(&[7; 32]);
        let key = SigningKey::from_pem(pem.as_bytes()).unwrap();
        let other = SigningKey::from_pem(SigningKey::new_pem(&[8; 32]).as_bytes()).unwrap();
        assert_ne!(key.public().thumbprint(), other.public().thumbprint());
        assert!(pem.lines().all(|line| line.len() <= 64), "{pem}");
    }

    #[test]
    fn debug_output_shows_the_thumbprint_and_no_part_of_the_key() {
        let key = SigningKey::from_pem(ED25519_PEM.as_bytes()).unwrap();
        assert_eq!(format!("{key:?}"), format!("SigningKey({ED25519_THUMBPRINT:?})"));
    }

    #[test]
    fn a_key_of_another_algorithm_is_named() {
        let curve = [&[0x30, 0x0b, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07][..], OTHER_ALGORITHMS[3].0].concat();
        assert_eq!(error(&section("PRIVATE KEY", &curve)), KeyError::OtherAlgorithm("elliptic curve, such as P-256"));
        let x25519: Vec<u8> =
            PKCS8_HEAD.iter().map(|byte| if *byte == 0x70 { 0x6e } else { *byte }).chain([1; 32]).collect();
        assert_eq!(error(&section("PRIVATE KEY", &x25519)), KeyError::OtherAlgorithm("X25519"));
        assert_eq!(error(&section("RSA PRIVATE KEY", &[0x30])), KeyError::OtherAlgorithm("RSA"));
        assert_eq!(error(&section("EC PRIVATE KEY", &[0x30])).to_string().matches("P-256").count(), 1);
    }

    #[test]
    fn a_truncated_key_is_damaged_wherever_it_was_cut() {
        for cut in 1..ED25519_PEM.len() - 30 {
            let text = &ED25519_PEM[..ED25519_PEM.len() - cut];
            let read = SigningKey::from_pem(text.as_bytes());
            assert!(read.is_err() || text.contains("-----END PRIVATE KEY"), "{cut}");
        }
        let short = [&PKCS8_HEAD[..], &[1; 31]].concat();
        assert_eq!(error(&section("PRIVATE KEY", &short)), KeyError::Damaged);
    }

    #[test]
    fn a_public_key_of_another_pair_is_damage() {
        // Version 1 of PKCS#8 (RFC 8410, section 10.3), with a wrong public key.
        let mut der = [&PKCS8_HEAD[..], &[7; 32], &[0x81, 0x21, 0x00], &[9; 32]].concat();
        der[1] += 35;
        der[4] = 1;
        assert_eq!(error(&section("PRIVATE KEY", &der)), KeyError::Damaged);
    }

    #[test]
    fn other_files_are_told_apart() {
        assert_eq!(error(&section("ENCRYPTED PRIVATE KEY", &[0x30])), KeyError::Encrypted);
        assert_eq!(error(&section("OPENSSH PRIVATE KEY", b"openssh")), KeyError::OpenSsh);
        assert_eq!(error(&section("PUBLIC KEY", &[0x30])), KeyError::PublicOnly);
        assert_eq!(error(&section("CERTIFICATE", &[0x30])), KeyError::NoPem);
        assert_eq!(error("{\"kty\":\"OKP\"}"), KeyError::Jwk);
        assert_eq!(error(""), KeyError::NoPem);
        assert_eq!(error(&format!("{ED25519_PEM}{ED25519_PEM}")), KeyError::Several);
        assert_eq!(SigningKey::from_pem(&[0xff; 40]).unwrap_err(), KeyError::NoPem);
    }

    proptest! {
        #[test]
        fn no_file_makes_reading_panic_and_no_message_repeats_it(der in proptest::collection::vec(any::<u8>(), 0..80)) {
            let text = section("PRIVATE KEY", &der);
            if let Err(error) = SigningKey::from_pem(text.as_bytes()) {
                let (secret, message) = (BASE64.encode(&der), format!("{error} {error:?}"));
                prop_assert!(secret.len() < 8 || !message.contains(&secret[..8]));
            }
        }
    }

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
