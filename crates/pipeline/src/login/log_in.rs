//! One log-in: the check page as a guest, the form, the check page as a member.

use std::sync::Arc;

use url::Url;

use super::problem::LogInProblem;
use super::requests::{AnsweredPage, LogInRequests};
use crate::error::Error;
use crate::run::subrequests::Subrequests;
use harvestman_core::clock::Instant;
use harvestman_core::config::{Config, LoginOptions};
use harvestman_core::url::{HostKey, Scope};
use harvestman_login::{Credentials, GivenMarks, Marks, Page, PasswordOrigins, Problem, Submission, find_form};

/// What a log-in needs of the settings and the environment.
#[derive(Clone)]
pub(crate) struct LogInSettings {
    options: LoginOptions,
    credentials: Credentials,
    /// Who may get the password.
    origins: PasswordOrigins,
    page: Url,
    check: Url,
    /// The host of the check page, where the session is watched.
    pub(super) host: HostKey,
}

impl LogInSettings {
    /// Reads them, with the password; `None` if the crawl does not log in.
    ///
    /// # Errors
    /// The environment has no password, or the pages do not belong to the crawl.
    pub(crate) fn read(config: &Config, scope: &Scope) -> Result<Option<Self>, Error> {
        if !config.login.is_on() {
            return Ok(None);
        }
        let options = config.login.clone();
        let page = Url::parse(&options.url).map_err(|error| wrong("login.url", &options.url, &error))?;
        let check = config.check_page().ok_or_else(|| {
            Error::Configuration(
                "login.check: name a page by which the session is checked, as there is no seed".to_owned(),
            )
        })?;
        for (setting, url) in [("login.url", page.as_str()), ("login.check", check.as_str())] {
            if let Err(why) = scope.check(url) {
                let why =
                    format!("it does not belong to the crawl ({}): include its host (`scope.hosts`)", why.label());
                return Err(wrong(setting, url, &why));
            }
        }
        let host = check.host_key();
        let check = Url::parse(check.as_str()).map_err(|error| wrong("login.check", check.as_str(), &error))?;
        let credentials = Credentials::new(options.user.clone(), read_password(&options.password_env)?);
        let added = config.credential_origins().map_err(Error::Configuration)?;
        let origins = PasswordOrigins::new(&page, added.iter().filter_map(|url| Url::parse(url.as_str()).ok()));
        Ok(Some(Self { options, credentials, origins, page, check, host }))
    }
}

/// Logs in, and checks whether the crawl is logged in.
pub(crate) struct LogIn {
    settings: LogInSettings,
    requests: LogInRequests,
}

/// What a check of the session found.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionCheck {
    pub(super) asked_at: Instant,
    pub(super) holds: bool,
}

impl LogIn {
    /// Creates a log-in whose requests go through the hosts.
    pub(super) fn new(settings: LogInSettings, subrequests: Subrequests, scope: Arc<Scope>) -> Self {
        let origins = settings.origins.clone();
        Self { settings, requests: LogInRequests { subrequests, scope, origins } }
    }

    /// Returns the settings.
    pub(super) const fn options(&self) -> &LoginOptions {
        &self.settings.options
    }

    /// Returns the address of the log-in page.
    pub(super) const fn page(&self) -> &Url {
        &self.settings.page
    }

    /// Asks for the check page, and judges it.
    pub(super) async fn check(&self, marks: &Marks) -> Result<SessionCheck, LogInProblem> {
        let answered = self.check_page().await?;
        let holds = answered.read().is_ok_and(|page| marks.holds_on(&page));
        Ok(SessionCheck { asked_at: answered.asked_at, holds })
    }

    /// Logs in. `known` are the signs of the session, if they were learned before. Returns them, and when the check
    /// page that shows the session was asked for.
    pub(super) async fn log_in(&self, known: Option<&Marks>) -> Result<(Marks, Instant), LogInProblem> {
        let before = match known {
            Some(_) => None,
            None => Some(self.check_page().await?),
        };
        let page = self.requests.log_in_page(&self.settings.page).await?;
        if page.status >= 500 || page.status == 429 || page.status == 404 {
            return Err(LogInProblem::Status { url: page.url.into(), status: page.status });
        }
        let form = self.form(&page).map_err(LogInProblem::with(page.url.as_str()))?;
        let answer = self.requests.post(form, &page.url).await?;
        if answer.status >= 500 || answer.status == 429 {
            return Err(LogInProblem::Status { url: answer.url.into(), status: answer.status });
        }
        let after = self.check_page().await?;
        match self.marks(known, before.as_ref(), &after) {
            Ok(marks) => Ok((marks, after.asked_at)),
            Err(problem) => Err(self.refused(&answer, problem, &after)),
        }
    }

    /// Finds the form of the log-in page, and fills it in.
    fn form(&self, page: &AnsweredPage) -> Result<Submission, Problem> {
        let form = find_form(&page.read()?, &self.settings.options.form)?;
        form.fill(&self.settings.credentials, &self.settings.origins)
    }

    /// Returns the signs of the session, if the check page shows it; otherwise what is wrong, if that is known.
    fn marks(
        &self,
        known: Option<&Marks>,
        before: Option<&AnsweredPage>,
        after: &AnsweredPage,
    ) -> Result<Marks, Option<Problem>> {
        let member = after.read()?;
        if let Some(known) = known {
            return if known.holds_on(&member) { Ok(known.clone()) } else { Err(None) };
        }
        let LoginOptions { member_text, member_link, .. } = &self.settings.options;
        let given = GivenMarks { text: member_text.clone(), link: member_link.clone() };
        let guest = before.ok_or(None::<Problem>)?.read()?;
        let user = self.settings.credentials.user();
        Ok(Marks::learn(&given, user, &self.settings.page, &guest, &member)?)
    }

    /// Returns why the crawl is not logged in after the form was sent: what the answer says comes first.
    fn refused(&self, answer: &AnsweredPage, problem: Option<Problem>, check: &AnsweredPage) -> LogInProblem {
        let shown = answer.read().ok().filter(Page::asks_for_password);
        let again = shown.map(|page| find_form(&page, &self.settings.options.form));
        let problem = match again {
            Some(Err(captcha @ Problem::Captcha(_))) => Some(captcha),
            Some(_) => Some(Problem::Rejected),
            None if matches!(answer.status, 401 | 403) => Some(Problem::Rejected),
            None => problem,
        };
        match problem {
            Some(problem) => LogInProblem::Page { url: answer.url.to_string(), problem },
            None => LogInProblem::NotLoggedIn { url: check.url.to_string() },
        }
    }

    async fn check_page(&self) -> Result<AnsweredPage, LogInProblem> {
        let answered = self.requests.page(&self.settings.check).await?;
        if answered.status >= 500 || answered.status == 429 {
            return Err(LogInProblem::Status { url: answered.url.into(), status: answered.status });
        }
        Ok(answered)
    }
}

fn read_password(variable: &str) -> Result<String, Error> {
    let reason = match std::env::var(variable) {
        Ok(password) if !password.is_empty() => return Ok(password),
        Ok(_) => "is empty",
        Err(std::env::VarError::NotPresent) => "is not set",
        Err(std::env::VarError::NotUnicode(_)) => "is not valid UTF-8",
    };
    Err(Error::Configuration(format!(
        "login.password_env: the environment variable {variable} {reason}; it must hold the password, for example: \
         read -rs {variable} && export {variable}"
    )))
}

fn wrong(setting: &str, value: &str, why: &dyn std::fmt::Display) -> Error {
    Error::Configuration(format!("{setting}: `{value}` cannot be used: {why}"))
}
