//! robots.txt and sitemaps over a whole crawl: what is forbidden is never asked for (ROB-1), and what only a sitemap
//! names is found.

use harvestman::config::Period;
use harvestman::sim::{Family, ServerOptions, WorldOptions};

use crate::crawling::{Crawled, config, crawl, crawl_with, giving_up_after, serve};
use crate::scripted::{Reply, Scripted};

fn with_robots(robots: Reply) -> Scripted {
    Scripted::start(move |_, path, _| match path {
        "/robots.txt" => robots.clone(),
        "/" => Reply::links(&["/open", "/closed", "/closed/but/open"]),
        "/elsewhere/robots.txt" => Reply::text("User-agent: *\nDisallow: /closed\n"),
        _ => Reply::html("a page"),
    })
}

fn fates(server: &Scripted, crawled: &Crawled) -> [String; 3] {
    ["/open", "/closed", "/closed/but/open"].map(|path| crawled.fate_of(&server.url("a", path)))
}

const REFUSED: &str = "robots: disallowed";

#[test]
fn what_robots_txt_forbids_is_never_asked_for() {
    let rules = "User-agent: *\nDisallow: /\n\nUser-agent: Harvestman/2\nDisallow: /closed\nAllow: /closed/but\n";
    let server = with_robots(Reply::text(rules));
    let crawled = crawl(config(vec![server.url("a", "/")]));
    assert_eq!(fates(&server, &crawled), ["fetched", REFUSED, "fetched"]);
    assert_eq!(server.paths("a")[0], "/robots.txt");
    assert!(!server.paths("a").contains(&"/closed".to_owned()));
}

#[test]
fn robots_txt_may_be_ignored_and_then_is_not_even_asked_for() {
    let server = with_robots(Reply::text("User-agent: *\nDisallow: /\n"));
    let mut config = config(vec![server.url("a", "/")]);
    config.robots.obey = false;
    let crawled = crawl(config);
    assert_eq!(fates(&server, &crawled), ["fetched"; 3]);
    assert!(!server.paths("a").contains(&"/robots.txt".to_owned()));
}

#[test]
fn the_report_names_the_hosts_whose_crawl_delay_is_capped() {
    let server = with_robots(Reply::text("User-agent: *\nCrawl-delay: 86400\n"));
    let modest = with_robots(Reply::text("User-agent: *\nCrawl-delay: 0.1\n"));
    let mut config = config(vec![server.url("a", "/"), modest.url("b", "/")]);
    config.robots.crawl_delay_max = Period::millis(200);
    let report = crawl(config).report;
    let capped = &report.crawl_delays_capped;
    assert_eq!((report.crawl_delays_capped_hosts, capped.len()), (1, 1));
    assert_eq!((capped[0].asked_seconds, capped[0].used_seconds), (86_400.0, 0.2));
    assert!(server.url("a", "/").starts_with(&capped[0].host));
    assert!(report.to_string().contains("asks for 1 d 0 h, 0.2 s used"), "{report}");
}

#[test]
fn a_missing_robots_txt_allows_everything() {
    for status in [401, 403, 404, 410] {
        let server = with_robots(Reply::status(status));
        let crawled = crawl(config(vec![server.url("a", "/")]));
        assert_eq!(fates(&server, &crawled), ["fetched"; 3], "{status}");
    }
}

#[test]
fn while_robots_txt_answers_with_an_error_nothing_is_fetched_and_in_the_end_it_is_let_go() {
    for status in [429, 500, 503] {
        let server = with_robots(Reply::status(status));
        let mut config = config(vec![server.url("a", "/"), server.url("a", "/open")]);
        (config.robots.unavailable_retry, config.robots.unavailable_tries) = (Period::millis(10), 2);
        let crawled = crawl(config);
        assert_eq!(server.paths("a"), ["/robots.txt"; 2], "{status}");
        assert_eq!((crawled.report.pages, crawled.fate("robots")), (0, 2));
        assert_eq!(crawled.fate_of(&server.url("a", "/")), "robots: unavailable");
    }
}

#[test]
fn robots_txt_that_comes_back_after_an_error_is_obeyed() {
    let server = Scripted::start(|_, path, before| match path {
        "/robots.txt" if before == 0 => Reply::status(503),
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /closed\n"),
        "/" => Reply::links(&["/open", "/closed", "/closed/but/open"]),
        _ => Reply::html("a page"),
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.robots.unavailable_retry = Period::millis(10);
    let crawled = crawl(config);
    assert_eq!(fates(&server, &crawled), ["fetched", REFUSED, REFUSED]);
}

#[test]
fn a_redirected_robots_txt_is_obeyed_and_one_that_never_arrives_counts_as_none() {
    let server = with_robots(Reply::redirect(301, "/elsewhere/robots.txt"));
    let crawled = crawl(config(vec![server.url("a", "/")]));
    assert_eq!(fates(&server, &crawled), ["fetched", REFUSED, REFUSED]);
    let server = with_robots(Reply::redirect(301, "/robots.txt"));
    let crawled = crawl(config(vec![server.url("a", "/")]));
    assert_eq!(fates(&server, &crawled), ["fetched"; 3]);
    // Asked once, and five redirects followed.
    assert_eq!(server.paths("a").iter().filter(|path| *path == "/robots.txt").count(), 6);
}

#[test]
fn a_simulated_world_that_is_disallowed_in_part_is_obeyed_to_the_url() {
    let world = WorldOptions { pages: 300, hosts: 5, page_bytes: 200, ..WorldOptions::default() };
    let server = serve(&world, ServerOptions::default());
    let mut config = config(server.world().seeds());
    config.host.connections_per_host = 16;
    let crawled = crawl(config);
    crawled.check_complete(&server);
    let mut refused = 0;
    for row in server.world().truth().filter(|row| !row.robots_allowed) {
        assert_eq!(server.log().requests_of(&row.url), 0, "{}", row.url);
        refused += 1;
    }
    assert!(refused > 20 && crawled.fate("robots") == refused);
}

#[test]
fn pages_that_only_a_sitemap_names_are_found_through_indexes() {
    let server = Scripted::start(|host, path, _| match (host, path) {
        ("a", "/robots.txt") => Reply::text("Sitemap: /sitemap.xml\nSitemap: /sitemap.txt\n"),
        ("a", "/sitemap.xml") => Reply::xml(
            "<sitemapindex><sitemap><loc>/sitemap-1.xml</loc></sitemap>\
                 <sitemap><loc>/sitemap-2.xml</loc></sitemap><sitemap><loc>/sitemap-gone.xml</loc></sitemap></sitemapindex>",
        ),
        ("a", "/sitemap-1.xml") => Reply::xml("<urlset><url><loc>/one</loc></url><url><loc>/two</loc></url></urlset>"),
        ("a", "/sitemap-2.xml") => {
            Reply::xml("<urlset><url><loc>/two</loc></url><url><loc>/three</loc></url></urlset>")
        }
        ("a", "/sitemap-gone.xml") => Reply::status(404),
        (_, "/robots.txt") => Reply::status(404),
        _ => Reply::html("a page without links"),
    });
    let crawled = crawl(config(vec![server.url("a", "/")]));
    let pages = ["/", "/one", "/three", "/two"].map(|path| server.url("a", path));
    assert_eq!(crawled.urls("fetched"), pages);
    assert_eq!((crawled.fate("duplicate"), crawled.report.discovered), (1, 5));
    assert_eq!(crawled.report.requests, server.log().len() as u64);
}

#[test]
fn sitemaps_that_redirect_are_followed_and_a_circle_of_them_ends() {
    let server = Scripted::start(|_, path, _| match path {
        "/robots.txt" => Reply::text("Sitemap: /sitemap.xml\n"),
        "/sitemap.xml" => Reply::redirect(301, "/maps/sitemap.xml"),
        "/maps/sitemap.xml" => Reply::xml(
            "<sitemapindex><sitemap><loc>/maps/old-sitemap.xml</loc></sitemap><sitemap><loc>/maps/circle-sitemap.xml</loc></sitemap>\
             </sitemapindex>",
        ),
        "/maps/old-sitemap.xml" => Reply::redirect(302, "posts-sitemap.xml"),
        "/maps/circle-sitemap.xml" => Reply::redirect(302, "/maps/circle-sitemap-2.xml"),
        "/maps/circle-sitemap-2.xml" => Reply::redirect(302, "/maps/circle-sitemap.xml"),
        "/maps/posts-sitemap.xml" => Reply::xml("<urlset><url><loc>/post</loc></url></urlset>"),
        _ => Reply::html("a page without links"),
    });
    let crawled = crawl(config(vec![server.url("a", "/")]));
    assert_eq!(crawled.urls("fetched"), ["/", "/post"].map(|path| server.url("a", path)));
    let paths = server.paths("a");
    assert!(
        ["/maps/circle-sitemap.xml", "/maps/circle-sitemap-2.xml"].iter().all(|path| paths
            .iter()
            .filter(|asked| asked == path)
            .count()
            == 1)
    );
}

#[test]
fn a_guess_that_redirects_is_followed_only_to_what_names_a_sitemap() {
    for (target, followed) in [("/wp-sitemap.xml", true), ("/", false)] {
        let server = Scripted::start(move |_, path, _| match path {
            "/robots.txt" => Reply::status(404),
            "/sitemap.xml" => Reply::redirect(302, target),
            "/wp-sitemap.xml" => Reply::xml("<urlset><url><loc>/post</loc></url></urlset>"),
            _ => Reply::html("a page without links"),
        });
        let mut config = config(vec![server.url("a", "/")]);
        config.robots.sitemap_guess = true;
        let crawled = crawl(config);
        assert_eq!((crawled.report.pages, server.paths("a").len()), if followed { (2, 5) } else { (1, 3) }, "{target}");
    }
}

#[test]
fn sitemaps_are_left_alone_where_they_are_not_wanted() {
    let server = Scripted::start(|_, path, _| match path {
        "/robots.txt" => Reply::text("Sitemap: /sitemap.xml\n"),
        "/sitemap.xml" => Reply::xml("<urlset><url><loc>/one</loc></url></urlset>"),
        _ => Reply::html("a page without links"),
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.robots.sitemaps = false;
    let crawled = crawl(config);
    assert_eq!((crawled.report.pages, server.paths("a").len()), (1, 2));
}

#[test]
fn a_crawl_of_a_world_by_its_sitemaps_finds_all_too() {
    let world =
        WorldOptions { pages: 400, hosts: 7, families: vec![Family::Qa], page_bytes: 200, ..WorldOptions::default() };
    let server = serve(&world, ServerOptions::default());
    let world = server.world();
    let crawled = crawl(config(world.seeds()));
    crawled.check_complete(&server);
    let sitemaps = server.log().entries().iter().filter(|entry| entry.path.starts_with("/sitemap")).count();
    assert!(sitemaps >= 12, "{sitemaps}");
}

/// A crawl must end although a host that only has sitemaps to fetch cannot be reached, or fails for good.
#[test]
fn sitemaps_of_hosts_that_cannot_be_had_do_not_keep_a_crawl_from_ending() {
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let robots = format!("Sitemap: http://dead.localhost:{dead}/sitemap.xml\nSitemap: /sitemap.xml\n");
    let server = Scripted::start(move |host, path, _| match (host, path) {
        ("a", "/robots.txt") => Reply::text(robots.clone()),
        ("a", "/sitemap.xml") => Reply::xml("<urlset><url><loc>/one</loc></url></urlset>"),
        _ => Reply::html("a page without links"),
    });
    let crawled = crawl(config(vec![server.url("a", "/")]));
    assert_eq!(crawled.report.pages, 2);
}

#[test]
fn sitemaps_of_a_host_that_is_given_up_do_not_keep_a_crawl_from_ending() {
    let many: String = (0..20).map(|n| format!("Sitemap: /sitemap-{n}.xml\n")).collect();
    let server = Scripted::start(move |_, path, _| match path {
        "/robots.txt" => Reply::text(many.clone()),
        // No valid status: the client hangs up.
        _ => Reply::status(1),
    });
    let mut config = config(vec![server.url("a", "/")]);
    config.host.connections_per_host = 1;
    config.host.breaker_failures = 2;
    let crawled = crawl_with(config, giving_up_after(1));
    // robots.txt, the seed and three sitemaps: four failures open the breaker twice.
    assert_eq!((crawled.report.pages, server.paths("a").len()), (0, 5), "{:?}", server.paths("a"));
}

/// Serves a site whose robots.txt names no sitemap, and this at the usual place of one.
fn with_unnamed_sitemap(robots: Reply, sitemap: Reply) -> (Scripted, Crawled) {
    let server = Scripted::start(move |_, path, _| match path {
        "/robots.txt" => robots.clone(),
        "/sitemap.xml" => sitemap.clone(),
        _ => Reply::html("a page without links"),
    });
    let mut config = config(vec![server.url("a", "/"), server.url("a", "/other")]);
    config.robots.sitemap_guess = true;
    let crawled = crawl(config);
    assert_eq!(crawled.report.requests, server.log().len() as u64);
    (server, crawled)
}

fn guesses(server: &Scripted) -> usize {
    server.paths("a").iter().filter(|path| *path == "/sitemap.xml").count()
}

#[test]
fn a_sitemap_that_robots_txt_does_not_name_is_found_at_its_usual_place() {
    for robots in [Reply::text("User-agent: *\nDisallow: /private\n"), Reply::status(404)] {
        let sitemap = Reply::xml("<urlset><url><loc>/one</loc></url><url><loc>/private</loc></url></urlset>");
        let (server, crawled) = with_unnamed_sitemap(robots, sitemap);
        assert_eq!((crawled.fate_of(&server.url("a", "/one")), guesses(&server)), ("fetched".to_owned(), 1));
    }
}

#[test]
fn a_host_without_a_sitemap_is_asked_once_and_nothing_counts_as_failed() {
    let soft = Reply::html("<p>There is no such page. <a href=/soft>Back</a>");
    for answer in [Reply::status(404), Reply::status(500), Reply::redirect(302, "/"), soft, Reply::text("no")] {
        let (server, crawled) = with_unnamed_sitemap(Reply::text(""), answer);
        assert_eq!((crawled.report.pages, crawled.fate("failed"), guesses(&server)), (2, 0, 1));
        assert_eq!(crawled.fate_of(&server.url("a", "/soft")), "no line");
    }
}

#[test]
fn a_usual_place_that_robots_txt_forbids_is_not_asked_for() {
    let (server, crawled) = with_unnamed_sitemap(Reply::text("User-agent: *\nDisallow: /*.xml$\n"), Reply::xml(""));
    assert_eq!((crawled.report.pages, guesses(&server)), (2, 0));
}
