//! What the tree of a page holds, read as plainly as can be.

use std::collections::{BTreeMap, BTreeSet};

use harvestman::model::ContentUnit;
use harvestman::parse::{class_token, html_of};
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use scraper::node::Element;
use scraper::{Html, HtmlTreeSink, Node};

/// Things, spelt out, and how often each occurs.
pub type Bag = BTreeMap<String, u32>;

/// What is compared.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// Leaf paths.
    pub leaves: Bag,
    /// Leaf paths with the kept class names of every element.
    pub rich: Bag,
    /// Distinct class names.
    pub names: BTreeSet<u64>,
    /// Apath, blank, address.
    pub links: Bag,
    /// Units of content: hash, words and what is around them.
    pub units: Bag,
    /// Password fields, text areas, forms that are posted.
    pub forms: [u16; 3],
}

impl Found {
    /// Notes a unit of content.
    pub fn unit(&mut self, unit: ContentUnit) {
        let ContentUnit { hash, words, text_words, in_anchor, in_form } = unit;
        let marks = [(in_anchor, " a"), (in_form, " form")].into_iter().filter(|(on, _)| *on);
        let key = marks.fold(format!("{hash:016x} {words}/{text_words}"), |key, (_, mark)| key + mark);
        *self.units.entry(key).or_default() += 1;
    }
}

/// Whether leaf paths are told apart by the class name of this hash: an arbitrary choice, about half of them.
pub fn is_kept(token: u64) -> bool {
    token.is_multiple_of(2)
}

/// What is around a node.
#[derive(Clone)]
struct Around {
    path: String,
    rich: String,
    shown: bool,
    linked: bool,
    in_control: bool,
    in_anchor: bool,
    in_form: bool,
}

/// What the tree of `html` says, with the end tags without which the rest of a page would be lost.
pub fn by_tree(html: &str, scripting: bool) -> Found {
    let html = html_of(html.as_bytes(), None, String::from_utf8_lossy);
    let tree_builder = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
    let sink = HtmlTreeSink::new(Html::new_document());
    let html = parse_document(sink, ParseOpts { tree_builder, ..ParseOpts::default() }).one(&*html);
    let mut found = Found::default();
    let nothing = Around {
        path: String::new(),
        rich: String::new(),
        shown: true,
        linked: true,
        in_control: false,
        in_anchor: false,
        in_form: false,
    };
    let mut open = vec![(html.tree.root(), nothing)];
    while let Some((node, around)) = open.pop() {
        match node.value() {
            Node::Text(text) if around.shown && !text.chars().all(|c| c.is_whitespace() || c == '\0') => {
                *found.leaves.entry(format!("{}/#text", around.path)).or_default() += 1;
                *found.rich.entry(format!("{}/#text", around.rich)).or_default() += 1;
                if !around.in_control {
                    let Around { in_anchor, in_form, .. } = around;
                    let (units, text_words) = cut(text);
                    units.into_iter().for_each(|(hash, words)| {
                        found.unit(ContentUnit { hash, words, text_words, in_anchor, in_form });
                    });
                }
            }
            Node::Document | Node::Fragment => {
                open.extend(node.children().map(|child| (child, around.clone())));
            }
            Node::Element(element) => {
                let inside = found.element(element, &around);
                // In SVG these are elements like others, except that their own text is not shown.
                let mute = !is_html(element) && is(element, &["script", "style"]);
                let children = node.children().filter(|child| !(mute && child.value().is_text()));
                open.extend(children.map(|child| (child, inside.clone())));
            }
            _ => {}
        }
    }
    found
}

impl Found {
    /// Notes what `element` is; returns what is around its children.
    fn element(&mut self, element: &Element, around: &Around) -> Around {
        let name = element.name().to_ascii_lowercase();
        let inner = format!("{}/{name}", around.path);
        let class = element.attr("class").unwrap_or_default().split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let names: BTreeSet<&str> = element.attr("class").unwrap_or_default().split_ascii_whitespace().collect();
        let kept: String =
            names.iter().filter(|name| is_kept(class_token(name))).map(|name| format!(".{name}")).collect();
        let rich = format!("{}/{name}{kept}", around.rich);
        if around.linked {
            self.names.extend(names.iter().map(|name| class_token(name)));
        }
        if around.shown && (name == "a" || name == "img") {
            *self.rich.entry(rich.clone()).or_default() += 1;
        }
        let apath = if class.is_empty() { inner.clone() } else { format!("{inner}[{class}]") };
        if around.shown && name == "a" {
            *self.leaves.entry(apath.clone()).or_default() += 1;
        }
        if around.shown && name == "img" {
            *self.leaves.entry(inner.clone()).or_default() += 1;
        }
        let address = match &*name {
            "a" | "area" => element.attr("href"),
            "iframe" | "frame" => element.attr("src"),
            _ => None,
        };
        if let Some(address) = address.filter(|address| around.linked && is_link(address)) {
            *self.links.entry(format!("{apath} {address}")).or_default() += 1;
        }
        let says =
            |attribute: &str, value: &str| element.attr(attribute).is_some_and(|v| v.eq_ignore_ascii_case(value));
        let of_html = is_html(element);
        if around.linked && of_html {
            self.forms[0] += u16::from(name == "input" && says("type", "password"));
            self.forms[1] += u16::from(name == "textarea");
            self.forms[2] += u16::from(name == "form" && says("method", "post"));
        }
        let any = |names: &[&str]| of_html && is(element, names);
        Around {
            path: inner,
            rich,
            shown: around.shown && !any(&["script", "style", "noscript", "template", "head"]),
            linked: around.linked && !any(&["template"]),
            in_control: around.in_control || any(&["textarea", "select", "option", "optgroup", "button"]),
            in_anchor: around.in_anchor || any(&["a"]),
            in_form: around.in_form || any(&["form"]),
        }
    }
}

fn is_html(element: &Element) -> bool {
    &*element.name.ns == "http://www.w3.org/1999/xhtml"
}

fn is(element: &Element, names: &[&str]) -> bool {
    names.iter().any(|name| element.name().eq_ignore_ascii_case(name))
}

/// Hash and length of each run of words that a text is cut into, and how many words it has.
fn cut(text: &str) -> (Vec<(u64, u16)>, u16) {
    const SEED: u64 = 0x776f_7264_7320_6f66;
    let words: Vec<u64> = text.split_whitespace().map(word_hash).collect();
    let mut runs: Vec<&[u64]> = Vec::new();
    let mut begin = 0;
    for end in 1..=words.len() {
        // A word whose hash begins with three zero bits ends a run that has three words or more.
        let by_word = mixed(SEED, words[end - 1]) < 1 << 61 && end - begin > 2;
        if by_word || end - begin == 32 || end == words.len() {
            runs.push(&words[begin..end]);
            begin = end;
        }
    }
    let hash = |run: &&[u64]| (run.iter().copied().fold(SEED, mixed), run.len() as u16);
    (runs.iter().map(hash).collect(), words.len().min(65_535) as u16)
}

fn word_hash(word: &str) -> u64 {
    word.as_bytes().chunks(8).fold(word.len() as u64, |hash, chunk| {
        let mut eight = [0; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        mixed(hash, u64::from_le_bytes(eight))
    })
}

fn mixed(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(u128::from(word ^ 0xd6e8_feb8_6659_fd93));
    (product as u64) ^ ((product >> 64) as u64)
}

fn is_link(address: &str) -> bool {
    let address: String = address.trim_start_matches(|c| c <= ' ').chars().filter(|c| !"\t\n\r".contains(*c)).collect();
    let address = address.to_ascii_lowercase();
    !["#", "javascript:", "mailto:", "tel:", "data:"].iter().any(|none| address.starts_with(none))
}
