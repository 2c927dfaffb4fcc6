//! The processes of a browser: started without network, ended together, whatever happens to the crawler.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use command_fds::{CommandFdExt, FdMapping};
use parking_lot::Mutex;
use rustix::pipe::{PipeFlags, pipe_with};
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStderr, Command};

/// The user and group of a browser that root starts: `nobody`.
const NOBODY: u32 = 65_534;
/// Number of bytes of the browser's messages that are kept, the last ones.
const MESSAGES_MAX: usize = 4 << 10;

/// The processes of a browser. They end when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// The browser's supervisor ends all its processes once this is closed.
    _lifeline: OwnedFd,
    profile: TempDir,
    messages: Arc<Mutex<Vec<u8>>>,
}

/// The two directions of the debugging pipe.
#[derive(Debug)]
pub(super) struct Pipe {
    pub(super) to: pipe::Sender,
    pub(super) from: pipe::Receiver,
}

impl Process {
    /// Starts the command that `command` makes for the browser's own folder, in `temporary`.
    pub(super) fn start(
        temporary: &Path,
        is_root: bool,
        command: impl FnOnce(&Path) -> Vec<String>,
    ) -> std::io::Result<(Self, Pipe)> {
        let profile = tempfile::Builder::new().prefix("harvestman-browser-").tempdir_in(temporary)?;
        if is_root {
            std::os::unix::fs::chown(profile.path(), Some(NOBODY), Some(NOBODY))?;
        }
        let [(browser_reads, to), (from, browser_writes), (supervisor_reads, lifeline)] = [pipe()?, pipe()?, pipe()?];
        let words = command(profile.path());
        let (program, arguments) = words.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", profile.path())
            .env("TMPDIR", profile.path())
            .current_dir(profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mapped = [(browser_reads, 3), (browser_writes, 4), (supervisor_reads, 5)];
        let mapped = mapped.map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd });
        command.fd_mappings(mapped.into()).map_err(std::io::Error::other)?;
        let mut child = command.spawn()?;
        // The parent's copies of the browser's ends, so that the end of the browser ends the pipe.
        drop(command);
        let messages = Arc::default();
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(keep_last(stderr, Arc::clone(&messages)));
        }
        let pipe = Pipe { to: pipe::Sender::from_owned_fd(to)?, from: pipe::Receiver::from_owned_fd(from)? };
        Ok((Self { child, _lifeline: lifeline, profile, messages }, pipe))
    }

    /// Returns the id of the first process.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns the last lines that the browser wrote.
    pub(super) fn messages(&self) -> String {
        String::from_utf8_lossy(&self.messages.lock()).trim().to_owned()
    }

    /// Ends all processes and waits for their end.
    pub(super) async fn end(self) {
        let Self { mut child, _lifeline: lifeline, profile, .. } = self;
        drop(lifeline);
        // The kernel ends the whole namespace with its first process, which ends with this one.
        if let Err(error) = child.kill().await {
            tracing::debug!(%error, "the browser had ended");
        }
        remove(profile).await;
    }

    /// Returns the memory of all processes of the browser, in bytes; shared memory counts once.
    pub(super) fn bytes(&self) -> u64 {
        self.id().map_or(0, |id| descendants(id).into_iter().map(proportional_bytes).sum())
    }
}

/// Removes the browser's folder. Its processes are ending, and may still write.
async fn remove(profile: TempDir) {
    let path: PathBuf = profile.keep();
    for _ in 0..20 {
        if std::fs::remove_dir_all(&path).is_ok() || !path.exists() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    tracing::debug!(path = %path.display(), "the browser's folder cannot be removed");
}

/// Returns the reading and the writing end of a pipe that no other program inherits.
fn pipe() -> std::io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// Reads all messages, so that the browser never waits for that, and keeps the last.
async fn keep_last(mut from: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut part = [0; 1 << 10];
    while let Ok(length @ 1..) = from.read(&mut part).await {
        let mut kept = kept.lock();
        kept.extend_from_slice(&part[..length]);
        let surplus = kept.len().saturating_sub(MESSAGES_MAX);
        kept.drain(..surplus);
    }
}

/// Returns a process and those that it started, directly or not.
fn descendants(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = std::fs::read_dir("/proc").into_iter().flatten().filter_map(parent_of).collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(process, _)| process));
        next += 1;
    }
    found
}

/// Returns a process and its parent, from an entry of `/proc`.
fn parent_of(entry: std::io::Result<std::fs::DirEntry>) -> Option<(u32, u32)> {
    let process: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may contain anything.
    let (_, after) = stat.rsplit_once(')')?;
    Some((process, after.split_whitespace().nth(1)?.parse().ok()?))
}

/// Returns a process's share of the memory that it uses, in bytes.
fn proportional_bytes(process: u32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_and_a_child_is_found() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let found = descendants(std::process::id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found.contains(&child.id()));
        assert!(proportional_bytes(std::process::id()) > 1 << 20);
        assert_eq!(proportional_bytes(u32::MAX), 0);
    }
}
