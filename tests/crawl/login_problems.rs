//! Log-ins that are not possible: the crawl does not begin, and the message says what to do.

use super::forum::{FORM, Forum, Rules};
use super::login::run;
use harvestman::config::Config;

/// The message of a crawl that cannot log in at a page with this content in place of the form. No page of the forum is
/// fetched but the check page.
fn message(form: &str, change: impl FnOnce(&mut Config)) -> String {
    let forum = Forum::start(Rules { form: form.to_owned(), ..Rules::default() });
    let mut config = forum.config();
    change(&mut config);
    let error = run(config).expect_err("nobody can log in").to_string();
    assert_eq!((forum.asked("/topic"), forum.asked("/private")), (0, 0), "{error}");
    assert!(forum.asked("/") <= 8, "{:?}", forum.server.paths("one"));
    let password = std::env::var(super::forum::PASSWORD_ENV).unwrap();
    assert!(!error.contains(&password));
    error
}

fn unchanged(_: &mut Config) {}

fn assert_says(message: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
}

#[test]
fn a_wrong_password_is_said() {
    let error = message(FORM, |config| config.login.user = "somebody".to_owned());
    assert_says(&error, &["does not accept the user and the password", "--password-env", "harvestman resume"]);
}

#[test]
fn a_test_for_humans_is_said_and_the_form_not_sent() {
    let form = FORM.replace("<button", "<div class=g-recaptcha data-sitekey=x></div><button");
    assert_says(&message(&form, unchanged), &["test for humans (reCAPTCHA)", "--cookies"]);
}

#[test]
fn a_page_without_a_form_is_said() {
    assert_says(&message("<p>Nothing here</p>", unchanged), &["no form with a field for a password", "--login"]);
}

#[test]
fn two_forms_are_said_and_one_can_be_chosen() {
    let two = format!("{}{FORM}", FORM.replace("/login/in", "/other/login").replace("<form", "<form id=other"));
    assert_says(&message(&two, unchanged), &["2 forms with a password", "login.form", "/other/login"]);
    let forum = Forum::start(Rules { form: two, ..Rules::default() });
    let mut config = forum.config();
    config.login.form = "form[action=\"/login/in\"]".to_owned();
    run(config).unwrap();
    assert_eq!(forum.log_ins(), 1);
}

#[test]
fn a_form_that_scripts_send_is_said() {
    let form = "<div id=login><input name=username><input type=password name=password><button onclick='go()'>Log in</button></div>";
    assert_says(&message(form, unchanged), &["scripts of the page send its form", "--cookies"]);
}

#[test]
fn a_page_of_ten_megabytes_is_read_or_refused_within_bounds() {
    // Text is no matter.
    let long = format!("<!-- {} -->{FORM}", "x".repeat(10 << 20));
    let forum = Forum::start(Rules { form: long, ..Rules::default() });
    run(forum.config()).unwrap();
    assert_eq!(forum.log_ins(), 1);
    // Ten megabytes of elements are too much.
    let many = format!("{}{FORM}", "<i>".repeat((10 << 20) / 3));
    assert_says(&message(&many, unchanged), &["too large or too deeply nested", "--cookies"]);
}

#[test]
fn a_site_that_is_down_or_leads_elsewhere_is_said() {
    assert_says(&message(FORM, |config| config.login.url += "-missing"), &["404"]);
    assert_says(
        &message(FORM, |config| config.login.url = "https://other.test/login".to_owned()),
        &["does not belong to the crawl"],
    );
}

#[test]
fn a_log_in_that_nothing_shows_is_said() {
    let error = message(FORM, |config| config.login.check = config.login.url.replace("/login", "/print/1?nothing"));
    // The page differs for members, but by no sign that is known.
    assert_says(&error, &["login.check", "login.member_text"]);
}

#[test]
fn a_missing_password_is_said_before_anything_is_done() {
    let error = message(FORM, |config| config.login.password_env = "NO_SUCH_VARIABLE_IS_SET".to_owned());
    assert_says(&error, &["NO_SUCH_VARIABLE_IS_SET is not set", "read -rs"]);
}

/// A log-in whose page or form redirects to another host, which is in the scope.
fn elsewhere(redirects: &[(&'static str, u16, &'static str)], added: &[&str]) -> (Forum, Result<(), String>) {
    let forum = Forum::start(Rules { redirects: redirects.to_vec(), ..Rules::default() });
    let mut config = forum.config();
    let port = forum.url("").rsplit(':').next().unwrap_or_default().to_owned();
    config.fetch.credential_origins = added.iter().map(|origin| format!("{origin}:{port}")).collect();
    let result = run(config).map(drop).map_err(|error| error.to_string());
    (forum, result)
}

#[test]
fn the_password_is_not_sent_to_an_origin_that_the_user_did_not_name() {
    for redirects in [
        // The log-in page, at once and after a hop, and the form.
        &[("one/login", 302, "http://sso.localhost:{port}/login")][..],
        &[("one/login", 302, "/moved"), ("one/moved", 301, "http://sso.localhost:{port}/login")],
        &[("one/login/in", 307, "http://sso.localhost:{port}/login/in")],
    ] {
        let (forum, result) = elsewhere(redirects, &[]);
        let error = result.expect_err("the log-in leads elsewhere");
        assert_says(&error, &["http://sso.localhost:", "not named", "fetch.credential_origins", "--login"]);
        assert!(forum.server.paths("sso").is_empty(), "{redirects:?}: {:?}", forum.server.paths("sso"));
        assert_eq!(forum.log_ins(), 0);
    }
}

#[test]
fn the_password_is_sent_to_an_origin_that_the_user_adds() {
    let to_sso = [("one/login", 302, "http://sso.localhost:{port}/login")];
    let (forum, _) = elsewhere(&to_sso, &["http://sso.localhost"]);
    assert_eq!(forum.log_ins(), 1, "{:?}", forum.server.paths("sso"));
}
