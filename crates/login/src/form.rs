//! Finds the log-in form of a page.
//!
//! A form is one for a log-in if it has exactly one field for a password; two are a registration or a change of the
//! password. Of several, the one that looks most like a log-in counts; if that is not clear, the user decides.

use scraper::{ElementRef, Selector};
use url::Url;

use crate::controls::{Control, ControlKind, FormControls, forms};
use crate::encoding::FormEncoding;
use crate::page::{Page, normalised};
use crate::problem::Problem;

/// Parts of names of fields for the user.
const USER_NAMES: [&str; 16] = [
    "user",
    "login",
    "email",
    "e-mail",
    "mail",
    "name",
    "nick",
    "account",
    "member",
    "uid",
    "log",
    "usr",
    "identi",
    "benutzer",
    "utilisateur",
    "usuario",
];
/// Parts of names of fields that a crawler cannot fill in.
const CODE_NAMES: [&str; 8] = ["captcha", "otp", "totp", "2fa", "mfa", "one-time", "verification", "answer"];
/// Parts of attributes by which tests for humans are recognised, with what they are called.
const CAPTCHAS: [(&str, &str); 8] = [
    ("g-recaptcha", "reCAPTCHA"),
    ("recaptcha", "reCAPTCHA"),
    ("h-captcha", "hCaptcha"),
    ("hcaptcha", "hCaptcha"),
    ("cf-turnstile", "Turnstile"),
    ("frc-captcha", "Friendly Captcha"),
    ("altcha", "ALTCHA"),
    ("captcha", "captcha"),
];
/// What a form for something else calls itself.
const OTHER_FORMS: [&str; 6] = ["register", "registration", "signup", "sign-up", "join", "subscribe"];
/// What a log-in form calls itself.
const LOG_IN_FORMS: [&str; 6] = ["login", "log-in", "signin", "sign-in", "logon", "auth"];

/// A log-in form, ready to be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogInForm {
    /// The page that it is on.
    pub(crate) page: Url,
    /// Where it is sent.
    pub action: Url,
    /// The fields in order.
    pub(crate) fields: Vec<(String, FieldValue)>,
    /// How it is encoded.
    pub(crate) encoding: FormEncoding,
    /// A header with a token against forgery: name and value.
    pub(crate) token_header: Option<(String, String)>,
}

/// What a field gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldValue {
    Fixed(String),
    User,
    Password,
}

/// Finds the log-in form of a page. `selector` is the user's choice among several; empty if there is none.
///
/// # Errors
/// There is none that a crawler can send: the problem says why, and what to do.
pub fn find_form(page: &Page, selector: &str) -> Result<LogInForm, Problem> {
    let found = forms(page);
    let mut candidates: Vec<&FormControls<'_>> =
        found.forms.iter().filter(|form| form.of_kind(ControlKind::Password).count() == 1).collect();
    if !selector.is_empty() {
        let chosen = selected(page, selector)?;
        candidates.retain(|form| form.form.id() == chosen.id());
        if candidates.is_empty() {
            return Err(wrong_selector(selector, "does not name a form with one field for a password"));
        }
    }
    let best = candidates.iter().map(|form| likeness(form)).max();
    candidates.retain(|form| Some(likeness(form)) == best);
    // The same form twice: a short one in the header, a longer one on the page.
    let first = *candidates.first().ok_or(if found.has_loose_password {
        Problem::ScriptOnly("the field for the password is in no form")
    } else {
        Problem::NoForm
    })?;
    let action = |form: &FormControls<'_>| target(page, form).map(String::from);
    if candidates.iter().any(|form| action(form) != action(first)) {
        return Err(Problem::SeveralForms(
            candidates.iter().filter_map(|form| form.form.attr("action")).map(one_line).collect(),
        ));
    }
    let longest = candidates.iter().max_by_key(|form| form.controls.len()).copied().unwrap_or(first);
    read(page, longest)
}

fn wrong_selector(selector: &str, why: &'static str) -> Problem {
    Problem::Selector { selector: selector.to_owned(), why }
}

fn selected<'p>(page: &'p Page, selector: &str) -> Result<ElementRef<'p>, Problem> {
    let parsed = Selector::parse(selector).map_err(|_| wrong_selector(selector, "is not a CSS selector"))?;
    page.document().select(&parsed).next().ok_or_else(|| wrong_selector(selector, "matches nothing on the page"))
}

/// Returns how much speaks for a log-in.
fn likeness(form: &FormControls<'_>) -> i32 {
    let says = |names: &[&str]| {
        let attributes = ["action", "id", "class", "name"].map(|name| form.attr(name)).join(" ");
        names.iter().any(|name| attributes.contains(name))
    };
    let password = form.of_kind(ControlKind::Password).next();
    let purpose = password.map(|password| password.attr("autocomplete")).unwrap_or_default();
    let mut likeness = 0;
    likeness += 4 * i32::from(user_field(form).is_some());
    likeness += 2 * i32::from(purpose.contains("current-password"));
    likeness -= 4 * i32::from(purpose.contains("new-password"));
    likeness += i32::from(says(&LOG_IN_FORMS));
    likeness - 3 * i32::from(says(&OTHER_FORMS))
}

fn target(page: &Page, form: &FormControls<'_>) -> Option<Url> {
    let submit = form.of_kind(ControlKind::Submit).next();
    let own = submit.and_then(|submit| submit.element.attr("formaction"));
    page.resolve(own.or_else(|| form.form.attr("action")).unwrap_or_default())
}

/// Reads the form that was found.
fn read(page: &Page, form: &FormControls<'_>) -> Result<LogInForm, Problem> {
    if let Some(captcha) = captcha(form) {
        return Err(Problem::Captcha(captcha));
    }
    let submit = form.of_kind(ControlKind::Submit).next();
    let method = submit.map(|submit| submit.attr("formmethod")).filter(|own| !own.is_empty());
    if method.unwrap_or_else(|| form.attr("method")) != "post" {
        return Err(Problem::ScriptOnly("without them it would be sent with the password in the address"));
    }
    let password = form.of_kind(ControlKind::Password).next().ok_or(Problem::NoForm)?;
    let user = user_field(form).ok_or(Problem::NoUserField)?;
    if password.name.is_empty() || user.name.is_empty() {
        return Err(Problem::ScriptOnly("its fields have no names"));
    }
    let action = target(page, form).ok_or(Problem::ScriptOnly("its address is not one of http"))?;
    let is_same = |one: &Control<'_>, other: &Control<'_>| std::ptr::eq(one.element, other.element);
    let mut fields = Vec::new();
    for control in &form.controls {
        let value = match control.kind {
            ControlKind::Password => FieldValue::Password,
            ControlKind::Text if is_same(control, user) => FieldValue::User,
            ControlKind::Text | ControlKind::File if is_unknown(control) => {
                return Err(Problem::MoreFields(called(control)));
            }
            ControlKind::File => continue,
            // Whoever presses Enter sends the first button.
            ControlKind::Submit if !submit.is_some_and(|first| is_same(first, control)) => continue,
            ControlKind::Text | ControlKind::Fixed | ControlKind::Submit => FieldValue::Fixed(control.value.clone()),
        };
        if !control.name.is_empty() {
            fields.push((control.name.clone(), value));
        }
    }
    let (page_url, encoding) = (page.url().clone(), FormEncoding::of(page, form));
    let mut read = LogInForm { page: page_url, action, fields, encoding, token_header: None };
    add_page_token(page, &mut read);
    Ok(read)
}

/// Adds the token against forgery that the page has in its head, if the form has none of its own.
fn add_page_token(page: &Page, form: &mut LogInForm) {
    let meta = |wanted: &[&str]| {
        let mut elements = page.elements().filter(|element| element.value().name() == "meta");
        let found = elements.find(|element| {
            element.attr("name").is_some_and(|name| wanted.iter().any(|it| name.eq_ignore_ascii_case(it)))
        });
        found.and_then(|element| element.attr("content")).filter(|content| !content.is_empty()).map(ToOwned::to_owned)
    };
    let Some(token) = meta(&["csrf-token", "csrf_token", "_csrf", "_token", "xsrf-token"]) else { return };
    let header = meta(&["_csrf_header", "csrf-header"]).filter(|name| name.to_ascii_lowercase().starts_with("x-"));
    form.token_header = Some((header.unwrap_or_else(|| "x-csrf-token".to_owned()), token.clone()));
    let is_token = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.contains("csrf") || name.contains("xsrf") || name.contains("token")
    };
    if !form.fields.iter().any(|(name, _)| is_token(name)) {
        let name = meta(&["csrf-param", "_csrf_parameter"]).unwrap_or_else(|| "_token".to_owned());
        form.fields.push((name, FieldValue::Fixed(token)));
    }
}

/// Returns the field for the user: by what it is for, by its type, by its name, or the last field for text before the
/// password.
fn user_field<'f>(form: &'f FormControls<'_>) -> Option<&'f Control<'f>> {
    let password = form.controls.iter().position(|control| control.kind == ControlKind::Password)?;
    let (before, after) = form.controls.split_at(password);
    let texts = || {
        before.iter().rev().chain(after).filter(|control| control.kind == ControlKind::Text && !asks_for_code(control))
    };
    let is_for = |control: &&Control<'_>| {
        ["username", "email", "webauthn"].iter().any(|it| control.attr("autocomplete").contains(it))
    };
    let is_mail = |control: &&Control<'_>| control.attr("type") == "email";
    let is_named = |control: &&Control<'_>| {
        let (name, id) = (normalised(&control.name), control.attr("id"));
        USER_NAMES.iter().any(|it| name.contains(it) || id.contains(it))
    };
    texts().find(is_for).or_else(|| texts().find(is_mail)).or_else(|| texts().find(is_named)).or_else(|| texts().next())
}

fn asks_for_code(control: &Control<'_>) -> bool {
    let said = [normalised(&control.name), control.attr("id"), control.attr("autocomplete")].join(" ");
    CODE_NAMES.iter().any(|name| said.contains(name))
}

/// Returns whether a field must be filled in with something that is not known.
fn is_unknown(control: &Control<'_>) -> bool {
    control.value.is_empty() && (control.element.attr("required").is_some() || asks_for_code(control))
}

/// Returns what a field is called, for people.
fn called(control: &Control<'_>) -> String {
    let names = ["aria-label", "placeholder", "title"].into_iter().filter_map(|name| control.element.attr(name));
    let name = names.chain([control.name.as_str()]).map(one_line).find(|name| !name.is_empty());
    format!("`{}`", name.as_deref().unwrap_or("a field"))
}

/// Returns a text of the page without line breaks, which would end the line of a message.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the test for humans that a form has.
fn captcha(form: &FormControls<'_>) -> Option<&'static str> {
    let inside = form.form.descendants().filter_map(ElementRef::wrap);
    inside.map(|element| element.value()).find_map(|element| {
        let is_loaded = matches!(element.name(), "script" | "iframe" | "img");
        let names: &[&str] = if is_loaded { &["src", "class", "id"] } else { &["class", "id", "name", "data-sitekey"] };
        let said =
            names.iter().filter_map(|name| element.attr(name)).collect::<Vec<_>>().join(" ").to_ascii_lowercase();
        CAPTCHAS.iter().find(|(part, _)| said.contains(part) || element.name().contains(part)).map(|(_, name)| *name)
    })
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
