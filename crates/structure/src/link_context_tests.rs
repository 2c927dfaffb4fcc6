use proptest::prelude::*;

use super::*;
use crate::parse::{Parser, word_hash};
use harvestman_core::config::ParseOptions;

fn parse(html: &str) -> ParsedPage {
    Parser::new(&ParseOptions::default()).with_words().parse(html.as_bytes(), Some("text/html; charset=utf-8"))
}

fn tokens(page: &ParsedPage, href: &str) -> Vec<u32> {
    tokens_among(page, &LinkContexts::new(page), href)
}

fn tokens_among(page: &ParsedPage, contexts: &LinkContexts<'_>, href: &str) -> Vec<u32> {
    let links = page.groups.iter().flat_map(|group| &group.links);
    let link = links.into_iter().find(|link| page.href(link) == href).unwrap();
    contexts.of(link).into_vec()
}

fn word(word: &str, distance: i8) -> u32 {
    word_token(word_hash(word), distance)
}

const ITEMS: &str = "<ul><li><a href=/p/1><img src=1.png></a> by <a href=/u/ann>Ann</a>\
                     <li><a href=/p/2>second one</a> by <a href=/u/bob>Bob</a> today</ul>";

#[test]
fn words_count_with_their_distance_in_texts() {
    let found = tokens(&parse(ITEMS), "/p/2");
    let expected = [("second", 0), ("one", 0), ("by", 1), ("Bob", 2), ("today", 3), ("Ann", -1), ("by", -2)];
    for (text, distance) in expected {
        assert!(found.contains(&word(text, distance)), "{text} {distance}");
    }
    assert!(!found.contains(&word("by", 0)) && !found.contains(&word("Bob", 0)));
}

#[test]
fn words_may_be_read_after_the_page() {
    let utf_16: Vec<u8> = std::iter::once(0xfeff).chain(ITEMS.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [ITEMS.as_bytes(), &utf_16] {
        let mut parser = Parser::new(&ParseOptions::default()).with_words();
        let whole = parser.parse(bytes, None);
        parser.set_texts(false, false, false);
        parser.set_words_on_request(true);
        let page = parser.parse(bytes, None);
        assert!(page.text.is_empty() && page.text_starts.is_empty());
        let words = parser.words(bytes, None);
        assert_eq!((&words.text, &words.starts), (&whole.text, &whole.text_starts));
        let contexts = LinkContexts::with_words(&page, &words);
        assert_eq!(tokens_among(&page, &contexts, "/p/2"), tokens(&whole, "/p/2"));
    }
}

#[test]
fn links_of_the_same_item_are_siblings_and_those_of_others_are_not() {
    let found = tokens(&parse(ITEMS), "/p/1");
    assert!(found.contains(&sibling_token("/u/ann")));
    assert!(found.contains(&image_token()) && !tokens(&parse(ITEMS), "/p/2").contains(&image_token()));
}

#[test]
fn the_uploader_in_a_nested_node_is_a_sibling() {
    let item = |n: u32| format!("<div><a href=/p/{n}><img></a><span>by <a href=/u/{n}>U</a></span></div>");
    let page: String = (0..20).map(item).collect();
    let found = tokens(&parse(&page), "/p/7");
    assert!(found.contains(&sibling_token("/u/7")));
    assert!((0..20).filter(|n| *n != 7).all(|n| !found.contains(&sibling_token(&format!("/u/{n}")))));
}

#[test]
fn a_node_with_many_links_is_a_list_and_no_item() {
    let page: String = (0..40).map(|n| format!("<a href=/t/{n}>t</a> ")).collect();
    let kinds = tokens(&parse(&page), "/t/20");
    assert!(kinds.iter().all(|token| TokenKind::of(*token) != Some(TokenKind::Sibling)));
    let neighbours = kinds.iter().filter(|token| TokenKind::of(**token) == Some(TokenKind::Neighbour));
    assert_eq!(neighbours.count(), 2 * NEIGHBOURS);
}

#[test]
fn adjacent_anchors_do_not_share_their_words() {
    let found = tokens(&parse("<p><a href=/a>left</a><a href=/b>right</a>"), "/a");
    assert!(found.contains(&word("left", 0)) && found.contains(&word("right", 1)));
    assert!(!found.contains(&word("right", 0)));
}

#[test]
fn words_of_the_address_count_without_numbers() {
    let words: Vec<&str> = address_words("/photos/tags/macro-42/x?page=7&sort=new").collect();
    assert_eq!(words, ["photos", "tags", "macro", "page", "sort", "new"]);
    assert!(tokens(&parse("<a href=/tags/Macro>x</a>"), "/tags/Macro").contains(&address_token("macro")));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_page_gives_bounded_tokens_of_known_kinds(
        parts in prop::collection::vec(prop::sample::select(vec![
            "<a href=/x>", "</a>", "<p>", "<div>", "</div>", "text of it", "<img src=i>", "<table><td>", "&nbsp;",
            "<a href=/y class=k>", "<li>", "<button>b</button>", "<svg>", "\u{fffd}",
        ]), 0..60),
    ) {
        let page = parse(&parts.concat());
        let contexts = LinkContexts::new(&page);
        for link in page.groups.iter().flat_map(|group| &group.links) {
            let tokens = contexts.of(link);
            prop_assert!(tokens.len() <= TOKENS_MAX);
            prop_assert!(tokens.iter().all(|token| TokenKind::of(*token).is_some()));
        }
    }

    #[test]
    fn siblings_are_those_that_a_search_through_all_links_finds(items in 1..12_usize, per in 1..4_usize, nested: bool) {
        let inner = |n: usize, k: usize| {
            let link = format!("<a href=/{n}/{k}>x</a>");
            if nested && k % 2 == 1 { format!("<span>{link}</span>") } else { link }
        };
        let html: String =
            (0..items).map(|n| format!("<div>{}</div>", (0..per).map(|k| inner(n, k)).collect::<String>())).collect();
        let page = parse(&html);
        let contexts = LinkContexts::new(&page);
        let all: Vec<&RawLink> = page.groups.iter().flat_map(|group| &group.links).collect();
        for link in &all {
            let nodes = |other: &RawLink| (other.place.parent, other.place.grandparent);
            let (p, g) = nodes(link);
            let mut naive: Vec<u32> = Vec::new();
            for (node, by_parent) in [(p, true), (p, false), (g, true), (g, false)] {
                let of_node = |other: &&&RawLink| node == if by_parent { nodes(other).0 } else { nodes(other).1 };
                let inside: Vec<_> = all.iter().filter(of_node).collect();
                if inside.len() <= ITEM_LINKS_MAX {
                    naive.extend(inside.iter().filter(|other| other.start != link.start).map(|o| sibling_token(page.href(o))));
                }
            }
            naive.sort_unstable();
            naive.dedup();
            let mut found: Vec<u32> =
                contexts.of(link).iter().copied().filter(|t| TokenKind::of(*t) == Some(TokenKind::Sibling)).collect();
            found.sort_unstable();
            prop_assert_eq!(found, naive);
        }
    }
}
