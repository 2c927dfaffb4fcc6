//! The file with the cookies that sites have set, and with what was learned of the session. Only its owner can read it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::run::environment::Network;
use crate::run::output;
use harvestman_core::config::LoginOptions;
use harvestman_core::crawl_file;
use harvestman_login::Marks;
use harvestman_stages::fetch::StoredCookies;

/// The file, in the crawl directory.
pub(crate) const SESSION_FILE: &str = "session.json";
/// Maximum size of the file that is read.
const BYTES_MAX: u64 = 64 << 20;

/// The contents of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredSession {
    /// Whose session it is; empty without a log-in.
    account: String,
    cookies: StoredCookies,
    marks: Option<Marks>,
    /// Addresses, without their tokens, that ended sessions.
    ended_sessions: Vec<String>,
}

/// What is known of the session besides the cookies.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LearnedSession {
    pub(crate) marks: Option<Marks>,
    pub(crate) ended_sessions: Vec<String>,
}

/// Writes the file while the crawl runs.
pub(crate) struct SessionStore {
    path: PathBuf,
    account: String,
    network: Arc<dyn Network>,
    /// What was written last: how often the cookies had changed, and what was learned.
    written: Mutex<(u64, LearnedSession)>,
}

impl SessionStore {
    /// Opens the file of a crawl directory, and gives its cookies to the network. A file that cannot be read is
    /// replaced, and so is one of another account: the crawl logs in again.
    pub(crate) fn open(directory: &Path, login: &LoginOptions, network: Arc<dyn Network>) -> (Self, LearnedSession) {
        let path = directory.join(SESSION_FILE);
        let LoginOptions { url, user, member_text, member_link, .. } = login;
        // With what it is told by, as the user may have corrected that.
        let account = [url, user, member_text, member_link].map(String::as_str).join(" ");
        let stored = read(&path).unwrap_or_else(|why| {
            tracing::warn!(file = %path.display(), %why, "the cookies of the last run cannot be read: the crawl begins without them");
            StoredSession::default()
        });
        let stored = if stored.account == account { stored } else { StoredSession::default() };
        let StoredSession { cookies, marks, ended_sessions, .. } = stored;
        network.restore_cookies(cookies);
        let learned = LearnedSession { marks, ended_sessions };
        let written = Mutex::new((network.cookie_changes(), learned.clone()));
        (Self { path, account, network, written }, learned)
    }

    /// Writes the file if the cookies or what was learned have changed.
    pub(crate) fn save(&self, learned: LearnedSession) {
        let mut written = self.written.lock();
        let changes = self.network.cookie_changes();
        if *written == (changes, learned.clone()) {
            return;
        }
        let stored = StoredSession {
            account: self.account.clone(),
            cookies: self.network.stored_cookies(),
            marks: learned.marks.clone(),
            ended_sessions: learned.ended_sessions.clone(),
        };
        let saved = serde_json::to_vec(&stored).map_err(io::Error::from);
        match saved.and_then(|bytes| output::replace_private(&self.path, &bytes)) {
            Ok(()) => *written = (changes, learned),
            Err(why) => tracing::warn!(file = %self.path.display(), %why, "the cookies cannot be written"),
        }
    }
}

fn read(path: &Path) -> io::Result<StoredSession> {
    match std::fs::metadata(path) {
        Ok(file) if file.len() > BYTES_MAX => Err(io::ErrorKind::FileTooLarge.into()),
        Ok(_) => Ok(serde_json::from_slice(&crawl_file::read(path)?)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(StoredSession::default()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use harvestman_core::clock::Clock;
    use harvestman_core::config::FetchOptions;
    use harvestman_stages::fetch::{Client, Trust};

    fn network() -> Arc<dyn Network> {
        let options = FetchOptions { cookie_jar: true, ..FetchOptions::default() };
        Arc::new(Client::new(&options, Clock::system(), Trust::default()).unwrap())
    }

    fn login(user: &str) -> LoginOptions {
        LoginOptions { url: "http://a.test/login".to_owned(), user: user.to_owned(), ..LoginOptions::default() }
    }

    const COOKIE: &str = r#"{"name":"session","value":"s1","domain":"a.test","host_only":true,"path":"/","secure":false,"expires":null}"#;

    #[tokio::test]
    async fn a_session_survives_its_file_which_only_its_owner_can_read_and_is_not_that_of_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(SESSION_FILE);
        let account = "http://a.test/login al  ";
        std::fs::write(&path, format!(r#"{{"account":"{account}","cookies":[{COOKIE}],"ended_sessions":["/old"]}}"#))
            .unwrap();
        let first = network();
        let (store, learned) = SessionStore::open(dir.path(), &login("al"), Arc::clone(&first));
        assert_eq!(learned.ended_sessions, ["/old"]);
        assert_ne!(first.stored_cookies(), StoredCookies::default());
        store.save(LearnedSession { ended_sessions: vec!["/bye".to_owned()], ..learned });
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let second = network();
        let (_, learned) = SessionStore::open(dir.path(), &login("al"), Arc::clone(&second));
        assert_eq!(
            (second.stored_cookies(), learned.ended_sessions),
            (first.stored_cookies(), vec!["/bye".to_owned()])
        );
        let other = network();
        let (_, learned) = SessionStore::open(dir.path(), &login("bo"), Arc::clone(&other));
        assert_eq!((other.stored_cookies(), learned), (StoredCookies::default(), LearnedSession::default()));
    }

    #[tokio::test]
    async fn a_damaged_file_costs_the_session_and_not_the_crawl() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(SESSION_FILE), "{").unwrap();
        let (_, learned) = SessionStore::open(dir.path(), &login("al"), network());
        assert_eq!(learned, LearnedSession::default());
    }
}
