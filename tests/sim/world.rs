//! Worlds as a whole: their size, sitemaps, refusals, and URLs that nobody linked.

use std::collections::BTreeSet;

use harvestman::seed::Seed;
use harvestman::sim::{Error, Family, World, WorldOptions};
use proptest::prelude::*;
use url::Url;

use super::{get, path_and_query, small, truth_by_url};

#[test]
fn a_large_world_answers_every_url_as_its_truth_says() {
    let options = WorldOptions { pages: 60_000, hosts: 64, page_bytes: 100, links: 20, ..WorldOptions::default() };
    let world = World::new(&options, Seed(12)).unwrap();
    let mut fetchable = 0;
    let mut hosts = BTreeSet::new();
    let mut urls = BTreeSet::new();
    for (index, row) in world.truth().enumerate() {
        assert!(urls.insert(harvestman::url::Fingerprint::of(&row.url)), "{} twice", row.url);
        fetchable += u64::from(row.status == 200 && row.robots_allowed);
        if index % 7 == 0 {
            let response = get(&world, &row.url);
            assert_eq!(response.status, row.status, "{}", row.url);
        }
        hosts.insert(row.host);
    }
    assert_eq!(hosts.len(), 64);
    assert_eq!(hosts, world.hosts().map(str::to_owned).collect());
    assert!((options.pages..options.pages + 64 * 40).contains(&fetchable), "{fetchable}");
}

#[test]
fn a_sitemap_names_only_urls_of_the_truth() {
    let options = small(&Family::SOCIAL, 6);
    let world = World::new(&options, Seed(13)).unwrap();
    let truth = truth_by_url(&world);
    let locations = |host: &str, path: &str| -> Vec<String> {
        let response = world.respond(host, path);
        assert_eq!(response.status, 200, "{host}{path}");
        let text = String::from_utf8(response.body.to_vec()).unwrap();
        text.split("<loc>").skip(1).map(|rest| rest.split_once("</loc>").unwrap().0.to_owned()).collect()
    };
    let mut named = 0;
    for host in world.hosts() {
        let robots = world.respond(host, "/robots.txt").body;
        assert!(std::str::from_utf8(&robots).unwrap().contains(&format!("Sitemap: http://{host}/sitemap.xml")));
        for file in locations(host, "/sitemap.xml") {
            for url in locations(host, &path_and_query(&Url::parse(&file).unwrap())) {
                assert!(truth.contains_key(&url), "{url}");
                named += 1;
            }
        }
        assert_eq!(world.respond(host, "/sitemap-9.xml").status, 404);
    }
    assert!(named > 20, "{named}");
}

#[test]
fn what_cannot_be_made_is_refused_with_a_reason() {
    let refused = |options: WorldOptions| World::new(&options, Seed(1)).unwrap_err();
    assert_eq!(refused(WorldOptions { families: vec![], ..WorldOptions::default() }), Error::NoFamily);
    let few = WorldOptions { hosts: 4, ..WorldOptions::default() };
    assert_eq!(refused(few), Error::TooFewHosts { hosts: 4, needed: 5 });
    assert!(World::new(&WorldOptions { hosts: 5, pages: 10, ..WorldOptions::default() }, Seed(1)).is_ok());
    assert_eq!(refused(WorldOptions { hosts: 2, ..WorldOptions::static_site(10) }), Error::StaticIsAlone);
    for error_rate in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(refused(WorldOptions { error_rate, ..WorldOptions::default() }), Error::NoShare { .. }));
    }
    let tags = WorldOptions { tags: 10_001, ..WorldOptions::static_site(10) };
    assert!(matches!(refused(tags), Error::TooMany { name: "tags", .. }));
    let many = WorldOptions { pages: 1_000_000_001, ..WorldOptions::default() };
    assert!(matches!(refused(many), Error::TooMany { name: "pages", .. }));
}

fn shared_world() -> &'static World {
    static WORLD: std::sync::OnceLock<World> = std::sync::OnceLock::new();
    WORLD.get_or_init(|| {
        let options = WorldOptions { duplicates: 1.0, redirects: 1.0, traps: true, ..small(&Family::SOCIAL, 6) };
        World::new(&options, Seed(14)).unwrap()
    })
}

/// Paths that look like the world's, with numbers that are too large, zero or missing.
const NUMBERS: &str = "(0|1|2|99|18446744073709551615|99999999999999999999)?";

fn any_path() -> impl Strategy<Value = String> {
    let shapes = [
        "/threads/[a-z.-]{0,5}N/(page-N|post-N|latest|reply|\\?sid=N)?",
        "/(boards|members)/[a-z]{0,3}\\.N/(threads)?(\\?page=N|\\?sort=posts&page=N)?",
        "/login\\?next=%2Fthreads%2F.{0,3}N%2F",
        "/N/N/([a-z]-)?N/(comment-page-N/|page/N/|\\?replyto=N|\\?print=1)?",
        "/(\\?p=N|page/N/|tag/[a-z]{1,3}/page/N/)",
        "/(questions|users|a|q|p|files|tags)/N(/[a-z]{1,4}|\\.jpg)?(\\?page=N|\\?tab=questions)?",
        "/(photos|people)/[a-z]{0,3}-N/(N/(sizes/|in/set-N/)?|sets/N/pageN/|pageN/)?",
        "/(calendar/N/N/|deeper/[a-z/]{0,9}|sitemap-N.xml|directory/\\?page=N|robots.txt)",
        "\\PC{0,40}",
    ];
    shapes
        .map(|shape| proptest::string::string_regex(&shape.replace('N', NUMBERS)).unwrap().boxed())
        .into_iter()
        .reduce(|one, other| prop_oneof![one, other].boxed())
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_path_makes_the_world_panic_and_only_urls_of_the_truth_are_found(path in any_path()) {
        static TRUTH: std::sync::OnceLock<BTreeSet<String>> = std::sync::OnceLock::new();
        let world = shared_world();
        let truth = TRUTH.get_or_init(|| world.truth().map(|row| row.url).collect());
        for host in ["forum1.localhost", "u1.blogs.localhost", "qa1.localhost", "media1.localhost", "portal.localhost"] {
            let response = world.respond(host, &path);
            let outside = world.is_trap(&path) || ["/robots", "/sitemap", "/img/", "/static/"].iter().any(|start| path.starts_with(start));
            let known = truth.contains(&format!("http://{host}{path}"));
            prop_assert!(known || outside || response.status == 404, "{} {}", host, path);
        }
    }
}
