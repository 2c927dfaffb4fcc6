//! What records answer: the record that they are nested in or indented under, that they link to, or that they quote.

use std::collections::BTreeMap;

use url::Url;

use super::identity::Marks;
use super::resolve;
use crate::maps::{HashMap, HashSet};
use crate::records::ParentRef;
use crate::segments::Record;
use crate::tree::{Content, NodeIndex, Tree};

/// Number of elements around a record whose classes or styles may tell its depth.
const LEVELS: usize = 3;
/// Classes that tell how deep a reply is.
const DEPTHS: [&str; 4] = ["depth", "level", "indent", "nest"];
/// Words behind the name of the author of a quote.
const WROTE: [&str; 12] = [
    "wrote",
    "said",
    "schrieb",
    "hat geschrieben",
    "a écrit",
    "escribió",
    "dijo",
    "ha scritto",
    "написал",
    "zei",
    "skrev",
    "says",
];
/// Maximum length of a name, in bytes.
const NAME_BYTES_MAX: usize = 80;
/// Number of texts before a quote that may name its author.
const TEXTS_BEFORE: usize = 3;
/// Number of bytes at the end of an address by which it is told that it is none of a record.
const END_BYTES: usize = 4;
/// Maximum number of words of the line with the author of a quote.
const LINE_WORDS_MAX: usize = 12;

/// Returns what each record answers.
pub fn parents(tree: &Tree, page: &Url, records: &[Record], marks: &[Marks]) -> Vec<Option<ParentRef>> {
    let inner = inner(tree, records);
    let nested = nested(tree, records);
    let depths = by_depth(tree, records);
    let linked = linked(tree, page, records, marks);
    let indexed = nested.into_iter().zip(depths).zip(linked).zip(inner);
    let of_index =
        indexed.map(|(((nested, depth), linked), inner)| inner.or(linked).or(nested).or(depth).map(ParentRef::Index));
    of_index.zip(records).map(|(index, record)| index.or_else(|| quote(tree, record))).collect()
}

/// Returns the record of another kind that each is in: a comment is below the answer that it is on, whatever it links
/// to.
fn inner(tree: &Tree, records: &[Record]) -> Vec<Option<usize>> {
    let mut last = None;
    let around = |(number, record): (usize, &Record)| {
        if !record.is_inner {
            last = Some(number);
            return None;
        }
        last.filter(|last| records[*last].contains(tree, record.parts[0]))
    };
    records.iter().enumerate().map(around).collect()
}

/// Returns the record that each is nested in: it is in the element that contains it too, but further inside.
fn nested(tree: &Tree, records: &[Record]) -> Vec<Option<usize>> {
    // The records in each element, as far as they are its children.
    let mut children: HashMap<NodeIndex, Vec<usize>> = HashMap::default();
    for (number, record) in records.iter().enumerate() {
        children.entry(tree.node(record.parts[0]).parent).or_default().push(number);
    }
    // An element with a record and the replies to it is one of several, or looks as a record without replies.
    let similar = Similar::of(tree, children.keys().copied().chain(records.iter().map(|record| record.parts[0])));
    // Most records are in the same elements.
    let mut known: HashMap<NodeIndex, bool> = HashMap::default();
    let mut is_record = |node: NodeIndex| *known.entry(node).or_insert_with(|| similar.has_other(tree, node));
    let parent_of = |number: usize| {
        let own = tree.node(records[number].parts[0]).parent;
        // Few elements have records as children: the costly question comes last.
        let around = tree.upwards(own).skip(1).filter(|node| children.contains_key(node) && is_record(*node));
        let last_before = |of: &Vec<usize>| Some(of[of.partition_point(|of| *of < number).checked_sub(1)?]);
        around.filter_map(|node| last_before(children.get(&node)?)).next()
    };
    (0..records.len()).map(parent_of).collect()
}

/// Elements by their names, each with one of their classes, or with none where they have none.
struct Similar<'t> {
    /// The first element, and whether there are others.
    by_look: HashMap<(&'t str, Option<&'t str>), (NodeIndex, bool)>,
}

impl<'t> Similar<'t> {
    fn of(tree: &'t Tree, nodes: impl Iterator<Item = NodeIndex>) -> Self {
        let mut by_look: HashMap<_, (NodeIndex, bool)> = HashMap::default();
        for node in nodes {
            looks(tree, node).for_each(|look| {
                let (first, has_others) = by_look.entry(look).or_insert((node, false));
                *has_others |= *first != node;
            });
        }
        Self { by_look }
    }

    /// Returns whether another one has the same name and a class in common with an element, or none as it.
    fn has_other(&self, tree: &'t Tree, node: NodeIndex) -> bool {
        let is_other = |(first, has_others): &(NodeIndex, bool)| *has_others || *first != node;
        looks(tree, node).any(|look| self.by_look.get(&look).is_some_and(is_other))
    }
}

/// Returns the name of an element with each of its classes; with none if it has none.
fn looks(tree: &Tree, node: NodeIndex) -> impl Iterator<Item = (&str, Option<&str>)> {
    let name = tree.name(node);
    let mut classes = tree.attribute(node, "class").unwrap_or_default().split_ascii_whitespace().peekable();
    let none = classes.peek().is_none().then_some((name, None));
    none.into_iter().chain(classes.map(move |class| (name, Some(class))))
}

/// Returns the record that each is indented under, if classes or styles tell how deep some of them are. The others are
/// not indented: where the first one is in another element than they are, they answer it.
fn by_depth(tree: &Tree, records: &[Record]) -> Vec<Option<usize>> {
    let depths: Vec<Option<i64>> = records.iter().map(|record| depth(tree, record.parts[0])).collect();
    let is_told = depths.iter().any(|depth| depth.is_some() && *depth != depths[0]);
    if !is_told {
        return vec![None; records.len()];
    }
    let is_apart = depths[0].is_none() && is_first_apart(tree, records);
    // The records around the next one, each less deep than the one behind it.
    let mut around: Vec<usize> = Vec::new();
    let above = |number: usize| {
        while around.last().is_some_and(|last| depths[*last] >= depths[number]) {
            around.pop();
        }
        let above = around.last().copied();
        around.push(number);
        above.or((number > 0 && is_apart).then_some(0))
    };
    (0..records.len()).map(above).collect()
}

/// Returns whether all records but the first one are in an element without it.
fn is_first_apart(tree: &Tree, records: &[Record]) -> bool {
    let [first, second, .., last] = records else { return false };
    let mut around = tree.upwards(second.parts[0]);
    let list = around.find(|node| tree.range(*node).contains(&last.parts[0]));
    list.is_some_and(|list| !tree.range(list).contains(&first.parts[0]))
}

fn depth(tree: &Tree, node: NodeIndex) -> Option<i64> {
    tree.upwards(node).take(LEVELS).find_map(|node| {
        let of_class = tree.attribute(node, "class").and_then(|classes| {
            classes.split_ascii_whitespace().find_map(|class| {
                let class = class.to_ascii_lowercase();
                DEPTHS.iter().any(|word| class.contains(word)).then(|| digits(&class)).flatten()
            })
        });
        let of_data =
            || ["data-depth", "data-level", "aria-level"].iter().find_map(|name| digits(tree.attribute(node, name)?));
        let of_style = || {
            let style = tree.attribute(node, "style")?;
            let (_, indent) = style.split_once("margin-left").or_else(|| style.split_once("padding-left"))?;
            digits(indent.split(';').next()?)
        };
        of_class.or_else(of_data).or_else(of_style)
    })
}

fn digits(text: &str) -> Option<i64> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[from..];
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

/// Returns the earlier record that each links to, first of all.
fn linked(tree: &Tree, page: &Url, records: &[Record], marks: &[Marks]) -> Vec<Option<usize>> {
    let by_mark = by_mark(marks);
    let ends: HashSet<&[u8]> = by_mark.keys().map(|mark| end_of(mark)).collect();
    // Few links lead to records of the page, and to resolve all of them would be most of the work.
    let are_told = ends.iter().all(|end| end.len() == END_BYTES);
    let may_be_mark = |href: &str| !are_told || !has_plain_end(href) || ends.contains(end_of(href));
    let parent = |(number, record): (usize, &Record)| {
        let links = record.nodes(tree).filter(|(node, _)| tree.name(*node) == "a");
        let links = links.filter_map(|(node, _)| tree.attribute(node, "href")).map(str::trim);
        links
            .filter(|href| may_be_mark(href))
            .filter_map(|href| target(page, href, &by_mark))
            .find(|other| *other < number)
    };
    records.iter().enumerate().map(parent).collect()
}

/// Returns the first record with each mark.
fn by_mark(marks: &[Marks]) -> BTreeMap<&str, usize> {
    let mut by_mark: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, mark) in marks.iter().enumerate() {
        [&mark.anchor, &mark.url].into_iter().flatten().for_each(|mark| {
            by_mark.entry(mark).or_insert(number);
        });
    }
    by_mark
}

/// Returns the record that a link leads to, by its address or by the place in the page.
fn target(page: &Url, href: &str, by_mark: &BTreeMap<&str, usize>) -> Option<usize> {
    let url = resolve(page, href)?;
    let fragment = url.split_once('#').map(|(_, fragment)| fragment);
    by_mark.get(url.as_str()).or_else(|| by_mark.get(fragment?)).copied()
}

/// Returns the last bytes of an address.
fn end_of(address: &str) -> &[u8] {
    address.as_bytes().last_chunk::<END_BYTES>().map_or(address.as_bytes(), |end| end)
}

/// Returns whether the end of an address stays as it is written when the address is resolved.
fn has_plain_end(href: &str) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=' | b'/' | b'#');
    href.len() > END_BYTES && end_of(href).iter().all(is_plain)
}

/// Returns the quote at the beginning of a record.
fn quote(tree: &Tree, record: &Record) -> Option<ParentRef> {
    let is_quote = |node: NodeIndex| {
        tree.name(node) == "blockquote"
            || (matches!(tree.name(node), "div" | "aside" | "figure" | "q" | "table")
                && tree.attribute(node, "class").is_some_and(|class| class.to_ascii_lowercase().contains("quote")))
    };
    if let Some(quote) = plain_quote(tree, record) {
        return Some(quote);
    }
    let all = words(tree, record);
    let is_own = |node: NodeIndex| tree.node(node).words > 0 && tree.node(node).words * 10 < 9 * all;
    let node = record.nodes(tree).map(|(node, _)| node).find(|node| is_quote(*node) && is_own(*node))?;
    let author = ["data-author", "data-username", "data-user"].iter().find_map(|name| tree.attribute(node, name));
    let text = tree.text(node);
    let (named, text) = split_author(&text);
    let author = author.map(str::to_owned).or(named).or_else(|| author_before(tree, record, node));
    Some(ParentRef::Quote { author, text: text.to_owned() })
}

/// Returns the quote that a plain text begins with, in lines that begin with `>`, behind one that may name its author.
fn plain_quote(tree: &Tree, record: &Record) -> Option<ParentRef> {
    let texts = record.nodes(tree).filter_map(|(node, _)| match tree.content(node) {
        Content::Text(text) if text.contains('>') && text.contains('\n') => Some(text),
        _ => None,
    });
    let is_quoted = |line: &&str| line.trim_start().starts_with('>');
    for text in texts {
        let lines = || text.lines().filter(|line| !line.trim().is_empty());
        let before: Vec<&str> = lines().take_while(|line| !is_quoted(line)).collect();
        let quoted: Vec<&str> = lines().skip(before.len()).take_while(is_quoted).collect();
        let is_line = before.iter().map(|line| line.split_whitespace().count()).sum::<usize>() <= LINE_WORDS_MAX;
        // Programs mark what is typed by three of them.
        if !is_line || quoted.first().is_none_or(|line| line.trim_start().starts_with(">>>")) {
            continue;
        }
        // What the quoted post quotes is no text of it.
        let own = quoted.iter().map(|line| line.trim_start().trim_start_matches('>')).filter(|line| !is_quoted(line));
        let author = before.last().and_then(|line| quoted_author(line.trim().strip_suffix(':')?));
        let text = own.map(str::trim).collect::<Vec<_>>().join(" ");
        return Some(ParentRef::Quote { author, text });
    }
    None
}

fn words(tree: &Tree, record: &Record) -> usize {
    record.parts.iter().map(|part| tree.node(*part).words).sum()
}

/// Returns the author that the beginning of a quote names, and the rest of it.
fn split_author(quote: &str) -> (Option<String>, &str) {
    let line_end = quote.split_inclusive(' ').take(LINE_WORDS_MAX).map(str::len).sum();
    let colon = quote.get(..line_end).and_then(|line| {
        line.match_indices(':').find_map(|(at, _)| quoted_author(&line[..at]).map(|author| (author, at)))
    });
    match colon {
        Some((author, at)) => (Some(author), quote[at + 1..].trim_start()),
        None => (None, quote),
    }
}

/// Returns the author that the line before a quote names.
fn author_before(tree: &Tree, record: &Record, quote: NodeIndex) -> Option<String> {
    let first = record.parts[0];
    let texts = (first..quote).rev().filter_map(|node| match tree.content(node) {
        Content::Text(text) => Some(text),
        Content::Element(..) => None,
    });
    let lines = texts.take(TEXTS_BEFORE).filter_map(|text| text.trim().rsplit('\n').next());
    lines.filter_map(|line| quoted_author(line.trim().strip_suffix(':')?)).next()
}

/// Returns the name before a word for writing at the end of a line, such as `Ann wrote` or `On Monday, 5 May, Ann
/// wrote`.
fn quoted_author(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let before = WROTE.iter().find_map(|wrote| lower.trim_end().strip_suffix(wrote))?;
    let name = line.get(..before.len())?.trim().trim_start_matches('@');
    let name = name.rsplit(", ").next().unwrap_or(name);
    (!name.is_empty() && name.len() <= NAME_BYTES_MAX).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what the elements with class `r` answer by their depths.
    fn answered(source: &str) -> Vec<Option<usize>> {
        let tree = Tree::parse(source).unwrap();
        let is_record = |node: &NodeIndex| {
            tree.attribute(*node, "class").is_some_and(|classes| classes.split(' ').any(|class| class == "r"))
        };
        let records = (0..tree.nodes().len()).filter(is_record);
        let records: Vec<Record> = records.map(|node| Record::new(None, vec![node])).collect();
        by_depth(&tree, &records)
    }

    fn posts(depths: &[Option<u32>]) -> String {
        let post = |depth: &Option<u32>| {
            let class = depth.map_or_else(String::new, |depth| format!(" class=level-{depth}"));
            format!("<li{class}><div class=r>text</div></li>")
        };
        depths.iter().map(post).collect()
    }

    #[test]
    fn posts_without_a_depth_are_not_indented() {
        let list = format!("<ul>{}</ul>", posts(&[None, None, Some(1), Some(2), Some(1), None]));
        assert_eq!(answered(&list), [None, None, Some(1), Some(2), Some(1), None]);
        // Where the first post is apart from the list, it is what the list answers.
        let apart = format!("<div class=r>text</div>{list}");
        assert_eq!(answered(&apart), [None, Some(0), Some(0), Some(2), Some(3), Some(2), Some(0)]);
        assert_eq!(answered(&posts(&[Some(1), Some(1)])), [None, None]);
    }

    proptest::proptest! {
        /// Links that are not resolved lead to no record.
        #[test]
        fn records_that_links_lead_to_are_those_of_all_links(
            marks in proptest::collection::vec(("[a-z]{0,2}[-#%é]?[0-9]{0,4}", "/[tp]?/?[0-9]{0,4}(#p?[0-9]{1,4})?"), 1..6),
            links in proptest::collection::vec((0_usize..6, "(#|/|/p/|\\./)?[a-z]{0,2}[-#%é/]?[0-9]{0,4}(#p?[0-9]{1,4})? ?"), 0..8),
        ) {
            let page = Url::parse("http://h.test/t/1").unwrap();
            let mut html = String::new();
            let mut hrefs = vec![Vec::new(); marks.len()];
            for (number, of_record) in hrefs.iter_mut().enumerate() {
                html += "<div class=r>text";
                for (at, href) in &links {
                    // Links to a mark as it is written, and others.
                    let href = if at % 2 == 0 { format!("#{}", marks[at % marks.len()].0) } else { href.clone() };
                    if at % marks.len() == number {
                        html += &format!("<a href='{href}'>x</a>");
                        of_record.push(href);
                    }
                }
                html += "</div>";
            }
            let tree = Tree::parse(&html).unwrap();
            let is_record = |node: &NodeIndex| tree.attribute(*node, "class") == Some("r");
            let records = (0..tree.nodes().len()).filter(is_record);
            let records: Vec<Record> = records.map(|node| Record::new(None, vec![node])).collect();
            let mark = |(anchor, path): &(String, String)| Marks {
                anchor: (!anchor.is_empty()).then(|| anchor.clone()),
                url: resolve(&page, path),
                ..Marks::default()
            };
            let marks: Vec<Marks> = marks.iter().map(mark).collect();
            let found = linked(&tree, &page, &records, &marks);
            let known = by_mark(&marks);
            for (number, hrefs) in hrefs.iter().enumerate() {
                let mut all = hrefs.iter().filter_map(|href| target(&page, href.trim(), &known));
                proptest::prop_assert_eq!(found[number], all.find(|other| *other < number), "{:?}", hrefs);
            }
        }

        /// A post answers the last one before it that is less indented.
        #[test]
        fn the_post_above_is_the_last_less_indented_one(depths in proptest::collection::vec(proptest::option::of(0_u32..4), 0..12)) {
            let found = answered(&format!("<ul>{}</ul>", posts(&depths)));
            let is_told = depths.iter().any(|depth| depth.is_some() && *depth != depths[0]);
            for (number, above) in found.into_iter().enumerate() {
                let less = |other: &usize| depths[*other] < depths[number];
                proptest::prop_assert_eq!(above, (0..number).rev().find(less).filter(|_| is_told));
            }
        }
    }
}
