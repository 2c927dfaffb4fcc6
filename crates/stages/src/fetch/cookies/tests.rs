use std::time::Duration;

use http::HeaderValue;
use proptest::prelude::*;

use super::*;
use crate::fetch::Trust;
use harvestman_core::url::{CanonicalUrl, HostKey};

const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

fn cookies(options: FetchOptions) -> Cookies {
    let mut errors = Vec::new();
    let scope = Trust::of_seeds([&HostKey::from_origin("https://www.a.test")]).credentials;
    let cookies = Cookies::new(&options, &scope, NOW, &mut errors);
    assert_eq!(errors, Vec::<String>::new());
    cookies
}

fn jar_within(limits: JarLimits) -> Cookies {
    Cookies { jar: Some(Mutex::new(Jar::new(limits))), ..jar() }
}

fn jar() -> Cookies {
    cookies(FetchOptions { cookie_jar: true, ..Default::default() })
}

fn set(cookies: &Cookies, url: &str, values: &[&str]) {
    let url = CanonicalUrl::from_canonical(url);
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(SET_COOKIE, HeaderValue::from_str(value).unwrap());
    }
    cookies.store(&Target::of(&url).unwrap(), &headers, NOW);
}

fn sent_at(cookies: &Cookies, url: &str, now: Instant) -> String {
    let url = CanonicalUrl::from_canonical(url);
    String::from_utf8(cookies.header(&Target::of(&url).unwrap(), now).unwrap_or_default()).unwrap()
}

fn sent(cookies: &Cookies, url: &str) -> String {
    sent_at(cookies, url, NOW)
}

#[test]
fn the_bytes_of_a_cookie_are_sent_as_they_were_set() {
    let jar = jar();
    let url = CanonicalUrl::from_canonical("http://www.a.test/");
    let target = Target::of(&url).unwrap();
    let mut headers = HeaderMap::new();
    for value in [&b"latin=gr\xf6\xdfe\xa0; Path=/"[..], "utf8=größe".as_bytes()] {
        headers.append(SET_COOKIE, HeaderValue::from_bytes(value).unwrap());
    }
    jar.store(&target, &headers, NOW);
    let expected = [&b"latin=gr\xf6\xdfe\xa0; "[..], "utf8=größe".as_bytes()].concat();
    assert_eq!(jar.header(&target, NOW), Some(expected.clone()));

    let later = cookies(FetchOptions { cookie_jar: true, ..Default::default() });
    later.restore(jar.stored(), NOW);
    assert_eq!(later.header(&target, NOW), Some(expected), "also in a later run");
}

#[test]
fn a_cookie_is_sent_only_to_its_host_unless_it_has_a_domain() {
    let jar = jar();
    set(&jar, "http://www.a.test/", &["own=1", "wide=2; Domain=.A.test"]);
    assert_eq!(sent(&jar, "http://www.a.test/x"), "own=1; wide=2");
    assert_eq!(sent(&jar, "http://forum.a.test/"), "wide=2");
    assert_eq!(sent(&jar, "http://a.test/"), "wide=2");
    assert_eq!(sent(&jar, "http://b.test/"), "");
}

#[test]
fn a_host_cannot_set_cookies_for_others_or_for_a_public_suffix() {
    let jar = jar();
    set(
        &jar,
        "http://www.a.co.uk/",
        &["x=1; Domain=co.uk", "y=1; Domain=b.co.uk", "z=1; Domain=x.www.a.co.uk", "=v", "novalue"],
    );
    set(&jar, "http://10.0.0.1/", &["n=1; Domain=0.0.1"]);
    assert_eq!(sent(&jar, "http://www.a.co.uk/"), "");
    assert_eq!(sent(&jar, "http://b.co.uk/"), "");
    assert_eq!(sent(&jar, "http://10.0.0.1/"), "");
    assert_eq!(sent(&jar, "http://9.0.0.1/"), "");
}

#[test]
fn a_cookie_is_limited_by_its_path_and_by_https() {
    let jar = jar();
    set(&jar, "https://a.test/dir/page", &["d=1", "r=2; Path=/", "s=3; Secure; Path=/"]);
    assert_eq!(sent(&jar, "https://a.test/dir/x"), "d=1; r=2; s=3");
    assert_eq!(sent(&jar, "https://a.test/directory"), "r=2; s=3");
    assert_eq!(sent(&jar, "http://a.test/"), "r=2");
    set(&jar, "http://c.test/", &["s=3; Secure", "__Secure-a=1", "__Host-b=1; Path=/"]);
    assert_eq!(sent(&jar, "https://c.test/"), "");
    set(&jar, "https://c.test/", &["__Host-ok=1; Secure; Path=/", "__Host-no=1; Secure; Path=/; Domain=c.test"]);
    assert_eq!(sent(&jar, "https://c.test/"), "__Host-ok=1");
}

#[test]
fn cookies_expire_and_max_age_takes_precedence_over_expires() {
    let jar = jar();
    set(
        &jar,
        "http://a.test/",
        &[
            "m=1; Max-Age=10; Expires=Wed, 21 Oct 1999 08:00:00 GMT",
            "e=2; Expires=Wed, 21 Oct 1999 08:00:00 GMT",
            "s=3",
        ],
    );
    assert_eq!(sent_at(&jar, "http://a.test/", NOW + Duration::from_secs(9)), "m=1; s=3");
    assert_eq!(sent_at(&jar, "http://a.test/", NOW + Duration::from_secs(10)), "s=3");
    set(&jar, "http://a.test/", &["s=; Max-Age=0", "m=4"]);
    assert_eq!(sent(&jar, "http://a.test/"), "m=4");
}

#[test]
fn the_jar_is_bounded_per_domain_in_total_and_per_cookie() {
    let jar = jar_within(JarLimits { per_domain: 2, all: 3, cookie_bytes: 20 });
    set(&jar, "http://a.test/", &["a=1", "b=2", "c=3", "tiny=1234567890"]);
    assert_eq!(sent(&jar, "http://a.test/"), "b=2; c=3", "a=1 was the oldest; tiny has 21 bytes with domain and path");
    set(&jar, "http://b.test/", &["d=4", "e=5"]);
    assert_eq!(sent(&jar, "http://a.test/"), "");
    assert_eq!(sent(&jar, "http://b.test/"), "d=4; e=5");
}

#[test]
fn cookies_of_the_users_file_are_sent_only_where_a_seed_would_receive_them() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let line = |domain: &str, name: &str| format!("{domain}\tTRUE\t/\tFALSE\t0\t{name}\t1\n");
    std::fs::write(file.path(), line(".a.test", "session") + &line(".bank.test", "secret")).unwrap();
    let path = file.path().to_str().unwrap().to_owned();
    let cookies = cookies(FetchOptions { cookies_file: path, cookie_jar: true, ..Default::default() });
    assert_eq!(sent(&cookies, "http://www.a.test/"), "session=1");
    assert_eq!(sent(&cookies, "http://forum.a.test/"), "session=1");
    assert_eq!(sent(&cookies, "http://bank.test/"), "");
    set(&cookies, "http://www.a.test/", &["session=2; Domain=a.test; Path=/"]);
    assert_eq!(sent(&cookies, "http://www.a.test/"), "session=2", "a cookie that the site sets later replaces it");
}

#[test]
fn an_answer_over_plain_http_replaces_and_hides_no_cookie_that_is_for_https_only() {
    let jar = jar();
    set(&jar, "https://www.a.test/", &["sid=good; Secure; Path=/; Domain=a.test", "open=1; Path=/"]);
    let plain = [
        "sid=bad; Path=/; Domain=a.test",
        "sid=bad; Path=/",
        "sid=bad; Path=/x",
        "sid=; Max-Age=0; Path=/; Domain=a.test",
    ];
    for host in ["http://www.a.test/", "http://a.test/", "http://x.www.a.test/"] {
        set(&jar, host, &plain);
    }
    set(&jar, "http://www.a.test/", &["open=2; Path=/"]);
    assert_eq!(sent(&jar, "https://www.a.test/x"), "sid=good; open=2");
    assert_eq!(sent(&jar, "https://x.www.a.test/x"), "sid=good");
    // https may replace it, and a cookie of that name that no request carries with it may be set.
    set(&jar, "https://www.a.test/", &["sid=new; Secure; Path=/; Domain=a.test"]);
    assert_eq!(sent(&jar, "https://www.a.test/"), "open=2; sid=new");
    set(&jar, "https://a.test/", &["deep=1; Secure; Path=/deep"]);
    set(&jar, "http://a.test/", &["deep=2; Path=/"]);
    assert_eq!(sent(&jar, "http://a.test/deep"), "deep=2");
}

#[test]
fn an_answer_over_plain_http_does_not_hide_a_secure_cookie_of_the_users_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), ".a.test\tTRUE\t/\tTRUE\t0\tsession\t1\n").unwrap();
    let path = file.path().to_str().unwrap().to_owned();
    let cookies = cookies(FetchOptions { cookies_file: path, cookie_jar: true, ..Default::default() });
    set(&cookies, "http://www.a.test/", &["session=bad; Domain=a.test; Path=/"]);
    assert_eq!(sent(&cookies, "https://www.a.test/"), "session=1");
}

#[test]
fn cookies_without_the_attribute_secure_do_not_push_out_those_with_it() {
    let jar = jar_within(JarLimits { per_domain: 2, ..JarLimits::default() });
    set(&jar, "https://a.test/", &["sid=1; Secure; Path=/"]);
    set(&jar, "http://a.test/", &["x=1", "y=2", "z=3"]);
    assert_eq!(sent(&jar, "https://a.test/"), "sid=1; z=3");
}

proptest! {
    #[test]
    fn the_jar_never_exceeds_its_bounds(values in proptest::collection::vec(("[a-c]{1,2}", "\\PC{0,40}"), 0..60)) {
        let limits = JarLimits { per_domain: 3, all: 5, cookie_bytes: 60 };
        let mut jar = Jar::new(limits);
        for (host, value) in values {
            let host = format!("{host}.test");
            if let Some(cookie) = Cookie::from_header(&format!("n{value}"), &host, "/", true, NOW) {
                jar.put(cookie, NOW);
            }
            prop_assert!(jar.len() <= limits.all);
            prop_assert!(jar.cookies_of(&host).len() <= limits.per_domain);
        }
    }
}

#[test]
fn a_later_run_has_the_cookies_of_an_earlier_one_that_are_still_valid() {
    let jar = jar();
    assert_eq!(jar.changes(), 0);
    set(&jar, "http://www.a.test/", &["session=1", "wide=2; Domain=a.test; Path=/x", "short=3; Max-Age=10"]);
    let changes = jar.changes();
    set(&jar, "http://www.a.test/", &["session=1"]);
    assert_eq!(jar.changes(), changes, "the same value is no change");
    let stored = jar.stored();
    assert!(!format!("{stored:?}").contains("session"));
    let later = self::jar();
    later.restore(stored, NOW + Duration::from_secs(20));
    let late = NOW + Duration::from_secs(20);
    assert_eq!(sent_at(&later, "http://www.a.test/x", late), "wide=2; session=1");
    assert_eq!(cookies(FetchOptions::default()).stored(), StoredCookies::default());
}
