//! Clicks on what leads on but is no link.

use harvestman_render::{Gain, RenderLimits, RenderedPage};

use crate::support::{Site, browser, render};

/// Renders a page with this many clicks; `None` without a browser.
async fn clicked(clicks: u32, body: &str, site: Site) -> Option<(RenderedPage, Vec<String>)> {
    let browser = browser(RenderLimits { clicks, ..RenderLimits::default() })?;
    let (rendered, site) = render(&browser, body, site).await;
    browser.end().await;
    let asked = std::mem::take(&mut *site.asked.lock());
    let Ok(rendered) = rendered else { panic!("{rendered:?}") };
    Some((rendered, asked))
}

fn paths(asked: &[String]) -> Vec<&str> {
    asked.iter().map(|url| url.trim_start_matches("http://forum.example.org")).collect()
}

/// Three answers of one post each, loaded by a button, which goes away.
const MORE: &str = "<section id=posts></section><button class=more type=button>More</button><script>let n = 0; \
     document.querySelector('button').onclick = async event => { n += 1; \
     posts.insertAdjacentHTML('beforeend', await (await fetch('/api/' + n)).text()); if (n === 3) event.target.remove(); }</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_button_loads_more_until_it_has_no_more() {
    for (clicks, expected) in [(20, 3), (2, 2), (0, 0)] {
        let posts =
            |site: Site, n: u32| site.with(&format!("/api/{n}"), "text/html", format!("<a href=/u/{n}>user {n}</a>"));
        let site = (1..=3).fold(Site::default(), posts);
        let Some((rendered, asked)) = clicked(clicks, MORE, site).await else { return };
        assert!(rendered.is_settled);
        assert_eq!(asked.len(), expected);
        assert!((1..=expected).all(|n| rendered.html.contains(&format!("href=\"/u/{n}\""))), "{}", rendered.html);
        let gains =
            rendered.actions.iter().map(|note| (note.clicks as usize, note.gain.links as usize, note.navigations));
        assert!(gains.eq((expected > 0).then_some((expected, expected, 0))), "{:?}", rendered.actions);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_content_of_all_tabs_is_kept() {
    let tabs = "<a href='#' class=tab>One</a> <a href='#' class='tab'>Two</a><div id=panel></div><script>\
         const show = async n => { panel.innerHTML = await (await fetch('/tab/' + n)).text() }; show(1); \
         document.querySelectorAll('.tab').forEach((tab, n) => tab.onclick = event => { event.preventDefault(); show(n + 1) })</script>";
    let site = Site::default()
        .with("/tab/1", "text/html", "<p>the first panel with <a href=/t/1>a thread</a></p>")
        .with("/tab/2", "text/html", "<p>the second panel with <a href=/t/2>another thread</a></p>");
    let Some((rendered, asked)) = clicked(20, tabs, site).await else { return };
    let count = |text: &str| rendered.html.matches(text).count();
    assert_eq!(["the first panel", "the second panel"].map(count), [1, 1], "{}", rendered.html);
    assert_eq!(paths(&asked), ["/tab/1", "/tab/2"], "what was asked before is not asked again");
}

/// Cards that a script opens in place of the page, and topics behind the fragment.
const ROUTED: &str = "<div id=app></div><script>const show = async () => { const [, kind, id] = location.pathname.split('/'); \
     const topic = location.hash.slice(2); \
     if (kind === 'c') { app.innerHTML = 'Collection'; app.innerHTML = await (await fetch('/api/c/' + id)).text(); return } \
     if (topic) { app.innerHTML = await (await fetch('/api/topic/' + topic)).text(); return } \
     app.innerHTML = '<p>The' + ' list of what there is</p><div class=card role=link>A</div><div class=card role=link>B</div>' \
     + '<a class=topic href=\"#/1\">one</a><a class=topic href=\"#/2\">two</a><a class=topic href=\"#/3\">three</a>'; \
     document.querySelectorAll('.card').forEach((card, n) => card.onclick = () => { history.pushState({}, '', '/c/' + n); show() }) }; \
     onpopstate = show; show()</script>";

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_scripts_open_become_links_and_topics_behind_the_fragment_content() {
    let site = Site::default()
        .with("/api/topic/1", "text/html", "<p>what is said of the first topic is this</p>")
        .with("/api/topic/2", "text/html", "<p>what is said of the second topic is that</p>");
    let site = site.with("/api/topic/3", "text/html", "<p>what is said of the third topic is nothing</p>");
    let Some((rendered, asked)) = clicked(20, ROUTED, site).await else { return };
    let led: Vec<&str> = rendered.navigations.iter().map(|url| url.rsplit("org").next().unwrap_or_default()).collect();
    assert!(["/c/0", "/c/1"].iter().all(|path| led.contains(path)), "{led:?}");
    assert_eq!(paths(&asked), ["/api/topic/1", "/api/topic/2", "/api/topic/3"], "no data of another page is requested");
    let count = |text: &str| rendered.html.matches(text).count();
    assert_eq!(
        ["The list of", "of the first", "of the second", "Collection</"].map(count),
        [1, 1, 1, 0],
        "{}",
        rendered.html
    );
    let navigations: Vec<u32> =
        rendered.actions.iter().map(|note| note.navigations).filter(|count| *count > 0).collect();
    assert_eq!(navigations, [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_clicked_that_may_change_something() {
    let body = "<form onsubmit='return false'><button class=go>Go on</button></form><button>Delete</button>\
         <a href='#' class='btn-logOut'>X</a><button disabled>Off</button><button hidden>Hidden</button>\
         <button class=post>Show</button><a class=place href='#end'>To the end</a><a href=/t/2><b class=inner onclick='hit(this)'>Next</b></a>\
         <p id=end>End</p><script>const hit = it => fetch('/hit/' + it.className); \
         document.querySelectorAll('button, a').forEach(it => it.onclick = () => fetch('/hit/' + (it.className || it.textContent), \
         { method: it.className === 'post' ? 'POST' : 'GET' }))</script>";
    let Some((rendered, asked)) = clicked(20, body, Site::default()).await else { return };
    assert_eq!(paths(&asked), Vec::<&str>::new());
    let tried: Vec<&str> =
        rendered.actions.iter().map(|note| note.path.rsplit('/').next().unwrap_or_default()).collect();
    assert_eq!(tried, ["button.post"], "what it sends is refused");
    assert!(rendered.actions.iter().all(|note| !note.brought() && note.gain == Gain::default()));
    assert_eq!(rendered.requests.iter().filter(|note| note.request.method == "POST").count(), 1);
}
