use proptest::prelude::*;
use url::form_urlencoded;

use super::*;
use crate::form::find_form;
use crate::page::Page;

fn fill(html: &[u8], content_type: Option<&str>, credentials: &Credentials) -> Submission {
    let page = Page::read("http://h.test/login", html, content_type).unwrap();
    let origins = PasswordOrigins::new(page.url(), []);
    find_form(&page, "").unwrap().fill(credentials, &origins).unwrap()
}

fn credentials(user: &str, password: &str) -> Credentials {
    Credentials::new(user.to_owned(), password.to_owned())
}

const FORM: &str =
    "<form method=post><input type=hidden name=_charset_><input name=user><input type=password name=p></form>";

#[test]
fn bodies_are_in_the_charset_of_the_page_or_the_form() {
    let user = credentials("Jürgen", "ß&=+");
    let body = |html: &str, content_type| String::from_utf8(fill(html.as_bytes(), content_type, &user).body).unwrap();
    assert_eq!(body(FORM, None), "_charset_=UTF-8&user=J%C3%BCrgen&p=%C3%9F%26%3D%2B");
    let latin = Some("text/html; charset=iso-8859-1");
    assert_eq!(body(FORM, latin), "_charset_=windows-1252&user=J%FCrgen&p=%DF%26%3D%2B");
    let own = FORM.replace("<form", "<form accept-charset='utf-8'");
    assert_eq!(body(&own, latin), "_charset_=UTF-8&user=J%C3%BCrgen&p=%C3%9F%26%3D%2B");
}

#[test]
fn the_media_type_is_that_of_the_form() {
    let user = credentials("al", "pw");
    let of = |kind: &str| fill(FORM.replace("<form", &format!("<form enctype='{kind}'")).as_bytes(), None, &user);
    assert_eq!(of("").content_type, "application/x-www-form-urlencoded");
    assert_eq!(of("unknown").content_type, "application/x-www-form-urlencoded");
    let plain = of("text/plain");
    assert_eq!(
        (plain.content_type.as_str(), plain.body.as_slice()),
        ("text/plain", &b"_charset_=UTF-8\r\nuser=al\r\np=pw\r\n"[..])
    );
    let parts = of("multipart/form-data");
    assert!(parts.content_type.starts_with("multipart/form-data; boundary="));
    assert!(String::from_utf8(parts.body).unwrap().contains("name=\"p\"\r\n\r\npw\r\n"));
}

#[test]
fn debug_output_has_no_password() {
    let user = credentials("al", "secret-word");
    let submission = fill(FORM.as_bytes(), None, &user);
    for text in [format!("{user:?}"), format!("{submission:?}"), format!("{submission:#?}")] {
        assert!(!text.contains("secret"), "{text}");
        assert!(!text.contains(&format!("{:?}", b"secret-word")), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_server_reads_what_was_filled_in(user in ".{1,30}", password in ".{1,30}") {
        let body = fill(FORM.as_bytes(), None, &credentials(&user, &password)).body;
        let read: Vec<(String, String)> = form_urlencoded::parse(&body).into_owned().collect();
        prop_assert_eq!(read, [("_charset_".to_owned(), "UTF-8".to_owned()), ("user".to_owned(), user), ("p".to_owned(), password)]);
    }
}

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
