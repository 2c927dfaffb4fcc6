//! Settings of a log-in by a form.

use super::Period;

crate::options! {
    /// A log-in by the form of the site: the crawl sees what a member sees. What ends the session or changes something
    /// is not followed (`login.avoid`).
    pub struct LoginOptions in "login" {
        /// The address of the log-in page, which must belong to the crawl. The form is found there. Empty: no log-in.
        url: String = String::new(),
        /// The name or mail address of the user.
        user: String = String::new(),
        /// The environment variable with the password. The password itself is never written anywhere. The name must not
        /// begin with `HARVESTMAN_`, as such variables are settings.
        password_env: String = String::new(),
        /// The form, as a CSS selector such as `form#login`, if the page has several. Empty: the one that looks like a
        /// log-in.
        form: String = String::new(),
        /// The address of a page by which the session is checked, on the host that is crawled. It must look different
        /// to members, and robots.txt must allow it. Empty: the first seed.
        check: String = String::new(),
        /// A text that only members see, on every page: whether the session holds is told by it. Empty, with an empty
        /// `member_link`: learned from the check page before and after the log-in.
        member_text: String = String::new(),
        /// A part of the address of a link or form that only members see, on every page, such as `/logout`. Empty, with
        /// an empty `member_text`: learned.
        member_link: String = String::new(),
        /// Whether links are left out that end the session, or that change something for members: those by the address,
        /// the text or the relation of the link, and those that carry a token against forgery. Also applies to a crawl
        /// with `fetch.cookie` or `fetch.cookies_file`.
        avoid: bool = true,
        /// Number of log-ins in a row that are tried when the session is lost. After that the host waits until the
        /// crawl is resumed. The log-in at the start is tried once. Raising it may lock the account, if the site counts
        /// failures.
        tries: u32 = 3,
        /// Time until the second try; it doubles with each further one.
        backoff: Period = Period::secs(60),
        /// How long an answer without a sign of the session (an image, a redirect, a page without the usual frame)
        /// waits at most for the next sign of it before the session is checked; eight such answers wait together.
        unsure_time: Period = Period::secs(15),
    }
}

impl LoginOptions {
    /// Returns whether the crawl logs in.
    pub const fn is_on(&self) -> bool {
        !self.url.is_empty()
    }
}
