//! Crawls of a made-up photo site, from its HTML to the order of fetches.

use std::collections::BTreeSet;

use bytes::Bytes;
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{Apath, LinkClass};
use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_structure::parse::Parser;

use super::*;
use harvestman_policy::{BreadthFirst, NewLink, Observation, Outcome, PageFacts, PlacedLink, Policy};

const USERS: usize = 40;
const PICTURES: usize = 240;
/// Pictures on one list.
const LISTED: usize = 20;

/// Every fourth user photographs flowers, the others cars.
fn tags(user: usize) -> [&'static str; 2] {
    if user.is_multiple_of(4) { ["flowers", "garden"] } else { ["cars", "city"] }
}

fn thumbs(pictures: impl Iterator<Item = usize>) -> String {
    let thumb = |n: usize| {
        let user = n % USERS;
        format!(
            "<div class=thumb><a href=/photo/{n}><img src={n}.jpg></a><p class=by><a href=/user/{user}>u{user}</a></div>"
        )
    };
    pictures.map(thumb).collect()
}

fn tag_links(user: usize) -> String {
    let links: String = tags(user).iter().map(|tag| format!("<li><a href=/tag/{tag}>{tag}</a>")).collect();
    format!("<ul class=tags>{links}</ul>")
}

/// The HTML of a page; `None` for an address that the site does not have.
fn html(path: &str) -> Option<String> {
    let (folder, name) = path.trim_start_matches('/').split_once('/')?;
    let number = name.parse::<usize>().unwrap_or_default();
    let body = match folder {
        "list" => {
            let next = number + 1;
            let first = number * LISTED;
            let shown = thumbs((first..PICTURES).take(LISTED));
            if next * LISTED < PICTURES { format!("{shown}<p class=next><a href=/list/{next}>more</a>") } else { shown }
        }
        "photo" => {
            let user = number % USERS;
            format!(
                "<h1 class=title>Picture {number}</h1><p class=owner><a href=/user/{user}>u{user}</a></p>{}",
                tag_links(user)
            )
        }
        "user" => {
            let contact = (number + 4) % USERS;
            let contacts = format!("<ul class=contacts><li><a href=/user/{contact}>u{contact}</a></ul>");
            format!("<h2 class=name>User {number}</h2>{}{contacts}", tag_links(number))
        }
        "tag" => {
            let shown = (0..PICTURES).filter(|n| tags(n % USERS).contains(&name)).take(3);
            format!("<h2 class=about>Pictures of {name}</h2>{}", thumbs(shown))
        }
        _ => return None,
    };
    Some(format!("<p class=menu>Home</p>{body}"))
}

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::from_canonical(format!("http://h.test{path}"))
}

fn parser() -> Parser {
    Parser::new(&ParseOptions::default())
}

/// A page with its links, as the pipeline observes it.
fn observe(page: &str, policy: &dyn harvestman_policy::PolicySnapshot) -> (PageFacts, Vec<(Apath, String)>) {
    let parsed = parser().parse(page.as_bytes(), None);
    let mut links: Vec<_> = parsed.groups.iter().flat_map(|g| g.links.iter().map(|link| (g.apath, link))).collect();
    links.sort_by_key(|(_, link)| link.start);
    let placed = |(apath, link): &(Apath, &harvestman_core::model::RawLink)| {
        let target = url(parsed.href(link));
        let pattern = policy.pattern(target.as_str()).fine;
        PlacedLink { pattern, place: link.place, ..PlacedLink::new(*apath, target.fingerprint()) }
    };
    let facts = PageFacts {
        links: links.iter().map(placed).collect(),
        body: Some((Bytes::from(page.to_owned()), None)),
        bag: parsed.leaf_paths.clone(),
        ..PageFacts::default()
    };
    (facts, links.iter().map(|(apath, link)| (*apath, parsed.href(link).to_owned())).collect())
}

/// Fetches `budget` pages from the first list on, the best first and of equally good ones the oldest. Returns the
/// pages.
fn crawl(policy: &mut dyn Policy, budget: usize) -> Vec<String> {
    let seed = LinkClass::unclassified(Apath::SEED);
    let mut waiting = vec![("/list/0".to_owned(), seed)];
    let (mut known, mut fetched) = (BTreeSet::from(["/list/0".to_owned()]), Vec::new());
    while fetched.len() < budget && !waiting.is_empty() {
        let snapshot = policy.snapshot();
        let score = |(path, class): &(String, LinkClass)| {
            let class =
                if class.apath == Apath::SEED { *class } else { snapshot.class_of(*class, url(path).as_str(), None) };
            snapshot.score(class)
        };
        let scores: Vec<f64> = waiting.iter().map(score).collect();
        let best = (0..waiting.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
        let (path, class) = waiting.remove(best);
        let page = html(&path).unwrap();
        let (facts, links) = observe(&page, &*snapshot);
        let new: Vec<_> = links.into_iter().filter(|(_, path)| known.insert(path.clone())).collect();
        let place = |apath: Apath, path: &str| {
            LinkClass::unclassified(apath).with_pattern(snapshot.pattern(url(path).as_str()))
        };
        let entered = new.iter().map(|(apath, path)| NewLink::new(place(*apath, path), url(path))).collect();
        waiting.extend(new.iter().map(|(apath, path)| (path.clone(), place(*apath, path))));
        let outcome = Outcome::Page(Box::new(facts));
        policy.observe(Observation { url: url(&path), class, via: None, outcome, new: entered });
        fetched.push(path);
    }
    fetched
}

fn topic_policy(form: TopicForm) -> TopicPolicy {
    let mut parser = parser().with_path_strings();
    let read = move |body: &[u8], content_type: Option<&str>, _: Option<&_>| parser.parse(body, content_type);
    let samples = [
        (PageRole::List, ["/list/3", "/list/4"]),
        (PageRole::Detail, ["/photo/61", "/photo/72"]),
        (PageRole::Profile, ["/user/31", "/user/32"]),
        (PageRole::Tag, ["/tag/cars", "/tag/garden"]),
    ];
    let samples = samples.map(|(role, paths)| RoleSample {
        role,
        pages: paths.map(|path| (url(path).as_str().into(), observe(&html(path).unwrap(), &BreadthFirst).0)).into(),
    });
    let options = TopicOptions { form, pictures: 6, ..TopicOptions::paper(vec![url("/tag/flowers")]) };
    let pages = PageRoles::learn(&samples, Box::new(read));
    assert!(pages.needs_body(), "the samples suffice for path strings");
    TopicPolicy::new(options, pages, &samples)
}

/// The harvest ratio (eq. 7): the share of fetched detail pages that carry a tag of the topic.
fn harvest(fetched: &[String]) -> f64 {
    let details: Vec<usize> = fetched.iter().filter_map(|path| path.strip_prefix("/photo/")?.parse().ok()).collect();
    let relevant = details.iter().filter(|picture| tags(*picture % USERS)[0] == "flowers").count();
    relevant as f64 / details.len().max(1) as f64
}

#[test]
fn the_topic_is_found_and_its_pictures_are_fetched_first() {
    let mut policy = topic_policy(TopicForm::Stages);
    let fetched = crawl(&mut policy, 120);
    let garden = UrlKey::from(Fingerprint::of(url("/tag/garden").as_str()));
    assert!(policy.crawl().topic().contains(&garden), "flowers are in gardens");
    let mut plain = BreadthFirst;
    let (focused, breadth_first) = (harvest(&fetched), harvest(&crawl(&mut plain, 120)));
    assert!(focused > 2.0 * breadth_first, "{focused} against {breadth_first}: {fetched:?}");
}

#[test]
fn discarded_links_are_fetched_in_the_end_and_after_most_pictures_of_the_topic() {
    let fetched = crawl(&mut topic_policy(TopicForm::Stages), 1_000);
    assert_eq!(fetched.len(), PICTURES + PICTURES / LISTED + USERS + 4, "all pages of the site");
    let details: Vec<usize> = fetched.iter().filter_map(|path| path.strip_prefix("/photo/")?.parse().ok()).collect();
    let is_wanted = |picture: &&usize| tags(**picture % USERS)[0] == "flowers";
    let (first, last) = details.split_at(PICTURES / 2);
    let [first, last] = [first, last].map(|half| half.iter().filter(is_wanted).count());
    assert_eq!((first, last), (60, 0));
}

#[test]
fn ranks_improve_opic() {
    let mut opic = crate::baselines::Opic::new(crate::baselines::OpicOptions::default());
    let combined = harvest(&crawl(&mut topic_policy(TopicForm::Cash), 120));
    let plain = harvest(&crawl(&mut opic, 120));
    assert!(combined > plain, "{combined} against {plain}");
}
