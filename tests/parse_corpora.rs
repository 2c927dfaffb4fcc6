//! The parser compared with the tree that html5ever builds: over recorded forums, and over generated tag soup.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use flate2::bufread::MultiGzDecoder;
use harvestman::config::ParseOptions;
use harvestman::page::{LinkKind, ParsedPage};
use harvestman::parse::{Parser, Spelling};
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use proptest::prelude::*;
use scraper::{Html, HtmlTreeSink, Node};

/// Pages compared of each corpus, spread over the whole of it; the tree takes milliseconds a page in a debug build.
const PAGES: usize = 600;

type Bag = BTreeMap<String, u32>;

/// Leaf paths and links (Apath, blank, address), each with how often it occurs.
#[derive(Debug, Default, PartialEq)]
struct Found {
    leaves: Bag,
    links: Bag,
}

/// What the tree of `html` says.
fn by_tree(html: &str, scripting: bool) -> Found {
    let tree_builder = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
    let sink = HtmlTreeSink::new(Html::new_document());
    let html = parse_document(sink, ParseOpts { tree_builder, ..ParseOpts::default() }).one(html);
    let mut found = Found::default();
    let mut open = vec![(html.tree.root(), String::new(), true, true)];
    while let Some((node, path, shown, linked)) = open.pop() {
        match node.value() {
            Node::Text(text) if shown && !text.chars().all(|c| c.is_whitespace() || c == '\0') => {
                *found.leaves.entry(format!("{path}/#text")).or_default() += 1;
            }
            Node::Document | Node::Fragment => {
                open.extend(node.children().map(|child| (child, path.clone(), shown, linked)));
            }
            Node::Element(element) => {
                let name = element.name().to_ascii_lowercase();
                let inner = format!("{path}/{name}");
                let class =
                    element.attr("class").unwrap_or_default().split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                let apath = if class.is_empty() { inner.clone() } else { format!("{inner}[{class}]") };
                if shown && name == "a" {
                    *found.leaves.entry(apath.clone()).or_default() += 1;
                }
                if shown && name == "img" {
                    *found.leaves.entry(inner.clone()).or_default() += 1;
                }
                let address = match &*name {
                    "a" | "area" => element.attr("href"),
                    "iframe" | "frame" => element.attr("src"),
                    _ => None,
                };
                if let Some(address) = address.filter(|address| linked && is_link(address)) {
                    *found.links.entry(format!("{apath} {address}")).or_default() += 1;
                }
                let of_html = &*element.name.ns == "http://www.w3.org/1999/xhtml";
                let hidden = of_html && ["script", "style", "noscript", "template", "head"].contains(&&*name);
                let linked = linked && !(of_html && name == "template");
                // In SVG these are elements like others, except that their own text is not shown.
                let mute = !of_html && ["script", "style"].contains(&&*name);
                let children = node.children().filter(|child| !(mute && child.value().is_text()));
                open.extend(children.map(|child| (child, inner.clone(), shown && !hidden, linked)));
            }
            _ => {}
        }
    }
    found
}

fn is_link(address: &str) -> bool {
    let address: String = address.trim_start_matches(|c| c <= ' ').chars().filter(|c| !"\t\n\r".contains(*c)).collect();
    let address = address.to_ascii_lowercase();
    !["#", "javascript:", "mailto:", "tel:", "data:"].iter().any(|none| address.starts_with(none))
}

fn of_page(page: &ParsedPage) -> Found {
    let leaf = |leaf: &harvestman::page::LeafPath| (leaf.text.as_deref().unwrap_or("?").to_owned(), leaf.count);
    let mut found = Found { leaves: page.leaf_paths.iter().map(leaf).collect(), links: Bag::new() };
    for group in &page.groups {
        for link in group.links.iter().filter(|link| link.kind != LinkKind::Refresh) {
            let place = group.apath_text.as_deref().unwrap_or("?");
            *found.links.entry(format!("{place} {}", page.href(link))).or_default() += 1;
        }
    }
    found
}

fn parser(scripting: bool) -> Parser {
    Parser::with_spelling(&ParseOptions { scripting, ..ParseOptions::default() }, Spelling::On)
}

fn by_us(html: &str, scripting: bool) -> Found {
    of_page(&parser(scripting).parse(html.as_bytes(), Some("text/html; charset=utf-8")))
}

/// Size of the intersection by size of the union, counting occurrences.
fn jaccard(one: &Bag, other: &Bag) -> f64 {
    let (mut common, mut all) = (0, 0);
    for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
        let (a, b) = (one.get(key).copied().unwrap_or(0), other.get(key).copied().unwrap_or(0));
        common += a.min(b);
        all += a.max(b);
    }
    if all == 0 { 1.0 } else { f64::from(common) / f64::from(all) }
}

#[test]
fn recorded_forums_yield_what_their_trees_hold() {
    for corpus in ["machina", "spirit"] {
        let Some(file) = corpus_file(corpus) else { continue };
        let pages = html_pages(&file);
        let step = pages.len().div_ceil(PAGES);
        let (mut leaves, mut links, mut compared) = (0.0, 0.0, 0);
        let mut parser = parser(false);
        for page in pages.iter().step_by(step) {
            let html = String::from_utf8_lossy(page);
            let (tree, ours) = (by_tree(&html, false), of_page(&parser.parse(page, Some("text/html; charset=utf-8"))));
            leaves += jaccard(&tree.leaves, &ours.leaves);
            links += jaccard(&tree.links, &ours.links);
            compared += 1;
        }
        assert!(compared > 250, "{corpus} has only {compared} pages");
        let (leaves, links) = (leaves / f64::from(compared), links / f64::from(compared));
        eprintln!("{corpus}: {compared} pages; agreement with the tree: leaf paths {leaves:.5}, links {links:.5}");
        assert!(leaves >= 0.999, "{corpus}: leaf paths agree only to {leaves}");
        assert!(links >= 0.999, "{corpus}: links agree only to {links}");
    }
}

/// Where a corpus is; none, loudly, where it is missing.
fn corpus_file(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("HARVESTMAN_CORPORA").map_or_else(|| PathBuf::from("../shared/corpora"), PathBuf::from);
    let file = folder.join(format!("{name}.warc.gz"));
    if file.is_file() {
        return Some(file);
    }
    assert!(
        std::env::var_os("HARVESTMAN_REQUIRE_CORPORA").is_none_or(|value| value != "1"),
        "{} is missing",
        file.display()
    );
    // Past the harness, which keeps what a passing test prints to itself.
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        format!("SKIPPED: {} is missing; set HARVESTMAN_CORPORA to the folder of the corpora\n", file.display())
            .as_bytes(),
    );
    None
}

/// The bodies of all HTML pages with status 200 in a WARC file.
fn html_pages(file: &PathBuf) -> Vec<Vec<u8>> {
    let mut reader =
        BufReader::new(MultiGzDecoder::new(BufReader::new(File::open(file).expect("the corpus can be opened"))));
    let mut pages = Vec::new();
    while let Some(head) = head(&mut reader) {
        let length =
            field(&head, "content-length").and_then(|length| length.parse().ok()).expect("every record has a length");
        let mut record = vec![0; length];
        reader.read_exact(&mut record).expect("records are whole");
        if field(&head, "warc-type").as_deref() != Some("response") {
            continue;
        }
        let mut record = &record[..];
        let http = self::head(&mut record).unwrap_or_default();
        let is_html = field(&http, "content-type").is_some_and(|value| value.starts_with("text/html"));
        if http.first().is_some_and(|status| status.contains(" 200")) && is_html {
            pages.push(record.to_vec());
        }
    }
    pages
}

/// The next lines up to an empty one; none at the end.
fn head(reader: &mut impl BufRead) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        if reader.read_until(b'\n', &mut line).expect("the corpus can be read") == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        match (line.is_empty(), lines.is_empty()) {
            (true, false) => return Some(lines),
            (true, true) => {}
            _ => lines.push(line),
        }
    }
}

fn field(head: &[String], name: &str) -> Option<String> {
    let fields = head.iter().filter_map(|line| line.split_once(':'));
    fields.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned()).next()
}

/// Pages that each need one of the rules of tree construction.
const PAGES_WITH_RULES: &[&str] = &[
    "",
    "x",
    "<p>a<p>b<div>c",
    "<!doctype html><p>a<table><tr><td>b",
    "<p>a<table><tr><td>b",
    "<table><td>a<td>b<tr><th>c</table>d",
    "<table>lost<tr><a href=x>lost too</a><td>kept</table>",
    "<table><tr><td><table><tr><td>inner</table>outer</table>",
    "<table><caption>a<p>b</caption><col><colgroup><col><tbody>c<tr>d",
    "<table><form><tr><td><input></form>x<form>y</table>",
    "<table><tr><td>a</td></tr></tbody><tr><td>b</table>",
    "<table><thead><tr><th>h<tbody><td>a</tfoot>b</table>",
    "<table><div>a<table>b",
    "<ul><li>a<li>b<ul><li>c</ul>d</ul>e",
    "<dl><dt>a<dd>b<dt>c<div><dd>d</dl>",
    "<select><option>a<option>b<optgroup><option>c</select>d",
    "<select><p>a<select>b<input>c",
    "<a href=1>a<a href=2>b</a>c</a>d",
    "<p><a href=1>a<p>b</a>c",
    "<b><p>a</p>b</b>c",
    "<p><b><i>a</p>b</b>c</i>d",
    "<p><b><b><b><b>x<p>y",
    "<b><table><td>x</table>y",
    "<font color=1><font color=2><p></font></font>x",
    "<form>a<form>b</form>c<form>d",
    "<form><div></form>a</div>b",
    "<h1>a<h2>b</h3>c",
    "<button>a<button>b<p>c</button>d</p>e",
    "</p>a</br>b</div>c",
    "a<!-- -->b<!-->c<? ?>d</>e",
    "<title>a<b></title><p>b<title>c</title>d",
    "<script>a</script>b<style>c</style>d<textarea>e<p></textarea>f<xmp><i></xmp>g",
    "<noscript><a href=n><img>a</noscript>b",
    "<head><noscript><link><style></style><img></noscript><title>t</title></head>x",
    "<iframe src=f><p>a</iframe>b<noembed><p></noembed><noframes>c</noframes>",
    "<frameset><frame src=a><frameset><frame src=b></frameset></frameset>x",
    "<html><head></head><body class=x>a</body>b</html>c<!-- -->d",
    "<head>a<title>b",
    "<template><p>a<a href=b></template>c<template><tr><td>x</template>y",
    "<svg><title>a<p>b</title><a href=s>c</a><desc><b>d</svg>e",
    "<svg><g><p>out</g>x",
    "<svg><style>hidden</style><script>h</script><image><img>",
    "<svg><foreignObject><div>a</div></foreignObject><![CDATA[b]]></svg><![CDATA[c]]>",
    "<math><mi>a<p>b</mi><annotation-xml><svg><a>c</svg></annotation-xml></math>d",
    "<svg/>a<svg><path/>b<circle></svg>c",
    "<ruby>a<rb>b<rt>c<rtc>d<rp>e</ruby>f",
    "<object>a<b>c</object>d<marquee><i>e</marquee>f",
    "<nobr>a<nobr>b</nobr>c",
    "<pre>\na<listing>b<p>c",
    "<image src=x><img>a<image>",
    "<plaintext>a</plaintext><p>b",
    "&nbsp;<p>&nbsp;</p>\u{a0}<p>&#32;&emsp;<p>&nbsp;x",
    "<a class=' x  y\n z ' href=1>t</a><a class=&amp; href='?a=1&amp;b&copy=2'>",
    "<area href=a><map><area class=k href=b>",
    "<body><li>a<p>b<li>c<table><li>d",
    "<p>a<hr>b<p>c<menu>d<main>e<search>f<dialog>g",
    "<em>a<custom-element><em>b</custom-element>c</em>d</em>e",
    "<div><span></div>a</span>b",
    "<a href=1><table><a href=2>x</table>",
    "<a href=1>x<td>y<tr>z",
];

#[test]
fn every_rule_of_tree_construction_gives_the_trees_paths() {
    let mut wrong = Vec::new();
    for scripting in [false, true] {
        for page in PAGES_WITH_RULES {
            let (ours, tree) = (by_us(page, scripting), by_tree(page, scripting));
            if ours != tree {
                wrong.push(format!("scripting: {scripting}, {page}\n  ours {ours:?}\n  tree {tree:?}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

fn tag_soup() -> impl Strategy<Value = String> {
    let names = [
        "a",
        "b",
        "p",
        "div",
        "span",
        "table",
        "tr",
        "td",
        "tbody",
        "ul",
        "li",
        "dl",
        "dd",
        "form",
        "select",
        "option",
        "h1",
        "i",
        "img",
        "br",
        "svg",
        "title",
        "button",
        "object",
        "x-y",
        "caption",
        "template",
        "noscript",
        "foreignobject",
    ];
    let tag = (proptest::sample::select(names.to_vec()), any::<bool>(), 0..4_u8);
    let piece = prop_oneof![
        4 => tag.prop_map(|(name, end, attributes)| match (end, attributes) {
            (true, _) => format!("</{name}>"),
            (_, 0) => format!("<{name} class='k l' href=/1 src=2>"),
            (_, 1) => format!("<{name} href=\"?a&amp;b\">"),
            _ => format!("<{name}>"),
        }),
        2 => proptest::sample::select(vec!["t", " ", "&nbsp;", "<!-- c -->", "< "]).prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Documents in which every element is closed and stands where it may stand.
fn well_formed() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z &;<]{1,6}".prop_map(|text| text.replace('&', "&amp;").replace('<', "&lt;")),
        "[a-z/?=#&\"' é.:-]{0,12}".prop_map(|url| {
            let url = url.replace('&', "&amp;").replace('"', "&quot;");
            format!("<a class=\"c  {}\" href=\"{url}\">x</a>", url.len() % 3)
        }),
        Just("<img src='i'>".to_owned()),
        Just("<!-- <a href=no> -->".to_owned()),
        Just("<script>'<a href=no>'</script>".to_owned()),
    ];
    let body = leaf.prop_recursive(6, 60, 6, |inner| {
        let names = vec!["div", "section", "ul", "blockquote", "nav", "article"];
        (proptest::sample::select(names), proptest::collection::vec(inner, 0..6))
            .prop_map(|(name, children)| format!("<{name}>{}</{name}>", children.concat()))
    });
    body.prop_map(|body| format!("<!doctype html><html><head><title>t</title></head><body>{body}</body></html>"))
}

fn total(bag: &Bag) -> u32 {
    bag.values().sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn well_formed_documents_yield_exactly_what_their_trees_hold(html in well_formed()) {
        prop_assert_eq!(by_us(&html, true), by_tree(&html, true));
    }

    #[test]
    fn tag_soup_loses_no_link_and_hash_mode_agrees_with_spelling_mode(html in tag_soup()) {
        let options = ParseOptions::default();
        let spelt = parser(false).parse(html.as_bytes(), None);
        let mut hashed = Parser::new(&options).parse(html.as_bytes(), None);
        prop_assert!(hashed.groups.iter().all(|group| group.apath_text.is_none()));
        prop_assert!(spelt.groups.iter().all(|group| group.apath_text.is_some()));
        for (group, spelt) in hashed.groups.iter_mut().zip(&spelt.groups) {
            group.apath_text.clone_from(&spelt.apath_text);
        }
        for (leaf, spelt) in hashed.leaf_paths.iter_mut().zip(&spelt.leaf_paths) {
            leaf.text.clone_from(&spelt.text);
        }
        prop_assert_eq!(&hashed, &spelt);
        // Misnested formatting may give a link another place or another time, but the same addresses are there.
        let addresses = |found: &Found| -> std::collections::BTreeSet<String> {
            found.links.keys().filter_map(|link| link.rsplit_once(' ')).map(|(_, address)| address.to_owned()).collect()
        };
        let (ours, tree) = (of_page(&spelt), by_tree(&html, false));
        prop_assert_eq!(addresses(&ours), addresses(&tree));
        prop_assert!(total(&ours.links) <= 4 * total(&tree.links) + 4);
    }
}

#[test]
fn tag_soup_agrees_with_the_tree_on_the_whole() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let (mut leaves, mut links) = (0.0, 0.0);
    let pages = 1_000;
    for _ in 0..pages {
        let html = tag_soup().new_tree(&mut runner).unwrap().current();
        let (ours, tree) = (by_us(&html, false), by_tree(&html, false));
        let (leaf, link) = (jaccard(&ours.leaves, &tree.leaves), jaccard(&ours.links, &tree.links));
        if std::env::var_os("HARVESTMAN_SHOW_SOUP").is_some() && leaf.min(link) < 1.0 {
            eprintln!("{html}\n  ours {ours:?}\n  tree {tree:?}");
        }
        leaves += leaf;
        links += link;
    }
    let (leaves, links) = (leaves / f64::from(pages), links / f64::from(pages));
    eprintln!("tag soup: {pages} pages; agreement with the tree: leaf paths {leaves:.4}, links {links:.4}");
    assert!(leaves >= 0.9, "leaf paths agree only to {leaves}");
    assert!(links >= 0.9, "links agree only to {links}");
}
