//! Reads the site as its script does, from the HTML and JSON only.

use std::collections::{BTreeMap, BTreeSet};

use harvestman_sim::World;
use serde_json::Value;

use super::get;

/// What a page was found to show: its posts by id and text, its links, and the data that was requested.
#[derive(Debug, Default)]
pub struct Found {
    pub posts: Vec<(String, String)>,
    pub links: BTreeSet<String>,
    pub routed: BTreeSet<String>,
    pub requests: Vec<String>,
    /// The number of posts and of links before any control was used.
    pub on_load: (usize, usize),
}

impl Found {
    fn request(&mut self, world: &World, path: String) -> Value {
        let value = serde_json::from_str(&get(world, &path, 200)).unwrap();
        self.requests.push(path);
        value
    }

    /// Takes the posts and every `url` within an answer.
    fn take(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.take(value)),
            Value::Object(fields) => {
                if let (Some(id), Some(text)) = (fields.get("id").and_then(Value::as_str), fields.get("text")) {
                    self.posts.push((id.to_owned(), text.as_str().unwrap().to_owned()));
                }
                self.links.extend(fields.get("url").map(|url| url.as_str().unwrap().to_owned()));
                fields.values().for_each(|value| self.take(value));
            }
            _ => {}
        }
    }

    fn loaded(&mut self) {
        self.on_load = (self.posts.len(), self.links.len());
    }
}

/// The targets of the anchors of HTML whose links are spelled plainly.
pub fn hrefs(html: &str) -> BTreeSet<String> {
    let values = html.split("<a ").skip(1).filter_map(|tag| tag.split("href=\"").nth(1)?.split('"').next());
    values.map(str::to_owned).collect()
}

/// Everything that a page shows at some time.
pub fn read(world: &World, path: &str) -> Found {
    let html = get(world, path, 200);
    let mut found = Found { links: hrefs(&html), ..Found::default() };
    if !html.contains("/app.js") {
        found.loaded();
        return found;
    }
    found.links.extend(["/", "/help", "/about", "/rules"].map(str::to_owned));
    let (kind, id) = path[1..].split_once('/').unwrap_or((&path[1..], ""));
    match kind {
        "f" => read_forum(world, id, &mut found),
        "t" => read_thread(world, id, &mut found),
        "u" => read_user(world, &html, &mut found),
        "c" => read_once(world, format!("/api/collection/{id}"), &mut found),
        "help" => {
            let help = found.request(world, "/api/help".to_owned());
            found.routed = numbers(&help["topics"]).map(|topic| format!("/help#/topic/{topic}")).collect();
            found.loaded();
        }
        _ => {
            let home = found.request(world, "/api/home".to_owned());
            found.take(&home["forums"]);
            found.routed = numbers(&home["collections"]).map(|id| format!("/c/{id}")).collect();
            found.loaded();
        }
    }
    found
}

fn numbers(entries: &Value) -> impl Iterator<Item = u64> {
    entries.as_array().unwrap().iter().map(|entry| entry["id"].as_u64().unwrap())
}

fn read_once(world: &World, path: String, found: &mut Found) {
    let answer = found.request(world, path);
    found.take(&answer);
    found.loaded();
}

fn read_forum(world: &World, id: &str, found: &mut Found) {
    for page in 1.. {
        let answer = found.request(world, format!("/api/forum/{id}/threads?page={page}"));
        found.take(&answer);
        if page == 1 {
            found.loaded();
        }
        if answer["page"] == answer["pages"] {
            return;
        }
    }
}

fn read_thread(world: &World, id: &str, found: &mut Found) {
    let mut cursor = Some("0".to_owned());
    while let Some(after) = cursor {
        let answer = found.request(world, format!("/api/thread/{id}/posts?after={after}"));
        found.take(&answer);
        if after == "0" {
            found.loaded();
        }
        cursor = answer["next"].as_str().map(str::to_owned);
    }
}

fn read_user(world: &World, html: &str, found: &mut Found) {
    let state = html.split("window.__STATE__=").nth(1).unwrap().split("</script>").next().unwrap();
    let state: Value = serde_json::from_str(state).unwrap();
    let id = &state["user"]["id"];
    read_once(world, format!("/api/user/{id}/posts"), found);
    let topics = found.request(world, format!("/api/user/{id}/topics"));
    found.links.extend(hrefs(topics["html"].as_str().unwrap()));
}

/// Every page that can be reached from the start page, with what it shows; nothing where it is gone.
pub fn walk(world: &World, host: &str) -> BTreeMap<String, Option<Found>> {
    let mut walked = BTreeMap::new();
    let mut queue = vec!["/".to_owned()];
    while let Some(path) = queue.pop() {
        if walked.contains_key(&path) {
            continue;
        }
        let found = (world.respond(host, &path).status == 200).then(|| read(world, &path));
        let pages = found.iter().flat_map(|found| found.links.iter().chain(&found.routed));
        queue.extend(pages.filter(|page| !page.contains('#')).cloned());
        walked.insert(path, found);
    }
    walked
}
