//! What path strings include of an element besides its name: display properties, and the class names that distinguish
//! leaf paths; and the list of all class names.
//!
//! Pages repeat a few class attributes, so each is read once per page and is then known by its bytes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::attributes::Attributes;
use super::bytes::{is_space, squeeze_in_place};
use super::decoded_text::Source;
use super::path::{Spellings, fold_run, name_word, step, tokens_word};
use harvestman_core::model::{CLASS_TOKENS_MAX, ClassTokens};

/// The attributes that change the look of an element, in the order in which a path string has them. These are `class`
/// and `style`, the attributes that the HTML standard maps to style (section 15.3), and `dir` and `hidden`. The paper
/// names `class`, `align` and the font size as examples.
///
/// Not included are attributes that identify an element or what it refers to (`id`, `name`, `href`, `src`,
/// `background`, `title`, `alt`): their values belong to one page, so the paths of two pages would never be the same.
/// `colspan` and `rowspan` are left out because they count the cells of one page's data.
const DISPLAY_PROPERTIES: [&str; 20] = [
    "class",
    "style",
    "align",
    "valign",
    "width",
    "height",
    "size",
    "face",
    "color",
    "bgcolor",
    "border",
    "cellpadding",
    "cellspacing",
    "hspace",
    "vspace",
    "clear",
    "nowrap",
    "noshade",
    "dir",
    "hidden",
];

/// The initial word of display properties.
const PROPERTIES: u64 = name_word(b"#display");

/// Reads the display properties of elements.
#[derive(Debug)]
pub(super) struct Display {
    value_max: usize,
    value: Vec<u8>,
}

impl Display {
    /// Creates a reader that reads the first `value_max` bytes of an attribute.
    pub const fn new(value_max: usize) -> Self {
        Self { value_max, value: Vec::new() }
    }

    /// Returns the word of the display properties among `attributes`; 0 if there are none. White space in values is
    /// collapsed. The order of the attributes does not matter.
    pub fn word(&mut self, source: Source<'_>, attributes: Attributes<'_>, spellings: &mut Spellings) -> u64 {
        let values = attributes.pick(DISPLAY_PROPERTIES);
        let (mut word, mut spelt) = (PROPERTIES, String::new());
        for (name, raw) in DISPLAY_PROPERTIES.iter().zip(values) {
            let Some(raw) = raw else { continue };
            self.value.clear();
            source.append_attribute(&raw[..raw.len().min(self.value_max)], &mut self.value);
            squeeze_in_place(&mut self.value);
            word = step(step(word, fold_run(name.as_bytes())), fold_run(&self.value));
            if spellings.is_on() {
                spelt.extend(["-", name, "/", &String::from_utf8_lossy(&self.value)]);
            }
        }
        if word == PROPERTIES {
            return 0;
        }
        spellings.learn_class(word, || spelt);
        word
    }
}

/// Maximum number of attributes of one page whose words are remembered; others are read each time.
const WORDS_MAX: usize = 4_096;

#[derive(Debug, Default)]
pub(super) struct Classes {
    /// The names that distinguish leaf paths.
    pub kept: Option<Arc<ClassTokens>>,
    /// Whether the page's names are listed.
    pub listed: bool,
    /// Reads the display properties of elements, which then distinguish leaf paths instead of names.
    pub display: Option<Display>,
    /// Hash of an attribute as written → word of its kept tokens. Two attributes with the same 64-bit hash count as
    /// one.
    words: HashMap<u64, u64, RandomState>,
    list: Vec<u64>,
    in_list: HashSet<u64, RandomState>,
    value_max: usize,
    value: Vec<u8>,
}

impl Classes {
    /// Creates a reader that reads the first `value_max` bytes of an attribute.
    pub fn new(value_max: usize) -> Self {
        Self { value_max, ..Self::default() }
    }

    /// Returns whether class names are read at all.
    pub fn on(&self) -> bool {
        self.listed || self.choose()
    }

    /// Returns whether chosen names, or display properties, distinguish leaf paths.
    #[inline]
    pub fn choose(&self) -> bool {
        self.kept.is_some() || self.display.is_some()
    }

    pub fn clear(&mut self) {
        self.words.clear();
        self.list.clear();
        self.in_list.clear();
    }

    /// Returns the names of the page so far, if they are listed.
    pub fn list(&self) -> Vec<u64> {
        self.list.clone()
    }

    /// Returns the word of the kept tokens in the class attribute `raw`; 0 if there are none.
    #[inline]
    pub fn word(&mut self, source: Source<'_>, raw: &[u8], spellings: &mut Spellings) -> u64 {
        let written = fold_run(raw);
        match self.words.get(&written) {
            Some(word) => *word,
            None => self.read(source, raw, written, spellings),
        }
    }

    #[cold]
    fn read(&mut self, source: Source<'_>, raw: &[u8], written: u64, spellings: &mut Spellings) -> u64 {
        self.value.clear();
        source.append_attribute(&raw[..raw.len().min(self.value_max)], &mut self.value);
        let value = std::mem::take(&mut self.value);
        let names = || value.split(|b| is_space(*b)).filter(|name| !name.is_empty());
        if self.listed {
            names().for_each(|name| self.add_to_list(fold_run(name)));
        }
        let word = self.kept.as_ref().map_or(0, |kept| kept_word(kept, names(), spellings));
        self.value = value;
        if self.words.len() < WORDS_MAX {
            self.words.insert(written, word);
        }
        word
    }

    fn add_to_list(&mut self, token: u64) {
        if self.list.len() < CLASS_TOKENS_MAX && self.in_list.insert(token) {
            self.list.push(token);
        }
    }
}

/// Returns the word of the `names` that are `kept`.
fn kept_word<'n>(kept: &ClassTokens, names: impl Iterator<Item = &'n [u8]>, spellings: &mut Spellings) -> u64 {
    let mut found: Vec<(u64, &[u8])> = names.map(|name| (fold_run(name), name)).collect();
    found.retain(|(token, _)| kept.contains(*token));
    found.sort_unstable();
    found.dedup();
    let tokens: Vec<u64> = found.iter().map(|(token, _)| *token).collect();
    let word = tokens_word(&tokens);
    spellings.learn_class(word, || spelt(found.iter().map(|(_, name)| *name).collect()));
    word
}

/// Spells `.one.two`, in alphabetical order for readability.
fn spelt(names: BTreeSet<&[u8]>) -> String {
    names.iter().map(|name| format!(".{}", String::from_utf8_lossy(name))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::parse::{ParseLimits, Parser, Spelling, class_token};
    use harvestman_core::config::ParseOptions;
    use harvestman_core::model::ParsedPage;

    fn keep(names: &[&str]) -> Arc<ClassTokens> {
        Arc::new(names.iter().map(|name| class_token(name)).collect())
    }

    fn rich(html: &str, names: &[&str]) -> ParsedPage {
        let parser = Parser::with_spelling(&ParseOptions::default(), Spelling::On).with_class_tokens(keep(names));
        { parser }.parse(html.as_bytes(), Some("text/html; charset=utf-8"))
    }

    fn leaves(page: &ParsedPage) -> Vec<&str> {
        page.leaf_paths.iter().map(|leaf| leaf.text.as_deref().unwrap_or("?")).collect()
    }

    fn list(html: &str) -> Vec<u64> {
        Parser::new(&ParseOptions::default()).with_token_list().parse(html.as_bytes(), None).class_tokens
    }

    #[test]
    fn kept_names_are_in_every_step_of_leaf_paths_and_in_no_apath() {
        let html = "<html class=js><body class='page page-42'><div class='z post a'><a class='reply x' href=1>t<img class=a></a>                    <p>t</div><table class=a><tr class=post><td class=a>t</table>";
        let page = rich(html, &["js", "page", "post", "a", "reply"]);
        let body = "/html.js/body.page";
        let expected = [
            "/div.a.post/a.reply",
            "/div.a.post/a.reply/#text",
            "/div.a.post/a.reply/img.a",
            "/div.a.post/p/#text",
            "/table.a/tbody/tr.post/td.a/#text",
        ];
        assert_eq!(leaves(&page), expected.map(|path| format!("{body}{path}")));
        assert_eq!(page.groups[0].apath_text.as_deref(), Some("/html/body/div/a[reply x]"));
    }

    #[test]
    fn formatting_that_is_opened_again_keeps_its_names() {
        let page = rich("<p><b class=k><a class=l href=1>t<p>t", &["k", "l"]);
        let expected = ["a.l", "a.l/#text"].map(|path| format!("/html/body/p/b.k/{path}"));
        assert_eq!(leaves(&page), expected);
        assert!(page.leaf_paths.iter().all(|leaf| leaf.count == 2));
        let page = rich("<b class=k><i class=l><div class=k>1</b>2", &["k", "l"]);
        assert_eq!(leaves(&page), ["/html/body/b.k/i.l/div.k/#text", "/html/body/i.l/div.k/#text"]);
    }

    #[test]
    fn the_tag_of_the_root_may_come_late_but_not_too_late() {
        assert_eq!(leaves(&rich("<title>t</title><html class=k><p>x", &["k"])), ["/html.k/body/p/#text"]);
        assert_eq!(leaves(&rich("<p>x<html class=k><body class=k><p>x", &["k"])), ["/html/body/p/#text"]);
    }

    #[test]
    fn names_are_decoded_told_apart_by_case_and_cut_at_the_limit() {
        assert_eq!(leaves(&rich("<p class='a&amp;b B'>x", &["a&b", "b"])), ["/html/body/p.a&b/#text"]);
        let limits = ParseLimits { attribute: 3, ..ParseLimits::default() };
        let mut parser =
            Parser::bounded(&ParseOptions::default(), limits, Spelling::On).with_class_tokens(keep(&["a", "b"]));
        assert_eq!(leaves(&parser.parse(b"<p class='a x b'>x", None)), ["/html/body/p.a/#text"]);
    }

    #[test]
    fn the_tokens_may_be_changed_between_pages() {
        let mut parser = Parser::new(&ParseOptions::default());
        let mut path = |tokens| {
            parser.set_class_tokens(tokens);
            parser.parse(b"<p class='a b'>x", None).leaf_paths[0].path
        };
        let (plain, a, b) = (path(None), path(Some(keep(&["a"]))), path(Some(keep(&["b"]))));
        assert!(plain != a && a != b && plain != b);
        assert_eq!((path(Some(keep(&[]))), path(None), path(Some(keep(&["a"])))), (plain, plain, a));
    }

    #[test]
    fn names_are_listed_once_in_order_and_none_of_a_template() {
        let html = "<body class='x y'><p class='y z'><p class='y z'><template><p class=t></template><td class=x>";
        assert_eq!(list(html), ["x", "y", "z"].map(class_token));
        assert!(Parser::new(&ParseOptions::default()).parse(html.as_bytes(), None).class_tokens.is_empty());
    }

    #[test]
    fn names_beyond_the_limit_are_not_listed() {
        let page = |names: usize| (0..names).map(|i| format!("<p class=c{i}>")).collect::<String>();
        assert_eq!(list(&page(CLASS_TOKENS_MAX)).len(), CLASS_TOKENS_MAX);
        assert_eq!(list(&page(WORDS_MAX + 10)).len(), CLASS_TOKENS_MAX);
    }

    #[test]
    fn token_hashes_never_change_because_they_are_persisted() {
        assert_eq!(
            [class_token("post"), class_token("nav-item-wide")],
            [8_708_479_854_564_403_797, 3_644_630_495_985_044_572]
        );
        let path = rich("<p class='b a'>x", &["a", "b"]).leaf_paths[0].path;
        assert_eq!(path, 4_762_915_087_480_343_361);
    }

    proptest! {
        #[test]
        fn neither_order_nor_repetition_nor_other_names_matter(
            mut names in proptest::collection::vec("[a-e]", 1..8),
            others in proptest::collection::vec("[v-z]{2}", 0..4),
        ) {
            let kept = ["a", "b", "c", "d"];
            let page = |names: &[String]| rich(&format!("<p class='{}'>x", names.join(" ")), &kept).leaf_paths;
            let one = page(&names);
            names.extend(others);
            names.reverse();
            names.push(names[0].clone());
            prop_assert_eq!(page(&names), one.clone());
            let spelt: BTreeSet<&String> = names.iter().filter(|name| kept.contains(&name.as_str())).collect();
            let spelt: String = spelt.iter().map(|name| format!(".{name}")).collect();
            prop_assert_eq!(one[0].text.clone().unwrap().into_string(), format!("/html/body/p{spelt}/#text"));
        }
    }
}
