//! What must hold for any bytes, one function for each fuzz target. `tests/fuzz_corpora.rs` runs them on the seeds and
//! on variants of these.

mod files;
mod http;
mod messages;
mod pages;

/// A check: it panics if something does not hold.
pub type Check = fn(&[u8]);

/// Every target with its check. The folder of its seeds has its name.
pub const CHECKS: &[(&str, Check)] = &[
    ("canonicalise", pages::canonicalise),
    ("codings", http::codings),
    ("cookie_file", files::cookie_file),
    ("fleet_messages", messages::fleet_messages),
    ("browser_messages", messages::browser_messages),
    ("html_parse", pages::html_parse),
    ("log_in_form", pages::log_in_form),
    ("posts", pages::posts),
    ("robots", files::robots),
    ("search_answer", pages::search_answer),
    ("set_cookie", http::set_cookie),
    ("site_model", files::site_model),
    ("sitemap", files::sitemap),
    ("state_record", files::state_record),
    ("structured_fields", http::structured_fields),
    ("tdmrep", files::tdmrep),
    ("warc_read", files::warc_read),
];

/// Runs the check of a target.
pub fn run(name: &str, bytes: &[u8]) {
    let check = CHECKS.iter().find(|(known, _)| *known == name).map(|(_, check)| check);
    check.unwrap_or_else(|| panic!("no check is called {name}"))(bytes);
}
