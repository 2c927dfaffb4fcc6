//! A crawl whose seed redirects to another host of its site, and that is gone on with.

use std::sync::{Arc, OnceLock};

use super::runs::{Runs, output};
use super::scripted::{Reply, Scripted};

/// Number of pages of the host that the seed redirects to, each of which links to the next ones.
const PAGES: usize = 12;

fn serve() -> Scripted {
    let target = Arc::new(OnceLock::<String>::new());
    let known = Arc::clone(&target);
    let server = Scripted::start(move |host, path, _| match (host, path) {
        ("www", "/") => Reply::links(&["/p/0", "/p/1"]),
        ("www", _) => match path.strip_prefix("/p/").and_then(|number| number.parse::<usize>().ok()) {
            Some(number) if number < PAGES => {
                let url = |step: usize| format!("/p/{}", number + step);
                Reply::links(&[&url(1), &url(2)])
            }
            _ => Reply::status(404),
        },
        (_, "/") => Reply::redirect(301, known.get().unwrap().clone()),
        _ => Reply::status(404),
    });
    target.set(server.url("www.a", "/")).unwrap();
    server
}

#[test]
fn a_resumed_crawl_goes_on_at_the_host_that_its_seed_redirected_to() {
    let server = serve();
    let runs = Runs::from(vec![server.url("a", "/")], &["host.delay=0s", "budget.pages=3", "robots.sitemaps=false"]);
    let first = output(runs.crawl());
    assert_eq!(runs.urls("fetched").len(), 3, "{}", String::from_utf8_lossy(&first.stderr));
    let mut resume = runs.resume();
    resume.args(["--set", "budget.pages=0"]);
    let second = output(resume);
    assert!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
    assert_eq!(runs.urls("fetched").len(), PAGES + 1);
    assert_eq!(server.paths("www").iter().filter(|path| *path != "/robots.txt").count(), PAGES + 3, "each once");
}
