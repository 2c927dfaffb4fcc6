//! The tasks of a crawl with cookies: one keeps the session, one writes cookies.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::keeper::SessionKeeper;
use super::session::Session;
use super::store::SessionStore;
use harvestman_core::clock::Clock;

/// How often it is looked whether cookies have changed.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// The running tasks. They end when this is dropped.
#[derive(Default)]
pub(crate) struct SessionTasks {
    tasks: Vec<JoinHandle<()>>,
    saving: Option<Saving>,
}

/// What is written.
#[derive(Clone)]
pub(crate) struct Saving {
    pub(crate) store: Arc<SessionStore>,
    pub(crate) session: Option<Arc<Session>>,
}

impl Saving {
    fn save(&self) {
        self.store.save(self.session.as_deref().map(Session::learned).unwrap_or_default());
    }
}

impl SessionTasks {
    /// Starts the tasks.
    pub(crate) fn start(keeper: Option<SessionKeeper>, saving: Option<Saving>, clock: Clock) -> Self {
        let mut tasks: Vec<JoinHandle<()>> = keeper.map(|keeper| tokio::spawn(keeper.run())).into_iter().collect();
        if let Some(saving) = saving.clone() {
            tasks.push(tokio::spawn(async move {
                loop {
                    clock.sleep(SAVE_EVERY).await;
                    saving.save();
                }
            }));
        }
        Self { tasks, saving }
    }

    /// Ends the tasks, and writes the cookies once more.
    pub(crate) fn end(self) {
        if let Some(saving) = &self.saving {
            saving.save();
        }
    }
}

impl Drop for SessionTasks {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}
