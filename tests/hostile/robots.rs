//! robots.txt and sitemaps that are hostile. Each site has its own; all are crawled at once, so that none may hold up
//! another.

use std::io::Write;
use std::time::Duration;

use super::crawl::Crawl;
use super::site::{Peer, Site, Then, start_page};

/// A site whose robots.txt is what `robots` sends, and whose other special targets are what `more` sends.
fn site(robots: impl Fn(&str, &mut Peer) -> Then + Send + Sync + 'static) -> Site {
    let start = start_page(&[]);
    Site::scripted(move |target, peer| match target {
        "/" => peer.page(&start),
        ok if ok.starts_with("/ok/") => peer.page("<p>fine"),
        other => robots(other, peer),
    })
}

fn gzip(bytes: &[u8], times: usize) -> Vec<u8> {
    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    (0..times).for_each(|_| coder.write_all(bytes).unwrap());
    coder.finish().unwrap()
}

#[test]
fn whatever_robots_txt_is_the_rest_of_the_site_is_crawled() {
    let bomb = gzip(&vec![b'#'; 1 << 20], 200);
    let sites = [
        ("5 MB", site(|_, peer| peer.answer("200 OK", "", "Disallow: /no\n".repeat(360_000).as_bytes()))),
        ("one line of 5 MB", site(|_, peer| peer.answer("200 OK", "", &vec![b'*'; 5_000_000]))),
        (
            "endless",
            site(|_, peer| {
                peer.send("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /no\n");
                peer.flood("# and so on\n".repeat(1_000))
            }),
        ),
        (
            "dripping",
            site(|_, peer| {
                peer.send("HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /no\n");
                peer.drip("#", Duration::from_millis(50))
            }),
        ),
        ("a redirect to itself", site(|_, peer| peer.answer("302 Found", "Location: /robots.txt\r\n", b""))),
        (
            "a chain of redirects",
            site(|target, peer| peer.answer("302 Found", &format!("Location: {target}x\r\n"), b"")),
        ),
        ("a redirect to nowhere", site(|_, peer| peer.answer("302 Found", "Location: http://[::\r\n", b""))),
        ("a page", site(|_, peer| peer.page("<html><body>User-agent: * Disallow: / not found</body></html>"))),
        ("a bomb", site(move |_, peer| peer.answer("200 OK", "Content-Encoding: gzip\r\n", &bomb))),
        ("noise", site(|_, peer| peer.answer("200 OK", "", &[0xff, 0, 0x80, b'\n'].repeat(50_000)))),
        ("forbidden", site(|_, peer| peer.answer("403 Forbidden", "", b""))),
        (
            "a million agents",
            site(|_, peer| peer.answer("200 OK", "", "User-agent: a\nAllow: /\n".repeat(20_000).as_bytes())),
        ),
        (
            "stars",
            site(|_, peer| {
                let rule = format!("User-agent: *\nDisallow: /{}no$\n", "*a".repeat(2_000));
                peer.answer("200 OK", "", rule.repeat(100).as_bytes())
            }),
        ),
    ];
    let outcome = Crawl::from(sites.iter().map(|(_, site)| site.url("/"))).finish();
    let fates = outcome.fates();
    for (what, site) in &sites {
        let fetched =
            (1..=5).filter(|n| fates.get(&site.url(&format!("/ok/{n}"))).is_some_and(|fate| fate == "fetched"));
        assert_eq!(fetched.count(), 5, "{what}: {:#?}", outcome.stderr);
    }
}

#[test]
fn a_robots_txt_that_cannot_be_had_keeps_its_host_back_and_no_other() {
    let sites = [
        ("robots: unavailable", site(|_, peer| peer.answer("503 Busy", "Retry-After: 315360000\r\n", b""))),
        ("robots: unavailable", site(|_, peer| peer.answer("429 Later", "Retry-After: 315360000\r\n", b""))),
        ("robots: unavailable", site(|_, peer| peer.answer("999 X", "", b""))),
        // It leads to where the crawl may not go, so nobody knows what it says.
        (
            "failed: forbidden_address",
            site(|_, peer| peer.answer("302 Found", "Location: http://169.254.169.254/robots.txt\r\n", b"")),
        ),
        ("failed: first_byte_timeout", site(|_, peer| peer.stall())),
        ("failed: disconnected", site(|_, _| Then::Reset)),
        ("failed: protocol", site(|_, peer| peer.raw("nothing like HTTP\r\n\r\n"))),
        (
            "failed: head_too_large",
            site(|_, peer| {
                peer.send("HTTP/1.1 200 OK\r\n");
                peer.flood("X: y\r\n".repeat(1_000))
            }),
        ),
    ];
    let healthy = Site::with_links(&[], |_, peer| peer.page(""));
    let seeds = sites.iter().map(|(_, site)| site.url("/")).chain([healthy.url("/")]);
    let outcome = Crawl::from(seeds).finish();
    outcome.assert_healthy(&healthy);
    for (fate, site) in &sites {
        assert_eq!(outcome.fates()[&site.url("/")], *fate);
    }
}

fn xml(entries: &str) -> String {
    format!("<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>")
}

fn index(entries: &[String]) -> String {
    let entries: String = entries.iter().map(|url| format!("<sitemap><loc>{url}</loc></sitemap>")).collect();
    format!("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</sitemapindex>")
}

/// A site whose robots.txt names `/map/0`; the maps are what `map` sends, which gets the site's own address besides.
fn mapped(map: impl Fn(&str, &str, &mut Peer) -> Then + Send + Sync + 'static) -> Site {
    site(move |target, peer| {
        let host = peer.head.split("ost: ").nth(1).unwrap_or_default().split('\r').next().unwrap().to_owned();
        if target == "/robots.txt" {
            return peer.answer("200 OK", "", format!("Sitemap: http://{host}/map/0\n").as_bytes());
        }
        map(target, &host, peer)
    })
}

#[test]
fn a_site_that_floods_the_usual_place_of_a_sitemap_is_crawled() {
    for kind in ["text/xml", "text/html"] {
        let site = Site::with_links(&[], move |target, peer| {
            if target != "/sitemap.xml" {
                return peer.page("");
            }
            peer.send(format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n"));
            peer.flood([b' '; 65_536])
        });
        let crawl = Crawl::of(&site).set("robots.sitemap_guess=true").set("robots.sitemap_max_bytes=4MiB");
        crawl.memory_max_mib(200).finish().assert_healthy(&site);
        assert_eq!(site.requests().iter().filter(|head| head.contains("/sitemap.xml")).count(), 1, "{kind}");
    }
}

#[test]
fn sitemaps_that_loop_swell_or_lie_end_and_hold_nobody_up() {
    let entry = "<url><loc>http://127.0.0.1:1/nowhere</loc></url>";
    let bomb = gzip(&xml(entry).replace("</urlset>", &" ".repeat(1 << 20)).into_bytes(), 200);
    let sites = [
        // An index that names itself and two new ones, each of which does the same.
        mapped(|target, host, peer| {
            let n: u64 = target.trim_start_matches("/map/").parse().unwrap();
            let urls = [n, 2 * n + 1, 2 * n + 2].map(|n| format!("http://{host}/map/{n}"));
            peer.answer("200 OK", "Content-Type: text/xml\r\n", index(&urls).as_bytes())
        }),
        // An index of many thousands.
        mapped(|target, host, peer| {
            let urls: Vec<String> = (1..20_000).map(|n| format!("http://{host}/map/{n}")).collect();
            let body = if target == "/map/0" { index(&urls) } else { xml("") };
            peer.answer("200 OK", "Content-Type: text/xml\r\n", body.as_bytes())
        }),
        mapped(move |_, _, peer| peer.answer("200 OK", "Content-Type: application/x-gzip\r\n", &bomb)),
        mapped(|_, host, peer| {
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<urlset>");
            peer.flood(format!("<url><loc>http://{host}/ok/1</loc></url>").repeat(1_000))
        }),
        mapped(|_, _, peer| peer.answer("200 OK", "Content-Type: text/xml\r\n", "<a>".repeat(500_000).as_bytes())),
        mapped(|_, _, peer| {
            let entities = "<!DOCTYPE u [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
            let body = format!("{entities}<urlset><url><loc>{}</loc></url></urlset>", "&b;".repeat(10_000));
            peer.answer("200 OK", "Content-Type: text/xml\r\n", body.as_bytes())
        }),
        mapped(|_, _, peer| peer.page("<html>no sitemap at all")),
        mapped(|target, _, peer| peer.answer("302 Found", &format!("Location: {target}0\r\n"), b"")),
        mapped(|_, _, peer| peer.answer("503 Busy", "Retry-After: 315360000\r\n", b"")),
        mapped(|_, _, _| Then::Reset),
        mapped(|_, _, peer| peer.stall()),
    ];
    let crawl = Crawl::from(sites.iter().map(|site| site.url("/")));
    let crawl = crawl.set("robots.sitemap_max_files=20").set("robots.sitemap_max_bytes=4MiB").memory_max_mib(250);
    let outcome = crawl.finish();
    for site in &sites {
        outcome.assert_healthy(site);
        let asked = site.requests().iter().filter(|head| head.contains("/map/")).count();
        assert!((1..=20).contains(&asked), "{asked} sitemaps of {}", site.url("/"));
    }
}
