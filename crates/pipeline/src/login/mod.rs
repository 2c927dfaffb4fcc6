//! A crawl that is logged in by the form of the site.
//!
//! `log_in` sends the form and `requests` sends its requests through the actors of their hosts; `session` judges each
//! answer before it counts; `keeper` checks the session and logs in again; `store` keeps cookies for the next run;
//! `avoided` has the links that are not followed; `logged_in` connects them. What is decided is decided in
//! `harvestman_login`.

mod avoided;
mod keeper;
mod log_in;
mod logged_in;
mod problem;
mod requests;
mod session;
mod store;
mod tasks;

pub(crate) use avoided::{AvoidedLinks, AvoidedOnPage};
pub(crate) use log_in::LogInSettings;
pub(crate) use logged_in::{LoggedIn, LoggedInSetup};
pub(crate) use session::Session;
pub(crate) use tasks::SessionTasks;
