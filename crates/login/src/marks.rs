//! What distinguishes pages that are sent to a member from those that are sent to guests.
//!
//! The user may say what only members see. Otherwise it is learned from one page before and after the log-in: a link or
//! form that ends the session, or the name of the user; and for guests the links that are only there before. A page
//! that has a sign of both is in doubt, because users write links to log-in pages, too; then the check page decides.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::avoided::{action_address, is_log_out, neutral_address, path_and_query};
use crate::page::{Page, PageTarget, looks_like_token, normalised};
use crate::problem::Problem;

/// Maximum number of signs of each kind.
const SIGNS_MAX: usize = 32;
/// Texts of links that only guests need.
const LOG_IN_TEXTS: [&str; 24] = [
    "log in",
    "login",
    "sign in",
    "signin",
    "log on",
    "register",
    "sign up",
    "create account",
    "join",
    "anmelden",
    "einloggen",
    "registrieren",
    "connexion",
    "se connecter",
    "s'inscrire",
    "iniciar sesión",
    "entrar",
    "accedi",
    "inloggen",
    "zaloguj",
    "войти",
    "вход",
    "ログイン",
    "登录",
];

/// What an answer shows of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It was sent to a member.
    Member,
    /// It looks like what guests are sent.
    Guest,
    /// It does not show it: an image, a redirect, a page without the usual frame.
    None,
}

/// What only members see, as given by the user. Empty texts are not given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenMarks {
    /// A text.
    pub text: String,
    /// A part of the address of a link or form.
    pub link: String,
}

impl GivenMarks {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.link.is_empty()
    }

    fn is_on(&self, page: &Page, targets: &BTreeSet<PageTarget>) -> bool {
        let has_text = !self.text.is_empty() && page.text().contains(&normalised(&self.text));
        has_text || !self.link.is_empty() && targets.iter().any(|target| target.url.contains(&self.link))
    }
}

/// The signs of members and guests on one site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    given: GivenMarks,
    /// Addresses of links and forms that end the session, as far as they are the same in each session.
    log_out: Vec<String>,
    /// Addresses of links that are called as the user is. They count where nothing tells guests.
    own: Vec<String>,
    /// The name of the user, if nothing else is known. It counts on the check page only, as others may see it
    /// elsewhere.
    user: Option<String>,
    /// Addresses that only guests are led to.
    guest: Vec<GuestAddress>,
}

/// An address that guests are led to: that of the log-in page, of a registration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct GuestAddress {
    path: String,
    /// Parameters that it has among others, such as `mode=login`.
    parameters: Vec<(String, String)>,
}

impl GuestAddress {
    fn of(url: &Url) -> Self {
        let parameters =
            url.query_pairs().into_owned().filter(|(key, value)| !is_return(key) && !looks_like_token(value));
        Self { path: url.path().trim_end_matches('/').to_owned(), parameters: parameters.take(SIGNS_MAX).collect() }
    }

    fn matches(&self, url: &Url) -> bool {
        let has =
            |wanted: &(String, String)| url.query_pairs().any(|(key, value)| key == wanted.0 && value == wanted.1);
        self.path == url.path().trim_end_matches('/') && self.parameters.iter().all(has)
    }
}

impl Marks {
    /// Learns the signs from the check page as a guest and as a member sees it. `log_in` is the address of the log-in
    /// page.
    ///
    /// # Errors
    /// Nothing distinguishes the pages, or what the user gave does not.
    pub fn learn(given: &GivenMarks, user: &str, log_in: &Url, before: &Page, after: &Page) -> Result<Self, Problem> {
        let (as_guest, as_member) = (before.targets(), after.targets());
        let mut marks =
            Self { given: given.clone(), log_out: Vec::new(), own: Vec::new(), user: None, guest: Vec::new() };
        let only = |targets: &BTreeSet<PageTarget>, others: &BTreeSet<PageTarget>| -> Vec<PageTarget> {
            let known: BTreeSet<String> = others.iter().map(|target| neutral(&target.url)).collect();
            targets.iter().filter(|target| !known.contains(&neutral(&target.url))).cloned().collect()
        };
        let guests_only = only(&as_guest, &as_member);
        let log_ins = guests_only.iter().filter(|target| target.label.lines().any(|text| LOG_IN_TEXTS.contains(&text)));
        let log_ins = log_ins.filter_map(|target| Url::parse(&target.url).ok());
        let members: Vec<Url> = as_member.iter().filter_map(|target| Url::parse(&target.url).ok()).collect();
        for guest in std::iter::once(log_in.clone()).chain(log_ins).map(|url| GuestAddress::of(&url)) {
            // One script may do everything: what members are led to, too, is no sign.
            let is_sign =
                !guest.path.is_empty() && !guest.matches(after.url()) && !members.iter().any(|url| guest.matches(url));
            if is_sign && marks.guest.len() < SIGNS_MAX && !marks.guest.contains(&guest) {
                marks.guest.push(guest);
            }
        }
        if !given.is_empty() {
            return marks.verified(before, after);
        }
        let members_only = only(&as_member, &as_guest);
        let addresses = |is_sign: &dyn Fn(&PageTarget) -> bool| -> Vec<String> {
            let signs = members_only.iter().filter(|target| is_sign(target)).map(|target| neutral(&target.url));
            signs.collect::<BTreeSet<_>>().into_iter().take(SIGNS_MAX).collect()
        };
        // A parameter may hold the session itself. Without it, the address must not be one that guests have, too.
        let of_guests: BTreeSet<String> = as_guest.iter().map(|target| action_address_of(&target.url)).collect();
        let ends = members_only.iter().filter(|target| is_log_out(target)).map(|target| action_address_of(&target.url));
        let ends: BTreeSet<String> = ends.filter(|address| !of_guests.contains(address)).collect();
        marks.log_out = ends.into_iter().take(SIGNS_MAX).collect();
        if marks.log_out.is_empty() {
            marks.log_out = addresses(&is_log_out);
        }
        let user = normalised(user);
        // Only where every page tells guests: pages may show the same link where the user has written.
        if marks.is_guest(before, &as_guest) {
            marks.own = addresses(&|target| target.label.lines().any(|label| label == user));
        }
        let shows_user = |page: &Page| has_word(&page.text(), &user);
        marks.user = (shows_user(after) && !shows_user(before)).then_some(user.clone());
        if marks.log_out.is_empty() && marks.user.is_none() {
            return Err(Problem::NoMark(after.url().to_string()));
        }
        Ok(marks)
    }

    /// Checks what the user gave.
    fn verified(self, before: &Page, after: &Page) -> Result<Self, Problem> {
        if self.given.is_on(before, &before.targets()) {
            return Err(Problem::WrongMark("guests see what only members should"));
        }
        if !self.given.is_on(after, &after.targets()) {
            return Err(Problem::WrongMark("after the log-in, nothing that only members see is on the check page"));
        }
        Ok(self)
    }

    /// Judges the check page.
    pub fn holds_on(&self, check: &Page) -> bool {
        let targets = check.targets();
        let shows_user = || self.user.as_ref().is_some_and(|user| has_word(&check.text(), user));
        self.is_member(check, &targets) || self.given.is_empty() && shows_user() && !self.is_guest(check, &targets)
    }

    /// Judges any page of the site.
    pub fn evidence(&self, page: &Page) -> Evidence {
        let targets = page.targets();
        match (self.is_guest(page, &targets), self.is_member(page, &targets)) {
            (true, _) => Evidence::Guest,
            (false, true) => Evidence::Member,
            (false, false) => Evidence::None,
        }
    }

    /// Judges a redirect to an absolute address.
    pub fn evidence_of_redirect(&self, target: &Url) -> Evidence {
        if self.leads_to_log_in(target) { Evidence::Guest } else { Evidence::None }
    }

    fn is_member(&self, page: &Page, targets: &BTreeSet<PageTarget>) -> bool {
        if !self.given.is_empty() {
            return self.given.is_on(page, targets);
        }
        targets.iter().any(|target| {
            let (address, action) = (neutral(&target.url), action_address_of(&target.url));
            self.log_out.contains(&address) || self.log_out.contains(&action) || self.own.contains(&address)
        })
    }

    fn is_guest(&self, page: &Page, targets: &BTreeSet<PageTarget>) -> bool {
        page.asks_for_password()
            || targets.iter().filter_map(|target| Url::parse(&target.url).ok()).any(|url| self.leads_to_log_in(&url))
    }

    fn leads_to_log_in(&self, target: &Url) -> bool {
        self.guest.iter().any(|guest| guest.matches(target))
    }
}

/// Returns whether a parameter names the page to return to.
fn is_return(key: &str) -> bool {
    let key = key.to_lowercase();
    [
        "next",
        "return",
        "returnto",
        "return_to",
        "returnurl",
        "return_url",
        "redirect",
        "redirect_to",
        "url",
        "continue",
        "goto",
        "from",
        "r",
    ]
    .contains(&key.as_str())
}

/// Returns the path and the action of an address.
fn action_address_of(url: &str) -> String {
    Url::parse(url).map_or_else(|_| url.to_owned(), |url| action_address(&url))
}

/// Returns path and query of an address without tokens. The end of a session often names the page to return to.
fn neutral(url: &str) -> String {
    let Ok(parsed) = Url::parse(url) else { return url.to_owned() };
    let mut kept = parsed.clone();
    let pairs: Vec<(String, String)> = parsed.query_pairs().into_owned().filter(|(key, _)| !is_return(key)).collect();
    if pairs.len() < parsed.query_pairs().count() {
        kept.set_query(None);
        if !pairs.is_empty() {
            kept.query_pairs_mut().extend_pairs(pairs);
        }
    }
    neutral_address(&path_and_query(&kept))
}

/// Returns whether a text has a word, not only a part of one.
fn has_word(text: &str, word: &str) -> bool {
    let is_end = |symbol: Option<char>| symbol.is_none_or(|symbol| !symbol.is_alphanumeric());
    !word.is_empty()
        && text
            .match_indices(word)
            .any(|(at, _)| is_end(text[..at].chars().next_back()) && is_end(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod tests;
