//! Why a text is not a usable signing key. No message repeats any of the text.

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
