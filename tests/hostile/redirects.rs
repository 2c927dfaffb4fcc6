//! Redirects and other ways of leading a crawl in circles, or to where it must not go.

use super::crawl::Crawl;
use super::site::{Peer, Site, Then};

fn to(peer: &mut Peer, location: &str) -> Then {
    peer.answer("302 Found", &format!("Location: {location}\r\n"), b"")
}

#[test]
fn redirect_loops_and_endless_chains_end() {
    let links = ["/self", "/a", "/chain?n=0", "/slash", "/fragment"];
    let site = Site::with_links(&links, |target, peer| match target {
        "/self" => to(peer, "/self"),
        "/a" => to(peer, "/b"),
        "/b" => to(peer, "/a"),
        "/slash" => to(peer, "/slash/"),
        "/slash/" => to(peer, "/slash"),
        "/fragment" => to(peer, "/fragment#again"),
        chain => {
            let n: u32 = chain.trim_start_matches("/chain?n=").parse().unwrap();
            to(peer, &format!("/chain?n={}", n + 1))
        }
    });
    let outcome = Crawl::of(&site).finish();
    let expected = [
        ("/self", "redirected"),
        ("/a", "redirected"),
        ("/b", "redirected"),
        ("/slash", "redirected"),
        ("/slash/", "redirected"),
        ("/fragment", "redirected"),
        ("/chain?n=9", "redirected"),
        ("/chain?n=10", "failed: too_many_redirects"),
        ("/chain?n=11", "no line"),
    ];
    outcome.assert_fates(&site, &expected);
    outcome.assert_healthy(&site);
}

#[test]
fn redirects_to_what_cannot_be_fetched_lead_nowhere() {
    let locations = [
        ("file:///etc/passwd", "redirected"),
        ("javascript:alert(1)", "redirected"),
        ("data:text/html,<p>", "redirected"),
        ("gopher://127.0.0.1/", "redirected"),
        ("http://", "redirected"),
        ("http://[::", "redirected"),
        ("//", "redirected"),
        ("http://user:secret@127.0.0.1:1/", "redirected"),
        ("", "failed: bad_redirect"),
    ];
    let links: Vec<String> = (0..locations.len()).map(|n| format!("/to/{n}")).collect();
    let mut links: Vec<&str> = links.iter().map(String::as_str).collect();
    links.extend(["/nowhere", "/long", "/binary"]);
    let site = Site::with_links(&links, move |target, peer| match target {
        "/nowhere" => peer.answer("301 Moved", "", b""),
        "/long" => to(peer, &format!("/{}", "x".repeat(40_000))),
        "/binary" => {
            peer.send(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /\xff\xfe\x80\r\n\r\n");
            Then::Keep
        }
        "/%FF%FE%80" => peer.page("<p>found"),
        _ => match target.strip_prefix("/to/").and_then(|n| n.parse::<usize>().ok()) {
            Some(n) => to(peer, locations[n].0),
            None => peer.answer("404 Not Found", "", b""),
        },
    });
    let outcome = Crawl::of(&site).finish();
    for (n, (location, fate)) in locations.iter().enumerate() {
        let actual = outcome.fates().get(&site.url(&format!("/to/{n}"))).cloned();
        assert_eq!(actual.as_deref(), Some(*fate), "{location}");
    }
    outcome.assert_fates(&site, &[("/nowhere", "failed: bad_redirect"), ("/long", "redirected")]);
    outcome.assert_healthy(&site);
}

#[test]
fn a_public_host_cannot_lead_the_crawl_to_addresses_within_its_network() {
    let inside = Site::scripted(|_, peer| peer.page("the secret"));
    let port = inside.port();
    let targets = [
        format!("http://inside.example:{port}/by-name"),
        format!("http://localhost.inside.example:{port}/by-pattern"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://127.0.0.2:{port}/"),
        format!("http://2130706437:{port}/"),
        format!("http://0x7f.3:{port}/"),
        format!("http://0.0.0.0:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "http://192.168.0.1/".to_owned(),
        "http://[fd00::1]/".to_owned(),
        "http://[fe80::1]/".to_owned(),
    ];
    let links: Vec<String> = (0..targets.len()).map(|n| format!("/to/{n}")).collect();
    let mut links: Vec<&str> = links.iter().map(String::as_str).collect();
    let as_link = format!("http://inside.example:{port}/by-link");
    links.push(&as_link);
    let given = targets.clone();
    let site = Site::with_links(&links, move |target, peer| {
        let n: usize = target.trim_start_matches("/to/").parse().unwrap();
        to(peer, &given[n])
    });
    let seed = format!("http://forum.example:{}/", site.port());
    let resolve =
        r#"["forum.example:127.0.0.1", "inside.example:127.0.0.1", "*.inside.example:127.0.0.1"]"#.to_string();
    let outcome = Crawl::from([&seed]).set("scope.mode=any").set(&format!("fetch.resolve={resolve}")).finish();
    let forbidden: Vec<String> = outcome
        .fates()
        .into_iter()
        .filter(|(_, fate)| fate == "failed: forbidden_address")
        .map(|(url, _)| url)
        .collect();
    assert_eq!(forbidden.len(), targets.len() + 1, "{:#?}", outcome.fates());
    assert_eq!(outcome.count("fetched"), 6, "the start page and its healthy ones");
    assert_eq!(inside.connections(), 0, "nobody even connected");
}

#[test]
fn refreshes_in_circles_and_bases_that_lie_are_links_like_any_other() {
    let links = ["/refresh", "/ping", "/base-script", "/base-other", "/base-twice", "/base-broken", "/frames"];
    let site = Site::with_links(&links, |target, peer| match target {
        "/refresh" => peer.page("<meta http-equiv=refresh content='0; url=/refresh'>"),
        "/ping" => peer.page("<meta http-equiv=refresh content='0;URL=\"/pong\"'>"),
        "/pong" => peer.answer("200 OK", "Content-Type: text/html\r\nRefresh: 0; url=/ping\r\n", b"<a href=/ping>"),
        "/base-script" => peer.page("<base href='javascript:alert(1)//'><a href=x1>x</a><a href=/x2>x</a>"),
        "/base-other" => peer.page("<base href='http://elsewhere.invalid/'><a href=x3>x</a>"),
        "/base-twice" => peer.page("<base href='/one/'><base href='/two/'><a href=x4>x</a>"),
        "/base-broken" => peer.page("<base href='http://[::'><a href=x5>x</a>"),
        "/frames" => peer.page("<iframe src=/frames></iframe><frame src=/frames>"),
        _ => peer.page("<p>found"),
    });
    let outcome = Crawl::of(&site).finish();
    let expected = [
        ("/refresh", "fetched"),
        ("/ping", "fetched"),
        ("/pong", "fetched"),
        ("/x1", "fetched"),
        ("/x2", "fetched"),
        ("/x3", "no line"),
        ("/one/x4", "fetched"),
        ("/two/x4", "no line"),
        ("/x5", "fetched"),
        ("/frames", "fetched"),
    ];
    outcome.assert_fates(&site, &expected);
    outcome.assert_healthy(&site);
    assert!(outcome.count("out_of_scope") >= 1, "the link below another host's base");
}
