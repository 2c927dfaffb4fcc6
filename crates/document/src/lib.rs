//! The tree of a page, built by html5ever within bounds.
//!
//! The tree construction of the HTML standard takes quadratic time and memory on some inputs: each start tag may search
//! all open elements, each attribute is compared with those before it in its tag, and each paragraph repeats all open
//! formatting elements. Therefore the page is fed in pieces, and the parser gives up at the first bound exceeded.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod attributes;
mod charset;
mod sink;

use attributes::TagScanner;
pub use charset::{decode, encoding};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use memchr::memchr2;
use scraper::{ElementRef, Html};
use sink::BoundedSink;

/// Maximum number of attributes of one tag.
const ATTRIBUTES_MAX: usize = 1_024;
/// Maximum number of tags `html` and `body` with attributes: those of all of them are merged.
const MERGED_TAGS_MAX: usize = 16;
/// Maximum length of a piece, and the distance between two checks of the bounds on nodes, in bytes.
const PIECE_BYTES_MAX: usize = 2_048;

/// What was found in a page.
#[derive(Debug)]
pub enum Search {
    /// An element as it was sought. The rest of the page was not read.
    Found,
    /// The whole page, which has none, except perhaps `html` and `body`.
    NotFound(Html),
}

/// Parses a page. Returns `None` if it exceeds a bound.
pub fn parse(source: &str) -> Option<Html> {
    whole(search(source, |_| false)?)
}

/// Parses a page as a browser without scripts does, for which the content of `noscript` consists of elements. Returns
/// `None` if it exceeds a bound.
pub fn parse_without_scripts(source: &str) -> Option<Html> {
    whole(read(source, BoundedSink::new(false), |_| false)?)
}

fn whole(search: Search) -> Option<Html> {
    match search {
        Search::Found => None,
        Search::NotFound(document) => Some(document),
    }
}

/// Parses a page until there is an element other than `html` and `body` that is sought, looking some two thousand bytes
/// at a time. Elements keep their names and attributes, but not their places. Returns `None` if the page exceeds a
/// bound before.
pub fn search(source: &str, is_sought: impl Fn(ElementRef<'_>) -> bool) -> Option<Search> {
    read(source, BoundedSink::new(true), is_sought)
}

fn read(source: &str, sink: BoundedSink, is_sought: impl Fn(ElementRef<'_>) -> bool) -> Option<Search> {
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let (text, queue) = (StrTendril::from_slice(source), BufferQueue::default());
    let (mut scanner, mut at, mut unchecked) = (TagScanner::default(), 0, 0);
    while at < source.len() {
        let piece = &source[at..at + piece_length(&source[at..])];
        let tokens = tokenizer.sink.tokens();
        queue.push_back(text.try_subtendril(at as u32, piece.len() as u32).ok()?);
        // A script or a declared charset interrupts the tokenizer, and neither of them matters here.
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        scanner.scan(piece, tokenizer.sink.tokens() > tokens);
        if scanner.attributes() > ATTRIBUTES_MAX || tokenizer.sink.merged_tags() > MERGED_TAGS_MAX {
            return None;
        }
        (at, unchecked) = (at + piece.len(), unchecked + piece.len());
        if unchecked >= PIECE_BYTES_MAX {
            unchecked = 0;
            tokenizer.sink.is_within_bounds().then_some(())?;
            if tokenizer.sink.has_new(&is_sought) {
                return Some(Search::Found);
            }
        }
    }
    tokenizer.end();
    tokenizer.sink.is_within_bounds().then_some(())?;
    let found = tokenizer.sink.has_new(&is_sought);
    Some(if found { Search::Found } else { Search::NotFound(tokenizer.sink.finish()) })
}

/// Returns the length of the first piece: it ends after a `>`, before a `<`, or at the maximum.
fn piece_length(rest: &str) -> usize {
    let mut end = rest.len().min(PIECE_BYTES_MAX);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = &rest.as_bytes()[..end];
    let first = usize::from(bytes[0] == b'<');
    memchr2(b'<', b'>', &bytes[first..]).map_or(end, |at| first + at + usize::from(bytes[first + at] == b'>'))
}

#[cfg(test)]
mod tests {
    use super::sink::{DEPTH_MAX, EFFORT_MAX, NODES_MAX, effort};
    use super::*;

    #[test]
    fn pieces_end_at_tags() {
        let lengths = |mut text: &str| {
            let mut lengths = Vec::new();
            while !text.is_empty() {
                lengths.push(piece_length(text));
                text = &text[piece_length(text)..];
            }
            lengths
        };
        assert_eq!(lengths("ab<p>c<<i a='<'>>d"), [2, 3, 1, 1, 6, 3, 1, 1]);
        let long = "é".repeat(PIECE_BYTES_MAX);
        assert_eq!(lengths(&format!("x{long}")), [PIECE_BYTES_MAX - 1, PIECE_BYTES_MAX, 2]);
    }

    #[test]
    fn pieces_do_not_change_the_tree() {
        for page in [
            "<!doctype html><title>a&lt;b</title><p id=x class='a > b'>1 < 2 &amp; 3<table>f<tr><td>c</table>",
            "<!-- a > b <p> --><script>if (a<b && b>c) '</p>'</script><svg><![CDATA[<p>]]></svg><b><p>x</b>y",
            "\u{feff}<body a=1><body b=2><template><p>x</template><textarea><p></textarea>&notit;<plaintext></p>",
        ] {
            assert_eq!(parse(page).unwrap(), Html::parse_document(page), "{page}");
        }
    }

    #[test]
    fn without_scripts_there_are_elements_in_noscript() {
        let page = "<noscript><i>x</i></noscript>";
        let elements =
            |page: Html| page.tree.nodes().filter_map(ElementRef::wrap).any(|node| node.value().name() == "i");
        assert!(elements(parse_without_scripts(page).unwrap()) && !elements(parse(page).unwrap()));
    }

    #[test]
    fn depth_and_nodes_are_bounded() {
        // The document, html and body are above the elements.
        assert!(parse(&"<div>".repeat(DEPTH_MAX - 2)).is_some());
        assert!(parse(&"<div>".repeat(DEPTH_MAX - 1)).is_none());
        // The document, html, head and body are nodes too.
        assert!(parse(&"<hr>".repeat(NODES_MAX - 4)).is_some());
        assert!(parse(&"<hr>".repeat(NODES_MAX - 3)).is_none());
    }

    #[test]
    fn attributes_of_a_tag_and_merged_tags_are_bounded() {
        let tag = |count: usize| format!("<p {}>", (0..count).map(|at| format!("a{at} ")).collect::<String>());
        assert!(parse(&tag(ATTRIBUTES_MAX)).is_some() && parse(&tag(ATTRIBUTES_MAX + 1)).is_none());
        assert!(parse(&"<body a>".repeat(MERGED_TAGS_MAX)).is_some());
        assert!(parse(&"<body a>".repeat(MERGED_TAGS_MAX + 1)).is_none());
    }

    #[test]
    fn effort_is_bounded() {
        let attributes: String = (0..99).map(|at| format!(" a{at}")).collect();
        let page = |tags: usize| "<span>".repeat(DEPTH_MAX - 10) + &format!("<hr{attributes}>").repeat(tags);
        assert!(parse(&page(EFFORT_MAX / (effort(99) * DEPTH_MAX) - 10)).is_some());
        assert!(parse(&page(EFFORT_MAX / (effort(99) * (DEPTH_MAX - 10)) + 10)).is_none());
    }

    #[test]
    fn pages_made_to_take_quadratic_time_are_given_up() {
        let numbered = |form: fn(usize) -> String| (0..200_000).map(form).collect::<String>();
        assert!(parse(&format!("<p {}", numbered(|at| format!("a{at}='<>' ")))).is_none());
        assert!(parse(&format!("&am<p x='<' {}", numbered(|at| format!("a{at}=\">\"")))).is_none());
        assert!(parse(&numbered(|at| format!("<p><b c={at}>x</p>"))).is_none());
        assert!(parse(&numbered(|at| format!("<div></body><!-- {at} -->"))).is_none());
        assert!(parse(&numbered(|at| format!("<html a{at}>"))).is_none());
    }
}
