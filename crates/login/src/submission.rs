//! Fills in a log-in form, if its address may get the password.

use std::fmt;

use url::{Origin, Url};

use crate::form::{FieldValue, LogInForm};
use crate::problem::Problem;

/// What a user logs in with. Its debug output has no password.
#[derive(Clone)]
pub struct Credentials {
    user: String,
    password: String,
}

impl Credentials {
    /// Takes the name of the user and the password.
    pub const fn new(user: String, password: String) -> Self {
        Self { user, password }
    }

    /// Returns the name of the user.
    pub fn user(&self) -> &str {
        &self.user
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

/// A form that is filled in: the request by POST that sends it. Its debug output has no body.
#[derive(Clone, PartialEq, Eq)]
pub struct Submission {
    /// Where it is sent.
    pub url: Url,
    /// The media type of the body.
    pub content_type: String,
    /// The body, which has the password.
    pub body: Vec<u8>,
    /// A header with a token against forgery: name and value.
    pub token_header: Option<(String, String)>,
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

impl Submission {
    /// Returns the same request for the address that it is redirected to.
    ///
    /// # Errors
    /// The password must not go there.
    pub fn redirected(&self, to: Url, origins: &PasswordOrigins) -> Result<Self, Problem> {
        origins.check(&self.url, &to)?;
        Ok(Self { url: to, ..self.clone() })
    }
}

impl LogInForm {
    /// Fills in the form.
    ///
    /// # Errors
    /// The password must not go where the form is sent.
    pub fn fill(&self, credentials: &Credentials, origins: &PasswordOrigins) -> Result<Submission, Problem> {
        origins.check(&self.page, &self.action)?;
        let fields = self.fields.iter().map(|(name, value)| (name.as_str(), self.value(name, value, credentials)));
        let (content_type, body) = self.encoding.encode(&fields.collect::<Vec<_>>());
        Ok(Submission { url: self.action.clone(), content_type, body, token_header: self.token_header.clone() })
    }

    fn value<'v>(&'v self, name: &str, value: &'v FieldValue, credentials: &'v Credentials) -> &'v str {
        match value {
            // The standard's own field, by which a server learns the charset.
            FieldValue::Fixed(_) if name == "_charset_" => self.encoding.charset(),
            FieldValue::Fixed(value) => value,
            FieldValue::User => &credentials.user,
            FieldValue::Password => &credentials.password,
        }
    }
}

/// The origins (scheme, host and port) that may get the password: that of the log-in page as the user named it, and
/// those that the user adds. What a page or a redirect says does not add any.
#[derive(Debug, Clone)]
pub struct PasswordOrigins(Vec<Origin>);

impl PasswordOrigins {
    /// Takes the address of the log-in page and the added ones.
    pub fn new(page: &Url, added: impl IntoIterator<Item = Url>) -> Self {
        Self(std::iter::once(page.origin()).chain(added.into_iter().map(|url| url.origin())).collect())
    }

    /// Checks one step of a log-in: a redirect of its page, or the way of its form, from one address to the next.
    ///
    /// # Errors
    /// The password must not get there: to another origin, or from a protected connection to an unprotected one.
    pub fn check(&self, from: &Url, to: &Url) -> Result<(), Problem> {
        let origin = to.origin();
        if from.scheme() == "https" && to.scheme() != "https" {
            return Err(Problem::Unprotected(origin.ascii_serialization()));
        }
        if self.0.contains(&origin) { Ok(()) } else { Err(Problem::Address(origin.ascii_serialization())) }
    }
}

#[cfg(test)]
#[path = "submission_tests.rs"]
mod tests;
