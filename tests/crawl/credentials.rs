//! Credentials of a crawl: they go to the origins of seeds and to those that the user adds, and nowhere else.

use std::sync::Arc;

use harvestman::config::{Config, PolicyKind};
use parking_lot::Mutex;

use super::crawling::{config, crawl};
use super::scripted::{Reply, Request, Scripted};

/// The requests that carried a secret: the host with its port, and the path.
type Leaks = Arc<Mutex<Vec<String>>>;

/// A server that notes which requests carry a secret.
fn noting(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> (Scripted, Leaks) {
    let carried = Leaks::default();
    let noted = Arc::clone(&carried);
    let server = Scripted::answering(move |request| {
        let has_secret = request.headers.values().any(|value| value.contains("SECRET"));
        if has_secret {
            noted.lock().push(format!("{}{}", request.host, request.path));
        }
        script(request)
    });
    (server, carried)
}

fn with_secrets(mut config: Config) -> Config {
    config.fetch.cookie = "session=COOKIESECRET".to_owned();
    config.fetch.headers = vec!["Authorization: Bearer SECRET".to_owned()];
    config
}

#[test]
fn a_search_gets_none_of_the_credentials_of_the_seeds() {
    let (server, carried) = noting(|request| match (request.host.as_str(), request.path.as_str()) {
        (_, "/robots.txt") => Reply::status(404),
        ("forum", _) => Reply::html("<html><body><p>a page</p></body></html>"),
        _ => Reply::text("[]"),
    });
    let mut config = with_secrets(config(vec![server.url("forum", "/")]));
    config.crawl.policy = PolicyKind::Xcrawl;
    config.policy.want = vec!["selector:article".to_owned()];
    config.search.url = vec![server.url("search", "/find?q={query}")];
    config.search.query = vec!["lens".to_owned()];
    crawl(config);
    assert!(server.paths("search").iter().any(|path| path.starts_with("/find?q=lens")));
    let carried = carried.lock();
    assert!(carried.contains(&"forum/".to_owned()), "{carried:?}");
    assert!(!carried.iter().any(|request| request.starts_with("search")), "{carried:?}");
}

#[test]
fn a_redirect_of_robots_txt_takes_no_credentials_along() {
    let (other, leaked) = noting(|_| Reply::text("User-agent: *\nAllow: /\n"));
    // Another port of the host, and another seed.
    for target in ["forum", "second"] {
        let to = other.url(target, "/elsewhere/robots.txt");
        let (server, carried) = noting(move |request| match request.path.as_str() {
            "/robots.txt" if request.host == "forum" => Reply::redirect(302, to.clone()),
            _ => Reply::html("<html><body><p>a page</p></body></html>"),
        });
        crawl(with_secrets(config(vec![server.url("forum", "/"), other.url("second", "/")])));
        assert!(other.paths(target).contains(&"/elsewhere/robots.txt".to_owned()));
        assert!(carried.lock().contains(&"forum/robots.txt".to_owned()));
    }
    let leaked = leaked.lock();
    assert!(leaked.contains(&"second/".to_owned()), "a seed gets them: {leaked:?}");
    assert!(!leaked.iter().any(|request| request.contains("/elsewhere")), "{leaked:?}");
}

#[test]
fn another_origin_gets_credentials_only_if_the_user_adds_it() {
    let (server, carried) = noting(|request| match (request.host.as_str(), request.path.as_str()) {
        (_, "/robots.txt") => Reply::status(404),
        ("forum", "/") => Reply::links(&["//added.localhost/x", "//other.localhost/x"]),
        _ => Reply::html("<html><body><p>a page</p></body></html>"),
    });
    let port = server.url("", "").rsplit(':').next().unwrap_or_default().to_owned();
    let mut config = with_secrets(config(vec![server.url("forum", "/")]));
    config.fetch.resolve = vec![format!("*.localhost:127.0.0.1:{port}")];
    config.fetch.credential_origins = vec!["http://added.localhost".to_owned()];
    crawl(config);
    assert!(server.paths("other").contains(&"/x".to_owned()));
    let carried = carried.lock();
    assert!(carried.contains(&"added/x".to_owned()) && !carried.contains(&"other/x".to_owned()), "{carried:?}");
}
