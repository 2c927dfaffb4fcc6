//! The endpoints of a running crawl for monitoring and control: the HTTP server and the control socket.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::exit::Failure;
use super::posts::page_view::page_views;
use harvestman_admin::{Admin, ControlSocket, Controls, Served};
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::seed::Seed;
use harvestman_report::{CrawlStatus, Hooks, terminal};

/// File in the crawl directory with the address of the live page and its token, readable by its owner only.
pub(super) const ADDRESS_FILE: &str = "live.url";

/// The open endpoints of a crawl.
pub(super) struct Endpoints {
    admin: Mutex<Option<Admin>>,
    served: Served,
    /// Endpoints that need the crawl directory, which exists from the first status on.
    inside: Mutex<Option<Inside>>,
}

/// Endpoints in the crawl directory, present while the crawl runs.
struct Inside {
    socket: Option<ControlSocket>,
    _address: Option<AddressFile>,
}

/// A file that is removed when this is dropped.
struct AddressFile(PathBuf);

impl Drop for AddressFile {
    fn drop(&mut self) {
        // A stale address is harmless: nothing listens there.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Endpoints {
    /// Starts the HTTP server if one is configured. Does not touch the crawl directory, so that an unusable address has
    /// no effect. `hooks` are those of the crawl, `latest` is its latest status.
    pub(super) async fn open(
        config: &Config,
        hooks: &Hooks,
        latest: &Arc<Mutex<CrawlStatus>>,
    ) -> Result<Self, Failure> {
        let latest = Arc::clone(latest);
        let controls = Controls {
            status: Arc::new(move || latest.lock().clone()),
            stop: hooks.stop.clone(),
            leave: (!config.fleet.servers.is_empty()).then(|| hooks.stop.clone()),
            pause: hooks.pause.clone(),
            commands: hooks.commands.clone(),
            in_fleet: !config.fleet.servers.is_empty(),
            clock: Clock::system(),
        };
        let served = Served {
            metrics: hooks.metrics.clone(),
            live: hooks.live.clone(),
            controls,
            directory: PathBuf::from(&config.crawl.out),
            page_views: config.archive.enabled.then(|| page_views(PathBuf::from(&config.crawl.out))),
        };
        let admin = match config.metrics.listen.as_str() {
            "" => None,
            _ => Some(serve(config, served.clone()).await?),
        };
        Ok(Self { admin: Mutex::new(admin), served, inside: Mutex::default() })
    }

    /// Opens the endpoints in the crawl directory, once it exists. The crawl continues without an endpoint that cannot
    /// be opened.
    pub(super) fn open_inside(&self) {
        let mut inside = self.inside.lock();
        inside.get_or_insert_with(|| Inside { socket: self.socket(), _address: self.address_file() });
    }

    fn socket(&self) -> Option<ControlSocket> {
        match ControlSocket::listen(self.served.clone()) {
            Ok(socket) => Some(socket),
            Err(error) => {
                tracing::warn!(%error, "no control socket: `harvestman ctl DIR status` and similar commands cannot reach this crawl");
                None
            }
        }
    }

    fn address_file(&self) -> Option<AddressFile> {
        let path = self.served.directory.join(ADDRESS_FILE);
        let Some(page) = self.admin.lock().as_ref().and_then(Admin::page) else {
            // The file of a killed run points nowhere. Usually there is none.
            let _ = std::fs::remove_file(path);
            return None;
        };
        match write_private(&path, &format!("{page}\n")) {
            Ok(()) => Some(AddressFile(path)),
            Err(error) => {
                tracing::warn!(%error, "cannot write the address of the live page to {}", path.display());
                None
            }
        }
    }

    /// Closes all endpoints.
    pub(super) async fn close(&self) {
        let inside = self.inside.lock().take();
        if let Some(socket) = inside.and_then(|inside| inside.socket) {
            socket.close().await;
        }
        let admin = self.admin.lock().take();
        if let Some(admin) = admin {
            admin.stop().await;
        }
    }
}

async fn serve(config: &Config, served: Served) -> Result<Admin, Failure> {
    let admin = Admin::start(&config.metrics, served, token()).await.map_err(Failure::usage)?;
    match admin.page() {
        Some(page) => {
            tracing::info!("{}", announcement(&page, terminal::is_interactive(), Path::new(&config.crawl.out)));
        }
        None => tracing::info!(
            "metrics at http://{}/metrics; the live page requires metrics.token or a 127.0.0.1 address",
            admin.address()
        ),
    }
    Ok(admin)
}

/// Returns the log line about the live page. Other users may read a log, so only a terminal shows the token.
fn announcement(page: &str, in_terminal: bool, directory: &Path) -> String {
    match page.split_once('#') {
        Some((address, _)) if !in_terminal => {
            format!(
                "live page at {address}; its address with the token is in {}",
                directory.join(ADDRESS_FILE).display()
            )
        }
        _ => format!("live page at {page}"),
    }
}

/// Returns an unguessable token.
pub(super) fn token() -> String {
    format!("{:016x}{:016x}", Seed::from_system().0, Seed::from_system().0)
}

/// Replaces a file with one that only its owner may read.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_a_terminal_shows_the_token() {
        let page = "http://127.0.0.1:9/#token=secret";
        let logged = announcement(page, false, Path::new("forum"));
        assert_eq!(logged, "live page at http://127.0.0.1:9/; its address with the token is in forum/live.url");
        assert_eq!(announcement(page, true, Path::new("forum")), format!("live page at {page}"));
        let chosen = announcement("http://127.0.0.1:9/", false, Path::new("forum"));
        assert_eq!(chosen, "live page at http://127.0.0.1:9/", "a token of the user's own choice is in no file");
    }

    #[test]
    fn the_address_file_is_private_and_removed_when_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(ADDRESS_FILE);
        std::fs::write(&path, "of a run that was killed").unwrap();
        write_private(&path, "http://127.0.0.1:1/\n").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "http://127.0.0.1:1/\n");
        drop(AddressFile(path.clone()));
        assert!(!path.exists());
    }
}
