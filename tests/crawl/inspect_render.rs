//! `harvestman inspect render` against a server on loopback. Without a browser these tests are skipped, unless
//! `HARVESTMAN_REQUIRE_BROWSER` is set.

use std::process::{Command, Output};

use harvestman::config::RenderMode;
use serde_json::Value;

use crate::rendering::rendering;
use crate::scripted::{Reply, Scripted};

const LIST: &str = "<div id=app></div><script>const data = path => fetch(path).then(it => it.json()); \
     (async () => { const { threads } = await data('/api/threads'); app.innerHTML = threads.map(it => \
     `<p><a href='/t/${it}'>Thread ${it} of the forum</a>`).join(''); fetch('/private/me'); \
     fetch('/vote', { method: 'POST' }); })();</script><a href=/about>About</a>";

/// A site whose pages differ in what rendering adds to them.
fn site() -> Scripted {
    Scripted::start(|_, path, _| match path {
        "/robots.txt" => Reply::text("User-agent: *\nDisallow: /private/"),
        "/" => Reply::html(LIST),
        "/api/threads" => Reply::text(r#"{"threads": [1, 2, 3]}"#),
        "/moved" => Reply::redirect(301, "/plain"),
        "/plain" => Reply::html("<p>All of its text is here<script>document.title = 'x'</script>"),
        "/locked" => Reply::html("<p>Nothing yet<script>fetch('/private/data')</script>"),
        "/paper" => Reply { headers: vec![("Content-Type", "application/pdf".to_owned())], ..Reply::text("%PDF") },
        _ => Reply::status(404),
    })
}

fn inspect(url: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HARVESTMAN_")) {
        command.env_remove(name);
    }
    command.args(["inspect", "render", url, "--delay", "0s", "--set", "render.quiet=250ms"]).args(more);
    command.output().unwrap()
}

/// The answer as JSON, and the exit code.
fn answer(url: &str) -> (Value, i32) {
    let output = inspect(url, &["--json"]);
    let code = output.status.code().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{errors}")), code)
}

fn texts<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().filter_map(|element| element[key].as_str()).collect()
}

#[test]
fn what_scripts_add_is_shown_with_the_requests_of_the_page() {
    let site = site();
    if rendering(&site, RenderMode::Always).is_none() {
        return;
    }
    let url = site.url("app", "/");
    let (answer, code) = answer(&url);
    assert_eq!((answer["verdict"].as_str(), code), (Some("gain"), 0), "{answer}");
    assert_eq!(answer["plain"]["links"], 1);
    let rendered = &answer["rendered"];
    let threads: Vec<String> = (1..=3).map(|thread| site.url("app", &format!("/t/{thread}"))).collect();
    assert_eq!(rendered["links_added"], serde_json::json!(threads));
    assert_eq!((rendered["links_common"].as_u64(), rendered["words_added"].as_u64()), (Some(1), Some(15)), "{answer}");
    assert_eq!(texts(&rendered["requests"], "refused").len(), 2);
    let refused = texts(&rendered["requests"], "refused");
    assert!(refused.contains(&"robots") && refused.contains(&"method"), "{answer}");
    assert!(answer["next"][0].as_str().unwrap().contains("--render auto"));
    let mut asked: Vec<String> = site.log().into_iter().map(|asked| asked.path).collect();
    asked.sort();
    assert_eq!(asked, ["/", "/api/threads", "/robots.txt"], "nothing else is requested, and nothing twice");

    let output = inspect(&url, &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "plain       rendered",
        "text that only the rendered page has, 15 words (3)",
        "robots.txt disallows it",
        "verdict   Rendering adds 3 links",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn a_page_that_needs_no_browser_is_told_from_one_that_lacks_its_data() {
    let site = site();
    if rendering(&site, RenderMode::Always).is_none() {
        return;
    }
    let (plain, code) = answer(&site.url("app", "/moved"));
    assert_eq!((plain["verdict"].as_str(), code), (Some("no_gain"), 0), "{plain}");
    assert_eq!(plain["url"].as_str(), Some(site.url("app", "/plain").as_str()));
    assert_eq!(plain["redirected_from"], serde_json::json!([site.url("app", "/moved")]));
    assert!(!plain["next"][0].as_str().unwrap().contains("--render"), "{plain}");
    let (locked, code) = answer(&site.url("app", "/locked"));
    assert_eq!((locked["verdict"].as_str(), code), (Some("impaired"), 0), "{locked}");
    assert!(locked["reason"].as_str().unwrap().contains("robots.txt disallows it (1)"), "{locked}");
}

#[test]
fn a_page_that_is_not_rendered_says_why() {
    let site = site();
    if rendering(&site, RenderMode::Always).is_none() {
        return;
    }
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    for (url, reason, expected) in [
        (site.url("app", "/missing"), "status 404", 3),
        (site.url("app", "/private/"), "robots.txt disallows the page", 3),
        (site.url("app", "/paper"), "not HTML (application/pdf)", 1),
        (gone, "cannot be fetched (connect)", 3),
    ] {
        let (answer, code) = answer(&url);
        assert_eq!((answer["verdict"].as_str(), code), (Some("not_rendered"), expected), "{answer}");
        assert!(answer["reason"].as_str().unwrap().contains(reason), "{answer}");
    }
    let output = inspect(&site.url("app", "/"), &["--exclude", "."]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(3) && text.contains("The settings keep a crawl from requesting"), "{text}");
}

#[test]
fn a_page_that_a_budget_cuts_short_is_shown_with_the_refusal() {
    let site = site();
    if rendering(&site, RenderMode::Always).is_none() {
        return;
    }
    // For robots.txt and the page.
    let output = inspect(&site.url("app", "/"), &["--json", "--requests", "2"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((answer["verdict"].as_str(), output.status.code()), (Some("impaired"), Some(0)), "{answer}");
    assert_eq!(
        (answer["plain"]["status"].as_u64(), answer["plain"]["links"].as_u64()),
        (Some(200), Some(1)),
        "{answer}"
    );
    assert!(texts(&answer["rendered"]["requests"], "refused").contains(&"budget"), "{answer}");
}
