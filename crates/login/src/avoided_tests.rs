use proptest::prelude::*;

use super::*;

fn links(html: &str) -> Vec<(String, &'static str)> {
    let page = Page::read("http://h.test/t/1", html.as_bytes(), None).unwrap();
    page.avoided_links()
        .into_iter()
        .map(|(url, why)| (url.trim_start_matches("http://h.test").to_owned(), why.label()))
        .collect()
}

#[test]
fn addresses_that_end_a_session_are_recognised() {
    for address in [
        "/logout",
        "/user/logout/",
        "/log-out",
        "/users/sign_out",
        "/Account/LogOff",
        "/logout.php",
        "/index.php?action=logout",
        "/ucp.php?mode=logout&sid=1",
        "/login.php?do=logout&logouthash=x",
        "/index.php?action=logout;a1b2=c3",
        "/?logout=1",
        "/?logout",
        "/wiki/Special:UserLogout",
        "/index.php?title=Special:UserLogout",
        "/abmelden",
        "/d%C3%A9connexion",
        "/?route=user/logout",
    ] {
        assert_eq!(avoided_address(address), Some(PolicyRefusal::LogOut), "{address}");
    }
}

#[test]
fn addresses_that_change_something_are_recognised() {
    for address in [
        "/post/12/delete",
        "/topic/7/upvote/",
        "/t/9/mark-read",
        "/vote.php?id=1&token=abc",
        "/?mark=1&csrf_token=x",
        "/viewtopic.php?t=4&watch=topic",
        "/index.php?action=markasread;sa=all",
        "/c/3/report?_wpnonce=a",
    ] {
        assert_eq!(avoided_address(address), Some(PolicyRefusal::MemberAction), "{address}");
    }
}

#[test]
fn pages_about_these_things_are_followed() {
    for address in [
        "/",
        "/topic/12/how-to-log-out",
        "/tags/logout",
        "/tagged/logout",
        "/topic/12/logout-does-not-work",
        "/?q=logout",
        "/report",
        "/help/delete",
        "/search?keywords=sign+out",
        "/topic/3/?page=2",
        "/user/7-exit",
        "/login",
        "/a?token=",
    ] {
        assert_eq!(avoided_address(address), None, "{address}");
    }
}

#[test]
fn links_are_recognised_by_text_relation_and_the_token_of_the_page() {
    let html = "<meta name=csrf-token content='q8Zk29fA01xY'><form><input type=hidden name=t value='5f0a9c3b77d1'></form>\
        <a href=/bye>Log out</a> <a href=/bye2>Logout [ alice ]</a> <a href=/bye3 rel='nofollow logout'>x</a>\
        <a href=/bye4 title='Sign out'><img></a> <a href=/bye5><img alt=Abmelden></a> <a href=/x>ログアウト</a>\
        <a href='/star?x=5f0a9c3b77d1'>star</a> <a href='/s2?y=q8Zk29fA01xY#f'>s</a>\
        <a href=/t/2>How to log out</a> <a href=/t/3>Logout does not work</a> <a href='/s3?x=other1234567'>s</a>";
    let expected = [
        ("/bye", "log_out"),
        ("/bye2", "log_out"),
        ("/bye3", "log_out"),
        ("/bye4", "log_out"),
        ("/bye5", "log_out"),
        ("/s2?y=q8Zk29fA01xY", "member_action"),
        ("/star?x=5f0a9c3b77d1", "member_action"),
        ("/x", "log_out"),
    ];
    assert_eq!(links(html), expected.map(|(url, why)| (url.to_owned(), why)));
}

#[test]
fn addresses_that_differ_by_their_tokens_are_one() {
    let same = |one: &str, other: &str| assert_eq!(neutral_address(one), neutral_address(other));
    same("/bye?k=0a1b2c3d4e5f", "/bye?k=9f8e7d6c5b4a");
    same("/bye/0a1b2c3d4e5f6a7b", "/bye/ffeeddcc11223344");
    same("/i?action=x;ab12cd34ef=0a1b2c3d4e5f", "/i?action=x;99cc77aa55=ffeeddccbb11");
    assert_ne!(neutral_address("/topic/12-a"), neutral_address("/topic/13-a"));
    assert_ne!(neutral_address("/t?id=12"), neutral_address("/t?id=13"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_address_is_judged_and_words_of_the_site_stay(address in "/[a-z/?&;=%+._-]{0,60}", any in ".{0,60}") {
        let _ = (avoided_address(&any), neutral_address(&any), avoided_address(&address));
        prop_assert!(!neutral_address(&address).contains('*'));
    }

    #[test]
    fn the_end_of_a_session_is_recognised_in_any_directory(path in "(/[a-z]{1,8}[0-9]){0,4}", name in prop::sample::select(vec!["logout", "sign-out", "log_off"])) {
        let address = format!("{path}/{name}");
        prop_assert_eq!(avoided_address(&address), Some(PolicyRefusal::LogOut));
    }
}
