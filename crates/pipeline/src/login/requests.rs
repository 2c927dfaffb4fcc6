//! The requests of a log-in, through the actors of their hosts: with the host's delay, within robots.txt except for
//! what the user named, and not archived.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, ORIGIN, REFERER};
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::problem::LogInProblem;
use crate::run::subrequests::Subrequests;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Answer, PostBody};
use harvestman_core::url::{CanonicalUrl, Scope};
use harvestman_login::{Page, PasswordOrigins, Problem, Submission};
use harvestman_stages::fetch::redirect;
use harvestman_stages::host::{Subrequest, SubrequestRefusal, SubrequestReply};

/// Maximum number of redirects that are followed.
const REDIRECTS_MAX: usize = 10;
/// What a browser accepts in the place of a page. Some sites answer others without a form.
const ACCEPT_PAGE: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5";

/// Sends the requests of a log-in.
pub(crate) struct LogInRequests {
    pub(crate) subrequests: Subrequests,
    pub(crate) scope: Arc<Scope>,
    /// Who may get the password.
    pub(crate) origins: PasswordOrigins,
}

/// A page that was answered, after all redirects.
pub(crate) struct AnsweredPage {
    pub(crate) url: Url,
    pub(crate) status: u16,
    /// When it was asked for.
    pub(crate) asked_at: Instant,
    body: Bytes,
    content_type: Option<String>,
}

impl AnsweredPage {
    /// Reads the page.
    pub(crate) fn read(&self) -> Result<Page, Problem> {
        Page::read(self.url.as_str(), &self.body, self.content_type.as_deref())
    }
}

/// A request that is sent next.
struct Next {
    url: Url,
    /// The form, if it is sent.
    form: Option<Submission>,
    from: Option<Url>,
    /// Whether the user named the address.
    is_named: bool,
    /// Whether the answer has the form for the password.
    is_log_in_page: bool,
    /// Whether it follows from a form that was sent.
    is_after_form: bool,
}

impl Next {
    /// Creates a request for a page that the user did not name.
    const fn page(url: Url) -> Self {
        Self { url, form: None, from: None, is_named: false, is_log_in_page: false, is_after_form: false }
    }
}

impl LogInRequests {
    /// Fetches the log-in page. The user named its address, so that robots.txt is not asked about it. All its redirects
    /// lead to origins that may get the password: whoever sends the form decides in which field the password goes
    /// where.
    pub(crate) async fn log_in_page(&self, url: &Url) -> Result<AnsweredPage, LogInProblem> {
        self.walk(Next { is_named: true, is_log_in_page: true, ..Next::page(url.clone()) }).await
    }

    /// Fetches another page.
    pub(crate) async fn page(&self, url: &Url) -> Result<AnsweredPage, LogInProblem> {
        self.walk(Next::page(url.clone())).await
    }

    /// Sends the form of the page `from`.
    pub(crate) async fn post(&self, form: Submission, from: &Url) -> Result<AnsweredPage, LogInProblem> {
        let page = Next::page(form.url.clone());
        self.walk(Next { form: Some(form), from: Some(from.clone()), is_named: true, ..page }).await
    }

    async fn walk(&self, mut next: Next) -> Result<AnsweredPage, LogInProblem> {
        let first = next.url.to_string();
        let mut last: Option<AnsweredPage> = None;
        for _ in 0..=REDIRECTS_MAX {
            let answered = match self.answered(&next, &first).await {
                Ok(answered) => answered,
                // The form was sent. Whether it was accepted is seen by the check page.
                Err(
                    LogInProblem::NotSent { why: SubrequestRefusal::Robots, .. } | LogInProblem::LeavesScope { .. },
                ) if next.is_after_form => {
                    return last.ok_or(LogInProblem::Redirects { url: first });
                }
                Err(problem) => return Err(problem),
            };
            let (page, target) = answered;
            let Some(target) = target else { return Ok(page) };
            next = redirected(next, target, page.status, &self.origins)?;
            last = Some(page);
        }
        Err(LogInProblem::Redirects { url: first })
    }

    /// Sends one request. Returns its answer, and where that redirects to.
    async fn answered(&self, next: &Next, first: &str) -> Result<(AnsweredPage, Option<Url>), LogInProblem> {
        let url = || next.url.to_string();
        if self.scope.check(next.url.as_str()).is_err() {
            return Err(LogInProblem::LeavesScope {
                url: first.to_owned(),
                to: next.url.origin().ascii_serialization(),
            });
        }
        let (exchange, body) = match self.send(next).await {
            SubrequestReply::Answered { exchange, body } => (exchange, body),
            SubrequestReply::Refused(SubrequestRefusal::Failed(why)) => {
                return Err(LogInProblem::Unanswered { url: url(), why });
            }
            SubrequestReply::Refused(why) => return Err(LogInProblem::NotSent { url: url(), why }),
        };
        let asked_at = exchange.timings.started;
        let answer = exchange.result.map_err(|why| LogInProblem::Unanswered { url: url(), why })?;
        let (target, status) = (target(&answer, &next.url), answer.status);
        let content_type = answer.content_type().map(ToOwned::to_owned);
        Ok((AnsweredPage { url: next.url.clone(), status, asked_at, body, content_type }, target))
    }

    async fn send(&self, next: &Next) -> SubrequestReply {
        let body = next.form.as_ref().and_then(|form| {
            let content_type = HeaderValue::try_from(&form.content_type).ok()?;
            Some(PostBody { content_type, bytes: Bytes::from(form.body.clone()) })
        });
        let url = CanonicalUrl::from_canonical(next.url.as_str());
        self.subrequests.fetch(Subrequest::log_in(url, headers(next), body, next.is_named)).await
    }
}

/// Returns where an answer redirects to.
fn target(answer: &Answer, from: &Url) -> Option<Url> {
    let mut target = from.join(&redirect::target(answer.status, &answer.headers)?).ok()?;
    target.set_fragment(None);
    Some(target)
}

/// Returns the request after a redirect: 307 and 308 repeat the form, all others fetch a page. robots.txt is asked
/// about everything but the log-in page, also in another form of its address.
fn redirected(last: Next, target: Url, status: u16, origins: &PasswordOrigins) -> Result<Next, LogInProblem> {
    let is_log_in_page = last.is_log_in_page;
    if is_log_in_page {
        origins.check(&last.url, &target).map_err(LogInProblem::with(last.url.as_str()))?;
    }
    let is_after_form = last.is_after_form || last.form.is_some();
    // Sites that refuse a form lead back to its page.
    let of_form = last.from.as_ref().filter(|_| last.form.is_some());
    let is_named = last.is_named && std::iter::once(&last.url).chain(of_form).any(|url| is_same_page(url, &target));
    match last.form.filter(|_| matches!(status, 307 | 308)) {
        Some(form) => {
            let form = form.redirected(target.clone(), origins).map_err(LogInProblem::with(last.url.as_str()))?;
            Ok(Next { url: target, form: Some(form), from: last.from, is_named: true, is_after_form, is_log_in_page })
        }
        None => Ok(Next { url: target, form: None, from: Some(last.url), is_named, is_after_form, is_log_in_page }),
    }
}

fn is_same_page(one: &Url, other: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    path(one) == path(other)
}

fn headers(next: &Next) -> HeaderMap {
    let mut headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(ACCEPT_PAGE))]);
    let mut put = |name: HeaderName, value: &str| {
        // A page cannot have an address that no header can hold; a token can.
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    };
    if let Some(from) = &next.from {
        put(REFERER, from.as_str());
    }
    if let Some(form) = &next.form {
        put(ORIGIN, &form.url.origin().ascii_serialization());
        if let Some((name, token)) = &form.token_header
            && let Ok(name) = HeaderName::try_from(name.as_str())
        {
            put(name, token);
        }
    }
    headers
}
