//! The secrets of the demonstration's fleet: the token of its server and the key that seals what is on it.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::Context as _;

use crate::cli::exit::Failure;
use harvestman_core::seed::Seed;

/// Both, for one run.
pub(super) struct Secrets {
    token: String,
    key: String,
}

impl Secrets {
    /// Draws them.
    pub(super) fn draw() -> Self {
        let digits = |count: usize| (0..count).map(|_| format!("{:016x}", Seed::from_system().0)).collect();
        Self { token: digits(2), key: digits(4) }
    }

    /// Returns the environment variables by which nodes are given them: arguments are visible to other users.
    pub(super) fn variables(&self) -> [(&str, &str); 2] {
        [("HARVESTMAN_FLEET_TOKEN", &self.token), ("HARVESTMAN_FLEET_SEAL", &self.key)]
    }

    /// Writes the configuration of the server to a file that only its owner can read. Returns its path.
    pub(super) fn server_configuration(&self, out: &Path, port: u16) -> Result<String, Failure> {
        let path = out.join("nats.conf");
        let store = out.join("nats");
        let text = format!(
            "listen: \"127.0.0.1:{port}\"\njetstream {{ store_dir: {store:?} }}\nauthorization {{ token: \"{}\" }}\n",
            self.token
        );
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path.display().to_string())
    }
}
