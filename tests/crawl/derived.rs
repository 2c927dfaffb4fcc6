//! Addresses that are made from known ones, over real sockets: a crawl for pages that stand one step behind others
//! asks for them without those.

use harvestman::config::{Period, PolicyKind};

use crate::crawling::{config, crawl};
use crate::scripted::{Reply, Scripted};

const LISTS: u32 = 12;
const USERS_PER_LIST: u32 = 10;

/// A members' list names its users, a user's page leads to what the user wrote, which is of a template of its own.
fn forum(path: &str) -> Reply {
    let parts: Vec<_> = path.trim_matches('/').split('/').collect();
    let number = |text: &str| text.parse::<u32>().ok();
    // Words of letters: names and numbers make no text of its own.
    let letter = |n: u32| char::from(b'a' + (n % 26) as u8);
    let word = |n: u32, at: u32| format!("{}{}{} ", letter(n * 7 + at), letter(n + at * 3), letter(n / 26 + at * 5));
    let text = |n: u32| (0..40).map(|at| word(n, at)).collect::<String>();
    let page = |body: String| Reply::html(format!("<html><body>{body}</body></html>"));
    match parts[..] {
        [""] => page("<ul><li><a href=\"/list/0/\">members</a></li></ul>".to_owned()),
        ["list", list] => {
            let Some(list) = number(list).filter(|list| *list < LISTS) else { return Reply::status(404) };
            let users = (list * USERS_PER_LIST..).take(USERS_PER_LIST as usize);
            let users: String =
                users.map(|user| format!("<tr><td><a href=\"/user/{user}/\">u</a></td></tr>")).collect();
            page(format!("<table>{users}</table><nav><a href=\"/list/{}/\">next</a></nav>", list + 1))
        }
        ["user", user] => match number(user) {
            Some(user) => page(format!("<dl><dt>name</dt><dd><a href=\"/user/{user}/posts/\">posts</a></dd></dl>")),
            None => Reply::status(404),
        },
        ["user", user, "posts"] => match number(user) {
            Some(user) => page(format!("<article><section><p>{}</p></section></article>", text(user))),
            None => Reply::status(404),
        },
        _ => Reply::status(404),
    }
}

#[test]
fn pages_one_step_behind_others_are_asked_for_without_those() {
    let server = Scripted::start(|_, path, _| forum(path));
    let mut config = config(vec![server.url("forum", "/")]);
    config.crawl.policy = PolicyKind::Target;
    config.policy.example.0 = vec![server.url("forum", "/user/3/posts/")];
    config.robots.obey = false;
    // One request after the other, so that each follows from what the one before has taught.
    config.frontier.in_flight_max = 1;
    // The policy learns beside the crawl: on a busy machine it would fall behind a server that answers at once.
    config.host.delay = Period::millis(10);
    let users = LISTS * USERS_PER_LIST;
    config.budget.requests = u64::from(users);
    let crawled = crawl(config);
    let asked = server.paths("forum");
    let posts = asked.iter().filter(|path| path.ends_with("/posts/")).count();
    let profiles = asked.iter().filter(|path| path.starts_with("/user/") && !path.ends_with("/posts/")).count();
    assert!(posts > 85 && profiles < 20, "{posts} of {users} asked for, and {profiles} profiles");
    // What was derived names the address that it was made from, which nobody asked for.
    let derived: Vec<_> = crawled
        .pages
        .iter()
        .filter(|page| page.url.ends_with("/posts/"))
        .filter(|page| page.via.as_ref().is_some_and(|via| !asked.iter().any(|path| server.url("forum", path) == *via)))
        .collect();
    assert!(derived.len() > 50, "{} were derived", derived.len());
    let is_made_from = |url: &str, via: &str| url.strip_suffix("posts/") == Some(via);
    assert!(derived.iter().all(|page| page.via.as_ref().is_some_and(|via| is_made_from(&page.url, via))));
    assert!(derived.iter().all(|page| page.status == Some(200) && page.fate == "fetched"));
}
