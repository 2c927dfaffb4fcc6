//! Settings of signed requests.

use serde::{Deserialize, Serialize};

use super::Period;

/// Which requests are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignMode {
    /// All.
    #[default]
    Always,
    /// Those to hosts that ask for a signature.
    Asked,
}

/// How the address of the key directory is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentSyntax {
    /// As a dictionary, as current drafts require.
    #[default]
    Dictionary,
    /// As a string, as early drafts did.
    String,
}

crate::options! {
    /// Signed requests (Web Bot Auth): HTTP message signatures by which a site can tell that a request comes from this
    /// crawler. `harvestman identity` creates the key, and the directory by which sites find its public part.
    pub struct IdentityOptions in "identity" {
        /// The file with the private key: Ed25519 in PKCS#8 as PEM, without passphrase. Only its owner should be able
        /// to read it. Empty: requests are not signed. Each node of a fleet names a file of its own.
        key_file: String = String::new(),
        /// The address at which sites find the public key, sent as `Signature-Agent`: an https origin whose server has
        /// the directory at its well-known path, such as `https://bot.example.org`, or the https address of the key set
        /// itself, which the draft of October 2026 requires. Empty: not sent; then only sites that know the key can
        /// verify signatures.
        agent: String = String::new(),
        /// How the address is sent: `dictionary`, as current drafts require, or `string`, for sites that read only the
        /// form of early drafts.
        agent_syntax: AgentSyntax = AgentSyntax::Dictionary,
        /// Which requests are signed: `always`, or `asked` for those to hosts that ask for a signature by
        /// `Accept-Signature`. A request that is refused for want of a signature (401, 403, 429) is retried once with
        /// it.
        sign: SignMode = SignMode::Always,
        /// How long a signature is valid, from a second to 24 hours. Raising it tolerates clocks that differ more, and
        /// lets whoever reads a request repeat it for longer.
        lifetime: Period = Period::secs(60),
        /// Whether each signature has a random nonce, by which a site can detect a repeated request. Without nonces,
        /// the requests to a host share a signature for a quarter of its lifetime, which saves processor time where a
        /// crawl is fast. A site that asks for a nonce of its own by `Accept-Signature` gets it in any case.
        nonce: bool = false,
    }
}
