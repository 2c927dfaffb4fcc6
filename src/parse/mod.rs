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
//! Time is linear in the page's length and memory is bounded by [`ParseOptions`], whatever the page.

mod attributes;
mod body;
mod builder;
mod bytes;
mod charset;
mod collect;
mod doctype;
mod element;
mod foreign;
mod formatting;
mod forms;
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

use crate::config::ParseOptions;
use crate::page::ParsedPage;
use builder::Builder;
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

    /// Also collects the page's texts, as [`ParsedPage::units`]; at most 4,096, the first of them. What stands in a
    /// `textarea`, `select`, `option` or `button` is a control's label and none of them.
    #[must_use]
    pub fn with_units(mut self) -> Self {
        self.builder.units.on = true;
        self
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
