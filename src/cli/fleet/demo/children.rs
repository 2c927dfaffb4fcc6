//! Child processes that end with the demonstration.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::cli::exit::Failure;

/// A child process whose output goes to a log. It is killed when this is dropped.
pub(super) struct Child {
    name: String,
    process: std::process::Child,
}

impl Child {
    /// Starts a program and writes its output to NAME.log in `out`.
    pub(super) fn start(
        name: &str,
        program: &Path,
        arguments: &[String],
        variables: &[(&str, &str)],
        out: &Path,
    ) -> Result<Self, Failure> {
        let path = out.join(name).with_extension("log");
        let log = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        let both = log.try_clone().with_context(|| format!("cannot write {}", path.display()))?;
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().copied()).stdin(Stdio::null()).stdout(log).stderr(both);
        let process = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        Ok(Self { name: name.to_owned(), process })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Kills the process, as a power failure would.
    pub(super) fn kill(&mut self) {
        // It may have exited by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Returns whether it has exited successfully.
    pub(super) fn has_ended(&mut self) -> bool {
        self.process.try_wait().is_ok_and(|status| status.is_some_and(|status| status.success()))
    }

    /// Returns whether it has exited with an error.
    pub(super) fn has_failed(&mut self) -> bool {
        self.process.try_wait().is_ok_and(|status| status.is_some_and(|status| !status.success()))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}
