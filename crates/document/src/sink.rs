//! The builder of a tree, with the counts that its bounds need.

use std::cell::Cell;

use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use scraper::{ElementRef, Html, HtmlTreeSink};

/// Maximum number of nodes of a tree.
pub const NODES_MAX: usize = 100_000;
/// Maximum depth of a node. Browsers do not nest elements deeper than 512.
pub const DEPTH_MAX: usize = 256;
/// Maximum effort for all tags. At worst, a unit takes some 40 ns.
pub const EFFORT_MAX: usize = 50_000_000;

type Handle = <HtmlTreeSink as TreeSink>::Handle;

/// Builds the tree of a document, and counts.
pub struct BoundedSink {
    builder: TreeBuilder<Handle, HtmlTreeSink>,
    tokens: Cell<usize>,
    merged_tags: Cell<usize>,
    /// Number of nodes whose depth was checked.
    checked: Cell<usize>,
    /// The largest depth of those nodes.
    depth: Cell<usize>,
    effort: Cell<usize>,
    /// Number of nodes among which elements were sought.
    searched: Cell<usize>,
}

impl BoundedSink {
    /// Creates a sink with an empty document, of a page whose scripts run or do not.
    pub fn new(scripting: bool) -> Self {
        let sink = HtmlTreeSink::new(Html::new_document());
        let options = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
        let builder = TreeBuilder::new(sink, options);
        let zero = || Cell::new(0);
        Self {
            builder,
            tokens: zero(),
            merged_tags: zero(),
            checked: zero(),
            depth: zero(),
            effort: zero(),
            searched: zero(),
        }
    }

    /// Returns the number of tokens so far, errors excluded.
    pub fn tokens(&self) -> usize {
        self.tokens.get()
    }

    /// Returns the number of start tags `html` and `body` that had attributes.
    pub fn merged_tags(&self) -> usize {
        self.merged_tags.get()
    }

    /// Returns whether the effort, the number of nodes, and the depth of those added since the last call are within
    /// their bounds: O(new nodes × depth).
    pub fn is_within_bounds(&self) -> bool {
        let html = self.builder.sink.0.borrow();
        let nodes = html.tree.nodes();
        let count = nodes.len();
        let new = nodes.rev().take(count - self.checked.replace(count).min(count));
        let depth = new.map(|node| node.ancestors().take(DEPTH_MAX + 1).count()).max().unwrap_or_default();
        self.depth.set(self.depth.get().max(depth));
        count <= NODES_MAX && depth <= DEPTH_MAX && self.effort.get() <= EFFORT_MAX
    }

    /// Returns whether an element that was added since the last call is sought. `html` and `body` are left out: they
    /// may get attributes later, and elements remember their classes when they are first asked for them.
    pub fn has_new(&self, is_sought: impl Fn(ElementRef<'_>) -> bool) -> bool {
        let html = self.builder.sink.0.borrow();
        let nodes = html.tree.nodes();
        let before = self.searched.replace(nodes.len());
        let elements = nodes.skip(before).filter_map(ElementRef::wrap);
        elements.filter(|element| !matches!(element.value().name(), "html" | "body")).any(is_sought)
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
        if let Token::TagToken(tag) = &token {
            self.merged_tags.set(self.merged_tags.get() + usize::from(is_merged(tag)));
            self.effort.set(self.effort.get() + self.depth.get() * effort(tag.attrs.len()));
        }
        self.builder.process_token(token, line_number)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// An upper bound, to a factor, of what it takes to compare a tag of this number of attributes with one open element.
/// The builder sorts the attributes of both for each comparison.
pub const fn effort(attributes: usize) -> usize {
    1 + attributes + attributes * attributes / 16
}

/// Whether the attributes of a tag are added to an element that may be there already.
fn is_merged(tag: &Tag) -> bool {
    tag.kind == TagKind::StartTag && !tag.attrs.is_empty() && matches!(&*tag.name, "html" | "body")
}
