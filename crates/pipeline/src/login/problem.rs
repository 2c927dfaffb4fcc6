//! Why a log-in or a check of the session failed.

use harvestman_core::model::Failure;
use harvestman_login::Problem;
use harvestman_stages::host::SubrequestRefusal;

/// Why a log-in or a check of the session failed. The texts contain no password.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LogInProblem {
    /// The page or the form cannot be used.
    #[error("{problem} ({url})")]
    Page {
        /// The page.
        url: String,
        /// What is wrong with it.
        problem: Problem,
    },
    /// The site answers with an error.
    #[error("{url} answers with status {status}: try again later, or look at the page with a browser")]
    Status {
        /// The page.
        url: String,
        /// The status.
        status: u16,
    },
    /// A request was not answered.
    #[error("{url} does not answer ({}): check the address, and whether the site is up", .why.label())]
    Unanswered {
        /// The page.
        url: String,
        /// Why not.
        why: Failure,
    },
    /// A request was not sent.
    #[error("{url} is not requested ({}): {}", .why.label(), advice(*.why))]
    NotSent {
        /// The page.
        url: String,
        /// Why not.
        why: SubrequestRefusal,
    },
    /// A redirect leads elsewhere.
    #[error(
        "{url} redirects to {to}, which does not belong to the crawl: include its host (`scope.hosts`), or log in with a browser and pass its cookies (`--cookies FILE`)"
    )]
    LeavesScope {
        /// The page.
        url: String,
        /// The address.
        to: String,
    },
    /// Redirects do not end.
    #[error("{url} redirects too often: look at the page with a browser")]
    Redirects {
        /// The page.
        url: String,
    },
    /// The log-in seemed to work, but the next request was answered as to a guest.
    #[error("{url} still shows what guests see after the log-in: check the user, the password and `login.check`")]
    NotLoggedIn {
        /// The check page.
        url: String,
    },
}

impl LogInProblem {
    /// Returns whether the crawl ends: nothing is wrong with the log-in.
    pub(crate) const fn is_end_of_crawl(&self) -> bool {
        matches!(self, Self::NotSent { why: SubrequestRefusal::Budget | SubrequestRefusal::Aborted, .. })
    }

    /// Returns whether the host is blocked or was given up.
    pub(crate) const fn is_block(&self) -> bool {
        matches!(self, Self::NotSent { why: SubrequestRefusal::HostBlocked, .. })
    }

    /// Returns the problem with a page.
    pub(crate) fn with(url: &str) -> impl Fn(Problem) -> Self {
        move |problem| Self::Page { url: url.to_owned(), problem }
    }
}

/// Returns what to do about a request that was not sent.
const fn advice(why: SubrequestRefusal) -> &'static str {
    match why {
        SubrequestRefusal::Robots => {
            "robots.txt forbids it; name another page (`login.check`), or ask the operator of the site"
        }
        SubrequestRefusal::HostBlocked => "the host is blocked or was given up; unblock it, or try again later",
        SubrequestRefusal::Budget | SubrequestRefusal::Aborted => "the crawl ends; raise its budgets",
        SubrequestRefusal::Busy | SubrequestRefusal::NotHttp | SubrequestRefusal::Failed(_) => "try again later",
    }
}
