//! Tests with a real Chromium. Where there is none they are skipped, unless `HARVESTMAN_REQUIRE_BROWSER` is set.

mod clicks;
mod kills;
mod support;

use std::time::Duration;

use harvestman_core::clock::Stopwatch;
use harvestman_render::{Refusal, RenderFailure, RenderLimits};
use support::{Site, browser, render};

#[tokio::test(flavor = "multi_thread")]
async fn scripts_run_and_the_crawl_answers_their_requests() {
    let Some(browser) = browser(RenderLimits::default()) else { return };
    let site = Site { delay: Duration::from_millis(700), ..Site::default() }
        .with(
            "/app.js",
            "text/javascript",
            "fetch('/api/1').then(r => r.json()).then(async one => { \
             document.body.insertAdjacentHTML('beforeend', `<a href='/t/${one.id}'>${navigator.userAgent}</a>`); \
             const two = await (await fetch('/api/2')).text(); document.body.append(two); })",
        )
        .with("/api/1", "application/json", r#"{"id": 7}"#)
        .with("/api/2", "text/plain", "late text");
    let (rendered, site) =
        render(&browser, "<link rel=prefetch href=/next><img src=/i.png><script src=/app.js></script>", site).await;
    let rendered = rendered.unwrap();
    assert!(
        rendered.html.contains(r#"<a href="/t/7">harvestman-test/1 (+http://example.org)</a>late text"#),
        "{}",
        rendered.html
    );
    assert!(rendered.is_settled && !rendered.is_impaired());
    let asked = ["app.js", "api/1", "api/2"].map(|path| format!("http://forum.example.org/{path}"));
    assert_eq!(*site.asked.lock(), asked);
    let prefetch = rendered.requests.iter().find(|note| note.request.url.ends_with("/next")).unwrap();
    assert_eq!(prefetch.outcome, Err(Refusal::Kind), "{prefetch:?}");
    let image = rendered.requests.iter().find(|note| note.request.url.ends_with("/i.png")).unwrap();
    assert_eq!(image.outcome, Err(Refusal::Kind));
    let data = rendered.requests.iter().find(|note| note.request.url.ends_with("/api/1")).unwrap();
    assert_eq!((&*data.body, data.content_type.as_deref()), (&br#"{"id": 7}"#[..], Some("application/json")));
    // Nothing is shared with the page before.
    let (again, _) = render(&browser, "<script>document.cookie='a=1'</script>", Site::default()).await;
    assert!(again.unwrap().is_settled);
    let (third, _) =
        render(&browser, "<p id=c><script>c.textContent='['+document.cookie+']'</script>", Site::default()).await;
    assert!(third.unwrap().html.contains("[]"));
    assert_eq!(browser.starts(), 1);
    browser.end().await;
}

/// A list that loads more when its end comes into view, three times in all, and then drops its first entries.
const GROWING: &str = "<div id=list style='height:3000px'><a href=/t/0>0</a></div><script>let n = 0; \
     onscroll = () => { if (n < 3 && innerHeight + scrollY > document.body.scrollHeight - 50) { n += 1; \
     fetch('/api/' + n).then(r => r.text()).then(text => { list.insertAdjacentHTML('beforeend', text); \
     list.style.height = (3000 + 1000 * n) + 'px'; if (n === 3) list.firstChild.remove(); }) } }</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_grows_is_scrolled_to_its_end() {
    for (scrolls, expected) in [(20, 3), (2, 2), (0, 0)] {
        let Some(browser) = browser(RenderLimits { scrolls, ..RenderLimits::default() }) else { return };
        let site = Site::default()
            .with("/api/1", "text/html", "<a href=/t/1>1</a>")
            .with("/api/2", "text/html", "<a href=/t/2>2</a>")
            .with("/api/3", "text/html", "<a href=/t/3>3</a>");
        let (rendered, site) = render(&browser, GROWING, site).await;
        let rendered = rendered.unwrap();
        assert!(rendered.is_settled);
        assert_eq!(site.asked.lock().len(), expected);
        // What the page dropped is there too.
        let shown = (0..4).filter(|n| rendered.html.contains(&format!("href=\"/t/{n}\"")));
        assert!(shown.eq(0..=expected), "{}", rendered.html);
        browser.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn navigations_windows_and_changes_of_the_url_are_noted_and_do_not_happen() {
    let Some(browser) = browser(RenderLimits::default()) else { return };
    let script = "<p>stays</p><script>history.pushState({}, '', '/c/1'); open('/c/2'); \
         setTimeout(() => location.href = '/c/3', 100)</script><iframe src='/frame'></iframe>";
    let site = Site::default().with("/frame", "text/html", "<p>in a frame<script src='file:///etc/passwd'></script>");
    let (rendered, site) = render(&browser, script, site).await;
    let rendered = rendered.unwrap();
    assert!(rendered.html.contains("stays"));
    for path in ["/c/1", "/c/2", "/c/3"] {
        assert!(rendered.navigations.iter().any(|url| url.ends_with(path)), "{path}: {:?}", rendered.navigations);
    }
    assert_eq!(*site.asked.lock(), ["http://forum.example.org/frame"]);
    browser.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_pages_end_in_time_and_the_browser_goes_on() {
    let limits = RenderLimits { active: Duration::from_secs(4), heap_mib: 64, ..RenderLimits::default() };
    let Some(browser) = browser(limits) else { return };
    let cases = [
        ("while(1);", Some(RenderFailure::Hung)),
        ("setTimeout(() => { while(1); }, 200)", Some(RenderFailure::Hung)),
        ("while(1) alert(1)", Some(RenderFailure::Hung)),
        ("const a=[]; while(1) a.push(new Array(1e5).fill(Math.random()))", Some(RenderFailure::Crashed)),
        ("setInterval(() => document.body.append('x'), 10)", None),
        ("fetch('/vote', {method: 'POST'}); navigator.sendBeacon('/beacon'); new WebSocket('ws://127.0.0.1:1')", None),
        ("onbeforeunload = () => 'stay'; location.href = '/away'", None),
    ];
    for (script, expected) in cases {
        let mut watch = Stopwatch::start();
        let (rendered, site) =
            render(&browser, &format!("<p>here</p><script>{script}</script>"), Site::default()).await;
        let took = watch.lap();
        assert!(took < Duration::from_secs(40), "{script}: {took:?}");
        assert!(site.asked.lock().is_empty(), "{script}");
        match (rendered, expected) {
            (Ok(page), None) => assert!(page.html.contains("here"), "{script}"),
            (Err(failure), Some(expected)) => assert_eq!(failure, expected, "{script}"),
            (rendered, _) => panic!("{script}: {rendered:?}"),
        }
    }
    let (rendered, _) = render(&browser, "<p>fine</p>", Site::default()).await;
    assert!(rendered.unwrap().html.contains("fine"));
    browser.end().await;
}
