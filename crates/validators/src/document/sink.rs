//! The builder of a tree, with the counts that its bounds need.

use std::cell::Cell;

use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use scraper::{Html, HtmlTreeSink};

/// Maximum number of nodes of a tree.
pub const NODES_MAX: usize = 100_000;
/// Maximum depth of a node. Browsers do not nest elements deeper than 512.
pub const DEPTH_MAX: usize = 256;

type Handle = <HtmlTreeSink as TreeSink>::Handle;

/// Builds the tree of a document, and counts.
pub struct BoundedSink {
    builder: TreeBuilder<Handle, HtmlTreeSink>,
    tokens: Cell<usize>,
    merged_tags: Cell<usize>,
    /// Number of nodes whose depth was checked.
    checked: Cell<usize>,
}

impl BoundedSink {
    /// Creates a sink with an empty document.
    pub fn new() -> Self {
        let sink = HtmlTreeSink::new(Html::new_document());
        let builder = TreeBuilder::new(sink, TreeBuilderOpts::default());
        Self { builder, tokens: Cell::new(0), merged_tags: Cell::new(0), checked: Cell::new(0) }
    }

    /// Returns the number of tokens so far, errors excluded.
    pub fn tokens(&self) -> usize {
        self.tokens.get()
    }

    /// Returns the number of start tags `html` and `body` that had attributes.
    pub fn merged_tags(&self) -> usize {
        self.merged_tags.get()
    }

    /// Returns whether the number of nodes and the depth of those added since the last call are within their bounds:
    /// O(new nodes × depth).
    pub fn is_within_bounds(&self) -> bool {
        let html = self.builder.sink.0.borrow();
        let nodes = html.tree.nodes();
        let count = nodes.len();
        let mut new = nodes.rev().take(count - self.checked.replace(count).min(count));
        count <= NODES_MAX && new.all(|node| node.ancestors().nth(DEPTH_MAX).is_none())
    }

    /// Returns the document.
    pub fn finish(self) -> Html {
        self.builder.sink.finish()
    }
}

impl TokenSink for BoundedSink {
    type Handle = Handle;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<Handle> {
        self.tokens.set(self.tokens.get() + usize::from(!matches!(token, Token::ParseError(_))));
        self.merged_tags.set(self.merged_tags.get() + usize::from(is_merged(&token)));
        self.builder.process_token(token, line_number)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Whether this is a tag whose attributes are added to an element that may be there already.
fn is_merged(token: &Token) -> bool {
    let Token::TagToken(Tag { kind: TagKind::StartTag, name, attrs, .. }) = token else { return false };
    !attrs.is_empty() && matches!(&**name, "html" | "body")
}
