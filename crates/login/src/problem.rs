//! Why a log-in is not possible, and what a user can do about it.

/// What to do where a form cannot be sent by a crawler.
const USE_COOKIES: &str = "log in with a browser and pass its cookies (`--cookies FILE`)";

/// Why a log-in is not possible. The texts say what to do, and contain no password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The page cannot be read within the bounds.
    #[error("the page is too large or too deeply nested to be read; {USE_COOKIES}")]
    Unreadable,
    /// The page has no form with a password.
    #[error(
        "the page has no form with a field for a password: check `--login`, and whether the page shows its form without scripts; otherwise {USE_COOKIES}"
    )]
    NoForm,
    /// Scripts make or send the form.
    #[error("scripts of the page send its form ({0}), which a crawler does not do; {USE_COOKIES}")]
    ScriptOnly(&'static str),
    /// Several forms look alike.
    #[error("the page has {} forms with a password: choose one by a CSS selector, such as `--set 'login.form=form[action=\"{}\"]'`; their addresses are {}", .0.len(), .0.first().map_or("", String::as_str), .0.join(", "))]
    SeveralForms(Vec<String>),
    /// The selector of the settings does not name a form with a password.
    #[error("`login.form` ({selector}) {why}")]
    Selector {
        /// As given.
        selector: String,
        /// What is wrong.
        why: &'static str,
    },
    /// The form has no field for the user.
    #[error("the form has no field for the name of the user, so the log-in takes several steps; {USE_COOKIES}")]
    NoUserField,
    /// The form asks for more than user and password.
    #[error("the form also asks for {0}, which a crawler cannot know; {USE_COOKIES}")]
    MoreFields(String),
    /// The form has a test for humans.
    #[error("the form has a test for humans ({0}), which a crawler does not solve; {USE_COOKIES}")]
    Captcha(&'static str),
    /// The log-in leads to an origin that the user did not name.
    #[error(
        "the log-in leads to {0}, which you have not named: the password is not sent there. If it is meant for {0}, name its log-in page (`--login`) or add it to `fetch.credential_origins`; otherwise {USE_COOKIES}"
    )]
    Address(String),
    /// The log-in leads from a protected connection to an unprotected one.
    #[error(
        "the log-in leads from https to {0}, where others can read the password: it is not sent. Tell the operator of the site, and name an https address of the log-in page (`--login`); otherwise {USE_COOKIES}"
    )]
    Unprotected(String),
    /// The site showed the form again.
    #[error(
        "the site does not accept the user and the password: check `--user`, and the variable that `--password-env` names"
    )]
    Rejected,
    /// Nothing distinguishes members from guests.
    #[error(
        "nothing on {0} tells whether the crawl is logged in: the log-in failed, or members see the same there. Name a page that differs (`login.check`), or a text or link that only members see (`login.member_text`, `login.member_link`)"
    )]
    NoMark(String),
    /// What the user says that members see is seen by guests too, or not by members.
    #[error(
        "{0}: give a text (`login.member_text`) or a part of the address of a link (`login.member_link`) that only members see"
    )]
    WrongMark(&'static str),
}
