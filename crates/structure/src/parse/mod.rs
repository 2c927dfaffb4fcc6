//! The parser: one streaming pass over the bytes of a page, without a tree.
//!
//! Input: the bytes of an HTML page (content coding removed) and its `Content-Type`. Output: a [`ParsedPage`] with the
//! outlinks grouped by Apath, the bag of leaf paths (SOUrCe 2018, section 3.1), base, title, canonical address and
//! directives to robots.
//!
//! A **leaf path** is the chain of element names from the root to something shown: a text (the path of its element,
//! then `#text`; blank texts do not count), an image, or an anchor (with its class attribute in brackets). The content
//! of the head and of `script`, `style`, `noscript` and `template` is not shown. The element names are those of the
//! tree that the HTML standard builds: implied elements are included, misnested ones are repaired. An **Apath** is such
//! a path of a link. Paths are 64-bit hashes; [`Spelling::On`] adds their text.
//!
//! Data that only learning uses is collected on request: the texts shown ([`Parser::with_units`]), the class names of
//! the page ([`Parser::with_token_list`]), leaf paths with some class names ([`Parser::with_class_tokens`]), path
//! strings with the texts at their ends ([`Parser::with_path_strings`]).
//!
//! For any page, time is linear in its length and memory is bounded by [`ParseLimits`].

mod ascii_words;
mod attributes;
mod body;
mod builder;
mod bytes;
mod classes;
mod collect;
mod decoded_text;
mod doctype;
mod element;
mod foreign;
mod formatting;
mod formatting_entry;
mod gist;
mod head;
mod markup;
mod meta;
mod open;
mod outlinks;
mod parse_limits;
mod path;
#[cfg(test)]
mod path_string_tests;
mod raw;
mod table;
#[cfg(test)]
mod tests;
mod tokens;
mod tree_recorder;
mod unended;
mod units;
mod xhtml;

use std::borrow::Cow;
use std::sync::Arc;

use decoded_text::Source;
use encoding_rs::{Encoding, UTF_8};

use builder::Builder;
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{ClassTokens, MarkupRules, ParsedPage, Reading};
use markup::{MarkupLanguage, from_xhtml, with_ends};

pub use markup::html_of;
pub use meta::refresh_target;
pub use parse_limits::ParseLimits;
pub use units::PageWords;

/// Whether paths are also spelt out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spelling {
    /// Paths are hashes only.
    #[default]
    Off,
    /// Paths are also spelt out in `apath_text` and `text`, at the cost of one allocation each; words too, where they
    /// are collected.
    On,
}

/// Returns the hash of a class name, as [`ClassTokens`] and [`ParsedPage::class_tokens`] have it. Names differ by case.
pub fn class_token(name: &str) -> u64 {
    path::fold_run(name.as_bytes())
}

/// Returns the hash of a word, as [`ParsedPage::text`] has it. Words differ by case; all words with a digit are one.
pub fn word_hash(word: &str) -> u32 {
    units::word_hash(word)
}

/// Reads pages one after another. It reuses its buffers, so each worker thread should have one.
#[derive(Debug)]
pub struct Parser {
    builder: Builder,
    /// Whether the page that was read last lacked end tags.
    is_repaired: bool,
}

impl Parser {
    /// Creates a parser that yields hashes only.
    pub fn new(options: &ParseOptions) -> Self {
        Self::with_spelling(options, Spelling::Off)
    }

    /// Creates a parser that may spell paths out.
    pub fn with_spelling(options: &ParseOptions, spelling: Spelling) -> Self {
        Self::bounded(options, ParseLimits::default(), spelling)
    }

    /// Creates a parser with other limits than the default ones.
    pub fn bounded(options: &ParseOptions, limits: ParseLimits, spelling: Spelling) -> Self {
        Self { builder: Builder::new(options, limits, spelling == Spelling::On), is_repaired: false }
    }

    /// Reads pages as a browser with scripting does, for which the content of `noscript` does not exist, or as one
    /// without, which is the default: a crawler runs no scripts, so the links in `noscript` are meant for it.
    #[must_use]
    pub fn with_scripting(mut self, scripting: bool) -> Self {
        self.builder.scripting = scripting;
        self
    }

    /// Sets the product token (`robots.agent`) by which a page addresses this crawler alone: `<meta name=TOKEN>` then
    /// counts as `<meta name=robots>` does, in any letter case. The default is that of the setting.
    #[must_use]
    pub fn with_agent(mut self, agent: &str) -> Self {
        self.builder.agent = agent.into();
        self
    }

    /// Also collects the page's texts as [`ParsedPage::units`]; the first 4,096 at most. The content of `textarea`,
    /// `select`, `option` and `button` labels a control and is not a unit.
    #[must_use]
    pub fn with_units(mut self) -> Self {
        self.builder.units.ask(self.builder.units.words, true, self.builder.units.gist.on);
        self
    }

    /// Also collects the words of the page's texts as [`ParsedPage::text`]; the same texts as for units, and some
    /// 16,000 words at most. All words with a digit count as the same word.
    #[must_use]
    pub fn with_words(mut self) -> Self {
        self.builder.units.ask(true, self.builder.units.units, self.builder.units.gist.on);
        self
    }

    /// Also distinguishes leaf paths by the class names `tokens`: the step of each element, a final `a` included, then
    /// has those of its names that are among them, in any order (`/html/body/div.post/a.reply/#text`). Apaths do not
    /// change, nor does a leaf path without such a name, unless it ends in an `a` with a class.
    #[must_use]
    pub fn with_class_tokens(mut self, tokens: Arc<ClassTokens>) -> Self {
        self.set_class_tokens(Some(tokens));
        self
    }

    /// Also lists the page's distinct class names as [`ParsedPage::class_tokens`]; the first 2,048 at most.
    #[must_use]
    pub fn with_token_list(mut self) -> Self {
        self.builder.classes.listed = true;
        self
    }

    /// Also collects the path string and the value of each text shown as [`ParsedPage::path_strings`], labels of
    /// controls included; the first 4,096 texts at most. A *path string* (Zhang, Nasraoui 2009, section 4.1) has the
    /// display properties of each element, such as `class` and `align`, but not `href`, `src` or `id`. Leaf paths then
    /// have these properties too, instead of the class names chosen by [`Parser::with_class_tokens`]. Apaths do not
    /// change.
    #[must_use]
    pub fn with_path_strings(mut self) -> Self {
        self.builder.units.ask_strings();
        self.builder.classes.display = Some(classes::Display::new(self.builder.limits.attribute));
        self
    }

    /// Also records the elements and texts of the page as [`ParsedPage::tree`], in full; that is refused for a page of
    /// more than 100,000 nodes, or with more than 256 open elements. What is not shown is left out, except the head's
    /// statements about the page, scripts that hold JSON, and what browsers without scripts show.
    #[must_use]
    pub fn with_tree(mut self) -> Self {
        self.builder.open.tree.on = true;
        self
    }

    /// From the next page on, distinguishes leaf paths by the class names `tokens`, or by none.
    pub fn set_class_tokens(&mut self, tokens: Option<Arc<ClassTokens>>) {
        self.builder.classes.kept = tokens;
    }

    /// From the next page on, sets whether the page's texts are collected as [`ParsedPage::text`] and as
    /// [`ParsedPage::units`], and its contents as [`ParsedPage::gist`].
    pub fn set_texts(&mut self, words: bool, units: bool, gist: bool) {
        self.builder.units.ask(words, units, gist);
    }

    /// From the next page on, sets whether [`Parser::words`] may be called: only where the texts are is recorded while
    /// a page is read, which costs little.
    pub fn set_words_on_request(&mut self, on_request: bool) {
        self.builder.units.ask_on_request(on_request);
    }

    /// Returns the words of the page that was read last, which are those that [`ParsedPage::text`] would have.
    /// `bytes` and `content_type` are the same as for [`Parser::parse`].
    pub fn words(&self, bytes: &[u8], content_type: Option<&str>) -> PageWords {
        let read = Read::of(bytes, content_type);
        let repaired = if self.is_repaired { with_ends(&read.bytes, read.language) } else { None };
        let bytes = repaired.as_ref().map_or(&*read.bytes, |repaired| &repaired.bytes[..]);
        self.builder.units.words(Source { bytes, encoding: read.scanned_as })
    }

    /// Reads a page. `content_type` is the value of the HTTP header.
    pub fn parse(&mut self, bytes: &[u8], content_type: Option<&str>) -> ParsedPage {
        let read = Read::of(bytes, content_type);
        let mut page = self.builder.page(Source { bytes: &read.bytes, encoding: read.scanned_as });
        self.is_repaired = false;
        if self.builder.unended || read.rules == MarkupRules::BrokenXml {
            // Few pages lack an end tag: only these are read again.
            if let Some(repaired) = with_ends(&read.bytes, read.language) {
                self.is_repaired = true;
                let known = page;
                page = self.builder.page(Source { bytes: &repaired.bytes, encoding: read.scanned_as });
                if let Some(first) = repaired.first {
                    page.reading = Reading::recovered(first, hrefs(&page), hrefs(&known));
                }
            }
        }
        page.reading.rules = read.rules;
        page.charset = read.encoding.name();
        page
    }
}

/// Returns the links of a page, as written.
fn hrefs(page: &ParsedPage) -> impl Iterator<Item = &str> {
    page.links().map(|link| page.href(link))
}

/// The bytes of a page as they are scanned.
struct Read<'b> {
    bytes: Cow<'b, [u8]>,
    /// Their encoding.
    scanned_as: &'static Encoding,
    /// The encoding of the page.
    encoding: &'static Encoding,
    language: MarkupLanguage,
    rules: MarkupRules,
}

impl<'b> Read<'b> {
    fn of(bytes: &'b [u8], content_type: Option<&str>) -> Self {
        let (encoding, plain) = markup::of(bytes, content_type);
        match from_xhtml(bytes, content_type) {
            Ok(html) => Self {
                bytes: Cow::Owned(html.into_bytes()),
                scanned_as: UTF_8,
                encoding,
                language: MarkupLanguage::Html,
                rules: MarkupRules::Xml,
            },
            Err(language) => {
                let (scanned_as, bytes) = markup::scannable(encoding, plain);
                Self { bytes, scanned_as, encoding, language, rules: language.rules() }
            }
        }
    }
}
