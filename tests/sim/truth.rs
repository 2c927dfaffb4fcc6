//! Naive crawls with an independent link extractor, compared with the ground truth.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use harvestman::seed::Seed;
use harvestman::sim::{Family, TruthRow, World, WorldOptions};
use url::Url;

use super::{authority, get, path_and_query, small, truth_by_url};

/// What a naive crawl may follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manners {
    /// Everything, robots.txt unread.
    FollowsAll,
    /// Only what robots.txt allows is fetched; what it disallows is still found.
    KeepsToRobots,
}

/// The hrefs of all anchors, as an HTML5 parser sees them, and the base that they resolve against.
fn anchors(page: &Url, body: &str) -> Vec<Url> {
    let document = scraper::Html::parse_document(body);
    let select = |css: &str| scraper::Selector::parse(css).unwrap();
    let base = document.select(&select("base[href]")).next();
    let base = base.map_or_else(|| page.clone(), |base| page.join(base.attr("href").unwrap()).unwrap());
    document.select(&select("a[href]")).map(|a| base.join(a.attr("href").unwrap()).unwrap()).collect()
}

/// The canonical form, as far as the simulator's spellings need it: no fragment, no empty query, unreserved characters
/// not escaped. The rest is what parsing by the URL standard does.
fn canonical(mut url: Url) -> String {
    url.set_fragment(None);
    if url.query() == Some("") {
        url.set_query(None);
    }
    let text = url.as_str();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let code = u8::from_str_radix(&rest[at + 1..at + 3], 16).unwrap();
        out.push_str(&rest[..at]);
        if code.is_ascii_alphanumeric() || b"-._~".contains(&code) {
            out.push(code as char);
        } else {
            out.push_str(&rest[at..at + 3].to_ascii_uppercase());
        }
        rest = &rest[at + 3..];
    }
    out + rest
}

fn robots_of(world: &World, url: &str) -> robotxt::Robots {
    let host = authority(&Url::parse(url).unwrap());
    robotxt::Robots::parse(&world.respond(&host, "/robots.txt").body, "harvestman")
}

/// Everything that can be reached from the world's seeds: URL → (status, redirect target), none where robots.txt kept
/// it.
fn reachable(world: &World, manners: Manners) -> BTreeMap<String, Option<(u16, Option<String>)>> {
    let mut found = BTreeMap::new();
    let mut robots: BTreeMap<String, robotxt::Robots> = BTreeMap::new();
    let mut queue: VecDeque<String> = world.seeds().into();
    let mut seen: BTreeSet<String> = world.seeds().into_iter().collect();
    while let Some(text) = queue.pop_front() {
        let url = Url::parse(&text).unwrap();
        let rules = robots.entry(authority(&url)).or_insert_with(|| robots_of(world, &text));
        if manners == Manners::KeepsToRobots && !rules.is_allowed(&path_and_query(&url)) {
            found.insert(text, None);
            continue;
        }
        let response = get(world, &text);
        let target = response.location.as_ref().map(|location| canonical(Url::parse(location).unwrap()));
        let mut links: Vec<String> = target.iter().cloned().collect();
        if response.content_type.starts_with("text/html") && !response.body.is_empty() {
            let body = std::str::from_utf8(&response.body).unwrap();
            links.extend(anchors(&url, body).into_iter().map(canonical));
        }
        found.insert(text, Some((response.status, target)));
        for link in links {
            let link_path = path_and_query(&Url::parse(&link).unwrap());
            if !world.is_trap(&link_path) && seen.insert(link.clone()) {
                queue.push_back(link);
            }
        }
    }
    found
}

/// The whole promise, for one world.
fn assert_truth_is_exact(options: &WorldOptions, seed: u64) {
    let world = World::new(options, Seed(seed)).unwrap();
    let truth = truth_by_url(&world);
    for manners in [Manners::FollowsAll, Manners::KeepsToRobots] {
        let found = reachable(&world, manners);
        let missing: Vec<&String> = truth.keys().filter(|url| !found.contains_key(*url)).collect();
        let extra: Vec<&String> = found.keys().filter(|url| !truth.contains_key(*url)).collect();
        assert!(missing.is_empty(), "{manners:?}: {} in the truth, not reached: {:?}", missing.len(), &missing[..1]);
        assert!(extra.is_empty(), "{manners:?}: {} reached, not in the truth: {:?}", extra.len(), &extra[..1]);
        for (url, answer) in found {
            let row = &truth[&url];
            match answer {
                None => assert!(!row.robots_allowed, "{url} is disallowed, the truth says allowed"),
                Some(answer) => {
                    assert_eq!(answer, (row.status, row.redirect_to.clone()), "{url}");
                    assert!(manners == Manners::FollowsAll || row.robots_allowed, "{url} is allowed");
                }
            }
        }
    }
    for row in truth.values() {
        for other in row.duplicate_of.iter().chain(&row.redirect_to) {
            let other = truth.get(other).unwrap_or_else(|| panic!("{} points to {other}, which is not there", row.url));
            assert!(other.duplicate_of.is_none() && other.redirect_to.is_none(), "{} points to a pointer", row.url);
        }
    }
    let fetchable = |row: &&TruthRow| row.status == 200 && row.robots_allowed;
    assert!(truth.values().filter(fetchable).count() as u64 >= options.pages);
}

#[test]
fn what_is_reachable_on_a_forum_is_its_truth() {
    assert_truth_is_exact(&small(&[Family::Forum], 1), 1);
}

#[test]
fn what_is_reachable_in_a_blog_network_is_its_truth() {
    assert_truth_is_exact(&small(&[Family::Blogs], 7), 2);
}

#[test]
fn what_is_reachable_on_a_qa_site_is_its_truth() {
    assert_truth_is_exact(&small(&[Family::Qa], 1), 3);
}

#[test]
fn what_is_reachable_on_a_photo_site_is_its_truth() {
    assert_truth_is_exact(&small(&[Family::Media], 1), 4);
}

#[test]
fn what_is_reachable_in_a_world_of_all_families_is_its_truth() {
    assert_truth_is_exact(&WorldOptions { pages: 800, port: Some(8_080), ..small(&Family::SOCIAL, 12) }, 5);
}

#[test]
fn links_elsewhere_lead_to_nothing_that_is_not_linked_otherwise() {
    let options = WorldOptions { pages: 400, port: Some(8_080), elsewhere: 3, ..small(&Family::SOCIAL, 12) };
    assert_truth_is_exact(&options, 5);
    let with = World::new(&options, Seed(5)).unwrap();
    let without = World::new(&WorldOptions { elsewhere: 0, ..options }, Seed(5)).unwrap();
    assert!(with.truth().eq(without.truth()));
    let seed = &with.seeds()[0];
    let elsewhere = String::from_utf8(get(&with, seed).body.to_vec()).unwrap();
    assert_eq!(elsewhere.matches("class=\"elsewhere\"").count(), 3);
    assert!(elsewhere.ends_with("</body></html>\n"));
}

#[test]
fn every_combination_of_extremes_keeps_the_truth_exact() {
    let base = WorldOptions { port: Some(8_080), ..small(&Family::SOCIAL, 6) };
    let everything = WorldOptions {
        redirects: 1.0,
        duplicates: 1.0,
        dead_links: 0.3,
        session_ids: true,
        non_html: true,
        traps: true,
        ..base.clone()
    };
    let nothing = WorldOptions {
        redirects: 0.0,
        duplicates: 0.0,
        dead_links: 0.0,
        spellings: false,
        disallow: false,
        sitemaps: false,
        ..base.clone()
    };
    let all_dead = WorldOptions { dead_links: 1.0, ..base.clone() };
    let many_links = WorldOptions { links: 200, ..base.clone() };
    let one_page = WorldOptions { pages: 1, ..base };
    for (seed, options) in [everything, nothing, all_dead, many_links, one_page].iter().enumerate() {
        assert_truth_is_exact(options, seed as u64);
    }
}

#[test]
fn what_is_reachable_on_the_static_site_is_its_truth_and_has_the_promised_size() {
    let options = WorldOptions::static_site(300);
    assert_truth_is_exact(&options, 6);
    let world = World::new(&options, Seed(6)).unwrap();
    assert_eq!(world.truth().count(), 300);
    let body = get(&world, &world.seeds()[0]).body;
    assert!((22_000..30_000).contains(&body.len()), "{}", body.len());
    let links = anchors(&Url::parse("http://localhost/").unwrap(), std::str::from_utf8(&body).unwrap()).len();
    assert_eq!(links, 90);
}

#[test]
fn a_static_site_with_tags_has_lists_of_the_pages_of_each_tag() {
    let options = WorldOptions { tags: 3, ..WorldOptions::static_site(300) };
    assert_truth_is_exact(&options, 6);
    let world = World::new(&options, Seed(6)).unwrap();
    let body = get(&world, &world.seeds()[0]).body;
    let links = anchors(&Url::parse("http://localhost/").unwrap(), std::str::from_utf8(&body).unwrap()).len();
    assert_eq!(links, 90, "as without tags");
    // Each tag has 200 pages, 62 on a list.
    assert_eq!(world.truth().filter(|row| row.page_type == "static:tag").count(), 12);
    let tagged = world.truth().find(|row| row.url == "http://localhost/thread/5.html").unwrap();
    assert_eq!(tagged.tags, ["t2", "t0"]);
    let list = get(&world, "http://localhost/tag/t2/").body;
    assert!(String::from_utf8_lossy(&list).contains("/thread/5.html"));
    let few = WorldOptions { tags: 9, ..WorldOptions::static_site(4) };
    assert_truth_is_exact(&few, 6);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_another_world() {
    let options = small(&Family::SOCIAL, 9);
    let [one, twin, other] = [7, 7, 8].map(|seed| World::new(&options, Seed(seed)).unwrap());
    let urls: Vec<TruthRow> = one.truth().collect();
    assert_eq!(urls, twin.truth().collect::<Vec<_>>());
    assert_ne!(urls, other.truth().collect::<Vec<_>>());
    for row in &urls {
        assert_eq!(get(&one, &row.url), get(&twin, &row.url), "{}", row.url);
    }
}

#[test]
fn a_duplicate_shows_the_content_of_its_original() {
    let options = WorldOptions { duplicates: 1.0, ..small(&[Family::Forum], 1) };
    let world = World::new(&options, Seed(9)).unwrap();
    let posts = |url: &str| -> Vec<String> {
        let document = scraper::Html::parse_document(std::str::from_utf8(&get(&world, url).body).unwrap());
        let bodies = scraper::Selector::parse(".postbody").unwrap();
        document.select(&bodies).map(|post| post.text().collect()).collect()
    };
    let permalinks = world.truth().filter(|row| row.page_type == "forum:post_permalink").take(50);
    let mut compared = 0;
    for row in permalinks {
        let shown = posts(&row.url);
        assert!(!shown.is_empty());
        assert_eq!(shown, posts(&row.duplicate_of.unwrap()), "{}", row.url);
        compared += 1;
    }
    assert_eq!(compared, 50);
}
