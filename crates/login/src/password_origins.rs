//! Who may get the password.

use url::{Origin, Url};

use crate::problem::Problem;

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
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn only_origins_that_the_user_named_get_the_password() {
        let origins =
            PasswordOrigins::new(&url("https://h.test/login"), [url("https://sso.test:8443"), url("http://h.test")]);
        let check = |from: &str, to: &str| origins.check(&url(from), &url(to));
        for to in ["https://h.test/in", "https://h.test:443/", "https://sso.test:8443/x"] {
            assert_eq!(check("https://h.test/login", to), Ok(()), "{to}");
        }
        for (to, origin) in [
            ("https://h.test:8443/in", "https://h.test:8443"),
            ("https://sso.test/x", "https://sso.test"),
            ("https://other.test/", "https://other.test"),
            ("https://www.h.test/", "https://www.h.test"),
        ] {
            assert_eq!(check("https://h.test/login", to), Err(Problem::Address(origin.to_owned())));
        }
    }

    #[test]
    fn the_password_never_leaves_a_protected_connection() {
        // Even where both addresses are named.
        let origins = PasswordOrigins::new(&url("http://h.test/login"), [url("https://h.test")]);
        assert_eq!(origins.check(&url("http://h.test/login"), &url("https://h.test/login")), Ok(()));
        let down = origins.check(&url("https://h.test/login"), &url("http://h.test/login"));
        assert_eq!(down, Err(Problem::Unprotected("http://h.test".to_owned())));
    }
}
