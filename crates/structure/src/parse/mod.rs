//! The parser: one streaming pass over a page's bytes, without a tree.
//!
//! In: the bytes of an HTML page (content coding removed) and its `Content-Type`. Out: a [`ParsedPage`]: the outlinks grouped
//! by Apath, the bag of leaf paths (SOUrCe 2018, section 3.1), base, title, canonical address, directives to robots.
//!
//! A **leaf path** is the chain of element names from the root to something shown: a text (the path of its element, then
//! `#text`; blank texts do not count), an image, or an anchor (with its class attribute in brackets). What stands in the
//! head, in `script`, `style`, `noscript` or `template` is not shown. The element names are those of the tree that the HTML
//! standard builds: implied elements are there, misnested ones are repaired. An **Apath** is such a path of a link. Paths
//! travel as 64-bit hashes; [`Spelling::On`] has them spelt out too.
//!
//! What only learning looks at is read where it is asked for: the texts that are shown ([`Parser::with_units`]), the class
//! names there are ([`Parser::with_token_list`]), leaf paths with some of these ([`Parser::with_class_tokens`]).
//!
//! Time is linear in the page's length and memory is bounded by [`ParseOptions`], whatever the page.

mod attributes;
mod body;
mod builder;
mod bytes;
mod charset;
mod classes;
mod collect;
mod doctype;
mod element;
mod foreign;
mod formatting;
mod formatting_entry;
mod forms;
mod gist;
mod head;
mod leaves;
mod links;
mod meta;
mod open;
mod path;
mod raw;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod tokens;
mod units;

use std::sync::Arc;

use builder::Builder;
use harvestman_core::config::ParseOptions;
use harvestman_core::model::{ClassTokens, ParsedPage};
pub use meta::refresh_target;
use text::Source;

/// Whether paths are also spelt out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spelling {
    /// Paths are hashes only.
    #[default]
    Off,
    /// Paths are spelt out in `apath_text` and `text` too; it costs an allocation each.
    On,
}

/// The hash of a class name, as [`ClassTokens`] and [`ParsedPage::class_tokens`] have it. Names differ by case.
pub fn class_token(name: &str) -> u64 {
    path::fold_run(name.as_bytes())
}

/// Reads pages, one after the other. It keeps its buffers, so there should be one a worker thread.
#[derive(Debug)]
pub struct Parser {
    builder: Builder,
    charset_sniff_max: usize,
}

impl Parser {
    /// A parser that yields hashes only.
    pub fn new(options: &ParseOptions) -> Self {
        Self::with_spelling(options, Spelling::Off)
    }

    /// A parser that may spell paths out.
    pub fn with_spelling(options: &ParseOptions, spelling: Spelling) -> Self {
        Self {
            builder: Builder::new(options, spelling == Spelling::On),
            charset_sniff_max: options.charset_sniff_max.as_usize(),
        }
    }

    /// Sets the product token (`robots.agent`) by which a page addresses this crawler alone: `<meta name=TOKEN>` then counts as
    /// `<meta name=robots>` does, in any letter case. The default is that of the setting.
    #[must_use]
    pub fn with_agent(mut self, agent: &str) -> Self {
        self.builder.agent = agent.into();
        self
    }

    /// Also collects the page's texts, as [`ParsedPage::units`]; at most 4,096, the first of them. What stands in a
    /// `textarea`, `select`, `option` or `button` is a control's label and none of them.
    #[must_use]
    pub fn with_units(mut self) -> Self {
        self.builder.units.ask(true, self.builder.units.gist.on);
        self
    }

    /// Also tells leaf paths apart by the class names `tokens`: the step of each element, an `a` at the end too, then has
    /// those of its names that are among them, in whatever order (`/html/body/div.post/a.reply/#text`). Apaths stay as they
    /// are, and so does a leaf path on which no such name is, unless it ends in an `a` with a class.
    #[must_use]
    pub fn with_class_tokens(mut self, tokens: Arc<ClassTokens>) -> Self {
        self.set_class_tokens(Some(tokens));
        self
    }

    /// Also lists the page's distinct class names, as [`ParsedPage::class_tokens`]; at most 2,048, the first of them.
    #[must_use]
    pub fn with_token_list(mut self) -> Self {
        self.builder.classes.listed = true;
        self
    }

    /// From the next page on, tells leaf paths apart by the class names `tokens`, or by none.
    pub fn set_class_tokens(&mut self, tokens: Option<Arc<ClassTokens>>) {
        self.builder.classes.kept = tokens;
    }

    /// From the next page on, collects the page's texts as [`ParsedPage::units`], and what it shows as [`ParsedPage::gist`], or
    /// doesn't.
    pub fn set_texts(&mut self, units: bool, gist: bool) {
        self.builder.units.ask(units, gist);
    }

    /// Reads a page. `content_type` is the value of its HTTP header.
    pub fn parse(&mut self, bytes: &[u8], content_type: Option<&str>) -> ParsedPage {
        let (encoding, bytes) = charset::of(bytes, content_type, self.charset_sniff_max);
        let (scanned_as, bytes) = charset::scannable(encoding, bytes);
        let mut page = self.builder.page(Source { bytes: &bytes, encoding: scanned_as });
        page.charset = encoding.name();
        page
    }
}
