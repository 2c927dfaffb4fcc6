//! The recorded tree beside that of html5ever.

use harvestman_document::parse;
use proptest::prelude::*;
use scraper::{ElementRef, Node as HtmlNode};

use super::super::xml::as_html;
use super::super::{Content, Tree};

/// Elements that are not in the tree.
const NOT_SHOWN: [&str; 9] = ["script", "style", "noscript", "template", "head", "title", "select", "textarea", "svg"];

/// Spells a page: each element with its attributes where it begins, `/` where it ends, each text.
pub fn spelt(source: &str) -> Vec<String> {
    let tree = Tree::parse(source).unwrap();
    let (mut spelt, mut open) = (Vec::new(), Vec::new());
    for at in 1..tree.nodes().len() {
        while open.last().is_some_and(|last: &usize| tree.node(*last).end <= at) {
            open.pop();
            spelt.push("/".to_owned());
        }
        match tree.content(at) {
            Content::Text(text) => spelt.push(text.split_whitespace().collect::<Vec<_>>().join(" ")),
            Content::Element(name) => {
                let mut attributes: Vec<_> =
                    tree.attributes(at).map(|(name, value)| format!("{name}={value}")).collect();
                attributes.sort();
                spelt.push(format!("<{name} {}>", attributes.join(" ")));
                open.push(at);
            }
        }
    }
    spelt.extend(open.iter().map(|_| "/".to_owned()));
    spelt
}

/// Spells a page by the tree of html5ever.
pub fn spelt_by_html5ever(source: &str) -> Vec<String> {
    let document = parse(&as_html(source)).unwrap();
    let mut spelt = Vec::new();
    let mut waiting: Vec<_> = document.tree.root().children().rev().map(Some).collect();
    while let Some(next) = waiting.pop() {
        let Some(node) = next else {
            spelt.push("/".to_owned());
            continue;
        };
        match node.value() {
            HtmlNode::Text(text) if !text.trim().is_empty() => {
                spelt.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            HtmlNode::Element(element) if !NOT_SHOWN.contains(&element.name()) => {
                let element = ElementRef::wrap(node).unwrap().value();
                let mut attributes: Vec<_> = element.attrs().map(|(name, value)| format!("{name}={value}")).collect();
                attributes.sort();
                spelt.push(format!("<{} {}>", element.name(), attributes.join(" ")));
                waiting.push(None);
                waiting.extend(node.children().rev().map(Some));
            }
            _ => {}
        }
    }
    spelt
}

#[test]
fn trees_of_sound_and_broken_pages_are_those_of_html5ever() {
    for page in [
        "<!doctype html><html lang=en><head><title>t</title><meta name=a content=b></head><body class=x><p>a &lt; b",
        "<ul><li>a<li>b<ul><li>c</ul></ul><dl><dt>x<dd>y<dt>z</dl>",
        "<!doctype html><table><tr><td>a<td>b<tr><td>c<table><tr><td>d</table></table>e",
        "<p>a<b>b<i>c</b>d</i>e<p>f", // Misnested elements go on.
        "<b>a<p>b</p>c</b>d",
        "<p>a<br>b<img src=x alt='y'>c<hr>d<input name=q><button>e</button>",
        "<form><div>a</form>b</div>c",
        "a<!-- x -->b<p>1 < 2 &amp; 3</p><pre>\nx\n y</pre>",
        "<a href=/1>x<a href=/2>y</a>z",
        "<div CLASS=A class=b ID=c>x<math><mi>y</mi></math><span data-x='&quot;'>z</span></div>",
        "<body><h1>a<h2>b</h2><address>c</address><article itemscope><meta itemprop=n content=v>d</article>",
        // The body's attributes come late.
        "<head><script>x</script></head><p>a</p><body class=x>b",
        "<div/><p>x</p><div/>y",
        "<select><option>a</select>b<textarea>c</textarea>d<svg><text>e</text></svg>f<iframe src=x></iframe>",
    ] {
        assert_eq!(spelt(page), spelt_by_html5ever(page), "{page}");
    }
}

/// A sound element with what is in it.
fn element() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec!["a", "b c", "&amp;", "1 &lt; 2", "é"]).prop_map(str::to_owned);
    let void = prop::sample::select(vec!["<br>", "<img src=/x>", "<hr>"]).prop_map(str::to_owned);
    let leaf = prop_oneof![4 => text, 1 => void];
    leaf.prop_recursive(6, 64, 5, |inner| {
        let names = prop::sample::select(vec!["div", "section", "ul", "blockquote", "article class=a", "div id=x1"]);
        (names, prop::collection::vec(inner, 0..5)).prop_map(|(tag, inner)| {
            let name = tag.split(' ').next().unwrap();
            format!("<{tag}>{}</{name}>", inner.join("<span>s</span>"))
        })
    })
}

proptest! {
    #[test]
    fn trees_of_sound_pages_are_those_of_html5ever(page in element()) {
        prop_assert_eq!(spelt(&page), spelt_by_html5ever(&page), "{}", page);
    }

    #[test]
    fn any_page_has_a_sound_tree(page in "(<[a-c/]{0,2}>|<(p|b|i|a|li|td|tr|table|form|div|/p|/b|/a|/table|/form|/div|svg|select)>|x| ){0,40}") {
        let tree = Tree::parse(&page).unwrap();
        for at in 1..tree.nodes().len() {
            let node = tree.node(at);
            prop_assert!(node.parent < at && node.end > at && node.end <= tree.node(node.parent).end);
        }
    }
}
