//! Digests in the notation of WARC records: `sha1:` or `sha256:` and base 32 (RFC 4648, upper case).

use data_encoding::{BASE32, BASE32_NOPAD};
use sha1::Digest as _;

use harvestman_core::config::archive::DigestAlgorithm;

/// The digest of a payload or block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Digest {
    /// SHA-1.
    Sha1([u8; 20]),
    /// SHA-256.
    Sha256([u8; 32]),
}

impl Digest {
    /// Parses a digest as in a record: `algorithm:value`, with the value in base 32 (with or without padding) or base
    /// 16, as other tools write it. Returns `None` if the algorithm or the value is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let (algorithm, value) = text.trim().split_once(':')?;
        let bytes = decode(value.trim(), if algorithm.eq_ignore_ascii_case("sha1") { 20 } else { 32 })?;
        match algorithm.to_ascii_lowercase().as_str() {
            "sha1" => bytes.try_into().ok().map(Self::Sha1),
            "sha256" | "sha-256" => bytes.try_into().ok().map(Self::Sha256),
            _ => None,
        }
    }

    /// Creates a digest from its bytes, whose number tells the algorithm. Returns `None` if there is none with so many.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let sha1 = bytes.try_into().ok().map(Self::Sha1);
        sha1.or_else(|| bytes.try_into().ok().map(Self::Sha256))
    }

    /// Returns its bytes.
    pub(super) const fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Sha1(bytes) => bytes,
            Self::Sha256(bytes) => bytes,
        }
    }

    /// Returns the algorithm.
    pub fn algorithm(&self) -> DigestAlgorithm {
        match self {
            Self::Sha1(_) => DigestAlgorithm::Sha1,
            Self::Sha256(_) => DigestAlgorithm::Sha256,
        }
    }
}

fn decode(value: &str, length: usize) -> Option<Vec<u8>> {
    if value.len() == length * 2 {
        return data_encoding::HEXLOWER_PERMISSIVE.decode(value.as_bytes()).ok();
    }
    let upper = value.to_ascii_uppercase();
    let bytes = BASE32_NOPAD.decode(upper.trim_end_matches('=').as_bytes()).ok()?;
    (bytes.len() == length).then_some(bytes)
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sha1(bytes) => write!(f, "sha1:{}", BASE32.encode(bytes)),
            Self::Sha256(bytes) => write!(f, "sha256:{}", BASE32.encode(bytes)),
        }
    }
}

/// An incremental computation of a digest.
#[derive(Debug, Clone)]
pub enum Hasher {
    /// SHA-1.
    Sha1(sha1::Sha1),
    /// SHA-256.
    Sha256(sha2::Sha256),
}

impl Hasher {
    /// Creates an empty hasher.
    pub fn new(algorithm: DigestAlgorithm) -> Self {
        match algorithm {
            DigestAlgorithm::Sha1 => Self::Sha1(sha1::Sha1::new()),
            DigestAlgorithm::Sha256 => Self::Sha256(sha2::Sha256::new()),
        }
    }

    /// Adds `bytes`.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1(state) => state.update(bytes),
            Self::Sha256(state) => state.update(bytes),
        }
    }

    /// Returns the digest of all added bytes.
    pub fn finish(self) -> Digest {
        match self {
            Self::Sha1(state) => Digest::Sha1(state.finalize().into()),
            Self::Sha256(state) => Digest::Sha256(state.finalize().into()),
        }
    }
}

/// Computes the digest of the concatenation of `parts`.
pub fn digest(algorithm: DigestAlgorithm, parts: &[&[u8]]) -> Digest {
    let mut hasher = Hasher::new(algorithm);
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_payload_has_the_well_known_digest() {
        assert_eq!(digest(DigestAlgorithm::Sha1, &[]).to_string(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    }

    #[test]
    fn the_digests_of_abc_are_those_of_the_standard_in_one_part_and_in_several() {
        // FIPS 180-4, examples.
        let sha1 = Digest::parse("sha1:a9993e364706816aba3e25717850c26c9cd0d89d");
        let sha256 = Digest::parse("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        for parts in [&[b"abc".as_slice()][..], &[b"", b"ab", b"c"]] {
            assert_eq!(Some(digest(DigestAlgorithm::Sha1, parts)), sha1);
            assert_eq!(Some(digest(DigestAlgorithm::Sha256, parts)), sha256);
        }
    }

    #[test]
    fn a_digest_is_parsed_from_base_32_and_base_16_only() {
        for algorithm in [DigestAlgorithm::Sha1, DigestAlgorithm::Sha256] {
            let made = digest(algorithm, &[b"page"]);
            assert_eq!(Digest::parse(&made.to_string()), Some(made));
            assert_eq!(Digest::parse(&made.to_string().to_lowercase()), Some(made));
        }
        let hex = "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709";
        assert_eq!(Digest::parse(hex), Some(digest(DigestAlgorithm::Sha1, &[])));
        for bad in ["", "sha1", "sha1:", "sha1:AAAA", "md5:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha256:ä"] {
            assert_eq!(Digest::parse(bad), None, "{bad}");
        }
    }
}
