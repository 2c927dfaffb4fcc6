use proptest::prelude::*;

use super::*;
use crate::submission::{Credentials, PasswordOrigins, Submission};

fn page(html: &str) -> Page {
    Page::read("https://h.test/login?next=/", html.as_bytes(), None).unwrap()
}

fn found(html: &str) -> Result<LogInForm, Problem> {
    find_form(&page(html), "")
}

/// Where the form is sent, and its body, for the user `al` with the password `pw`.
fn sent(html: &str) -> String {
    let submission = filled(&found(html).unwrap()).unwrap();
    format!("{} {}", submission.url, String::from_utf8(submission.body).unwrap())
}

/// Fills in a form for the origin of its page alone.
fn filled(form: &LogInForm) -> Result<Submission, Problem> {
    form.fill(&Credentials::new("al".to_owned(), "pw".to_owned()), &PasswordOrigins::new(&form.page, []))
}

fn problem(html: &str) -> Problem {
    found(html).expect_err(html)
}

#[test]
fn user_and_password_are_filled_in_and_all_else_is_sent_as_it_is() {
    let html = "<form action=/in method=post><input type=hidden name=csrfmiddlewaretoken value=T><input type=hidden name=next value='/a b'>\
        <input name=username autofocus><input type=password name=password><input type=checkbox name=remember value=1>\
        <input type=checkbox name=keep checked><select name=lang><option value=de><option value=en selected></select>\
        <input name=website><button name=go value=1>Log in</button><button name=other value=2>Forgot</button></form>";
    assert_eq!(
        sent(html),
        "https://h.test/in csrfmiddlewaretoken=T&next=%2Fa+b&username=al&password=pw&keep=on&lang=en&website=&go=1"
    );
}

#[test]
fn the_user_field_is_found_by_purpose_type_name_or_place() {
    for (fields, user) in [
        ("<input name=a><input name=b autocomplete='section-x username'><input name=c>", "b"),
        ("<input name=a><input name=b type=email><input name=c>", "b"),
        ("<input name=a><input name=vb_login_username><input name=c>", "vb_login_username"),
        ("<input name=a><input name=b id=user-field><input name=c>", "b"),
        ("<input name=a><input name=b>", "b"),
        ("<input name=code2fa value=x><input name=b>", "b"),
    ] {
        let body = sent(&format!("<form method=POST>{fields}<input type=password name=p></form>"));
        assert!(body.contains(&format!("{user}=al")), "{fields}: {body}");
    }
    assert!(sent("<form method=post><input type=password name=p><input name=who></form>").ends_with("p=pw&who=al"));
}

#[test]
fn addresses_are_resolved_against_the_page_and_its_base_and_buttons_may_have_their_own() {
    let fields = "<input name=user><input type=password name=p>";
    assert!(sent(&format!("<form method=post>{fields}</form>")).starts_with("https://h.test/login?next=/ "));
    assert!(
        sent(&format!("<base href=/forum/><form method=post action='in#top'>{fields}</form>"))
            .starts_with("https://h.test/forum/in ")
    );
    let own = format!("<form action=/a method=get>{fields}<button formaction=/b formmethod=post>x</button></form>");
    assert!(sent(&own).starts_with("https://h.test/b "));
}

#[test]
fn a_token_of_the_head_is_sent_where_the_form_has_none() {
    let head = "<meta name=csrf-param content=authenticity_token><meta name=csrf-token content='a+b'>";
    let fields = "<input name=user><input type=password name=p>";
    let with = found(&format!("{head}<form method=post>{fields}</form>")).unwrap();
    assert_eq!(with.token_header, Some(("x-csrf-token".to_owned(), "a+b".to_owned())));
    assert!(
        sent(&format!("{head}<form method=post>{fields}</form>")).ends_with("user=al&p=pw&authenticity_token=a%2Bb")
    );
    let own = format!("{head}<form method=post>{fields}<input type=hidden name=_token value=o></form>");
    assert!(sent(&own).ends_with("user=al&p=pw&_token=o"));
    let spring =
        "<meta name=_csrf content=z><meta name=_csrf_header content=X-XSRF><meta name=_csrf_parameter content=_csrf>";
    let spring = found(&format!("{spring}<form method=post>{fields}</form>")).unwrap();
    assert_eq!(spring.token_header, Some(("X-XSRF".to_owned(), "z".to_owned())));
}

#[test]
fn of_several_forms_the_one_for_a_log_in_is_found() {
    let log_in = "<form action=/login method=post><input name=user><input type=password name=p></form>";
    for other in [
        "<form action=/search><input name=q></form>",
        "<form action=/register method=post><input name=user><input type=password name=p autocomplete=new-password></form>",
        "<form action=/register method=post><input name=user><input type=password name=p1><input type=password name=p2></form>",
        "<form action=/signup method=post><input name=user><input type=password name=p></form>",
        "<form action=/unlock method=post><input type=password name=p></form>",
    ] {
        for html in [format!("{other}{log_in}"), format!("{log_in}{other}")] {
            assert!(sent(&html).starts_with("https://h.test/login "), "{html}");
        }
    }
    // The same form twice: the longer one is sent.
    let short = "<form action=/login method=post><input name=user><input type=password name=p></form>";
    let long = "<form action=/login method=post><input name=user><input type=password name=p><input type=hidden name=t value=1></form>";
    assert!(sent(&format!("{short}{long}")).ends_with("&t=1"));
}

#[test]
fn two_forms_that_look_alike_need_a_choice() {
    let html = "<form id=a action=/one/login method=post><input name=user><input type=password name=p></form>\
        <form id=b action=/two/login method=post><input name=user><input type=password name=p></form>";
    let Problem::SeveralForms(addresses) = problem(html) else { panic!("{:?}", found(html)) };
    assert_eq!(addresses, ["/one/login", "/two/login"]);
    let text = problem(html).to_string();
    assert!(text.contains("login.form") && text.contains("/two/login"), "{text}");
    assert_eq!(find_form(&page(html), "#b").unwrap().action.as_str(), "https://h.test/two/login");
    for (selector, why) in [("#c", "matches nothing"), ("::", "not a CSS selector"), ("input", "does not name a form")]
    {
        let text = find_form(&page(html), selector).unwrap_err().to_string();
        assert!(text.contains(why), "{selector}: {text}");
    }
}

#[test]
fn forms_that_scripts_make_or_send_are_not_sent() {
    for html in [
        "<div><input name=user><input type=password name=p><button>Log in</button></div>",
        "<form><input name=user><input type=password name=p></form>",
        "<form method=post><input id=user><input type=password id=p></form>",
        "<form method=post action='javascript:go()'><input name=user><input type=password name=p></form>",
    ] {
        assert!(matches!(problem(html), Problem::ScriptOnly(_)), "{html}: {:?}", problem(html));
    }
    assert_eq!(problem("<div id=app></div><script src=app.js></script>"), Problem::NoForm);
}

#[test]
fn a_test_for_humans_is_named() {
    for (test, name) in [
        ("<div class='g-recaptcha' data-sitekey=x></div>", "reCAPTCHA"),
        ("<div class=h-captcha></div>", "hCaptcha"),
        ("<div class=cf-turnstile></div>", "Turnstile"),
        ("<iframe src='https://hcaptcha.test/x'></iframe>", "hCaptcha"),
        ("<img src=/captcha/image/1><input name=captcha_1>", "captcha"),
        ("<altcha-widget></altcha-widget>", "ALTCHA"),
    ] {
        let html = format!("<form method=post><input name=user><input type=password name=p>{test}</form>");
        assert_eq!(problem(&html), Problem::Captcha(name), "{test}");
    }
}

#[test]
fn what_only_the_user_knows_is_named() {
    let form = |more: &str| format!("<form method=post><input name=user><input type=password name=p>{more}</form>");
    assert_eq!(problem(&form("<input name=otp>")), Problem::MoreFields("`otp`".to_owned()));
    assert_eq!(
        problem(&form("<input name=q placeholder='3 + 4 = ?' required>")),
        Problem::MoreFields("`3 + 4 = ?`".to_owned())
    );
    assert_eq!(problem("<form method=post><input type=password name=p></form>"), Problem::NoUserField);
}

#[test]
fn the_password_goes_to_an_origin_that_was_named_over_a_protected_connection_only() {
    let form = |action: &str| {
        format!("<form method=post action='{action}'><input name=user><input type=password name=p></form>")
    };
    for action in ["https://other.test/in", "https://h.test:8443/in", "//x.h.test/in"] {
        assert!(matches!(filled(&found(&form(action)).unwrap()), Err(Problem::Address(_))), "{action}");
    }
    let down = filled(&found(&form("http://h.test/in")).unwrap());
    assert_eq!(down, Err(Problem::Unprotected("http://h.test".to_owned())));
    assert!(filled(&found(&form("/in")).unwrap()).is_ok());
}

#[test]
fn fields_belong_to_their_form_wherever_they_stand() {
    let table =
        "<table><tr><form action=/a method=post><td><input name=user><td><input type=password name=p></form></table>";
    assert_eq!(sent(table), "https://h.test/a user=al&p=pw");
    let named = "<form id=f action=/b method=post></form><input name=user form=f><input type=password name=p form=f>";
    assert_eq!(sent(named), "https://h.test/b user=al&p=pw");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever tags stand in whatever order, a form that is found has the user and the password once each, and is sent
    /// to the site itself or not at all.
    #[test]
    fn a_form_that_is_found_is_complete(
        tags in prop::collection::vec(prop::sample::select(vec![
            "<form action=/a method=post>", "<form method=post action=http://x.test>", "</form>", "<input name=q>", "<table>", "<tr>",
            "<td>", "</table>", "<input type=hidden name=h value=1>", "<select name=s>", "<option value=2>", "</select>",
            "<textarea name=t>", "</textarea>", "<button name=b>", "</button>", "<input type=password name=p>", "<template>",
            "</template>", "<base href=//y.test>",
        ]), 0..40),
    ) {
        if let Ok(form) = found(&tags.concat()) {
            let count = |wanted: &FieldValue| form.fields.iter().filter(|(_, value)| value == wanted).count();
            prop_assert_eq!((count(&FieldValue::User), count(&FieldValue::Password)), (1, 1));
            prop_assert!(form.action.host_str() == Some("h.test") || filled(&form).is_err());
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(page) = Page::read("http://h.test/", &bytes, None) {
            let _ = find_form(&page, "");
        }
    }
}
