//! The parser compared with the tree that html5ever builds: over recorded forums, and over generated tag soup.

mod agreement;
mod corpus;
mod pages;
mod tree;

use std::sync::Arc;

use harvestman::config::ParseOptions;
use harvestman::model::{LinkKind, ParsedPage};
use harvestman::parse::{Parser, Spelling};
use proptest::prelude::*;

use agreement::Agreement;
use corpus::{corpus_file, html_pages};
use pages::{PAGES_WITH_RULES, tag_soup, well_formed};
use tree::{Bag, Found, by_tree, is_kept};

/// Pages compared of each corpus, spread over the whole of it; the tree takes milliseconds a page in a debug build.
const PAGES: usize = 600;

fn of_page(page: &ParsedPage) -> Found {
    let forms = [page.forms.password_fields, page.forms.text_areas, page.forms.post_forms];
    let mut found = Found { leaves: bag(page), forms, ..Found::default() };
    found.names = page.class_tokens.iter().copied().collect();
    page.units.iter().for_each(|unit| found.unit(*unit));
    for group in &page.groups {
        for link in group.links.iter().filter(|link| link.kind != LinkKind::Refresh) {
            let place = group.apath_text.as_deref().unwrap_or("?");
            *found.links.entry(format!("{place} {}", page.href(link))).or_default() += 1;
        }
    }
    found
}

/// The leaf paths of a page.
fn bag(page: &ParsedPage) -> Bag {
    let leaf = |leaf: &harvestman::model::LeafPath| (leaf.text.as_deref().unwrap_or("?").to_owned(), leaf.count);
    page.leaf_paths.iter().map(leaf).collect()
}

fn parser(scripting: bool) -> Parser {
    Parser::with_spelling(&ParseOptions::default(), Spelling::On)
        .with_scripting(scripting)
        .with_units()
        .with_token_list()
}

fn by_us(html: &str, scripting: bool) -> Found {
    read(&mut parser(scripting), html.as_bytes())
}

/// Reads `page` twice: plainly, and by those of its class names that are kept.
fn read(parser: &mut Parser, page: &[u8]) -> Found {
    let mut parse = |kept| {
        parser.set_class_tokens(kept);
        parser.parse(page, Some("text/html; charset=utf-8"))
    };
    let plain = parse(None);
    let kept = plain.class_tokens.iter().copied().filter(|token| is_kept(*token)).collect();
    let rich = parse(Some(Arc::new(kept)));
    assert_eq!((&plain.groups, &plain.units, &plain.class_tokens), (&rich.groups, &rich.units, &rich.class_tokens));
    Found { rich: bag(&rich), ..of_page(&plain) }
}

#[test]
fn recorded_forums_yield_what_their_trees_hold() {
    for corpus in ["machina", "spirit"] {
        let Some(file) = corpus_file(corpus) else { continue };
        let pages = html_pages(&file);
        let step = pages.len().div_ceil(PAGES);
        let (mut agreement, mut parser) = (Agreement::default(), parser(false));
        for page in pages.iter().step_by(step) {
            let tree = by_tree(&String::from_utf8_lossy(page), false);
            let ours = read(&mut parser, page);
            agreement.add(&tree, &ours);
            assert_eq!((tree.forms, tree.names), (ours.forms, ours.names), "a page of {corpus}");
        }
        assert!(agreement.pages > 250, "{corpus} has only {} pages", agreement.pages);
        agreement.assert(corpus, 1.0);
    }
}

#[test]
fn every_rule_of_tree_construction_gives_the_trees_paths() {
    let mut wrong = Vec::new();
    for scripting in [false, true] {
        for page in PAGES_WITH_RULES {
            let (ours, tree) = (by_us(page, scripting), by_tree(page, scripting));
            if ours != tree {
                wrong.push(format!("scripting: {scripting}, {page}\n  ours {ours:?}\n  tree {tree:?}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

fn total(bag: &Bag) -> u32 {
    bag.values().sum()
}

#[test]
fn a_form_ends_at_its_end_tag_for_the_texts_even_where_the_tree_goes_on() {
    let page = "<form>a<div>b</form><i>c</i></div>d";
    let (ours, tree) = (by_us(page, false), by_tree(page, false));
    assert_eq!(ours.leaves, tree.leaves);
    let in_form = |found: &Found| found.units.keys().filter(|unit| unit.ends_with("form")).count();
    assert_eq!((in_form(&ours), in_form(&tree)), (2, 3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn well_formed_documents_yield_exactly_what_their_trees_hold(html in well_formed()) {
        prop_assert_eq!(by_us(&html, true), by_tree(&html, true));
    }

    #[test]
    fn tag_soup_loses_no_link_and_hash_mode_agrees_with_spelling_mode(html in tag_soup()) {
        let options = ParseOptions::default();
        let spelt = parser(false).parse(html.as_bytes(), None);
        let mut hashed = Parser::new(&options).with_units().with_token_list().parse(html.as_bytes(), None);
        prop_assert!(hashed.groups.iter().all(|group| group.apath_text.is_none()));
        prop_assert!(spelt.groups.iter().all(|group| group.apath_text.is_some()));
        for (group, spelt) in hashed.groups.iter_mut().zip(&spelt.groups) {
            group.apath_text.clone_from(&spelt.apath_text);
        }
        for (leaf, spelt) in hashed.leaf_paths.iter_mut().zip(&spelt.leaf_paths) {
            leaf.text.clone_from(&spelt.text);
        }
        prop_assert_eq!(&hashed, &spelt);
        // Misnested formatting may give a link another place or another time, but the same addresses are there.
        let addresses = |found: &Found| -> std::collections::BTreeSet<String> {
            found.links.keys().filter_map(|link| link.rsplit_once(' ')).map(|(_, address)| address.to_owned()).collect()
        };
        let (ours, tree) = (of_page(&spelt), by_tree(&html, false));
        prop_assert_eq!(addresses(&ours), addresses(&tree));
        prop_assert!(total(&ours.links) <= 4 * total(&tree.links) + 4);
    }
}

#[test]
fn tag_soup_agrees_with_the_tree_on_the_whole() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let (mut runner, mut agreement) = (TestRunner::deterministic(), Agreement::default());
    for _ in 0..1_000 {
        let html = tag_soup().new_tree(&mut runner).unwrap().current();
        let (ours, tree) = (by_us(&html, false), by_tree(&html, false));
        let least = agreement.add(&ours, &tree);
        if std::env::var_os("HARVESTMAN_SHOW_SOUP").is_some() && least < 1.0 {
            eprintln!("{html}\n  ours {ours:?}\n  tree {tree:?}");
        }
    }
    agreement.assert("tag soup", 0.9);
}
