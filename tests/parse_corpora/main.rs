//! The parser compared with the tree that html5ever builds: over recorded forums, and over generated tag soup.

mod corpus;
mod pages;
mod tree;

use harvestman::config::ParseOptions;
use harvestman::page::{LinkKind, ParsedPage};
use harvestman::parse::{Parser, Spelling};
use proptest::prelude::*;

use corpus::{corpus_file, html_pages};
use pages::{PAGES_WITH_RULES, tag_soup, well_formed};
use tree::{Bag, Found, by_tree};

/// Pages compared of each corpus, spread over the whole of it; the tree takes milliseconds a page in a debug build.
const PAGES: usize = 600;

fn of_page(page: &ParsedPage) -> Found {
    let leaf = |leaf: &harvestman::page::LeafPath| (leaf.text.as_deref().unwrap_or("?").to_owned(), leaf.count);
    let forms = [page.forms.password_fields, page.forms.text_areas, page.forms.post_forms];
    let mut found = Found { leaves: page.leaf_paths.iter().map(leaf).collect(), forms, ..Found::default() };
    for unit in &page.units {
        found.unit(unit.hash, usize::from(unit.words), unit.in_anchor, unit.in_form);
    }
    for group in &page.groups {
        for link in group.links.iter().filter(|link| link.kind != LinkKind::Refresh) {
            let place = group.apath_text.as_deref().unwrap_or("?");
            *found.links.entry(format!("{place} {}", page.href(link))).or_default() += 1;
        }
    }
    found
}

fn parser(scripting: bool) -> Parser {
    Parser::with_spelling(&ParseOptions { scripting, ..ParseOptions::default() }, Spelling::On).with_units()
}

fn by_us(html: &str, scripting: bool) -> Found {
    of_page(&parser(scripting).parse(html.as_bytes(), Some("text/html; charset=utf-8")))
}

/// Size of the intersection by size of the union, counting occurrences.
fn jaccard(one: &Bag, other: &Bag) -> f64 {
    let (mut common, mut all) = (0, 0);
    for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
        let (a, b) = (one.get(key).copied().unwrap_or(0), other.get(key).copied().unwrap_or(0));
        common += a.min(b);
        all += a.max(b);
    }
    if all == 0 { 1.0 } else { f64::from(common) / f64::from(all) }
}

#[test]
fn recorded_forums_yield_what_their_trees_hold() {
    for corpus in ["machina", "spirit"] {
        let Some(file) = corpus_file(corpus) else { continue };
        let pages = html_pages(&file);
        let step = pages.len().div_ceil(PAGES);
        let (mut leaves, mut links, mut units, mut forms, mut compared) = (0.0, 0.0, 0.0, 0, 0);
        let mut parser = parser(false);
        for page in pages.iter().step_by(step) {
            let html = String::from_utf8_lossy(page);
            let (tree, ours) = (by_tree(&html, false), of_page(&parser.parse(page, Some("text/html; charset=utf-8"))));
            leaves += jaccard(&tree.leaves, &ours.leaves);
            links += jaccard(&tree.links, &ours.links);
            units += jaccard(&tree.units, &ours.units);
            forms += u32::from(tree.forms == ours.forms);
            compared += 1;
        }
        assert!(compared > 250, "{corpus} has only {compared} pages");
        let [leaves, links, units] = [leaves, links, units].map(|sum| sum / f64::from(compared));
        eprintln!(
            "{corpus}: {compared} pages; agreement with the tree: leaf paths {leaves:.5}, links {links:.5}, units {units:.5}, forms {forms}"
        );
        assert!(leaves >= 0.999, "{corpus}: leaf paths agree only to {leaves}");
        assert!(links >= 0.999, "{corpus}: links agree only to {links}");
        assert!(units >= 0.999, "{corpus}: units agree only to {units}");
        assert_eq!(forms, compared, "{corpus}: pages on which the forms agree");
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
        let mut hashed = Parser::new(&options).with_units().parse(html.as_bytes(), None);
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

    let mut runner = TestRunner::deterministic();
    let (mut leaves, mut links, mut units) = (0.0, 0.0, 0.0);
    let pages = 1_000;
    for _ in 0..pages {
        let html = tag_soup().new_tree(&mut runner).unwrap().current();
        let (ours, tree) = (by_us(&html, false), by_tree(&html, false));
        let (leaf, link) = (jaccard(&ours.leaves, &tree.leaves), jaccard(&ours.links, &tree.links));
        if std::env::var_os("HARVESTMAN_SHOW_SOUP").is_some() && leaf.min(link) < 1.0 {
            eprintln!("{html}\n  ours {ours:?}\n  tree {tree:?}");
        }
        leaves += leaf;
        links += link;
        units += jaccard(&ours.units, &tree.units);
    }
    let [leaves, links, units] = [leaves, links, units].map(|sum| sum / f64::from(pages));
    eprintln!(
        "tag soup: {pages} pages; agreement with the tree: leaf paths {leaves:.4}, links {links:.4}, units {units:.4}"
    );
    assert!(leaves >= 0.9, "leaf paths agree only to {leaves}");
    assert!(links >= 0.9, "links agree only to {links}");
    assert!(units >= 0.9, "units agree only to {units}");
}
