//! How far a crawl goes: scope, depth, pages per host, and what pages and redirects say about links.

use harvestman::config::Config;
use harvestman::config::url::ScopeMode;

use crate::crawling::{Crawled, config, crawl};
use crate::scripted::{Reply, Scripted};

/// Two hosts; a page of the one links to everything, and what is asked for is a crawl with this scope.
fn scoped(mode: ScopeMode, change: impl FnOnce(&mut Config)) -> (Crawled, Scripted) {
    let port = std::sync::Arc::new(std::sync::OnceLock::<u16>::new());
    let known = std::sync::Arc::clone(&port);
    let server = Scripted::start(move |_, path, _| {
        let away = format!("//b.localhost:{}/dir/x", known.get().unwrap());
        match path {
            "/robots.txt" => Reply::status(404),
            "/dir/" => {
                Reply::links(&["/", "/dir/page", "/other/page", "/dir/odd", &away, "mailto:a@b", "http://[", "/dir/"])
            }
            _ => Reply::html("a page"),
        }
    });
    let url = server.url("a", "/dir/");
    port.set(url.split(':').nth(2).unwrap().split('/').next().unwrap().parse().unwrap()).unwrap();
    let mut config = config(vec![url]);
    config.scope.hosts.clear();
    config.scope.mode = mode;
    change(&mut config);
    let crawled = crawl(config);
    assert_eq!(crawled.report.requests, server.log().len() as u64);
    (crawled, server)
}

/// What was asked of both hosts but robots.txt, by the first label of the host.
fn asked(server: &Scripted) -> Vec<String> {
    let log = server.log().into_iter().filter(|asked| asked.path != "/robots.txt");
    let mut asked: Vec<String> = log.map(|asked| format!("{}{}", asked.host, asked.path)).collect();
    asked.sort();
    asked
}

#[test]
fn by_host_only_the_seeds_host_is_crawled() {
    let (crawled, server) = scoped(ScopeMode::Host, |_| {});
    assert_eq!(asked(&server), ["a/", "a/dir/", "a/dir/odd", "a/dir/page", "a/other/page"]);
    let mut reasons = crawled.report.fates.iter().map(|row| row.fate).collect::<Vec<_>>();
    reasons.dedup();
    assert_eq!(reasons, ["duplicate", "fetched", "out_of_scope"]);
    // The other host and the malformed link; a link to no page (mailto:) is none.
    assert_eq!(
        (crawled.fate("out_of_scope"), crawled.fate("duplicate"), crawled.report.discovered),
        (2, 1, 8),
        "{:?}",
        crawled.report.fates
    );
}

#[test]
fn by_domain_all_hosts_below_the_seeds_domain_are_crawled() {
    let (_, server) = scoped(ScopeMode::Domain, |config| config.scope.hosts = vec!["b.localhost".to_owned()]);
    assert!(asked(&server).contains(&"b/dir/x".to_owned()));
    let (_, server) = scoped(ScopeMode::Any, |_| {});
    assert!(asked(&server).contains(&"b/dir/x".to_owned()));
}

#[test]
fn by_prefix_only_the_seeds_directory_is_crawled() {
    let (crawled, server) = scoped(ScopeMode::Prefix, |_| {});
    assert_eq!(asked(&server), ["a/dir/", "a/dir/odd", "a/dir/page"]);
    assert_eq!(crawled.fate("out_of_scope"), 4);
}

#[test]
fn what_is_excluded_or_not_included_is_not_asked_for() {
    let (_, server) = scoped(ScopeMode::Host, |config| config.scope.exclude = vec!["/odd$".to_owned()]);
    assert_eq!(asked(&server), ["a/", "a/dir/", "a/dir/page", "a/other/page"]);
    let (_, server) = scoped(ScopeMode::Host, |config| config.scope.include = vec!["/dir/".to_owned()]);
    assert_eq!(asked(&server), ["a/dir/", "a/dir/odd", "a/dir/page"]);
}

#[test]
fn a_seed_outside_the_scope_is_a_fate_and_ends_the_crawl_at_once() {
    let (crawled, server) = scoped(ScopeMode::Host, |config| config.scope.exclude = vec![".".to_owned()]);
    assert_eq!((server.log().len(), crawled.fate("out_of_scope"), crawled.report.discovered), (0, 1, 1));
}

/// `/0` links to `/1`, that to `/2`, and so on.
fn chain() -> Scripted {
    Scripted::start(|_, path, _| match path[1..].parse::<u32>() {
        Ok(number) => Reply::links(&[&format!("/{}", number + 1), &format!("/{number}?x"), "/0"]),
        Err(_) => Reply::status(404),
    })
}

#[test]
fn what_is_deeper_than_the_limit_is_left_out_and_what_is_as_deep_is_not() {
    for depth in [0, 1, 3] {
        let server = chain();
        let mut config = config(vec![server.url("a", "/0")]);
        config.budget.depth = depth;
        let crawled = crawl(config);
        let deepest = crawled.pages.iter().map(|page| page.depth).max();
        assert_eq!(deepest, Some(depth));
        assert_eq!(crawled.fate_of(&server.url("a", &format!("/{depth}"))), "fetched");
        assert_eq!(crawled.fate_of(&server.url("a", &format!("/{}", depth + 1))), "no line");
        assert!(crawled.fate("over_budget") >= 2);
    }
}

#[test]
fn no_more_urls_of_a_host_are_accepted_than_the_limit() {
    let server = chain();
    let mut config = config(vec![server.url("a", "/0"), server.url("b", "/0")]);
    config.budget.pages_per_host = 5;
    let crawled = crawl(config);
    let pages = |host: &str| server.paths(host).iter().filter(|path| *path != "/robots.txt").count();
    assert_eq!((pages("a"), pages("b")), (5, 5));
    assert!(crawled.fate("over_budget") > 0);
}

#[test]
fn links_of_nofollow_pages_and_nofollow_links_are_left_out_as_set() {
    let script = |_: &str, path: &str, _: usize| match path {
        "/" => Reply::html(
            "<a href=/meta>1</a><a href=/header>2</a><a href=/ours>3</a><a rel='ugc nofollow' href=/marked>4</a>",
        ),
        "/meta" => Reply::html("<meta name=robots content='noindex, nofollow'><a href=/behind-meta>1</a>"),
        "/header" => Reply::links(&["/behind-header"]).with("X-Robots-Tag", "nofollow"),
        "/ours" => Reply::links(&["/behind-ours"]).with("X-Robots-Tag", "otherbot: nofollow"),
        "/robots.txt" => Reply::status(404),
        _ => Reply::html("a page"),
    };
    for (pages, links) in [(true, false), (false, true), (false, false), (true, true)] {
        let server = Scripted::start(script);
        let mut config = config(vec![server.url("a", "/")]);
        (config.filter.nofollow_pages, config.filter.nofollow_links) = (pages, links);
        let crawled = crawl(config);
        let fetched = |path: &str| crawled.fate_of(&server.url("a", path)) == "fetched";
        let got = ["/behind-meta", "/behind-header", "/marked", "/behind-ours"].map(fetched);
        assert_eq!(got, [!pages, !pages, !links, true]);
        assert_eq!(crawled.fate("policy"), u64::from(pages) * 2 + u64::from(links));
    }
}

#[test]
fn redirects_are_links_up_to_the_limit_and_loops_end() {
    let server = Scripted::start(|_, path, _| match path {
        "/" => Reply::links(&["/hop/1", "/loop/a", "/self", "/nowhere", "/away", "/refresh", "/ok"]),
        "/loop/a" => Reply::redirect(301, "/loop/b"),
        "/loop/b" => Reply::redirect(302, "/loop/a"),
        "/self" => Reply::redirect(307, "/self"),
        "/nowhere" => Reply::status(302),
        "/away" => Reply::redirect(301, "http://elsewhere.invalid/"),
        "/refresh" => Reply::html("<meta http-equiv=refresh content='0; url=/refreshed'>"),
        "/ok" => Reply::redirect(308, "/landed#part"),
        "/landed" | "/refreshed" => Reply::html("a page"),
        _ => match path.strip_prefix("/hop/").and_then(|number| number.parse::<u32>().ok()) {
            Some(number) => Reply::redirect(302, format!("/hop/{}", number + 1)),
            None => Reply::status(404),
        },
    });
    let crawled = crawl(config(vec![server.url("a", "/")]));
    let of = |path: &str| crawled.fate_of(&server.url("a", path));
    assert!((1..=10).all(|hop| of(&format!("/hop/{hop}")) == "redirected"));
    assert_eq!([of("/hop/11"), of("/hop/12")], ["failed: too_many_redirects", "no line"]);
    assert_eq!(["/loop/a", "/loop/b", "/self", "/away", "/ok"].map(of), ["redirected"; 5]);
    assert_eq!([of("/nowhere"), of("/landed"), of("/refreshed")], ["failed: bad_redirect", "fetched", "fetched"]);
    let times = |path: &str| server.paths("a").iter().filter(|asked| *asked == path).count();
    assert_eq!(["/loop/a", "/loop/b", "/self"].map(times), [1; 3]);
    assert_eq!(crawled.fate("out_of_scope"), 1);
    // A redirect leads no deeper: where it lands is as far from the seed as where it starts.
    let depth = |path: &str| crawled.pages.iter().find(|page| page.url == server.url("a", path)).unwrap().depth;
    assert_eq!((depth("/ok"), depth("/landed"), depth("/refreshed")), (1, 1, 2));
}

#[test]
fn a_seed_that_is_given_in_several_spellings_is_one() {
    let server = chain();
    let mut config = config(vec![server.url("a", "/0"), server.url("a", "/0#top"), server.url("A", "/x/../0")]);
    config.budget.depth = 0;
    let crawled = crawl(config);
    assert_eq!(crawled.report.seeds, [server.url("a", "/0")]);
    assert_eq!(crawled.report.pages, 1);
}

/// A seed that redirects to another host, which has a page; that page links to another one and to the host of the seed.
fn moved(to: &'static str) -> Scripted {
    let port = std::sync::Arc::new(std::sync::OnceLock::<u16>::new());
    let known = std::sync::Arc::clone(&port);
    let server = Scripted::start(move |host, path, _| {
        let at = |host: &str, path: &str| format!("http://{host}.localhost:{}{path}", known.get().unwrap());
        match (host, path) {
            (_, "/robots.txt" | "/sitemap.xml") => Reply::status(404),
            ("a", "/") => Reply::redirect(301, at("a", "/start")),
            ("a", "/start") => Reply::redirect(308, at(to, "/dir/")),
            ("a", _) => Reply::html("a page of the old host"),
            (_, "/dir/") => Reply::links(&["/dir/page", "/away", &at("a", "/old"), &at("c", "/")]),
            _ => Reply::html("a page"),
        }
    });
    port.set(server.url("a", "/").split(':').nth(2).unwrap().trim_end_matches('/').parse().unwrap()).unwrap();
    server
}

fn crawl_moved(server: &Scripted, mode: ScopeMode, follow: bool) -> Crawled {
    let mut config = config(vec![server.url("a", "/")]);
    config.scope.hosts.clear();
    (config.scope.mode, config.scope.follow_seeds) = (mode, follow);
    crawl(config)
}

#[test]
fn a_seed_that_redirects_within_its_site_is_followed_with_all_links_of_that_host() {
    let server = moved("www.a");
    let crawled = crawl_moved(&server, ScopeMode::Host, true);
    let pages = ["a/old", "www/away", "www/dir/", "www/dir/page"];
    assert!(pages.iter().all(|page| asked(&server).contains(&(*page).to_owned())), "{:?}", asked(&server));
    assert_eq!((crawled.report.pages, crawled.fate("out_of_scope")), (4, 1));

    let server = moved("www.a");
    let crawled = crawl_moved(&server, ScopeMode::Host, false);
    assert_eq!((crawled.report.pages, crawled.fate("out_of_scope")), (0, 1), "strict");
}

#[test]
fn a_seed_that_refreshes_to_another_host_of_its_site_is_followed_too() {
    for header in [true, false] {
        let port = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
        let known = std::sync::Arc::clone(&port);
        let server = Scripted::start(move |host, path, _| match (host, path) {
            ("a", "/") if header => Reply::html("moved").with("Refresh", format!("0; url={}", known.get().unwrap())),
            ("a", "/") => {
                Reply::html(format!("<meta http-equiv=refresh content='0; url={}'>moved", known.get().unwrap()))
            }
            ("www", "/") => Reply::links(&["/page"]),
            ("www", "/page") => Reply::html("a page"),
            _ => Reply::status(404),
        });
        port.set(server.url("www.a", "/")).unwrap();
        let crawled = crawl_moved(&server, ScopeMode::Host, true);
        assert!(asked(&server).contains(&"www/page".to_owned()), "{:?}", asked(&server));
        assert_eq!((crawled.report.pages, crawled.fate("out_of_scope")), (3, 0));
    }
}

#[test]
fn a_seed_that_redirects_to_another_site_is_not_followed_and_the_closing_words_say_what_to_do() {
    let server = moved("b");
    let crawled = crawl_moved(&server, ScopeMode::Host, true);
    assert_eq!((crawled.report.pages, crawled.fate("out_of_scope")), (0, 1));
    let text = crawled.report.to_string();
    assert!(text.contains("redirects to an address outside the scope") && text.contains("scope.hosts"), "{text}");
}

#[test]
fn a_link_of_a_page_to_another_host_of_the_site_is_no_reason_to_follow_it() {
    let (_, server) = scoped(ScopeMode::Host, |config| config.scope.follow_seeds = true);
    assert!(!asked(&server).iter().any(|page| page.starts_with("b/")));
}
