//! Links that a member must not follow: they end the session, or change something.
//!
//! An address tells by the words at the places where software names actions: the last segment of the path, and
//! parameters such as `action`. A link also tells by its text, its relation, and by a token against forgery that the
//! page holds in its forms: links with such a token change something, otherwise they would not need it.

use std::collections::BTreeMap;

use url::{Url, form_urlencoded};

use crate::page::{Page, PageTarget, looks_like_token};
use harvestman_core::model::PolicyRefusal;

/// Maximum number of parameters of an address that are looked at.
const PARAMETERS_MAX: usize = 64;
/// Names of the end of a session, without separators, in lower case.
const LOG_OUT: [&str; 24] = [
    "logout",
    "logoff",
    "signout",
    "signoff",
    "userlogout",
    "endsession",
    "abmelden",
    "ausloggen",
    "deconnexion",
    "déconnexion",
    "cerrarsesion",
    "cerrarsesión",
    "desconectar",
    "disconnetti",
    "esci",
    "sair",
    "uitloggen",
    "afmelden",
    "wyloguj",
    "odhlasit",
    "loggaut",
    "kijelentkezes",
    "выход",
    "выйти",
];
/// Texts of links that end a session.
const LOG_OUT_TEXTS: [&str; 44] = [
    "log out",
    "logout",
    "log off",
    "logoff",
    "sign out",
    "signout",
    "sign off",
    "abmelden",
    "ausloggen",
    "déconnexion",
    "se déconnecter",
    "deconnexion",
    "cerrar sesión",
    "cerrar sesion",
    "desconectar",
    "desconectarse",
    "salir",
    "esci",
    "disconnetti",
    "disconnettiti",
    "sair",
    "terminar sessão",
    "uitloggen",
    "afmelden",
    "wyloguj",
    "wyloguj się",
    "odhlásit",
    "odhlásit se",
    "kijelentkezés",
    "logga ut",
    "logg ut",
    "log ud",
    "kirjaudu ulos",
    "çıkış",
    "çıkış yap",
    "выход",
    "выйти",
    "вийти",
    "ログアウト",
    "退出登录",
    "登出",
    "로그아웃",
    "تسجيل الخروج",
    "đăng xuất",
];
/// Parameters that name an action, besides those that are one.
const ACTION_PARAMETERS: [&str; 15] =
    ["action", "act", "mode", "do", "op", "cmd", "task", "sa", "a", "view", "page", "title", "area", "route", "func"];
/// Actions that change something, without separators.
const CHANGES: [&str; 27] = [
    "delete",
    "remove",
    "report",
    "vote",
    "upvote",
    "downvote",
    "like",
    "unlike",
    "thank",
    "thanks",
    "markread",
    "markasread",
    "markallread",
    "markallasread",
    "subscribe",
    "unsubscribe",
    "watch",
    "unwatch",
    "follow",
    "unfollow",
    "ban",
    "unban",
    "ignore",
    "unignore",
    "approve",
    "disapprove",
    "quickmod",
];
/// Parameters that hold a token against forgery, without separators.
const TOKEN_PARAMETERS: [&str; 15] = [
    "csrf",
    "csrftoken",
    "csrfmiddlewaretoken",
    "xsrf",
    "xsrftoken",
    "authenticitytoken",
    "token",
    "securitytoken",
    "logouthash",
    "formhash",
    "formkey",
    "wpnonce",
    "nonce",
    "sesc",
    "sesskey",
];
/// Segments before the name of a tag, which may be any word.
const TAG_SEGMENTS: [&str; 6] = ["tag", "tags", "tagged", "label", "labels", "search"];

/// Returns why a member must not follow a link to this path and query of an absolute address; `None` if the address
/// does not tell.
pub fn avoided_address(path_and_query: &str) -> Option<PolicyRefusal> {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let segments: Vec<String> = path.split('/').filter(|segment| !segment.is_empty()).map(decoded).collect();
    let last = segments.last().map(|last| name_of(last)).unwrap_or_default();
    let before = segments.len().checked_sub(2).and_then(|at| segments.get(at));
    let is_tag = before.is_some_and(|before| TAG_SEGMENTS.contains(&before.as_str()));
    let parameters = || parameters(query).take(PARAMETERS_MAX);
    let is_action = |names: &[&str]| {
        parameters().any(|(key, value)| {
            let is_named = ACTION_PARAMETERS.contains(&key.as_str()) && names.contains(&name_of(&value).as_str());
            is_named || names.contains(&joined(&key).as_str())
        })
    };
    if LOG_OUT.contains(&last.as_str()) && !is_tag || is_action(&LOG_OUT) {
        return Some(PolicyRefusal::LogOut);
    }
    let has_token =
        parameters().any(|(key, value)| !value.is_empty() && TOKEN_PARAMETERS.contains(&joined(&key).as_str()));
    // What is changed is one of many.
    let is_about_one = segments.iter().any(|segment| segment.bytes().any(|byte| byte.is_ascii_digit()));
    let changes = has_token || is_action(&CHANGES) || is_about_one && CHANGES.contains(&last.as_str());
    changes.then_some(PolicyRefusal::MemberAction)
}

/// Returns a path and query without what differs from page to page or from session to session: tokens become `*`.
pub fn neutral_address(path_and_query: &str) -> String {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let is_token = |part: &str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        part.len() >= 16 && part.bytes().all(|byte| byte.is_ascii_alphanumeric()) && digits > 0 && digits < part.len()
    };
    let segments = path.split('/').map(|segment| if is_token(segment) { "*" } else { segment });
    let mut address = segments.collect::<Vec<_>>().join("/");
    let neutral = |text: &str| if looks_like_token(text) { "*".to_owned() } else { text.to_owned() };
    for (number, (key, value)) in parameters(query).take(PARAMETERS_MAX).enumerate() {
        address.push(if number == 0 { '?' } else { '&' });
        address.push_str(&neutral(&key));
        if !value.is_empty() {
            address.push('=');
            address.push_str(&neutral(&value));
        }
    }
    address
}

/// Returns the path of an address and those of its parameters that name an action, so that it is the same in each
/// session.
pub(crate) fn action_address(url: &Url) -> String {
    let mut address = neutral_address(url.path());
    for (key, value) in parameters(url.query().unwrap_or_default()).take(PARAMETERS_MAX) {
        if ACTION_PARAMETERS.contains(&key.as_str()) {
            address.push_str(&format!("?{key}={value}"));
        } else if LOG_OUT.contains(&joined(&key).as_str()) {
            address.push_str(&format!("?{key}"));
        }
    }
    address
}

impl Page {
    /// Returns the absolute addresses, without fragments, of the links of the page that a member must not follow, with
    /// the reasons.
    pub fn avoided_links(&self) -> BTreeMap<String, PolicyRefusal> {
        let tokens = self.tokens();
        let has_token = |url: &Url| {
            let query = url.query().unwrap_or_default();
            !query.is_empty()
                && parameters(query).take(PARAMETERS_MAX).any(|(_, value)| tokens.contains(value.as_str()))
        };
        let why = |target: &PageTarget| {
            if is_log_out(target) {
                return Some(PolicyRefusal::LogOut);
            }
            let url = Url::parse(&target.url).ok()?;
            has_token(&url).then_some(PolicyRefusal::MemberAction)
        };
        self.targets()
            .into_iter()
            .filter(|target| !target.is_form)
            .filter_map(|target| Some((target.url.clone(), why(&target)?)))
            .collect()
    }
}

/// Returns whether a link or a form ends the session, by its text, relation or address.
pub(crate) fn is_log_out(target: &PageTarget) -> bool {
    let address = Url::parse(&target.url).ok().map(|url| path_and_query(&url));
    target.is_log_out_relation
        || target.label.lines().any(is_log_out_text)
        || address.is_some_and(|address| avoided_address(&address) == Some(PolicyRefusal::LogOut))
}

/// Returns whether a text is the name of the end of a session, perhaps with the name of the user in brackets.
fn is_log_out_text(text: &str) -> bool {
    let text = text.trim_matches(|symbol: char| !symbol.is_alphanumeric());
    LOG_OUT_TEXTS.iter().any(|name| {
        let rest = text.strip_prefix(name).map(str::trim_start);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '(', '«']))
    })
}

/// Returns path and query of an address.
pub(crate) fn path_and_query(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

/// Returns the parameters of a query, decoded, keys in lower case. Some software separates them by semicolons.
fn parameters(query: &str) -> impl Iterator<Item = (String, String)> {
    let parts = query.split(['&', ';']).filter(|part| !part.is_empty());
    parts.filter_map(|part| {
        let (key, value) = form_urlencoded::parse(part.as_bytes()).next()?;
        Some((key.to_lowercase(), value.into_owned()))
    })
}

/// Returns a segment of a path, decoded, in lower case.
fn decoded(segment: &str) -> String {
    // A plus is no space in a path.
    let segment = segment.replace('+', "%2B");
    form_urlencoded::parse(segment.as_bytes()).next().map(|(text, _)| text.to_lowercase()).unwrap_or_default()
}

/// Returns what the last part of a text names, without separators: `/user/log-out.php` and `Special:LogOut` are
/// `logout`.
fn name_of(text: &str) -> String {
    let last = text
        .trim_end_matches('/')
        .rsplit(['/', ':', '.'])
        .find(|part| !["php", "html", "htm", "aspx", "jsp", "do", "cgi"].contains(part));
    joined(&last.unwrap_or_default().to_lowercase())
}

fn joined(text: &str) -> String {
    text.chars().filter(|symbol| !matches!(symbol, '-' | '_' | ' ')).collect()
}

#[cfg(test)]
#[path = "avoided_tests.rs"]
mod tests;
