//! Finds the posts of one page, of which nothing else is known.

use jiff::civil::DateTime;

use crate::anchors::find_anchors;
use crate::records::PagePost;
use crate::templates::{SamplePage, Template, best, learn_templates};
use crate::tree::Tree;

/// Finds the posts of a page that was fetched at this local time, in their order on the page.
pub fn find_posts(tree: &Tree, now: DateTime) -> Vec<PagePost> {
    let anchors = find_anchors(tree, now);
    let templates: Vec<Template> = learn_templates(&[SamplePage { tree, anchors: &anchors }]);
    best(&templates, tree, &anchors).posts
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
