//! Finds a browser, and says how to install one.

use std::path::{Path, PathBuf};

/// Names of browsers, the best first: the first has no window system and starts fastest.
const NAMES: [&str; 6] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// What to do if there is no browser.
pub const INSTALL_ADVICE: &str =
    "install one (Debian: apt-get install chromium-headless-shell) or name its executable in render.browser";

/// A browser's executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// Its path.
    pub path: PathBuf,
}

impl Executable {
    /// Finds the browser: the one that is named, or the first known one on the search path `PATH`.
    ///
    /// # Errors
    ///
    /// There is none; the message says what to install.
    pub fn find(named: Option<&Path>, search: &std::ffi::OsStr) -> Result<Self, String> {
        if let Some(path) = named {
            return match is_executable(path) {
                true => Ok(Self { path: path.to_owned() }),
                false => Err(format!("render.browser: {} is no executable file: {INSTALL_ADVICE}", path.display())),
            };
        }
        let folders: Vec<PathBuf> = std::env::split_paths(search).collect();
        let candidates = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        candidates
            .into_iter()
            .find(|path| is_executable(path))
            .map(|path| Self { path })
            .ok_or_else(|| format!("no Chromium was found: {INSTALL_ADVICE}"))
    }

    /// Returns whether it is a headless shell, which knows no other mode.
    pub(super) fn is_shell(&self) -> bool {
        self.path.file_name().is_some_and(|name| name.to_string_lossy().contains("headless"))
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn put(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn the_headless_shell_is_preferred_and_files_that_cannot_run_are_not_browsers() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let search = std::env::join_paths([one.path(), two.path()]).unwrap();
        let missing = Executable::find(None, &search).unwrap_err();
        assert!(missing.contains("apt-get install chromium-headless-shell"), "{missing}");
        let full = put(one.path(), "chromium", 0o755);
        put(one.path(), "chrome-headless-shell", 0o644);
        assert_eq!(Executable::find(None, &search).unwrap().path, full);
        let shell = put(two.path(), "chromium-headless-shell", 0o755);
        let found = Executable::find(None, &search).unwrap();
        assert_eq!((&found.path, found.is_shell()), (&shell, true));
        let named = Executable::find(Some(&full), &search).unwrap();
        assert_eq!((&named.path, named.is_shell()), (&full, false));
        assert!(Executable::find(Some(Path::new("/nowhere/chrome")), &search).unwrap_err().contains("render.browser"));
    }
}
