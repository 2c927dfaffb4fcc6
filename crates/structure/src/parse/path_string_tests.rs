//! Tests of path strings (Zhang, Nasraoui 2009, section 4.1).

use proptest::prelude::*;

use super::*;

fn parse(html: &str) -> ParsedPage {
    let parser = Parser::with_spelling(&ParseOptions::default(), Spelling::On).with_path_strings();
    { parser }.parse(html.as_bytes(), Some("text/html; charset=utf-8"))
}

/// Returns the path strings of the texts, in page order.
fn strings(html: &str) -> Vec<String> {
    parse(html).path_strings.into_iter().map(|pair| pair.text.unwrap().into()).collect()
}

/// The page of Figure 4, as far as the paper's text describes it. The paper's parser adds no `tbody`.
const FIGURE_4: &str = "<html><head><title>Students</title></head><body><h1 id=top>Students</h1><table>
    <tr class=\"people\"><td>John</td><td>Doe</td><td>Alaska</td></tr></table></body></html>";

#[test]
fn the_names_of_figure_4_share_their_path_string() {
    let found = strings(FIGURE_4);
    assert_eq!(found[0], "<h1><body><html>");
    assert_eq!(found[1..], ["<td><tr-class/people><tbody><table><body><html>"; 3]);
    // Without the element that the HTML standard implies, this is the string that the paper prints.
    assert_eq!(found[1].replace("<tbody>", ""), "<td><tr-class/people><table><body><html>");
    let pairs = parse(FIGURE_4).path_strings;
    assert!(pairs[1].path == pairs[2].path && pairs[2].path == pairs[3].path);
    assert!(pairs[1].value != pairs[2].value && pairs[0].path != pairs[1].path);
}

#[test]
fn display_properties_count_in_any_order_and_addresses_do_not() {
    let one = "<p align=left class='a  b' id=x><a href=1 title=t name=n><font size=2 color=red>x";
    let two = "<P CLASS='a b' ID=y ALIGN=left><a href=2><font color=red size=' 2 '>y";
    let wanted = "<font-size/2-color/red><a><p-class/a b-align/left><body><html>";
    assert_eq!((strings(one), strings(two)), (vec![wanted.to_owned()], vec![wanted.to_owned()]));
    assert_eq!(parse(one).path_strings[0].path, parse(two).path_strings[0].path);
    for other in ["<p align=right class='a b'>x", "<p align=left>x", "<p class=left>x", "<p align='' class=left>x"] {
        assert_ne!(parse(other).path_strings[0].path, parse("<p align=left class='a b'>x").path_strings[0].path);
    }
    assert_ne!(strings("<p nowrap>x"), strings("<p>x"));
}

#[test]
fn a_value_is_the_whole_text_without_regard_to_white_space() {
    let values = |html| parse(html).path_strings.iter().map(|pair| pair.value).collect::<Vec<_>>();
    assert_eq!(values("<p>Terms of\n Use "), values("<b> Terms  of&#32;Use</b>")[..1]);
    assert_ne!(values("<p>Terms of Use"), values("<p>Use of Terms"));
    assert_eq!(values("<p>a<!-- b -->c").len(), 2, "a comment separates text nodes");
    assert_eq!(values("<p>a<b>c</b>d").len(), 3);
    assert_eq!(values("<table>a<tr><td>c</table>d").len(), 3, "the text moved before the table is a text of its own");
}

#[test]
fn labels_of_controls_have_path_strings_but_are_no_units() {
    let html = "<form><button class=b>Sign in</button><textarea>old</textarea><select><option>one</select>text</form>";
    let plain = Parser::new(&ParseOptions::default()).with_units().with_words();
    let strings = Parser::new(&ParseOptions::default()).with_units().with_words().with_path_strings();
    let [plain, strings] = [plain, strings].map(|mut parser| parser.parse(html.as_bytes(), None));
    assert_eq!(strings.path_strings.len(), 4);
    assert_eq!((plain.units.len(), plain.path_strings.len()), (1, 0));
    assert_eq!((plain.units, plain.text), (strings.units, strings.text));
}

#[test]
fn asking_for_other_texts_later_keeps_path_strings() {
    let mut parser = Parser::new(&ParseOptions::default()).with_path_strings();
    parser.set_texts(false, false, false);
    assert_eq!(parser.parse(b"<p>x", None).path_strings.len(), 1);
}

#[test]
fn links_stay_where_they_are_and_leaf_paths_have_the_properties() {
    let html = "<div align=left><a class=k href=1>x</a></div>";
    let (plain, page) = (Parser::with_spelling(&ParseOptions::default(), Spelling::On), parse(html));
    let plain = { plain }.parse(html.as_bytes(), None);
    assert_eq!(plain.groups, page.groups);
    let leaves: Vec<_> = page.leaf_paths.iter().filter_map(|leaf| leaf.text.as_deref()).collect();
    assert_eq!(leaves, ["/html/body/div-align/left/a-class/k", "/html/body/div-align/left/a-class/k/#text"]);
}

#[test]
fn path_string_hashes_never_change_because_characteristic_sets_are_persisted() {
    let pair = &parse("<p class=a align=left>Terms of Use").path_strings[0];
    assert_eq!((pair.path, pair.value), (5_113_076_978_092_117_812, 7_930_344_859_906_748_576));
}

/// A tree: elements with attributes, and texts.
#[derive(Debug, Clone)]
enum Node {
    Text(String),
    Element(Vec<(&'static str, String)>, Vec<Self>),
}

fn tree() -> impl Strategy<Value = Node> {
    let text = "[a-c]{1,3}( [a-c]{1,3})?".prop_map(Node::Text);
    text.prop_recursive(5, 30, 4, |inner| {
        let name = prop::sample::select(vec!["class", "id", "align", "href", "width"]);
        let attributes = prop::collection::btree_map(name, "[a-c]{0,2}", 0..4);
        (attributes, prop::collection::vec(inner, 0..4))
            .prop_map(|(attributes, children)| Node::Element(attributes.into_iter().rev().collect(), children))
    })
}

/// Writes a tree as HTML, and the path strings of its texts by the definition in the paper.
fn write(node: &Node, above: &str, html: &mut String, found: &mut Vec<String>) {
    match node {
        Node::Text(text) => {
            html.push_str(text);
            found.push(above.to_owned());
        }
        Node::Element(attributes, children) => {
            html.push_str("<div");
            attributes.iter().for_each(|(name, value)| *html += &format!(" {name}='{value}'"));
            html.push('>');
            let shown = ["class", "align", "width"];
            let property = |name| attributes.iter().find(|(other, _)| *other == name);
            let own: String =
                shown.iter().filter_map(|n| property(*n)).map(|(name, value)| format!("-{name}/{value}")).collect();
            children.iter().for_each(|child| write(child, &format!("<div{own}>{above}"), html, found));
            html.push_str("</div>");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn path_strings_are_those_of_a_walk_over_the_tree(nodes in prop::collection::vec(tree(), 1..5)) {
        let (mut html, mut wanted) = (String::new(), Vec::new());
        for node in &nodes {
            // An empty element between texts keeps them apart.
            html.push_str("<hr>");
            write(node, "<body><html>", &mut html, &mut wanted);
        }
        let mut found = strings(&html);
        // Neighbouring texts are one text node for a parser.
        wanted.dedup();
        found.dedup();
        prop_assert_eq!(found, wanted);
    }
}
