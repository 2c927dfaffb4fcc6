//! What a crawl that logs in, or stores cookies, has besides its stages.

use std::path::Path;
use std::sync::Arc;

use super::avoided::AvoidedLinks;
use super::keeper::{KeeperParts, SessionKeeper};
use super::log_in::{LogIn, LogInSettings};
use super::session::{Session, SessionParts};
use super::store::SessionStore;
use super::tasks::{Saving, SessionTasks};
use crate::bounds::leases_max;
use crate::error::Error;
use crate::handles::{FrontierHandle, HostsHandle, PageQueue};
use crate::run::environment::Network;
use crate::run::subrequests::Subrequests;
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::url::Scope;
use harvestman_login::WatchLimits;
use harvestman_metrics::HostMetrics;
use harvestman_stages::fetch::DecodeLimits;

/// What it is built from.
#[derive(Clone, Copy)]
pub(crate) struct LoggedInSetup<'a> {
    pub(crate) config: &'a Config,
    /// Maximum number of answers without a sign of the session that wait before it is checked.
    pub(crate) unsure_max: usize,
    /// `None` if the crawl does not log in.
    pub(crate) log_in: Option<&'a LogInSettings>,
    pub(crate) directory: &'a Path,
    pub(crate) network: &'a Arc<dyn Network>,
    pub(crate) scope: &'a Arc<Scope>,
    pub(crate) avoided: Option<&'a Arc<AvoidedLinks>>,
    pub(crate) subrequests: &'a Subrequests,
    pub(crate) pages: &'a PageQueue,
    pub(crate) frontier: &'a FrontierHandle,
    pub(crate) hosts: &'a HostsHandle,
    pub(crate) clock: &'a Clock,
    pub(crate) metrics: &'a Arc<HostMetrics>,
}

/// The session of a crawl that logs in, and the file of cookies.
#[derive(Default)]
pub(crate) struct LoggedIn {
    /// `None` if the crawl does not log in.
    pub(crate) session: Option<Arc<Session>>,
    keeper: Option<SessionKeeper>,
    /// `None` if nothing is written.
    saving: Option<Saving>,
}

impl LoggedIn {
    /// Prepares the session, and reads what an earlier run left.
    pub(crate) fn prepare(setup: LoggedInSetup<'_>) -> Self {
        let LoggedInSetup { config, directory, network, scope, clock, .. } = setup;
        let has_cookies = config.state.enabled && (config.login.is_on() || config.fetch.cookie_jar);
        let open = || SessionStore::open(directory, &config.login, Arc::clone(network));
        let (store, learned) = has_cookies.then(open).unzip();
        let store = store.map(Arc::new);
        let Some((settings, avoided)) = setup.log_in.zip(setup.avoided) else {
            return Self { saving: store.map(|store| Saving { store, session: None }), ..Self::default() };
        };
        let log_in = LogIn::new(settings.clone(), setup.subrequests.clone(), Arc::clone(scope));
        // Other pages must be requested meanwhile.
        let unsure = setup.unsure_max.min(leases_max(config) / 2).max(1);
        let limits = WatchLimits { unsure, unsure_time: config.login.unsure_time.0 };
        let session = Arc::new(Session::new(SessionParts {
            host: settings.host.clone(),
            limits,
            learned: learned.unwrap_or_default(),
            avoided: Arc::clone(avoided),
            pages: setup.pages.clone(),
            decode: DecodeLimits::from(&config.fetch),
            clock: clock.clone(),
        }));
        let keeper = SessionKeeper::new(KeeperParts {
            session: Arc::clone(&session),
            log_in,
            store: store.clone(),
            frontier: setup.frontier.clone(),
            hosts: setup.hosts.clone(),
            clock: clock.clone(),
            metrics: Arc::clone(setup.metrics),
        });
        let saving = store.map(|store| Saving { store, session: Some(Arc::clone(&session)) });
        Self { session: Some(session), keeper: Some(keeper), saving }
    }

    /// Logs in, if the crawl is to, and starts the tasks that keep the session and the cookies.
    ///
    /// # Errors
    /// The log-in failed.
    pub(crate) async fn begin(mut self, clock: &Clock) -> Result<SessionTasks, Error> {
        if let Some(keeper) = &mut self.keeper {
            keeper.begin().await?;
        }
        Ok(SessionTasks::start(self.keeper, self.saving, clock.clone()))
    }
}
